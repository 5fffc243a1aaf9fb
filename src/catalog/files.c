#define _GNU_SOURCE /* strerrordesc_np() */
#include "catalog/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/base/utf8.h"
#include "os/root.h"
#include "os/sys.h"

/* Scratch memory of loading: some hundred bytes for each name. */
#define SCRATCH_MAX ((size_t)256 << 20)

/* Of a warning, and of a pointer in it. */
#define WHY_SIZE_MAX     512
#define POINTER_SIZE_MAX 256

/* The root being read. */
struct reading {
    struct catalog_loading *loading;
    const char *directory;
    int root_fd;
    const struct catalog_files *previous;
    struct catalog_files files;
    size_t capacity;
};

int catalog_loading_init(
    struct catalog_loading *loading,
    struct jsv_arena *arena,
    catalog_warn *warn,
    void *warn_context)
{
    *loading = (struct catalog_loading){.arena = arena, .warn = warn, .warn_context = warn_context};
    jsv_arena_init(&loading->scratch, os_allocator(), SCRATCH_MAX);
    jsv_buf_init(&loading->buf, os_allocator(), CATALOG_FILE_SIZE_MAX);
    loading->reader = jsv_reader_new(os_allocator(), NULL);
    return loading->reader ? 0 : -ENOMEM;
}

void catalog_loading_done(struct catalog_loading *loading)
{
    jsv_registry_free(loading->meta);
    jsv_reader_free(loading->reader);
    jsv_buf_done(&loading->buf);
    jsv_arena_done(&loading->scratch);
}

struct jsv_str catalog_keep(struct catalog_loading *loading, struct jsv_str text)
{
    return catalog_join(loading->arena, text, JSV_STR(""));
}

/* ---- warnings ---- */

static int warn(
    struct catalog_loading *loading,
    enum catalog_warning kind,
    const char *directory,
    struct jsv_str path,
    struct jsv_str why)
{
    struct jsv_str root = jsv_str_from(directory);
    bool slash = catalog_ends_with(root, JSV_STR("/"));
    root = catalog_join(&loading->scratch, root, slash ? JSV_STR("") : JSV_STR("/"));
    struct jsv_str file = root.data ? catalog_join(&loading->scratch, root, path) : root;
    if (!file.data) {
        return -ENOMEM;
    }
    if (loading->warn) {
        loading->warn(loading->warn_context, kind, file, why);
    }
    return 0;
}

int catalog_warn_of(
    struct catalog_loading *loading, const char *directory, struct jsv_str path, struct jsv_str why)
{
    return warn(loading, CATALOG_SKIPPED, directory, path, why);
}

int catalog_warn_unusable(
    struct catalog_loading *loading, const char *directory, struct jsv_str path, struct jsv_str why)
{
    return warn(loading, CATALOG_UNUSABLE, directory, path, why);
}

static const char *describe(int error)
{
    switch (error) {
    case -EFBIG:
        return "larger than 4 MiB";
    case -EDQUOT:
        return "all files together are larger than 128 MiB";
    case -EOVERFLOW:
        return "more than 100,000 names so far";
    case -EXDEV:
        return "a link that leaves the directory, or a cycle of links";
    case -ELOOP:
        return "a directory inside itself, by a link";
    case -ENOENT:
        return "a broken link, or a file that was just removed";
    case -EISDIR:
        return "a directory";
    case -EBADFD:
        return "a FIFO, a socket or a device";
    case -EILSEQ:
        return "its name is not UTF-8";
    case -ENAMETOOLONG:
        return "nested too deep";
    default: {
        const char *text = strerrordesc_np(-error);
        return text ? text : "unknown error";
    }
    }
}

_Static_assert(CATALOG_FILE_SIZE_MAX == 4 << 20, "as describe() says");
_Static_assert(CATALOG_FILES_SIZE_MAX == 128 << 20, "as describe() says");
_Static_assert(CATALOG_NAMES_MAX == 100000, "as describe() says");

/* "duplicate member at /a", then `more`. */
static struct jsv_str describe_place(
    const char *wrong, struct jsv_str pointer, const char *more, char out[static WHY_SIZE_MAX])
{
    pointer.size = pointer.size < POINTER_SIZE_MAX ? pointer.size : POINTER_SIZE_MAX;
    int pointer_size = (int)jsv_utf8_valid_prefix(pointer);
    int size = snprintf(
        out,
        WHY_SIZE_MAX,
        "%s%s%.*s%s",
        wrong,
        pointer_size > 0 ? " at " : "",
        pointer_size,
        pointer_size > 0 ? pointer.data : "",
        more);
    return (struct jsv_str){out, size < WHY_SIZE_MAX ? (size_t)size : WHY_SIZE_MAX - 1};
}

/* "duplicate member at /a (line 3)" */
static struct jsv_str describe_json(const struct jsv_error *error, char out[static WHY_SIZE_MAX])
{
    char line[32];
    snprintf(line, sizeof(line), " (line %zu)", error->line);
    return describe_place(error->message.data, error->pointer, line, out);
}

int catalog_warn_at(
    struct catalog_loading *loading,
    const char *directory,
    struct jsv_str path,
    const char *wrong,
    struct jsv_str pointer)
{
    char text[WHY_SIZE_MAX];
    return catalog_warn_of(loading, directory, path, describe_place(wrong, pointer, "", text));
}

/* ---- files ---- */

const struct catalog_file *
catalog_files_find(const struct catalog_files *files, struct jsv_str path)
{
    size_t from = 0;
    size_t to = files->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = jsv_str_compare(files->items[middle].path, path);
        if (order == 0) {
            return &files->items[middle];
        }
        if (order < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return NULL;
}

void catalog_files_done(struct catalog_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        jsv_document_free(files->items[i].document);
    }
    *files = (struct catalog_files){0};
}

