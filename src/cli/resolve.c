/*
 * What the parts of resolving share: resolve.c knows the rules and reads files,
 * resolve_id.c finds out by which $id schemas are known.
 */
#include "cli/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include <jsv/json.h>

#include "cli/io.h"
#include "cli/report.h"
#include "cli/validate/source.h"
#include "jsv/schema/registry/uri.h"
#include "os/file.h"
#include "os/root.h"
#include "os/sys.h"
#include "os/uri.h"

/* A directory, and the URIs that lead into it. */
struct cli_resolve_rule {
    struct cli_resolve_rule *next;
    struct jsv_str prefix; /* empty: its files are known by their $id */
    const char *directory;
    struct jsv_str place; /* its file: URI, ending with a slash */
    int root_fd;
};

/* A URI that is the name of a file. */
struct cli_resolve_id {
    struct jsv_table_key key;
    struct cli_resolve_id *next;         /* another file with the same URI */
    const char *name;                    /* for messages */
    const struct cli_resolve_rule *rule; /* the directory it is below; NULL: none */
    const char *below;                   /* its path, from that directory if there is one */
    bool is_named;                       /* by URI=FILE: then its own $id does not matter */
};

/* A schema that has been read and has an $id. */
struct cli_resolve_known {
    struct cli_resolve_known *next;
    struct jsv_str id;
    struct jsv_str place;                /* its file: URI */
    const struct cli_resolve_rule *rule; /* the directory it must not leave; NULL: none */
};

/* A file that was found. */
struct cli_resolve_found {
    const char *name;                    /* its path; for messages, too */
    const struct cli_resolve_rule *rule; /* the directory it is below; NULL: none */
};

/* ---- resolve.c ---- */

/* A terminated copy of three texts in a row; NULL when memory ran out. */
char *
cli_resolve_join(struct cli_resolve *resolve, struct jsv_str a, struct jsv_str b, struct jsv_str c);

/* Up to and with the last slash; empty when there is none. */
struct jsv_str cli_resolve_directory(struct jsv_str text);

/* Add a directory. @param prefix Empty: none. @return 0 or -errno. */
int cli_resolve_add_rule(
    struct cli_resolve *resolve,
    struct jsv_str prefix,
    struct jsv_str directory,
    const struct cli_resolve_rule **ret_rule);

/* ---- resolve_id.c ---- */

/* Note a schema that was read, for the references in it. @param uri By which. @return 0 or -ENOMEM.
 */
int cli_resolve_learn(
    struct cli_resolve *resolve,
    struct jsv_str uri,
    const struct cli_resolve_found *found,
    struct jsv_str text);

/*
 * Let a URI lead to a file. @param rule The directory it is below; NULL: none.
 * @return 0 or -ENOMEM.
 */
int cli_resolve_add_id(
    struct cli_resolve *resolve,
    struct jsv_str uri,
    const char *path,
    const struct cli_resolve_rule *rule,
    bool is_named);

/* 1, 0 or -ENOMEM: are two texts the same JSON? */
int cli_resolve_is_same(struct cli_resolve *resolve, struct jsv_str a, struct jsv_str b);

/* Read a schema, or all below a directory, for their $id. @return 0, or a reported error. */
int cli_resolve_index(
    struct cli *cli, struct cli_resolve *resolve, const char *path, bool is_directory);

/* ==== resolve.c ==== */

/* A path percent-encoded, and the scheme in front of it. */
#define URI_SIZE_MAX ((size_t)8 * PATH_MAX)

/* Bytes shown of a file's name. */
#define NAME_SIZE_MAX 1024

void cli_resolve_init(struct cli_resolve *resolve)
{
    *resolve = (struct cli_resolve){.own_directory = {"", 0}, .own_path = {"", 0}};
    jsv_arena_init(&resolve->arena, os_allocator(), SIZE_MAX);
    resolve->ids = jsv_table_on(&resolve->arena);
}

