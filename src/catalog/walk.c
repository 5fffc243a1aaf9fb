/*
 * Directories are walked with a queue, not by recursion. Each knows its parent:
 * a directory that is one of its own ancestors (same device, same inode) is a
 * cycle of links and is not entered. The remaining tree is finite, but links
 * can still make many paths; the limit on names bounds that.
 *
 * The names of a directory are sorted before they are walked, so that it only
 * depends on the names which directories exceed the limit.
 */
#include "catalog/walk.h"

#include <errno.h>
#include <string.h>

#include "jsv/base/utf8.h"
#include "os/file.h"
#include "os/root.h"
#include "os/sys.h"

struct directory {
    struct directory *next;
    const struct directory *parent;
    struct jsv_str path; /* empty for the root */
    dev_t device;
    ino_t inode;
};

/* A list until the count is known, then an array. */
struct found {
    struct found *next;
    const void *item;
};

struct walk {
    int root_fd;
    const struct catalog_walk_options *options;
    struct jsv_arena *arena;
    struct directory *queue;
    struct directory **queue_end;
    struct found *entries;
    size_t entry_count;
    size_t name_count;
};

bool catalog_ends_with(struct jsv_str text, struct jsv_str ending)
{
    return text.size >= ending.size &&
           memcmp(text.data + text.size - ending.size, ending.data, ending.size) == 0;
}

struct jsv_str catalog_join(struct jsv_arena *arena, struct jsv_str a, struct jsv_str b)
{
    char *text = jsv_arena_alloc(arena, a.size + b.size + 1);
    if (!text) {
        return (struct jsv_str){0};
    }
    if (a.size > 0) {
        memcpy(text, a.data, a.size);
    }
    if (b.size > 0) {
        memcpy(text + a.size, b.data, b.size);
    }
    text[a.size + b.size] = '\0';
    return (struct jsv_str){text, a.size + b.size};
}

/* ---- lists ---- */

int catalog_order(
    struct jsv_arena *scratch, const void **items, size_t count, jsv_sort_compare *compare)
{
    struct jsv_sort_item *sorted = jsv_arena_array(scratch, count, 2 * sizeof(*sorted));
    if (!sorted) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = (struct jsv_sort_item){.item = items[i]};
    }
    jsv_sort(sorted, sorted + count, count, compare, NULL);
    for (size_t i = 0; i < count; i++) {
        items[i] = sorted[i].item;
    }
    return 0;
}

static int push(struct jsv_arena *arena, struct found **list, const void *item)
{
    struct found *found = jsv_arena_alloc(arena, sizeof(*found));
    if (!found) {
        return -ENOMEM;
    }
    *found = (struct found){*list, item};
    *list = found;
    return 0;
}

/* The items of a list, sorted; NULL when memory ran out. */
static const void **sorted_items(
    struct jsv_arena *arena, const struct found *list, size_t count, jsv_sort_compare *compare)
{
    const void **items = jsv_arena_array(arena, count + 1, sizeof(*items));
    if (!items) {
        return NULL;
    }
    size_t i = 0;
    for (; list; list = list->next) {
        items[i++] = list->item;
    }
    return catalog_order(arena, items, count, compare) < 0 ? NULL : items;
}

static int compare_names(const void *context, const void *a, const void *b)
{
    (void)context;
    return strcmp(a, b);
}

static int compare_entries(const void *context, const void *a, const void *b)
{
    (void)context;
    const struct catalog_entry *left = a;
    const struct catalog_entry *right = b;
    return jsv_str_compare(left->path, right->path);
}

/* ---- entries ---- */

static int add_entry(struct walk *walk, struct jsv_str path, int error)
{
    struct catalog_entry *entry = jsv_arena_alloc(walk->arena, sizeof(*entry));
    if (!entry) {
        return -ENOMEM;
    }
    *entry = (struct catalog_entry){path, error};
    walk->entry_count++;
    return push(walk->arena, &walk->entries, entry);
}

/* A name that is not a directory: a file of ours, or ignored. */
static int add_file(struct walk *walk, struct jsv_str path)
{
    if (!catalog_ends_with(path, walk->options->ending)) {
        return 0;
    }
    return add_entry(walk, path, jsv_utf8_valid_prefix(path) == path.size ? 0 : -EILSEQ);
}

static bool is_ancestor(const struct directory *directory, const struct stat *stat)
{
    for (; directory; directory = directory->parent) {
        if (directory->device == stat->st_dev && directory->inode == stat->st_ino) {
            return true;
        }
    }
    return false;
}

