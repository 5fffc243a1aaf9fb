#define _GNU_SOURCE /* memrchr() */
#include "cli/validate/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cli/io.h"
#include "os/file.h"
#include "os/root.h"
#include "os/sys.h"

/* Room for about ten million files. */
#define NAMES_SIZE_MAX ((size_t)1 << 30)
#define ITEMS_SIZE_MAX ((size_t)1 << 30)

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

/* "directory/name", with one slash. NULL without memory. */
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

/* ---- files ---- */

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

/* The listing of a directory, with a chain of subdirectories still to list. */
struct walk {
    struct validate_files *files;
    const char *directory;
    int root_fd;
    bool ndjson;
    struct subdirectory *pending;
};

struct subdirectory {
    struct subdirectory *next;
    const char *below; /* path from the directory; "" for itself */
};

static int add_pending(struct walk *walk, const char *below)
{
    struct subdirectory *pending = jsv_arena_alloc(&walk->files->arena, sizeof(*pending));
    if (!pending) {
        return -ENOMEM;
    }
    *pending = (struct subdirectory){walk->pending, below};
    walk->pending = pending;
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

/* *.json files and subdirectories; a file that has disappeared does not count. */
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

/* Handle an entry of the subdirectory `below`, which is open as fd. */
static int add_entry(struct walk *walk, int fd, const char *below, const char *name)
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
        return add_pending(walk, path);
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
        int r = add_entry(walk, fd, below, name);
        if (r < 0) {
            return r;
        }
    }
    return more < 0 ? add_found(walk, below, 0, more) : 0;
}

/* If a directory is replaced by a link meanwhile, it may be listed, but its files are not read. */
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
    int r = add_pending(walk, "");
    while (r == 0 && walk->pending) {
        struct subdirectory *first = walk->pending;
        walk->pending = first->next;
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
        /* An error, because it may be the wrong directory. */
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
        .may_block = is_stdin || (r == 0 && !sized),
    };
    files->size_unknown |= file.may_block;
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

/* ---- pieces ---- */

/*
 * Bytes of a read, and about the size of a piece of lines: enough work for a
 * thread, and so little that the results, a hundred times its size at worst, fit
 * in memory.
 */
#define CHUNK_SIZE ((size_t)64 * 1024)

/* A larger buffer is not reused. */
#define KEEP_SIZE_MAX ((size_t)1 << 20)

void validate_piece_init(struct validate_piece *piece)
{
    *piece = (struct validate_piece){0};
    jsv_buf_init(&piece->text, os_allocator(), CLI_INPUT_SIZE_MAX);
}

void validate_piece_reset(struct validate_piece *piece)
{
    jsv_buf_reset(&piece->text);
    if (piece->text.capacity > KEEP_SIZE_MAX) {
        jsv_buf_done(&piece->text);
    }
}

void validate_piece_done(struct validate_piece *piece)
{
    jsv_buf_done(&piece->text);
}

void validate_source_init(
    struct validate_source *source, const struct validate_files *files, int in_fd)
{
    *source = (struct validate_source){
        .files = files,
        .in_fd = in_fd,
        .line_size_max = VALIDATE_LINE_SIZE_MAX,
        .root_fd = -1,
        .fd = -1,
    };
    jsv_buf_init(&source->rest, os_allocator(), CLI_INPUT_SIZE_MAX);
}

static void close_file(struct validate_source *source)
{
    os_close(source->fd);
    source->fd = -1;
    source->file = NULL;
}

void validate_source_done(struct validate_source *source)
{
    close_file(source);
    os_close(source->root_fd);
    jsv_buf_done(&source->rest);
}

/* The directory of a file as a root, kept open for all files of it. */
static int root_of(struct validate_source *source, const struct validate_file *file)
{
    if (source->directory != file->directory) {
        os_close(source->root_fd);
        source->root_fd = os_root_open(file->directory);
        source->directory = source->root_fd < 0 ? NULL : file->directory;
    }
    return source->root_fd;
}

