#include "cli/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "cli/input.h"
#include "cli/message.h"
#include "cli/report.h"
#include "cli/resolve_parts.h"
#include "jsv/schema/registry/uri.h"
#include "os/file.h"
#include "os/root.h"
#include "os/sys.h"
#include "os/uri.h"

/* A path percent-encoded, and the scheme in front of it. */
#define URI_SIZE_MAX ((size_t)8 * PATH_MAX)

/* Bytes shown of a file's name. */
#define NAME_SIZE_MAX 1024

void app_resolve_init(struct app_resolve *resolve)
{
    *resolve = (struct app_resolve){.own_directory = {"", 0}, .own_path = {"", 0}};
    jsv_arena_init(&resolve->arena, os_allocator(), SIZE_MAX);
    resolve->ids = jsv_table_on(&resolve->arena);
}

void app_resolve_done(struct app_resolve *resolve)
{
    for (struct app_resolve_rule *rule = resolve->rules; rule; rule = rule->next) {
        os_close(rule->root_fd);
    }
    resolve->rules = NULL;
    jsv_arena_done(&resolve->arena);
}

/* ---- texts ---- */

char *
app_resolve_join(struct app_resolve *resolve, struct jsv_str a, struct jsv_str b, struct jsv_str c)
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

struct jsv_str app_resolve_directory(struct jsv_str text)
{
    while (text.size > 0 && text.data[text.size - 1] != '/') {
        text.size--;
    }
    return text;
}

int app_resolve_file_uri(struct app_resolve *resolve, const char *path, struct jsv_str *ret_uri)
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

/* ---- rules ---- */

int app_resolve_add_rule(
    struct app_resolve *resolve,
    struct jsv_str prefix,
    struct jsv_str directory,
    const struct app_resolve_rule **ret_rule)
{
    struct app_resolve_rule *rule = jsv_arena_alloc(&resolve->arena, sizeof(*rule));
    bool slash = directory.size > 0 && directory.data[directory.size - 1] == '/';
    char *name = app_resolve_join(resolve, directory, JSV_STR(""), JSV_STR(""));
    char *with_slash =
        app_resolve_join(resolve, directory, slash ? JSV_STR("") : JSV_STR("/"), JSV_STR(""));
    if (!rule || !name || !with_slash) {
        return -ENOMEM;
    }
    *rule = (struct app_resolve_rule){.next = resolve->rules, .directory = name};
    int r = jsv_uri_resolve(&resolve->arena, JSV_STR(""), prefix, &rule->prefix);
    if (r == 0) {
        r = app_resolve_file_uri(resolve, with_slash, &rule->place);
    }
    if (r < 0) {
        return r;
    }
    rule->root_fd = os_root_open(name);
    if (rule->root_fd < 0) {
        return rule->root_fd;
    }
    resolve->rules = rule;
    *ret_rule = rule;
    return 0;
}

int app_resolve_add(struct app_resolve *resolve, struct jsv_str prefix, struct jsv_str directory)
{
    const struct app_resolve_rule *rule;
    return app_resolve_add_rule(resolve, prefix, directory, &rule);
}

/* A URI and its file. */
static int add_file(struct app_resolve *resolve, struct jsv_str uri, const char *path)
{
    struct jsv_str whole;
    int r = jsv_uri_resolve(&resolve->arena, JSV_STR(""), uri, &whole);
    return r < 0 ? r : app_resolve_add_id(resolve, jsv_uri_split(whole).absolute, path, NULL, true);
}

/* What a path leads to: S_IFDIR, S_IFREG or 0 for anything else. */
static mode_t kind_of(const char *path)
{
    struct stat stat;
    int r = os_fstatat(AT_FDCWD, path, &stat, 0);
    return r == 0 && (S_ISDIR(stat.st_mode) || S_ISREG(stat.st_mode)) ? stat.st_mode & S_IFMT : 0;
}

/* "URI=PATH": a URI may hold a '=', too, so the first one that is followed by an existing path. */
static const char *find_sign(const char *word)
{
    const char *first = strchr(word, '=');
    for (const char *sign = first; sign; sign = strchr(sign + 1, '=')) {
        if (kind_of(sign + 1)) {
            return sign;
        }
    }
    return first;
}

