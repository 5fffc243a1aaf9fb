#include "cli/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "cli/io.h"
#include "cli/report.h"
#include "cli/validate/source.h"
#include "jsv/schema/registry/uri.h"
#include "os/file.h"
#include "os/root.h"
#include "os/sys.h"

/* Room for a percent-encoded path and its scheme. */
#define URI_SIZE_MAX ((size_t)8 * PATH_MAX)

/* Bytes shown of a file name. */
#define NAME_SIZE_MAX 1024

#define FILE_SCHEME "file://"

/* A directory that files are read from. */
struct resolve_rule {
    struct resolve_rule *next;
    struct jsv_str prefix; /* of URIs; empty: its files are known by their $id */
    const char *directory;
    struct jsv_str place; /* its file: URI, ending with a slash */
    int root_fd;
};

/* A URI that names a file. */
struct resolve_id {
    struct jsv_table_key key;
    struct resolve_id *next;         /* another file with the same URI */
    const char *name;                /* for messages */
    const struct resolve_rule *rule; /* the directory it is below; NULL: none */
    const char *path;                /* relative to that directory, if there is one */
    bool is_explicit;                /* by URI=FILE: its own $id does not matter */
};

/* A schema that was read and has an $id. */
struct resolve_known {
    struct resolve_known *next;
    struct jsv_str id;
    struct jsv_str place;            /* its file: URI */
    const struct resolve_rule *rule; /* the directory it must not leave; NULL: none */
};

/* A file that was found. */
struct found {
    const char *name;
    const struct resolve_rule *rule; /* the directory it is below; NULL: none */
};

void cli_resolve_init(struct cli_resolve *resolve)
{
    *resolve = (struct cli_resolve){.own_directory = {"", 0}, .own_path = {"", 0}};
    jsv_arena_init(&resolve->arena, os_allocator(), SIZE_MAX);
    resolve->ids = jsv_table_on(&resolve->arena);
}

void cli_resolve_done(struct cli_resolve *resolve)
{
    for (struct resolve_rule *rule = resolve->rules; rule; rule = rule->next) {
        os_close(rule->root_fd);
    }
    resolve->rules = NULL;
    jsv_document_free(resolve->document);
    jsv_reader_free(resolve->reader);
    jsv_arena_done(&resolve->arena);
}

/* ---- texts ---- */

/* A terminated copy of three texts in a row; NULL without memory. */
static char *join(struct cli_resolve *resolve, struct jsv_str a, struct jsv_str b, struct jsv_str c)
{
    char *text = jsv_arena_alloc(&resolve->arena, a.size + b.size + c.size + 1);
    if (text) {
        memcpy(text, a.data, a.size);
        memcpy(text + a.size, b.data, b.size);
        memcpy(text + a.size + b.size, c.data, c.size);
        text[a.size + b.size + c.size] = '\0';
    }
    return text;
}

static char *copy(struct cli_resolve *resolve, struct jsv_str text)
{
    return join(resolve, text, JSV_STR(""), JSV_STR(""));
}

/* The name of a file for messages: "directory/path". @param rule NULL: just the path. */
static char *
name_below(struct cli_resolve *resolve, const struct resolve_rule *rule, struct jsv_str path)
{
    struct jsv_str directory = jsv_str_from(rule ? rule->directory : "");
    bool needs_slash = directory.size > 0 && directory.data[directory.size - 1] != '/';
    return join(resolve, directory, needs_slash ? JSV_STR("/") : JSV_STR(""), path);
}

static bool starts_with(struct jsv_str text, struct jsv_str start)
{
    return text.size >= start.size && memcmp(text.data, start.data, start.size) == 0;
}

static bool ends_with(struct jsv_str text, struct jsv_str end)
{
    return text.size >= end.size &&
           memcmp(text.data + text.size - end.size, end.data, end.size) == 0;
}

static struct jsv_str skip(struct jsv_str text, size_t size)
{
    return (struct jsv_str){text.data + size, text.size - size};
}

/* Up to and with the last slash; empty when there is none. */
static struct jsv_str directory_of(struct jsv_str text)
{
    while (text.size > 0 && text.data[text.size - 1] != '/') {
        text.size--;
    }
    return text;
}

