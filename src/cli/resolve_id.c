/*
 * The $id of schemas, as far as references need it: which file has which.
 *
 * Only the root of a file is looked at. Files are read once to find their $id
 * and again when a reference leads to them, so that a directory of thousands of
 * schemas takes no more memory than their names.
 */
#include <errno.h>
#include <string.h>

#include <jsv/json.h>

#include "cli/input.h"
#include "cli/message.h"
#include "cli/report.h"
#include "cli/resolve_parts.h"
#include "cli/validate/files.h"
#include "jsv/schema/registry/uri.h"
#include "os/file.h"
#include "os/root.h"
#include "os/sys.h"

/* ---- one text ---- */

/* What reading files for their $id needs. */
struct looking {
    struct app_resolve *resolve;
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

static int looking_begin(struct looking *looking, struct app_resolve *resolve)
{
    *looking = (struct looking){
        .resolve = resolve,
        .reader = jsv_reader_new(os_allocator(), NULL),
        .document = jsv_document_new(os_allocator()),
    };
    jsv_buf_init(&looking->text, os_allocator(), APP_INPUT_SIZE_MAX);
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

int app_resolve_is_same(struct app_resolve *resolve, struct jsv_str a, struct jsv_str b)
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

int app_resolve_learn(
    struct app_resolve *resolve,
    struct jsv_str uri,
    const struct app_resolve_found *found,
    struct jsv_str text)
{
    struct looking looking;
    struct jsv_error error;
    struct app_resolve_known *known = jsv_arena_alloc(&resolve->arena, sizeof(*known));
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
    char *copy = app_resolve_join(resolve, id.size > 0 ? id : uri, JSV_STR(""), JSV_STR(""));
    *known = (struct app_resolve_known){.next = resolve->known, .rule = found->rule};
    if (!copy || app_resolve_file_uri(resolve, found->name, &known->place) < 0) {
        return -ENOMEM;
    }
    known->id = jsv_str_from(copy);
    if (!jsv_str_equal(known->id, known->place)) { /* else its URIs are paths already */
        resolve->known = known;
    }
    return 0;
}

/* ---- files known by their $id ---- */

int app_resolve_add_id(
    struct app_resolve *resolve,
    struct jsv_str uri,
    const char *path,
    const struct app_resolve_rule *rule,
    bool is_named)
{
    struct app_resolve_id *id = jsv_arena_alloc(&resolve->arena, sizeof(*id));
    struct jsv_str directory = jsv_str_from(rule ? rule->directory : "");
    bool slash = directory.size > 0 && directory.data[directory.size - 1] != '/';
    char *below = app_resolve_join(resolve, jsv_str_from(path), JSV_STR(""), JSV_STR(""));
    char *name = app_resolve_join(
        resolve, directory, slash ? JSV_STR("/") : JSV_STR(""), jsv_str_from(path));
    if (!id || !below || !name) {
        return -ENOMEM;
    }
    *id = (struct app_resolve_id){
        .key = {NULL, uri},
        .name = name,
        .rule = rule,
        .below = below,
        .is_named = is_named,
    };
    struct app_resolve_id *first = jsv_table_find(&resolve->ids, NULL, uri);
    if (first) {
        id->next = first->next;
        first->next = id;
        return 0;
    }
    return jsv_table_add(&resolve->ids, &id->key);
}

static void
warn(struct app_cli *cli, const struct looking *looking, const char *name, const char *why)
{
    if (!looking->resolve->no_warnings) {
        struct app_message message;
        app_message_init(&message, false);
        app_message_put(&message, "warning: skipped: ");
        app_message_put(&message, why);
        message.data[message.size] = '\0';
        app_report_about(cli, name, message.data);
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
static int add_text(
    struct app_cli *cli,
    struct looking *looking,
    const char *name,
    const char *path,
    const struct app_resolve_rule *rule,
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
        r = app_resolve_file_uri(looking->resolve, name, &base);
    }
    if (r == 0) {
        r = find_id(looking, jsv_buf_str(&looking->text), base, &id, &error);
    }
    if (r == -EBADMSG) {
        warn(cli, looking, name, error.message);
        return 0;
    }
    return r == 0 && id.size > 0 ? app_resolve_add_id(looking->resolve, id, path, rule, false) : r;
}

static int add_file(struct app_cli *cli, struct looking *looking, const char *path)
{
    int r = os_file_read_path(path, &looking->text);
    return add_text(cli, looking, path, path, NULL, r);
}

static int add_all(
    struct app_cli *cli,
    struct looking *looking,
    const struct validate_files *files,
    const struct app_resolve_rule *rule)
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
        r = add_text(cli, looking, file->name, file->below, rule, error);
    }
    return r;
}

static int add_directory(struct app_cli *cli, struct looking *looking, const char *path)
{
    const struct app_resolve_rule *rule;
    struct validate_files files;
    char *operand =
        app_resolve_join(looking->resolve, jsv_str_from(path), JSV_STR(""), JSV_STR(""));
    int r = operand ? 0 : -ENOMEM;
    if (r == 0) {
        r = app_resolve_add_rule(looking->resolve, JSV_STR(""), jsv_str_from(path), &rule);
    }
    if (r == 0) {
        r = validate_files_list(&operand, 1, false, &files);
    }
    if (r == 0) {
        r = add_all(cli, looking, &files, rule);
        validate_files_done(&files);
    }
    return r;
}

int app_resolve_index(
    struct app_cli *cli, struct app_resolve *resolve, const char *path, bool is_directory)
{
    struct looking looking;
    int r = looking_begin(&looking, resolve);
    if (r == 0) {
        r = is_directory ? add_directory(cli, &looking, path) : add_file(cli, &looking, path);
    }
    looking_done(&looking);
    if (r < 0) {
        app_report_errno(cli, path, r);
    }
    return r;
}