int app_resolve_add_word(struct app_cli *cli, struct app_resolve *resolve, const char *word)
{
    mode_t kind = kind_of(word);
    if (kind) {
        return app_resolve_index(cli, resolve, word, kind == S_IFDIR);
    }
    const char *sign = find_sign(word);
    if (!sign || sign == word || sign[1] == '\0') {
        app_report_usage(cli, "--resolve: expected DIR, URI=FILE or URI_PREFIX=DIR, not", word);
        return -EINVAL;
    }
    struct jsv_str uri = {word, (size_t)(sign - word)};
    const char *path = sign + 1;
    int r = kind_of(path) == S_IFREG ? add_file(resolve, uri, path)
                                     : app_resolve_add(resolve, uri, jsv_str_from(path));
    if (r < 0) {
        app_report_errno(cli, path, r);
    }
    return r;
}

/* ---- reading ---- */

/* All the ways in which there is no such file. */
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

/* A file by its path; a FIFO or the like neither blocks nor counts. */
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

/* A file below a directory. @param root_fd -1: the path is looked up as it is. */
static int read_one(int root_fd, const char *path, struct jsv_buf *out)
{
    return as_absent(
        root_fd < 0 ? read_path(path, out) : os_root_read_file(root_fd, jsv_str_from(path), out));
}

/* The same, then with ".json" behind it. @param rule NULL: the path is looked up as it is. */
static int read_file(
    struct app_resolve *resolve,
    const struct app_resolve_rule *rule,
    struct jsv_str path,
    struct jsv_buf *out,
    struct app_resolve_found *ret_found)
{
    static const char *const endings[] = {"", ".json"};
    struct jsv_str directory = jsv_str_from(rule ? rule->directory : "");
    bool slash = directory.size > 0 && directory.data[directory.size - 1] != '/';
    size_t count = ends_with(path, JSV_STR(".json")) ? 1 : 2;
    if (memchr(path.data, '\0', path.size)) {
        return -ENOENT;
    }
    int r = -ENOENT;
    for (size_t i = 0; r == -ENOENT && i < count; i++) {
        struct jsv_str between = slash ? JSV_STR("/") : JSV_STR("");
        const char *name = app_resolve_join(resolve, path, jsv_str_from(endings[i]), JSV_STR(""));
        const char *whole =
            name ? app_resolve_join(resolve, directory, between, jsv_str_from(name)) : NULL;
        if (!whole) {
            return -ENOMEM;
        }
        *ret_found = (struct app_resolve_found){whole, rule};
        r = read_one(rule ? rule->root_fd : -1, name, out);
    }
    return r;
}

/* ---- by prefix ---- */

/* A prefix ends with a segment: at a "/" or, in a URN, at a ":", on either side. */
static bool is_below(struct jsv_str uri, struct jsv_str prefix)
{
    if (uri.size <= prefix.size || !starts_with(uri, prefix)) {
        return false;
    }
    char last = prefix.data[prefix.size - 1];
    return last == '/' || last == ':' || uri.data[prefix.size] == '/';
}

static const struct app_resolve_rule *
find_rule(const struct app_resolve *resolve, struct jsv_str uri)
{
    const struct app_resolve_rule *best = NULL;
    for (const struct app_resolve_rule *rule = resolve->rules; rule; rule = rule->next) {
        if (rule->prefix.size > 0 && is_below(uri, rule->prefix) &&
            (!best || rule->prefix.size > best->prefix.size)) {
            best = rule;
        }
    }
    return best;
}

/* The rest of a URI behind a prefix, as a path below a directory. */
static int read_below(
    struct app_resolve *resolve,
    const struct app_resolve_rule *rule,
    struct jsv_str rest,
    struct jsv_buf *out,
    struct app_resolve_found *ret_found)
{
    struct jsv_str path;
    int r = jsv_uri_decode(&resolve->arena, rest, &path);
    if (r < 0) {
        return as_absent(r);
    }
    return read_file(resolve, rule, path, out, ret_found);
}