int cli_resolve_file_uri(struct cli_resolve *resolve, const char *path, struct jsv_str *ret_uri)
{
    struct jsv_buf uri;
    jsv_buf_init(&uri, os_allocator(), URI_SIZE_MAX);
    int r = os_uri_append_file(&uri, path);
    if (r == 0) {
        r = jsv_uri_resolve(&resolve->arena, JSV_STR(""), jsv_buf_str(&uri), ret_uri);
    }
    jsv_buf_done(&uri);
    return r;
}

/* ---- reading files ---- */

/* All errors that mean there is no such file. */
static int as_absent(int error)
{
    switch (error) {
    case -EINVAL:
    case -ENAMETOOLONG:
    case -EXDEV:
    case -EISDIR:
    case -ENOTDIR:
    case -EBADFD:
    case -ELOOP:
        return -ENOENT;
    default:
        return error;
    }
}

/* Read a regular file; O_NONBLOCK, so that opening a FIFO does not wait. */
static int read_path(const char *path, struct jsv_buf *out)
{
    struct stat stat;
    int fd = os_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        return fd;
    }
    int r = os_fstat(fd, &stat);
    if (r == 0) {
        r = S_ISREG(stat.st_mode) ? os_file_read(fd, out) : -EBADFD;
    }
    os_close(fd);
    return r;
}

/* @param rule The directory to read below; NULL: none. */
static int read_one(const struct resolve_rule *rule, const char *path, struct jsv_buf *out)
{
    return as_absent(
        rule ? os_root_read_file(rule->root_fd, jsv_str_from(path), out) : read_path(path, out));
}

/* Read a file, or the one with ".json" appended. */
static int read_file(
    struct cli_resolve *resolve,
    const struct resolve_rule *rule,
    struct jsv_str path,
    struct jsv_buf *out,
    struct found *ret_found)
{
    static const struct jsv_str endings[] = {JSV_STR(""), JSV_STR(".json")};
    size_t count = ends_with(path, endings[1]) ? 1 : 2;
    if (memchr(path.data, '\0', path.size)) {
        return -ENOENT;
    }
    int r = -ENOENT;
    for (size_t i = 0; r == -ENOENT && i < count; i++) {
        const char *whole = join(resolve, path, endings[i], JSV_STR(""));
        const char *name = whole ? name_below(resolve, rule, jsv_str_from(whole)) : NULL;
        if (!name) {
            return -ENOMEM;
        }
        *ret_found = (struct found){name, rule};
        r = read_one(rule, whole, out);
    }
    return r;
}

/* ---- $id ---- */

static int parse(struct cli_resolve *resolve, struct jsv_str text, struct jsv_error *reterr_error)
{
    resolve->reader = resolve->reader ? resolve->reader : jsv_reader_new(os_allocator(), NULL);
    resolve->document = resolve->document ? resolve->document : jsv_document_new(os_allocator());
    if (!resolve->reader || !resolve->document) {
        return -ENOMEM;
    }
    return jsv_read(resolve->reader, resolve->document, text, JSV_READ_LAST_WINS, reterr_error);
}

/*
 * The $id of a text, absolute and without fragment; draft 4 spells it "id".
 * @param base   Of a relative one.
 * @param ret_id Empty when it has none.
 * @return 0; -EBADMSG when the text is not JSON; -ENOMEM.
 */
static int find_id(
    struct cli_resolve *resolve,
    struct jsv_str text,
    struct jsv_str base,
    struct jsv_str *ret_id,
    struct jsv_error *reterr_error)
{
    int r = parse(resolve, text, reterr_error);
    if (r < 0) {
        return r;
    }
    struct jsv_value root = jsv_document_root(resolve->document);
    struct jsv_str id = jsv_value_text(jsv_value_get(root, JSV_STR("$id")));
    if (id.size == 0) {
        id = jsv_value_text(jsv_value_get(root, JSV_STR("id")));
    }
    *ret_id = (struct jsv_str){"", 0};
    if (jsv_uri_split(id).absolute.size == 0) {
        return 0;
    }
    struct jsv_str whole;
    r = jsv_uri_resolve(&resolve->arena, base, id, &whole);
    if (r == 0) {
        *ret_id = jsv_uri_split(whole).absolute;
    }
    return r;
}