/* Space for one more; NULL when memory ran out. */
static struct catalog_file *grow(struct reading *reading)
{
    struct catalog_files *files = &reading->files;
    if (files->count == reading->capacity) {
        size_t capacity = reading->capacity ? 2 * reading->capacity : 16;
        struct catalog_file *items =
            jsv_arena_array(reading->loading->arena, capacity, sizeof(*items));
        if (!items) {
            return NULL;
        }
        if (files->count > 0) {
            memcpy(items, files->items, files->count * sizeof(*items));
        }
        files->items = items;
        reading->capacity = capacity;
    }
    return &files->items[files->count];
}

/* Parse a text and keep both. @return 0; -EBADMSG with the error; -ENOMEM. */
static int add_text(
    struct reading *reading,
    struct jsv_str path,
    struct jsv_str text,
    struct jsv_error *reterr_error)
{
    struct catalog_loading *loading = reading->loading;
    struct catalog_file *file = grow(reading);
    if (!file) {
        return -ENOMEM;
    }
    *file = (struct catalog_file){
        .path = catalog_keep(loading, path),
        .text = catalog_keep(loading, text),
        .document = jsv_document_new(os_allocator()),
    };
    int r = -ENOMEM;
    if (file->path.data && file->text.data && file->document) {
        r = jsv_read(loading->reader, file->document, file->text, 0, reterr_error);
    }
    if (r < 0) {
        jsv_document_free(file->document);
        return r;
    }
    file->value = jsv_document_root(file->document);
    loading->size += text.size;
    reading->files.count++;
    return 0;
}

/* ---- files of the previous snapshot ---- */

/* It is known to be valid: only memory can be missing. */
static int add_again(struct reading *reading, const struct catalog_file *file)
{
    struct jsv_error error;
    return add_text(reading, file->path, file->text, &error);
}

static bool is_below(struct jsv_str path, struct jsv_str directory)
{
    return path.size > directory.size && path.data[directory.size] == '/' &&
           memcmp(path.data, directory.data, directory.size) == 0;
}

/* The file itself, or all files below it if it was a directory. */
static int add_previous(struct reading *reading, struct jsv_str path)
{
    const struct catalog_files *previous = reading->previous;
    int r = 0;
    for (size_t i = 0; previous && i < previous->count && r == 0; i++) {
        struct jsv_str before = previous->items[i].path;
        if (jsv_str_equal(before, path) || is_below(before, path)) {
            r = add_again(reading, &previous->items[i]);
        }
    }
    return r;
}

/* ---- reading ---- */

static int read_text(struct reading *reading, struct jsv_str path)
{
    struct jsv_buf *buf = &reading->loading->buf;
    jsv_buf_reset(buf);
    int r = os_root_read_file(reading->root_fd, path, buf);
    if (r == 0 && buf->size > CATALOG_FILES_SIZE_MAX - reading->loading->size) {
        r = -EDQUOT;
    }
    return r;
}

/* @return 0 when it was read or skipped; -ENOMEM. */
static int add_file(struct reading *reading, const struct catalog_entry *entry)
{
    struct catalog_loading *loading = reading->loading;
    struct jsv_error error = {0};
    int r = entry->error ? entry->error : read_text(reading, entry->path);
    if (r == 0) {
        r = add_text(reading, entry->path, jsv_buf_str(&loading->buf), &error);
    }
    if (r == 0 || r == -ENOMEM) {
        return r;
    }
    char text[WHY_SIZE_MAX];
    struct jsv_str why = error.code ? describe_json(&error, text) : jsv_str_from(describe(r));
    int warned = catalog_warn_of(loading, reading->directory, entry->path, why);
    return warned < 0 || r == -ENOENT ? warned : add_previous(reading, entry->path);
}

static int compare_files(const void *context, const void *a, const void *b)
{
    (void)context;
    const struct catalog_file *left = a;
    const struct catalog_file *right = b;
    return jsv_str_compare(left->path, right->path);
}

/* Files kept from the previous snapshot may be out of order: "a/b" before "a-b". */
static int sort_files(struct reading *reading)
{
    struct jsv_arena *scratch = &reading->loading->scratch;
    size_t count = reading->files.count;
    struct catalog_file *copies = jsv_arena_array(scratch, count + 1, sizeof(*copies));
    const void **items = jsv_arena_array(scratch, count + 1, sizeof(*items));
    if (!copies || !items) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        copies[i] = reading->files.items[i];
        items[i] = &copies[i];
    }
    int r = catalog_order(scratch, items, count, compare_files);
    for (size_t i = 0; i < count && r == 0; i++) {
        reading->files.items[i] = *(const struct catalog_file *)items[i];
    }
    return r;
}

static int add_files(struct reading *reading, const struct catalog_walk_options *options)
{
    struct catalog_entries entries;
    int r = catalog_walk(reading->root_fd, options, &reading->loading->scratch, &entries);
    if (r < 0) {
        return r;
    }
    for (size_t i = 0; i < entries.count && r == 0; i++) {
        r = add_file(reading, entries.items[i]);
    }
    return r < 0 || !reading->previous ? r : sort_files(reading);
}

int catalog_files_load(
    struct catalog_loading *loading,
    const char *directory,
    const struct catalog_walk_options *options,
    const struct catalog_files *previous,
    struct catalog_files *ret_files)
{
    *ret_files = (struct catalog_files){0};
    if (!directory) {
        return 0;
    }
    struct reading reading = {.loading = loading, .directory = directory, .previous = previous};
    reading.root_fd = os_root_open(directory);
    if (reading.root_fd < 0) {
        return reading.root_fd;
    }
    int r = add_files(&reading, options);
    os_close(reading.root_fd);
    *ret_files = reading.files;
    return r;
}