static int read_by_prefix(
    struct app_resolve *resolve,
    struct jsv_str uri,
    struct jsv_buf *out,
    struct app_resolve_found *ret_found)
{
    const struct app_resolve_rule *rule = find_rule(resolve, uri);
    if (!rule) {
        return -ENOENT;
    }
    size_t size = rule->prefix.size + (uri.data[rule->prefix.size] == '/');
    return read_below(resolve, rule, skip(uri, size), out, ret_found);
}

/* ---- by path ---- */

#define FILE_SCHEME "file://"

/*
 * Whether a path holds what a path must not, percent-encoded in its URI: NUL,
 * or a ".." segment (one that was not encoded is resolved by now).
 */
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
 * A file: URI. What the schema of the command line refers to may be anywhere,
 * but a schema is not a way to read what is none: elsewhere than in a directory
 * and below it only *.json is read.
 */
static int read_by_path(
    struct app_resolve *resolve,
    struct jsv_str uri,
    struct jsv_str directory,
    struct jsv_buf *out,
    struct app_resolve_found *ret_found)
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
    bool is_inside = starts_with(uri, directory) || ends_with(rest, JSV_STR(".json"));
    const char *path = app_resolve_join(
        resolve,
        is_own ? resolve->own_path : JSV_STR(""),
        rest,
        is_inside ? JSV_STR("") : JSV_STR(".json"));
    return path ? read_file(resolve, NULL, jsv_str_from(path), out, ret_found) : -ENOMEM;
}

/* ---- by the $id of a schema beside it ---- */

/*
 * Where a URI is, as seen from another: "../x.json". Both must be of one
 * scheme and host. @return 0; -ENOENT when they are not; -ENOMEM.
 */
static int make_relative(
    struct app_resolve *resolve, struct jsv_str from, struct jsv_str to, struct jsv_str *ret_way)
{
    struct jsv_uri_parts a = jsv_uri_take_apart(from);
    struct jsv_uri_parts b = jsv_uri_take_apart(to);
    if (!a.scheme.data || !b.scheme.data || !a.authority.data || !b.authority.data ||
        !jsv_str_equal(a.scheme, b.scheme) || !jsv_str_equal(a.authority, b.authority)) {
        return -ENOENT;
    }
    struct jsv_str directory = app_resolve_directory(a.path);
    size_t common = 0;
    for (size_t i = 0; i < directory.size && i < b.path.size; i++) {
        if (directory.data[i] != b.path.data[i]) {
            break;
        }
        common = directory.data[i] == '/' ? i + 1 : common;
    }
    struct jsv_buf way;
    jsv_buf_init(&way, os_allocator(), URI_SIZE_MAX);
    jsv_buf_append_str(&way, JSV_STR("./"));
    for (size_t i = common; i < directory.size; i++) {
        jsv_buf_append_str(&way, directory.data[i] == '/' ? JSV_STR("../") : JSV_STR(""));
    }
    jsv_buf_append_str(&way, skip(b.path, common));
    int r = way.error == -ENOBUFS ? -ENOENT : way.error;
    char *copy =
        r == 0 ? app_resolve_join(resolve, jsv_buf_str(&way), JSV_STR(""), JSV_STR("")) : NULL;
    jsv_buf_done(&way);
    *ret_way = jsv_str_from(copy ? copy : "");
    return r == 0 && !copy ? -ENOMEM : r;
}

static int read_beside(
    struct app_resolve *resolve,
    const struct app_resolve_known *known,
    struct jsv_str uri,
    struct jsv_buf *out,
    struct app_resolve_found *ret_found)
{
    struct jsv_str way;
    struct jsv_str place;
    int r = make_relative(resolve, known->id, uri, &way);
    if (r < 0) {
        return r;
    }
    r = jsv_uri_resolve(&resolve->arena, known->place, way, &place);
    if (r < 0) {
        return r;
    }
    if (!known->rule) {
        struct jsv_str directory = app_resolve_directory(known->place);
        return read_by_path(resolve, place, directory, out, ret_found);
    }
    struct jsv_str root = known->rule->place;
    return starts_with(place, root)
               ? read_below(resolve, known->rule, skip(place, root.size), out, ret_found)
               : -ENOENT;
}