/* Whether two texts are the same JSON. @return 1, 0 or -ENOMEM. */
static int is_same(struct cli_resolve *resolve, struct jsv_str a, struct jsv_str b)
{
    if (jsv_str_equal(a, b)) {
        return 1;
    }
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, os_allocator(), SIZE_MAX);
    struct jsv_document *other = jsv_document_new(os_allocator());
    int r = other ? parse(resolve, a, NULL) : -ENOMEM;
    if (r == 0) {
        r = jsv_read(resolve->reader, other, b, JSV_READ_LAST_WINS, NULL);
    }
    if (r == 0) {
        r = jsv_value_equal(
            jsv_document_root(resolve->document), jsv_document_root(other), &scratch);
    }
    jsv_document_free(other);
    jsv_arena_done(&scratch);
    return r == -EBADMSG ? 0 : r;
}

/* Remember the place of a schema that was read by a URI. @return 0 or -ENOMEM. */
static int learn(
    struct cli_resolve *resolve, struct jsv_str uri, const struct found *found, struct jsv_str text)
{
    struct resolve_known *known = jsv_arena_alloc(&resolve->arena, sizeof(*known));
    struct jsv_str id = {"", 0};
    int r = find_id(resolve, text, uri, &id, NULL);
    if ((r < 0 && r != -EBADMSG) || !known) { /* the registry reports bad JSON */
        return -ENOMEM;
    }
    const char *key = copy(resolve, id.size > 0 ? id : uri);
    *known = (struct resolve_known){.next = resolve->known, .rule = found->rule};
    if (!key || cli_resolve_file_uri(resolve, found->name, &known->place) < 0) {
        return -ENOMEM;
    }
    known->id = jsv_str_from(key);
    if (!jsv_str_equal(known->id, known->place)) { /* else its URIs are paths already */
        resolve->known = known;
    }
    return 0;
}

/* ---- --resolve ---- */

/* Let a URI name a file. @return 0 or -ENOMEM. */
static int add_id(
    struct cli_resolve *resolve,
    struct jsv_str uri,
    const char *path,
    const struct resolve_rule *rule,
    bool is_explicit)
{
    struct resolve_id *id = jsv_arena_alloc(&resolve->arena, sizeof(*id));
    char *own_path = copy(resolve, jsv_str_from(path));
    char *name = name_below(resolve, rule, jsv_str_from(path));
    if (!id || !own_path || !name) {
        return -ENOMEM;
    }
    *id = (struct resolve_id){
        .key = {NULL, uri},
        .name = name,
        .rule = rule,
        .path = own_path,
        .is_explicit = is_explicit,
    };
    struct resolve_id *first = jsv_table_find(&resolve->ids, NULL, uri);
    if (first) {
        id->next = first->next;
        first->next = id;
        return 0;
    }
    return jsv_table_add(&resolve->ids, &id->key);
}

/* Add a directory. @param prefix Empty: none. @return 0 or -errno. */
static int add_rule(
    struct cli_resolve *resolve,
    struct jsv_str prefix,
    const char *directory,
    const struct resolve_rule **ret_rule)
{
    struct resolve_rule *rule = jsv_arena_alloc(&resolve->arena, sizeof(*rule));
    if (!rule) {
        return -ENOMEM;
    }
    *rule = (struct resolve_rule){.next = resolve->rules, .directory = directory};
    const char *with_slash = name_below(resolve, rule, JSV_STR(""));
    int r =
        with_slash ? jsv_uri_resolve(&resolve->arena, JSV_STR(""), prefix, &rule->prefix) : -ENOMEM;
    if (r == 0) {
        r = cli_resolve_file_uri(resolve, with_slash, &rule->place);
    }
    if (r < 0) {
        return r;
    }
    rule->root_fd = os_root_open(directory);
    if (rule->root_fd < 0) {
        return rule->root_fd;
    }
    resolve->rules = rule;
    *ret_rule = rule;
    return 0;
}

static void
warn(struct cli *cli, const struct cli_resolve *resolve, const char *name, const char *why)
{
    if (!resolve->no_warnings) {
        struct cli_message message;
        cli_message_init(&message, false);
        cli_message_put(&message, "warning: skipped: ");
        cli_message_put(&message, why);
        cli_report_about(cli, name, cli_message_text(&message));
    }
}

/*
 * Add a schema by its $id. One that could not be read is only warned about.
 * @param error What reading its text returned.
 */