void cli_resolve_done(struct cli_resolve *resolve)
{
    for (struct cli_resolve_rule *rule = resolve->rules; rule; rule = rule->next) {
        os_close(rule->root_fd);
    }
    resolve->rules = NULL;
    jsv_arena_done(&resolve->arena);
}

/* ---- texts ---- */

char *
cli_resolve_join(struct cli_resolve *resolve, struct jsv_str a, struct jsv_str b, struct jsv_str c)
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

struct jsv_str cli_resolve_directory(struct jsv_str text)
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

/* ---- rules ---- */

int cli_resolve_add_rule(
    struct cli_resolve *resolve,
    struct jsv_str prefix,
    struct jsv_str directory,
    const struct cli_resolve_rule **ret_rule)
{
    struct cli_resolve_rule *rule = jsv_arena_alloc(&resolve->arena, sizeof(*rule));
    bool slash = directory.size > 0 && directory.data[directory.size - 1] == '/';
    char *name = cli_resolve_join(resolve, directory, JSV_STR(""), JSV_STR(""));
    char *with_slash =
        cli_resolve_join(resolve, directory, slash ? JSV_STR("") : JSV_STR("/"), JSV_STR(""));
    if (!rule || !name || !with_slash) {
        return -ENOMEM;
    }
    *rule = (struct cli_resolve_rule){.next = resolve->rules, .directory = name};
    int r = jsv_uri_resolve(&resolve->arena, JSV_STR(""), prefix, &rule->prefix);
    if (r == 0) {
        r = cli_resolve_file_uri(resolve, with_slash, &rule->place);
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

int cli_resolve_add(struct cli_resolve *resolve, struct jsv_str prefix, struct jsv_str directory)
{
    const struct cli_resolve_rule *rule;
    return cli_resolve_add_rule(resolve, prefix, directory, &rule);
}

/* A URI and its file. */
static int add_file(struct cli_resolve *resolve, struct jsv_str uri, const char *path)
{
    struct jsv_str whole;
    int r = jsv_uri_resolve(&resolve->arena, JSV_STR(""), uri, &whole);
    return r < 0 ? r : cli_resolve_add_id(resolve, jsv_uri_split(whole).absolute, path, NULL, true);
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

int cli_resolve_add_word(struct cli *cli, struct cli_resolve *resolve, const char *word)
{
    mode_t kind = kind_of(word);
    if (kind) {
        return cli_resolve_index(cli, resolve, word, kind == S_IFDIR);
    }
    const char *sign = find_sign(word);
    if (!sign || sign == word || sign[1] == '\0') {
        cli_report_usage(cli, "--resolve: expected DIR, URI=FILE or URI_PREFIX=DIR, not", word);
        return -EINVAL;
    }
    struct jsv_str uri = {word, (size_t)(sign - word)};
    const char *path = sign + 1;
    int r = kind_of(path) == S_IFREG ? add_file(resolve, uri, path)
                                     : cli_resolve_add(resolve, uri, jsv_str_from(path));
    if (r < 0) {
        cli_report_errno(cli, path, r);
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
    struct cli_resolve *resolve,
    const struct cli_resolve_rule *rule,
    struct jsv_str path,
    struct jsv_buf *out,
    struct cli_resolve_found *ret_found)
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
        const char *name = cli_resolve_join(resolve, path, jsv_str_from(endings[i]), JSV_STR(""));
        const char *whole =
            name ? cli_resolve_join(resolve, directory, between, jsv_str_from(name)) : NULL;
        if (!whole) {
            return -ENOMEM;
        }
        *ret_found = (struct cli_resolve_found){whole, rule};
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

static const struct cli_resolve_rule *
find_rule(const struct cli_resolve *resolve, struct jsv_str uri)
{
    const struct cli_resolve_rule *best = NULL;
    for (const struct cli_resolve_rule *rule = resolve->rules; rule; rule = rule->next) {
        if (rule->prefix.size > 0 && is_below(uri, rule->prefix) &&
            (!best || rule->prefix.size > best->prefix.size)) {
            best = rule;
        }
    }
    return best;
}

/* The rest of a URI behind a prefix, as a path below a directory. */
static int read_below(
    struct cli_resolve *resolve,
    const struct cli_resolve_rule *rule,
    struct jsv_str rest,
    struct jsv_buf *out,
    struct cli_resolve_found *ret_found)
{
    struct jsv_str path;
    int r = jsv_uri_decode(&resolve->arena, rest, &path);
    if (r < 0) {
        return as_absent(r);
    }
    return read_file(resolve, rule, path, out, ret_found);
}

static int read_by_prefix(
    struct cli_resolve *resolve,
    struct jsv_str uri,
    struct jsv_buf *out,
    struct cli_resolve_found *ret_found)
{
    const struct cli_resolve_rule *rule = find_rule(resolve, uri);
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
    struct cli_resolve *resolve,
    struct jsv_str uri,
    struct jsv_str directory,
    struct jsv_buf *out,
    struct cli_resolve_found *ret_found)
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
    const char *path = cli_resolve_join(
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
    struct cli_resolve *resolve, struct jsv_str from, struct jsv_str to, struct jsv_str *ret_way)
{
    struct jsv_uri_parts a = jsv_uri_take_apart(from);
    struct jsv_uri_parts b = jsv_uri_take_apart(to);
    if (!a.scheme.data || !b.scheme.data || !a.authority.data || !b.authority.data ||
        !jsv_str_equal(a.scheme, b.scheme) || !jsv_str_equal(a.authority, b.authority)) {
        return -ENOENT;
    }
    struct jsv_str directory = cli_resolve_directory(a.path);
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
        r == 0 ? cli_resolve_join(resolve, jsv_buf_str(&way), JSV_STR(""), JSV_STR("")) : NULL;
    jsv_buf_done(&way);
    *ret_way = jsv_str_from(copy ? copy : "");
    return r == 0 && !copy ? -ENOMEM : r;
}

static int read_beside(
    struct cli_resolve *resolve,
    const struct cli_resolve_known *known,
    struct jsv_str uri,
    struct jsv_buf *out,
    struct cli_resolve_found *ret_found)
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
        struct jsv_str directory = cli_resolve_directory(known->place);
        return read_by_path(resolve, place, directory, out, ret_found);
    }
    struct jsv_str root = known->rule->place;
    return starts_with(place, root)
               ? read_below(resolve, known->rule, skip(place, root.size), out, ret_found)
               : -ENOENT;
}

static int read_by_neighbour(
    struct cli_resolve *resolve,
    struct jsv_str uri,
    struct jsv_buf *out,
    struct cli_resolve_found *ret_found)
{
    int r = -ENOENT;
    for (const struct cli_resolve_known *known = resolve->known; known && r == -ENOENT;
         known = known->next) {
        r = read_beside(resolve, known, uri, out, ret_found);
    }
    return r;
}

/* ---- by $id ---- */

static void report_clash(struct cli *cli, const char *name, const char *other)
{
    struct cli_message message;
    cli_message_init(&message, false);
    cli_message_put(&message, "has the same $id as ");
    cli_message_put_clipped(&message, jsv_str_from(other), NAME_SIZE_MAX);
    cli_message_put(&message, ", which is different; name one with --resolve URI=FILE");
    message.data[message.size] = '\0';
    cli_report_about(cli, name, message.data);
}

/* This file or the first behind it that counts; NULL: none. */
static const struct cli_resolve_id *first_of(const struct cli_resolve_id *id, bool named)
{
    while (id && id->is_named != named) {
        id = id->next;
    }
    return id;
}

/* @return 0, -ENOENT, -EEXIST when different files have it, reported; -errno. */
static int read_by_id(
    struct cli *cli,
    struct cli_resolve *resolve,
    struct jsv_str uri,
    struct jsv_buf *out,
    struct cli_resolve_found *ret_found)
{
    const struct cli_resolve_id *id = jsv_table_find(&resolve->ids, NULL, uri);
    if (!id) {
        return -ENOENT;
    }
    bool named = first_of(id, true); /* then only files that were named for the URI count */
    id = first_of(id, named);
    *ret_found = (struct cli_resolve_found){id->name, id->rule};
    int r = read_one(id->rule ? id->rule->root_fd : -1, id->below, out);
    struct jsv_buf other;
    jsv_buf_init(&other, os_allocator(), CLI_INPUT_SIZE_MAX);
    const struct cli_resolve_id *next = id;
    while (r == 0 && (next = first_of(next->next, named))) {
        jsv_buf_reset(&other);
        r = read_one(next->rule ? next->rule->root_fd : -1, next->below, &other);
        int same = r < 0 ? r : cli_resolve_is_same(resolve, jsv_buf_str(&other), jsv_buf_str(out));
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
    struct cli *cli,
    struct cli_resolve *resolve,
    struct jsv_str uri,
    struct jsv_buf *out,
    struct cli_resolve_found *ret_found)
{
    int r = read_by_id(cli, resolve, uri, out, ret_found);
    r = r == -ENOENT ? read_by_prefix(resolve, uri, out, ret_found) : r;
    r = r == -ENOENT ? read_by_path(resolve, uri, resolve->own_directory, out, ret_found) : r;
    return r == -ENOENT ? read_by_neighbour(resolve, uri, out, ret_found) : r;
}

int cli_resolve_read(
    struct cli *cli,
    struct cli_resolve *resolve,
    struct jsv_str uri,
    struct jsv_buf *out,
    const char **ret_name)
{
    size_t before = out->size;
    struct cli_resolve_found found = {0};
    int r = find_and_read(cli, resolve, uri, out, &found);
    *ret_name = found.name;
    if (r == 0) {
        r = cli_resolve_learn(resolve, uri, &found, skip(jsv_buf_str(out), before));
    }
    return r;
}

int cli_resolve_begin(
    struct cli_resolve *resolve, const char *path, struct jsv_str uri, struct jsv_str text)
{
    const struct cli_resolve_found found = {.name = path};
    resolve->own_directory = cli_resolve_directory(uri);
    resolve->own_path = cli_resolve_directory(jsv_str_from(path));
    return cli_resolve_learn(resolve, uri, &found, text);
}

/* ==== resolve_id.c ==== */

/*
 * The $id of schemas, as far as references need it: which file has which.
 *
 * Only the root of a file is looked at. Files are read once to find their $id
 * and again when a reference leads to them, so that a directory of thousands of
 * schemas takes no more memory than their names.
 */
/* ---- one text ---- */

/* What reading files for their $id needs. */
struct looking {
    struct cli_resolve *resolve;
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_buf text;
};

static void looking_done(struct looking *looking)
{
    jsv_buf_done(&looking->text);
    jsv_document_free(looking->document);
    jsv_reader_free(looking->reader);
}

static int looking_begin(struct looking *looking, struct cli_resolve *resolve)
{
    *looking = (struct looking){
        .resolve = resolve,
        .reader = jsv_reader_new(os_allocator(), NULL),
        .document = jsv_document_new(os_allocator()),
    };
    jsv_buf_init(&looking->text, os_allocator(), CLI_INPUT_SIZE_MAX);
    return looking->reader && looking->document ? 0 : -ENOMEM;
}

/*
 * The $id of a text, absolute and without fragment; draft 4 spells it "id".
 * @param base   Of a relative one.
 * @param ret_id Empty when it has none.
 * @return 0; -EBADMSG when the text is not JSON; -ENOMEM.
 */
static int find_id(
    struct looking *looking,
    struct jsv_str text,
    struct jsv_str base,
    struct jsv_str *ret_id,
    struct jsv_error *reterr_error)
{
    int r = jsv_read(looking->reader, looking->document, text, JSV_READ_LAST_WINS, reterr_error);
    if (r < 0) {
        return r;
    }
    struct jsv_value root = jsv_document_root(looking->document);
    struct jsv_str id = jsv_value_text(jsv_value_get(root, JSV_STR("$id")));
    if (id.size == 0) {
        id = jsv_value_text(jsv_value_get(root, JSV_STR("id")));
    }
    *ret_id = (struct jsv_str){"", 0};
    if (jsv_uri_split(id).absolute.size == 0) {
        return 0;
    }
    struct jsv_str whole;
    r = jsv_uri_resolve(&looking->resolve->arena, base, id, &whole);
    if (r == 0) {
        *ret_id = jsv_uri_split(whole).absolute;
    }
    return r;
}

int cli_resolve_is_same(struct cli_resolve *resolve, struct jsv_str a, struct jsv_str b)
{
    if (jsv_str_equal(a, b)) {
        return 1;
    }
    struct looking looking;
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, os_allocator(), SIZE_MAX);
    struct jsv_document *other = jsv_document_new(os_allocator());
    int r = looking_begin(&looking, resolve);
    r = r == 0 && !other ? -ENOMEM : r;
    if (r == 0) {
        r = jsv_read(looking.reader, looking.document, a, JSV_READ_LAST_WINS, NULL);
    }
    if (r == 0) {
        r = jsv_read(looking.reader, other, b, JSV_READ_LAST_WINS, NULL);
    }
    if (r == 0) {
        r = jsv_value_equal(
            jsv_document_root(looking.document), jsv_document_root(other), &scratch);
    }
    jsv_document_free(other);
    looking_done(&looking);
    jsv_arena_done(&scratch);
    return r == -EBADMSG ? 0 : r;
}

/* ---- schemas that have been read ---- */

int cli_resolve_learn(
    struct cli_resolve *resolve,
    struct jsv_str uri,
    const struct cli_resolve_found *found,
    struct jsv_str text)
{
    struct looking looking;
    struct jsv_error error;
    struct cli_resolve_known *known = jsv_arena_alloc(&resolve->arena, sizeof(*known));
    struct jsv_str id = {"", 0};
    int r = looking_begin(&looking, resolve);
    if (r == 0) {
        r = find_id(&looking, text, uri, &id, &error);
        r = r == -EBADMSG ? 0 : r; /* the registry will say so */
    }
    looking_done(&looking);
    if (r < 0 || !known) {
        return -ENOMEM;
    }
    char *copy = cli_resolve_join(resolve, id.size > 0 ? id : uri, JSV_STR(""), JSV_STR(""));
    *known = (struct cli_resolve_known){.next = resolve->known, .rule = found->rule};
    if (!copy || cli_resolve_file_uri(resolve, found->name, &known->place) < 0) {
        return -ENOMEM;
    }
    known->id = jsv_str_from(copy);
    if (!jsv_str_equal(known->id, known->place)) { /* else its URIs are paths already */
        resolve->known = known;
    }
    return 0;
}

/* ---- files known by their $id ---- */

int cli_resolve_add_id(
    struct cli_resolve *resolve,
    struct jsv_str uri,
    const char *path,
    const struct cli_resolve_rule *rule,
    bool is_named)
{
    struct cli_resolve_id *id = jsv_arena_alloc(&resolve->arena, sizeof(*id));
    struct jsv_str directory = jsv_str_from(rule ? rule->directory : "");
    bool slash = directory.size > 0 && directory.data[directory.size - 1] != '/';
    char *below = cli_resolve_join(resolve, jsv_str_from(path), JSV_STR(""), JSV_STR(""));
    char *name = cli_resolve_join(
        resolve, directory, slash ? JSV_STR("/") : JSV_STR(""), jsv_str_from(path));
    if (!id || !below || !name) {
        return -ENOMEM;
    }
    *id = (struct cli_resolve_id){
        .key = {NULL, uri},
        .name = name,
        .rule = rule,
        .below = below,
        .is_named = is_named,
    };
    struct cli_resolve_id *first = jsv_table_find(&resolve->ids, NULL, uri);
    if (first) {
        id->next = first->next;
        first->next = id;
        return 0;
    }
    return jsv_table_add(&resolve->ids, &id->key);
}

static void warn(struct cli *cli, const struct looking *looking, const char *name, const char *why)
{
    if (!looking->resolve->no_warnings) {
        struct cli_message message;
        cli_message_init(&message, false);
        cli_message_put(&message, "warning: skipped: ");
        cli_message_put(&message, why);
        message.data[message.size] = '\0';
        cli_report_about(cli, name, message.data);
    }
}

static const char *why_unread(int error)
{
    switch (error) {
    case -EXDEV:
        return "this link leaves the directory";
    case -EBADFD:
        return "not a regular file";
    default:
        return strerror(-error);
    }
}

/* @param r What reading a file returned: of one that cannot be read it is said, and that is all. */
static int index_text(
    struct cli *cli,
    struct looking *looking,
    const char *name,
    const char *path,
    const struct cli_resolve_rule *rule,
    int r)
{
    struct jsv_str base;
    struct jsv_str id = {"", 0};
    struct jsv_error error = {0};
    if (r < 0 && r != -ENOMEM) {
        warn(cli, looking, name, why_unread(r));
        return 0;
    }
    if (r == 0) {
        r = cli_resolve_file_uri(looking->resolve, name, &base);
    }
    if (r == 0) {
        r = find_id(looking, jsv_buf_str(&looking->text), base, &id, &error);
    }
    if (r == -EBADMSG) {
        warn(cli, looking, name, error.message.data);
        return 0;
    }
    return r == 0 && id.size > 0 ? cli_resolve_add_id(looking->resolve, id, path, rule, false) : r;
}

static int index_file(struct cli *cli, struct looking *looking, const char *path)
{
    int r = os_file_read_path(path, &looking->text);
    return index_text(cli, looking, path, path, NULL, r);
}

static int index_files(
    struct cli *cli,
    struct looking *looking,
    const struct validate_files *files,
    const struct cli_resolve_rule *rule)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < files->count; i++) {
        const struct validate_file *file = validate_files_at(files, i);
        if (file->error == -ENODATA) {
            return 0; /* an empty directory leads nowhere, which is no fault */
        }
        jsv_buf_reset(&looking->text);
        int error = file->error;
        if (error == 0) {
            error = os_root_read_file(rule->root_fd, jsv_str_from(file->below), &looking->text);
        }
        r = index_text(cli, looking, file->name, file->below, rule, error);
    }
    return r;
}

static int index_directory(struct cli *cli, struct looking *looking, const char *path)
{
    const struct cli_resolve_rule *rule;
    struct validate_files files;
    char *operand =
        cli_resolve_join(looking->resolve, jsv_str_from(path), JSV_STR(""), JSV_STR(""));
    int r = operand ? 0 : -ENOMEM;
    if (r == 0) {
        r = cli_resolve_add_rule(looking->resolve, JSV_STR(""), jsv_str_from(path), &rule);
    }
    if (r == 0) {
        r = validate_files_list(&operand, 1, false, &files);
    }
    if (r == 0) {
        r = index_files(cli, looking, &files, rule);
        validate_files_done(&files);
    }
    return r;
}

int cli_resolve_index(
    struct cli *cli, struct cli_resolve *resolve, const char *path, bool is_directory)
{
    struct looking looking;
    int r = looking_begin(&looking, resolve);
    if (r == 0) {
        r = is_directory ? index_directory(cli, &looking, path) : index_file(cli, &looking, path);
    }
    looking_done(&looking);
    if (r < 0) {
        cli_report_errno(cli, path, r);
    }
    return r;
}