static int open_file(struct validate_source *source, const struct validate_file *file)
{
    if (file->error != 0) {
        return file->error;
    }
    if (file->directory) {
        int root_fd = root_of(source, file);
        return root_fd < 0 ? root_fd : os_root_open_file(root_fd, jsv_str_from(file->below));
    }
    if (strcmp(file->name, "-") == 0) {
        return source->in_fd;
    }
    return os_openat(AT_FDCWD, file->name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

/* Return an error as a piece, unless it is not about the file. */
static int unread(struct validate_piece *piece, int error)
{
    if (error == -EINTR || error == -ENOMEM) {
        return error;
    }
    piece->kind = VALIDATE_UNREAD;
    piece->error = error;
    jsv_buf_reset(&piece->text);
    return 1;
}

static int read_whole(int fd, struct validate_piece *piece)
{
    int r = os_file_read(fd, &piece->text);
    os_close(fd);
    if (r < 0) {
        return unread(piece, r);
    }
    piece->kind = VALIDATE_WHOLE;
    piece->line = 1;
    piece->size = piece->text.size;
    return 1;
}

/* ---- lines ---- */

static size_t count_lines(struct jsv_str text)
{
    size_t count = 0;
    const char *end = text.data + text.size;
    const char *at = text.data;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        at++;
        count++;
    }
    return count;
}

/* Append what one read() returns. @return bytes; 0 at the end; -errno. */
static ssize_t read_more(struct validate_source *source, struct jsv_buf *text)
{
    int r = jsv_buf_reserve(text, CHUNK_SIZE);
    if (r < 0) {
        return r;
    }
    r = os_wait_read(source->fd, -1);
    if (r < 0) {
        return r;
    }
    ssize_t size = os_read(source->fd, text->data + text->size, CHUNK_SIZE);
    text->size += size > 0 ? (size_t)size : 0;
    return size;
}

/* Return the first bytes of the text, complete lines; the rest is for the next piece. */
static int return_lines(struct validate_source *source, struct validate_piece *piece, size_t size)
{
    struct jsv_buf *text = &piece->text;
    int r = jsv_buf_append(&source->rest, text->data + size, text->size - size);
    if (r < 0) {
        return r;
    }
    text->size = size;
    piece->kind = VALIDATE_LINES;
    piece->line = source->line;
    piece->size = size;
    source->line += count_lines(jsv_buf_str(text));
    return 1;
}

static int return_long_line(struct validate_source *source, struct validate_piece *piece)
{
    piece->kind = VALIDATE_LONG_LINE;
    piece->line = source->line;
    piece->size = piece->text.size;
    jsv_buf_reset(&piece->text);
    source->is_skipping = true;
    return 1;
}

/* Skip the rest of a long line. @return 1 at its end; 0 at the end of the file; -errno. */
static int skip_line(struct validate_source *source, struct jsv_buf *text)
{
    for (;;) {
        const char *newline = text->size > 0 ? memchr(text->data, '\n', text->size) : NULL;
        if (newline) {
            size_t used = (size_t)(newline + 1 - text->data);
            memmove(text->data, text->data + used, text->size - used);
            text->size -= used;
            source->is_skipping = false;
            source->line++;
            return 1;
        }
        jsv_buf_reset(text);
        ssize_t size = read_more(source, text);
        if (size <= 0) {
            return (int)size;
        }
    }
}

static size_t size_of_whole_lines(const struct jsv_buf *text, size_t from)
{
    const char *newline =
        text->size > from ? memrchr(text->data + from, '\n', text->size - from) : NULL;
    return newline ? (size_t)(newline + 1 - text->data) : 0;
}

/* Read until there is a complete line, then on while there is input and the piece is small. */
static int fill_lines(struct validate_source *source, struct validate_piece *piece)
{
    struct jsv_buf *text = &piece->text;
    size_t whole = size_of_whole_lines(text, 0);
    for (;;) {
        if (whole > 0 && (text->size >= CHUNK_SIZE || os_wait_read(source->fd, 0) != 1)) {
            return return_lines(source, piece, whole);
        }
        size_t before = text->size;
        ssize_t size = read_more(source, text);
        if (size < 0 && whole > 0) {
            source->error = (int)size; /* for the next piece */
            return return_lines(source, piece, whole);
        }
        if (size < 0) {
            return (int)size;
        }
        if (size == 0) {
            return text->size > 0 ? return_lines(source, piece, text->size) : 0;
        }
        size_t found = size_of_whole_lines(text, before);
        whole = found > 0 ? found : whole;
        if (whole == 0 && text->size > source->line_size_max) {
            return return_long_line(source, piece);
        }
    }
}

/* @return 1; 0 at the end of the file; -errno. */
static int next_lines(struct validate_source *source, struct validate_piece *piece)
{
    struct jsv_buf *text = &piece->text;
    if (source->error < 0) {
        return source->error;
    }
    int r = jsv_buf_append(text, source->rest.data, source->rest.size);
    jsv_buf_reset(&source->rest);
    if (source->rest.capacity > KEEP_SIZE_MAX) {
        jsv_buf_done(&source->rest);
    }
    if (r == 0 && source->is_skipping) {
        r = skip_line(source, text);
        if (r <= 0) {
            return r;
        }
    }
    return r < 0 ? r : fill_lines(source, piece);
}

static int read_lines(struct validate_source *source, struct validate_piece *piece)
{
    piece->file = source->file;
    int r = next_lines(source, piece);
    if (r == 1) {
        return 1;
    }
    close_file(source);
    return r < 0 ? unread(piece, r) : 0;
}

/* ---- all pieces ---- */

static void start_lines(struct validate_source *source, const struct validate_file *file, int fd)
{
    source->file = file;
    source->fd = fd;
    source->line = 1;
    source->is_skipping = false;
    source->error = 0;
    jsv_buf_reset(&source->rest);
}

int validate_source_next(struct validate_source *source, struct validate_piece *piece)
{
    for (;;) {
        if (source->file) {
            int r = read_lines(source, piece);
            if (r != 0) {
                return r;
            }
        }
        if (source->next == source->files->count) {
            return 0;
        }
        const struct validate_file *file = validate_files_at(source->files, source->next++);
        piece->file = file;
        int fd = open_file(source, file);
        if (fd < 0) {
            return unread(piece, fd);
        }
        if (!file->ndjson) {
            return read_whole(fd, piece);
        }
        start_lines(source, file, fd);
    }
}

bool validate_source_is_ready(const struct validate_source *source)
{
    if (source->file) {
        return os_wait_read(source->fd, 0) != 0;
    }
    bool more = source->next < source->files->count;
    return !more || !validate_files_at(source->files, source->next)->may_block;
}
