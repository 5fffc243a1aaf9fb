#include "cli/validate/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "os/dir.h"
#include "os/sys.h"

/* Names and entries: some ten million files. */
#define NAMES_SIZE_MAX ((size_t)1 << 30)
#define ITEMS_SIZE_MAX ((size_t)1 << 30)

/* ---- names ---- */

static bool ends_in(const char *name, const char *suffix)
{
    size_t size = strlen(name);
    size_t suffix_size = strlen(suffix);
    return size > suffix_size && strcmp(name + size - suffix_size, suffix) == 0;
}

static bool is_ndjson(const char *name)
{
    return ends_in(name, ".ndjson") || ends_in(name, ".jsonl");
}

/* "directory/name"; no second slash behind one. NULL when memory ran out. */
static char *join(struct validate_files *files, const char *directory, const char *name)
{
    size_t directory_size = strlen(directory);
    size_t name_size = strlen(name);
    size_t slash = directory_size > 0 && directory[directory_size - 1] != '/';
    char *path = jsv_arena_alloc(&files->arena, directory_size + slash + name_size + 1);
    if (path) {
        memcpy(path, directory, directory_size);
        memcpy(path + directory_size, "/", slash);
        memcpy(path + directory_size + slash, name, name_size + 1);
    }
    return path;
}

/* ---- the list ---- */

static int add(struct validate_files *files, const struct validate_file *file)
{
    files->count++;
    files->size += file->size;
    return jsv_buf_append(&files->items, file, sizeof(*file));
}

static struct validate_file *items_of(const struct validate_files *files)
{
    return (struct validate_file *)(void *)files->items.data;
}

const struct validate_file *validate_files_at(const struct validate_files *files, size_t index)
{
    return &items_of(files)[index];
}

static int compare(const void *a, const void *b)
{
    const struct validate_file *one = a;
    const struct validate_file *other = b;
    return strcmp(one->below, other->below);
}

/* ---- directories ---- */

/* A walk through a directory. Directories that are still to be listed wait in a chain. */
struct walk {
    struct validate_files *files;
    const char *directory;
    int root_fd;
    bool ndjson;
    struct waiting *waiting;
};

struct waiting {
    struct waiting *next;
    const char *below; /* path from the root; "" for the root itself */
};

static int wait_for(struct walk *walk, const char *below)
{
    struct waiting *waiting = jsv_arena_alloc(&walk->files->arena, sizeof(*waiting));
    if (!waiting) {
        return -ENOMEM;
    }
    *waiting = (struct waiting){walk->waiting, below};
    walk->waiting = waiting;
    return 0;
}

static int add_found(struct walk *walk, const char *below, uint64_t size, int error)
{
    const char *name = join(walk->files, walk->directory, below);
    const struct validate_file file = {
        .name = name,
        .directory = walk->directory,
        .below = below,
        .size = size,
        .ndjson = walk->ndjson,
        .error = error,
    };
    return name ? add(walk->files, &file) : -ENOMEM;
}

/* What is gone meanwhile is gone. */
static bool is_wanted(const char *name, const struct stat *stat, int error)
{
    bool json = ends_in(name, ".json");
    return error != 0 ? json && error != -ENOENT : json || S_ISDIR(stat->st_mode);
}

/* A FIFO, a socket or a device. */
static bool is_special(const struct stat *stat)
{
    return !S_ISREG(stat->st_mode) && !S_ISLNK(stat->st_mode);
}

/* Look at an entry of the directory `below`, which is open as fd. */
static int look_at(struct walk *walk, int fd, const char *below, const char *name)
{
    struct stat stat = {0};
    int error = os_fstatat(fd, name, &stat, AT_SYMLINK_NOFOLLOW);
    if (!is_wanted(name, &stat, error)) {
        return 0;
    }
    const char *path = join(walk->files, below, name);
    if (!path) {
        return -ENOMEM;
    }
    if (S_ISDIR(stat.st_mode)) {
        return wait_for(walk, path);
    }
    if (error == 0 && is_special(&stat)) {
        return add_found(walk, path, 0, -EBADFD);
    }
    return add_found(walk, path, (uint64_t)stat.st_size, error);
}

static int list_open(struct walk *walk, int fd, const char *below)
{
    struct os_dir dir = {.fd = fd};
    const char *name;
    int more;
    while ((more = os_dir_next(&dir, &name)) > 0) {
        int r = look_at(walk, fd, below, name);
        if (r < 0) {
            return r;
        }
    }
    return more < 0 ? add_found(walk, below, 0, more) : 0;
}

/* A directory that somebody swaps for a link meanwhile may be listed; its files are not read. */
static int list_one(struct walk *walk, const char *below)
{
    const char *path = below[0] == '\0' ? "." : below;
    int fd = os_openat(
        walk->root_fd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return add_found(walk, below, 0, fd);
    }
    int r = list_open(walk, fd, below);
    os_close(fd);
    return r;
}

static int list_all(struct walk *walk)
{
    int r = wait_for(walk, "");
    while (r == 0 && walk->waiting) {
        struct waiting *first = walk->waiting;
        walk->waiting = first->next;
        r = list_one(walk, first->below);
    }
    return r;
}

static int add_directory(struct validate_files *files, const char *directory, bool ndjson)
{
    size_t before = files->count;
    struct walk walk = {.files = files, .directory = directory, .ndjson = ndjson};
    walk.root_fd = os_openat(AT_FDCWD, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (walk.root_fd < 0) {
        return add(files, &(struct validate_file){.name = directory, .error = walk.root_fd});
    }
    int r = list_all(&walk);
    os_close(walk.root_fd);
    if (r < 0) {
        return r;
    }
    if (files->count == before) {
        /* Nothing to check is no success: the directory may be the wrong one. */
        return add(files, &(struct validate_file){.name = directory, .error = -ENODATA});
    }
    qsort(items_of(files) + before, files->count - before, sizeof(struct validate_file), compare);
    return 0;
}

/* ---- operands ---- */

static int add_operand(struct validate_files *files, const char *operand, bool ndjson)
{
    struct stat stat;
    bool is_stdin = strcmp(operand, "-") == 0;
    int r = is_stdin ? -ENOENT : os_fstatat(AT_FDCWD, operand, &stat, 0);
    if (r == 0 && S_ISDIR(stat.st_mode)) {
        return add_directory(files, operand, ndjson);
    }
    bool sized = r == 0 && S_ISREG(stat.st_mode);
    const struct validate_file file = {
        .name = operand,
        .size = sized ? (uint64_t)stat.st_size : 0,
        .ndjson = ndjson || is_ndjson(operand),
        .waits = is_stdin || (r == 0 && !sized),
    };
    files->size_unknown |= file.waits;
    return add(files, &file);
}

int validate_files_list(
    char *const *operands, size_t count, bool ndjson, struct validate_files *ret_files)
{
    struct validate_files files = {0};
    jsv_arena_init(&files.arena, os_allocator(), NAMES_SIZE_MAX);
    jsv_buf_init(&files.items, os_allocator(), ITEMS_SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        int r = add_operand(&files, operands[i], ndjson);
        if (r < 0) {
            validate_files_done(&files);
            return -ENOMEM;
        }
    }
    *ret_files = files;
    return 0;
}

void validate_files_done(struct validate_files *files)
{
    jsv_buf_done(&files->items);
    jsv_arena_done(&files->arena);
}