static int index_text(
    struct cli *cli,
    struct cli_resolve *resolve,
    const char *name,
    const char *path,
    const struct resolve_rule *rule,
    struct jsv_str text,
    int error)
{
    struct jsv_str base = {"", 0};
    struct jsv_str id = {"", 0};
    struct jsv_error not_json = {0};
    if (error < 0 && error != -ENOMEM) {
        warn(
            cli,
            resolve,
            name,
            error == -EXDEV    ? "this link leaves the directory"
            : error == -EBADFD ? "not a regular file"
                               : strerror(-error));
        return 0;
    }
    int r = error < 0 ? error : cli_resolve_file_uri(resolve, name, &base);
    r = r < 0 ? r : find_id(resolve, text, base, &id, &not_json);
    if (r == -EBADMSG) {
        warn(cli, resolve, name, not_json.message.data);
        return 0;
    }
    return r == 0 && id.size > 0 ? add_id(resolve, id, path, rule, false) : r;
}

/* Add all schemas below a directory. An empty directory is not an error. */
static int index_directory(
    struct cli *cli, struct cli_resolve *resolve, const char *directory, struct jsv_buf *text)
{
    const struct resolve_rule *rule;
    struct validate_files files;
    char *operand = copy(resolve, jsv_str_from(directory));
    int r = operand ? add_rule(resolve, JSV_STR(""), operand, &rule) : -ENOMEM;
    r = r < 0 ? r : validate_files_list(&operand, 1, false, &files);
    if (r < 0) {
        return r;
    }
    for (size_t i = 0; r == 0 && i < files.count; i++) {
        const struct validate_file *file = validate_files_at(&files, i);
        if (file->error == -ENODATA) {
            break;
        }
        jsv_buf_reset(text);
        int error = file->error;
        if (error == 0) {
            error = os_root_read_file(rule->root_fd, jsv_str_from(file->below), text);
        }
        r = index_text(cli, resolve, file->name, file->below, rule, jsv_buf_str(text), error);
    }
    validate_files_done(&files);
    return r;
}

/* S_IFDIR, S_IFREG, or 0 for anything else. */
static mode_t kind_of(const char *path)
{
    struct stat stat;
    int r = os_fstatat(AT_FDCWD, path, &stat, 0);
    return r == 0 && (S_ISDIR(stat.st_mode) || S_ISREG(stat.st_mode)) ? stat.st_mode & S_IFMT : 0;
}

/* DIR or FILE */
static int
add_index(struct cli *cli, struct cli_resolve *resolve, const char *path, bool is_directory)
{
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), CLI_INPUT_SIZE_MAX);
    int r;
    if (is_directory) {
        r = index_directory(cli, resolve, path, &text);
    } else {
        int error = os_file_read_path(path, &text);
        r = index_text(cli, resolve, path, path, NULL, jsv_buf_str(&text), error);
    }
    jsv_buf_done(&text);
    return r;
}

/* URI=FILE or URI_PREFIX=DIR */
static int add_uri(struct cli_resolve *resolve, struct jsv_str uri, const char *path)
{
    const struct resolve_rule *rule;
    struct jsv_str whole;
    if (kind_of(path) != S_IFREG) {
        return add_rule(resolve, uri, path, &rule);
    }
    int r = jsv_uri_resolve(&resolve->arena, JSV_STR(""), uri, &whole);
    return r < 0 ? r : add_id(resolve, jsv_uri_split(whole).absolute, path, NULL, true);
}

/* A URI may contain '=', too, so this finds the first one that an existing path follows. */
static const char *find_separator(const char *word)
{
    const char *first = strchr(word, '=');
    for (const char *sign = first; sign; sign = strchr(sign + 1, '=')) {
        if (kind_of(sign + 1)) {
            return sign;
        }
    }
    return first;
}

int cli_resolve_add(struct cli *cli, struct cli_resolve *resolve, const char *word)
{
    mode_t kind = kind_of(word);
    const char *separator = kind ? NULL : find_separator(word);
    if (!kind && (!separator || separator == word || separator[1] == '\0')) {
        cli_report_usage(cli, "--resolve: expected DIR, URI=FILE or URI_PREFIX=DIR, not", word);
        return -EINVAL;
    }
    const char *path = kind ? word : separator + 1;
    int r = kind ? add_index(cli, resolve, path, kind == S_IFDIR)
                 : add_uri(resolve, (struct jsv_str){word, (size_t)(separator - word)}, path);
    if (r < 0) {
        cli_report_errno(cli, path, r);
    }
    return r;
}

/* ---- by prefix ---- */

/* A prefix ends where a segment does: at a "/" or, in a URN, at a ":". */
static bool has_prefix(struct jsv_str uri, struct jsv_str prefix)
{
    if (prefix.size == 0 || uri.size <= prefix.size || !starts_with(uri, prefix)) {
        return false;
    }
    char last = prefix.data[prefix.size - 1];
    return last == '/' || last == ':' || uri.data[prefix.size] == '/';
}