static int enqueue(
    struct walk *walk, const struct directory *parent, struct jsv_str path, const struct stat *stat)
{
    struct directory *directory = jsv_arena_alloc(walk->arena, sizeof(*directory));
    if (!directory) {
        return -ENOMEM;
    }
    *directory = (struct directory){NULL, parent, path, stat->st_dev, stat->st_ino};
    *walk->queue_end = directory;
    walk->queue_end = &directory->next;
    return 0;
}

static int
add_directory(struct walk *walk, const struct directory *parent, struct jsv_str path, int fd)
{
    struct stat stat;
    int r = os_fstat(fd, &stat);
    if (r < 0) {
        return add_entry(walk, path, r);
    }
    return is_ancestor(parent, &stat) ? add_entry(walk, path, -ELOOP)
                                      : enqueue(walk, parent, path, &stat);
}

static int add_name(struct walk *walk, const struct directory *directory, const char *name)
{
    struct jsv_str path = jsv_str_from(name);
    if (directory->path.size > 0) {
        struct jsv_str slash = catalog_join(walk->arena, directory->path, JSV_STR("/"));
        path = slash.data ? catalog_join(walk->arena, slash, path) : slash;
    }
    if (!path.data) {
        return -ENOMEM;
    }
    if (!walk->options->recursive) {
        return add_file(walk, path);
    }
    int fd = os_root_open_dir(walk->root_fd, path);
    if (fd >= 0) {
        int r = add_directory(walk, directory, path, fd);
        os_close(fd);
        return r;
    }
    /* A file that cannot be opened is reported when it is read. */
    bool file = fd == -ENOTDIR || fd == -ENOENT || catalog_ends_with(path, walk->options->ending);
    return file ? add_file(walk, path) : add_entry(walk, path, fd);
}

/* ---- directories ---- */

/* @return 0; -EOVERFLOW when there are too many; -errno. */
static int list_names(struct walk *walk, int fd, struct found **ret_names)
{
    struct os_dir dir = {.fd = fd};
    const char *name;
    int r;
    while ((r = os_dir_next(&dir, &name)) > 0) {
        if (walk->name_count == CATALOG_NAMES_MAX) {
            return -EOVERFLOW;
        }
        walk->name_count++;
        struct jsv_str copy = catalog_join(walk->arena, jsv_str_from(name), JSV_STR(""));
        if (!copy.data || push(walk->arena, ret_names, copy.data) < 0) {
            return -ENOMEM;
        }
    }
    return r;
}

static int add_names(struct walk *walk, const struct directory *directory, int fd)
{
    struct found *names = NULL;
    size_t before = walk->name_count;
    int r = list_names(walk, fd, &names);
    if (r < 0) {
        walk->name_count = before; /* skip the whole directory; smaller ones may fit */
        return r;
    }
    size_t count = walk->name_count - before;
    const void **sorted = sorted_items(walk->arena, names, count, compare_names);
    if (!sorted) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count && r == 0; i++) {
        r = add_name(walk, directory, sorted[i]);
    }
    return r;
}

static int walk_directory(struct walk *walk, const struct directory *directory)
{
    struct jsv_str path = directory->path.size > 0 ? directory->path : JSV_STR(".");
    int fd = os_root_open_dir(walk->root_fd, path);
    int r = fd < 0 ? fd : add_names(walk, directory, fd);
    os_close(fd);
    if (r == 0 || r == -ENOMEM || !directory->parent) {
        return r; /* errors of the root are the caller's */
    }
    return add_entry(walk, directory->path, r);
}

static int walk_root(struct walk *walk)
{
    struct stat stat;
    int r = os_fstat(walk->root_fd, &stat);
    if (r == 0) {
        r = enqueue(walk, NULL, JSV_STR(""), &stat);
    }
    for (; r == 0 && walk->queue; walk->queue = walk->queue->next) {
        r = walk_directory(walk, walk->queue);
    }
    return r;
}

int catalog_walk(
    int root_fd,
    const struct catalog_walk_options *options,
    struct jsv_arena *arena,
    struct catalog_entries *ret_entries)
{
    struct walk walk = {.root_fd = root_fd, .options = options, .arena = arena};
    walk.queue_end = &walk.queue;
    int r = walk_root(&walk);
    if (r < 0) {
        return r;
    }
    const void **items = sorted_items(arena, walk.entries, walk.entry_count, compare_entries);
    if (!items) {
        return -ENOMEM;
    }
    *ret_entries = (struct catalog_entries){(const void *)items, walk.entry_count};
    return 0;
}