static int read_by_neighbour(
    struct app_resolve *resolve,
    struct jsv_str uri,
    struct jsv_buf *out,
    struct app_resolve_found *ret_found)
{
    int r = -ENOENT;
    for (const struct app_resolve_known *known = resolve->known; known && r == -ENOENT;
         known = known->next) {
        r = read_beside(resolve, known, uri, out, ret_found);
    }
    return r;
}

/* ---- by $id ---- */

static void report_clash(struct app_cli *cli, const char *name, const char *other)
{
    struct app_message message;
    app_message_init(&message, false);
    app_message_put(&message, "has the same $id as ");
    app_message_put_clipped(&message, jsv_str_from(other), NAME_SIZE_MAX);
    app_message_put(&message, ", which is different; name one with --resolve URI=FILE");
    message.data[message.size] = '\0';
    app_report_about(cli, name, message.data);
}

/* This file or the first behind it that counts; NULL: none. */
static const struct app_resolve_id *first_of(const struct app_resolve_id *id, bool named)
{
    while (id && id->is_named != named) {
        id = id->next;
    }
    return id;
}

/* @return 0, -ENOENT, -EEXIST when different files have it, reported; -errno. */
static int read_by_id(
    struct app_cli *cli,
    struct app_resolve *resolve,
    struct jsv_str uri,
    struct jsv_buf *out,
    struct app_resolve_found *ret_found)
{
    const struct app_resolve_id *id = jsv_table_find(&resolve->ids, NULL, uri);
    if (!id) {
        return -ENOENT;
    }
    bool named = first_of(id, true); /* then only files that were named for the URI count */
    id = first_of(id, named);
    *ret_found = (struct app_resolve_found){id->name, id->rule};
    int r = read_one(id->rule ? id->rule->root_fd : -1, id->below, out);
    struct jsv_buf other;
    jsv_buf_init(&other, os_allocator(), APP_INPUT_SIZE_MAX);
    const struct app_resolve_id *next = id;
    while (r == 0 && (next = first_of(next->next, named))) {
        jsv_buf_reset(&other);
        r = read_one(next->rule ? next->rule->root_fd : -1, next->below, &other);
        int same = r < 0 ? r : app_resolve_is_same(resolve, jsv_buf_str(&other), jsv_buf_str(out));
        if (same == 0) {
            report_clash(cli, id->name, next->name);
            r = -EEXIST;
        } else {
            r = same < 0 ? same : 0;
        }
    }
    jsv_buf_done(&other);
    return r;
}

static int find_and_read(
    struct app_cli *cli,
    struct app_resolve *resolve,
    struct jsv_str uri,
    struct jsv_buf *out,
    struct app_resolve_found *ret_found)
{
    int r = read_by_id(cli, resolve, uri, out, ret_found);
    r = r == -ENOENT ? read_by_prefix(resolve, uri, out, ret_found) : r;
    r = r == -ENOENT ? read_by_path(resolve, uri, resolve->own_directory, out, ret_found) : r;
    return r == -ENOENT ? read_by_neighbour(resolve, uri, out, ret_found) : r;
}

int app_resolve_read(
    struct app_cli *cli,
    struct app_resolve *resolve,
    struct jsv_str uri,
    struct jsv_buf *out,
    const char **ret_name)
{
    size_t before = out->size;
    struct app_resolve_found found = {0};
    int r = find_and_read(cli, resolve, uri, out, &found);
    *ret_name = found.name;
    if (r == 0) {
        r = app_resolve_learn(resolve, uri, &found, skip(jsv_buf_str(out), before));
    }
    return r;
}

int app_resolve_begin(
    struct app_resolve *resolve, const char *path, struct jsv_str uri, struct jsv_str text)
{
    const struct app_resolve_found found = {.name = path};
    resolve->own_directory = app_resolve_directory(uri);
    resolve->own_path = app_resolve_directory(jsv_str_from(path));
    return app_resolve_learn(resolve, uri, &found, text);
}