/* Read the file that the rest of a URI names below a directory. */
static int read_below(
    struct cli_resolve *resolve,
    const struct resolve_rule *rule,
    struct jsv_str rest,
    struct jsv_buf *out,
    struct found *ret_found)
{
    struct jsv_str path;
    int r = jsv_uri_decode(&resolve->arena, rest, &path);
    return r < 0 ? as_absent(r) : read_file(resolve, rule, path, out, ret_found);
}

/* The longest prefix wins. */
static int read_by_prefix(
    struct cli_resolve *resolve, struct jsv_str uri, struct jsv_buf *out, struct found *ret_found)
{
    const struct resolve_rule *best = NULL;
    for (const struct resolve_rule *rule = resolve->rules; rule; rule = rule->next) {
        if (has_prefix(uri, rule->prefix) && (!best || rule->prefix.size > best->prefix.size)) {
            best = rule;
        }
    }
    if (!best) {
        return -ENOENT;
    }
    size_t size = best->prefix.size + (uri.data[best->prefix.size] == '/');
    return read_below(resolve, best, skip(uri, size), out, ret_found);
}

/* ---- by path ---- */

/* Whether a decoded path has a NUL or a ".." segment; plain ".." segments are resolved by now. */
static bool is_unsafe(struct jsv_str path)
{
    if (memchr(path.data, '\0', path.size)) {
        return true;
    }
    for (size_t i = 0; i + 1 < path.size; i++) {
        bool begins = i == 0 || path.data[i - 1] == '/';
        bool ends = i + 2 == path.size || path.data[i + 2] == '/';
        if (begins && ends && path.data[i] == '.' && path.data[i + 1] == '.') {
            return true;
        }
    }
    return false;
}

/*
 * Read a file: URI. References may lead anywhere, but they must not be a way to
 * read other files than schemas: outside this directory only *.json is read.
 */
static int read_by_path(
    struct cli_resolve *resolve,
    struct jsv_str uri,
    struct jsv_str directory,
    struct jsv_buf *out,
    struct found *ret_found)
{
    if (directory.size == 0 || !starts_with(uri, JSV_STR(FILE_SCHEME "/"))) {
        return -ENOENT;
    }
    bool is_own = resolve->own_directory.size > 0 && starts_with(uri, resolve->own_directory);
    size_t size = is_own ? resolve->own_directory.size : sizeof(FILE_SCHEME) - 1;
    struct jsv_str rest;
    int r = jsv_uri_decode(&resolve->arena, skip(uri, size), &rest);
    if (r < 0 || is_unsafe(rest)) {
        return r < 0 ? as_absent(r) : -ENOENT;
    }
    bool is_allowed = starts_with(uri, directory) || ends_with(rest, JSV_STR(".json"));
    const char *path = join(
        resolve,
        is_own ? resolve->own_path : JSV_STR(""),
        rest,
        is_allowed ? JSV_STR("") : JSV_STR(".json"));
    return path ? read_file(resolve, NULL, jsv_str_from(path), out, ret_found) : -ENOMEM;
}

/* ---- by the $id of a neighbour ---- */

/*
 * The relative reference from one URI to another: "../x.json".
 * @return 0; -ENOENT when scheme or host differ; -ENOMEM.
 */
static int make_relative(
    struct cli_resolve *resolve, struct jsv_str from, struct jsv_str to, struct jsv_str *ret_path)
{
    struct jsv_uri_parts a = jsv_uri_take_apart(from);
    struct jsv_uri_parts b = jsv_uri_take_apart(to);
    if (!a.scheme.data || !b.scheme.data || !a.authority.data || !b.authority.data ||
        !jsv_str_equal(a.scheme, b.scheme) || !jsv_str_equal(a.authority, b.authority)) {
        return -ENOENT;
    }
    struct jsv_str directory = directory_of(a.path);
    size_t common = 0;
    for (size_t i = 0; i < directory.size && i < b.path.size; i++) {
        if (directory.data[i] != b.path.data[i]) {
            break;
        }
        common = directory.data[i] == '/' ? i + 1 : common;
    }
    struct jsv_buf path;
    jsv_buf_init(&path, os_allocator(), URI_SIZE_MAX);
    jsv_buf_append_str(&path, JSV_STR("./"));
    for (size_t i = common; i < directory.size; i++) {
        jsv_buf_append_str(&path, directory.data[i] == '/' ? JSV_STR("../") : JSV_STR(""));
    }
    jsv_buf_append_str(&path, skip(b.path, common));
    int r = path.error == -ENOBUFS ? -ENOENT : path.error;
    char *text = r == 0 ? copy(resolve, jsv_buf_str(&path)) : NULL;
    jsv_buf_done(&path);
    *ret_path = jsv_str_from(text ? text : "");
    return r == 0 && !text ? -ENOMEM : r;
}

static int read_beside(
    struct cli_resolve *resolve,
    const struct resolve_known *known,
    struct jsv_str uri,
    struct jsv_buf *out,
    struct found *ret_found)
{
    struct jsv_str path;
    struct jsv_str place;
    int r = make_relative(resolve, known->id, uri, &path);
    r = r < 0 ? r : jsv_uri_resolve(&resolve->arena, known->place, path, &place);
    if (r < 0) {
        return r;
    }
    if (!known->rule) {
        return read_by_path(resolve, place, directory_of(known->place), out, ret_found);
    }
    struct jsv_str root = known->rule->place;
    return starts_with(place, root)
               ? read_below(resolve, known->rule, skip(place, root.size), out, ret_found)
               : -ENOENT;
}

/* ---- by $id ---- */

/* This or the next file that is explicit, or not. */
static const struct resolve_id *next_file(const struct resolve_id *id, bool is_explicit)
{
    while (id && id->is_explicit != is_explicit) {
        id = id->next;
    }
    return id;
}

static int
refuse_clash(struct cli *cli, const struct resolve_id *id, const struct resolve_id *other)
{
    struct cli_message message;
    cli_message_init(&message, false);
    cli_message_put(&message, "has the same $id as ");
    cli_message_put_clipped(&message, jsv_str_from(other->name), NAME_SIZE_MAX);
    cli_message_put(&message, ", which is different; name one with --resolve URI=FILE");
    cli_report_about(cli, id->name, cli_message_text(&message));
    return -EEXIST;
}

/* @return 0; -ENOENT; -EEXIST when different files have it, reported; -errno. */
static int read_by_id(
    struct cli *cli,
    struct cli_resolve *resolve,
    struct jsv_str uri,
    struct jsv_buf *out,
    struct found *ret_found)
{
    const struct resolve_id *first = jsv_table_find(&resolve->ids, NULL, uri);
    bool is_explicit = next_file(first, true); /* then only explicit files count */
    const struct resolve_id *id = next_file(first, is_explicit);
    if (!id) {
        return -ENOENT;
    }
    *ret_found = (struct found){id->name, id->rule};
    int r = read_one(id->rule, id->path, out);
    struct jsv_buf other;
    jsv_buf_init(&other, os_allocator(), CLI_INPUT_SIZE_MAX);
    const struct resolve_id *next = id;
    while (r == 0 && (next = next_file(next->next, is_explicit))) {
        jsv_buf_reset(&other);
        r = read_one(next->rule, next->path, &other);
        if (r == 0) {
            int same = is_same(resolve, jsv_buf_str(&other), jsv_buf_str(out));
            r = same < 0 ? same : same == 0 ? refuse_clash(cli, id, next) : 0;
        }
    }
    jsv_buf_done(&other);
    return r;
}

int cli_resolve_read(
    struct cli *cli,
    struct cli_resolve *resolve,
    struct jsv_str uri,
    struct jsv_buf *out,
    const char **ret_name)
{
    size_t before = out->size;
    struct found found = {0};
    int r = read_by_id(cli, resolve, uri, out, &found);
    r = r == -ENOENT ? read_by_prefix(resolve, uri, out, &found) : r;
    r = r == -ENOENT ? read_by_path(resolve, uri, resolve->own_directory, out, &found) : r;
    for (const struct resolve_known *known = resolve->known; known && r == -ENOENT;
         known = known->next) {
        r = read_beside(resolve, known, uri, out, &found);
    }
    *ret_name = found.name;
    return r < 0 ? r : learn(resolve, uri, &found, skip(jsv_buf_str(out), before));
}

int cli_resolve_begin(
    struct cli_resolve *resolve, const char *path, struct jsv_str uri, struct jsv_str text)
{
    const struct found found = {.name = path};
    resolve->own_directory = directory_of(uri);
    resolve->own_path = directory_of(jsv_str_from(path));
    return learn(resolve, uri, &found, text);
}
