#include "app/schema.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "app/cli.h"
#include "app/document.h"
#include "app/input.h"
#include "app/report.h"
#include "app/resolve.h"
#include "os/sys.h"
#include "os/uri.h"
#include "schema/uri.h"

/* A path percent-encoded, and the scheme in front of it. */
#define URI_SIZE_MAX ((size_t)8 * PATH_MAX)

/* A text that was given to the registry. Kept, since a fault is shown where it is. */
struct loaded {
    struct loaded *next;
    struct jsv_str uri;
    struct app_document document; /* parsed only to show a fault */
};

struct loading {
    struct app_cli *cli;
    struct app_resolve *resolve;
    struct loaded *loaded;
    struct jsv_registry *registry;
    bool reported;
};

/* ---- texts ---- */

/* An entry without a text yet; NULL when memory ran out. */
static struct loaded *add_loaded(struct loading *loading, struct jsv_str uri)
{
    struct loaded *loaded = jsv_arena_alloc(&loading->resolve->arena, sizeof(*loaded));
    if (loaded) {
        *loaded = (struct loaded){.next = loading->loaded, .uri = uri};
        jsv_buf_init(&loaded->document.text, os_allocator(), APP_INPUT_SIZE_MAX);
        loading->loaded = loaded;
    }
    return loaded;
}

static void forget_loaded(struct loading *loading)
{
    for (struct loaded *loaded = loading->loaded; loaded; loaded = loaded->next) {
        app_document_done(&loaded->document);
    }
}

/* A terminated copy; NULL when memory ran out. */
static char *copy_text(struct loading *loading, struct jsv_str text)
{
    char *copy = jsv_arena_alloc(&loading->resolve->arena, text.size + 1);
    if (copy) {
        memcpy(copy, text.data, text.size);
        copy[text.size] = '\0';
    }
    return copy;
}

/* The registry asks for a text. */
static int resolve(void *context, struct jsv_str uri, struct jsv_str *ret_text)
{
    struct loading *loading = context;
    const char *copy = copy_text(loading, uri);
    struct loaded *loaded = copy ? add_loaded(loading, (struct jsv_str){copy, uri.size}) : NULL;
    if (!loaded) {
        return -ENOMEM;
    }
    struct app_document *document = &loaded->document;
    int r = app_resolve_read(loading->resolve, uri, &document->text, &document->name);
    if (r < 0 && r != -ENOENT && document->name) {
        app_input_report(loading->cli, document->name, r);
        loading->reported = true;
    }
    if (r == 0) {
        *ret_text = jsv_buf_str(&document->text);
    }
    return r;
}

/* ---- the schema's own URI ---- */

static int make_uri(struct loading *loading, const char *path, struct jsv_str *ret_uri)
{
    struct jsv_buf uri;
    jsv_buf_init(&uri, os_allocator(), URI_SIZE_MAX);
    int r = os_uri_append_file(&uri, path);
    if (r == 0) {
        r = jsv_uri_resolve(&loading->resolve->arena, JSV_STR(""), jsv_buf_str(&uri), ret_uri);
    }
    jsv_buf_done(&uri);
    return r;
}

static struct jsv_str up_to_slash(struct jsv_str text)
{
    while (text.size > 0 && text.data[text.size - 1] != '/') {
        text.size--;
    }
    return text;
}

/* Let the schema's URI lead to the files beside it. */
static int add_own_directory(struct loading *loading, const char *path, struct jsv_str uri)
{
    struct jsv_str directory = up_to_slash(jsv_str_from(path));
    int r = app_resolve_add(
        loading->resolve, up_to_slash(uri), directory.size > 0 ? directory : JSV_STR("."));
    return r == -ENOMEM ? r : 0; /* a directory that cannot be opened has nothing for us */
}

/* ---- faults ---- */

/* A schema from standard input has no URI of its own, whatever its $id is. */
static struct loaded *find_loaded(const struct loading *loading, struct jsv_str uri)
{
    struct loaded *loaded = loading->loaded;
    while (loaded && loaded->uri.size > 0 && !jsv_str_equal(loaded->uri, uri)) {
        loaded = loaded->next;
    }
    return loaded;
}

static void
report_syntax(struct loading *loading, const struct loaded *loaded, const struct jsv_error *error)
{
    const struct app_spot spot = {
        .name = loaded->document.name,
        .text = jsv_buf_str(&loaded->document.text),
        .offset = error->offset,
        .line = error->line,
        .column = error->column,
        .pointer = error->pointer,
    };
    app_report_spot(loading->cli, &spot, error->message);
}

static void report_place(
    struct loading *loading, struct loaded *loaded, struct jsv_str pointer, const char *message)
{
    struct jsv_value value;
    if (app_document_parse(loading->cli, &loaded->document) < 0) {
        return; /* it could be read before: there is no memory, which has been said */
    }
    value = jsv_document_root(loaded->document.document);
    (void)jsv_pointer_get(value, pointer, &value);
    app_document_report(loading->cli, &loaded->document, value, message);
}

static void report_fault(struct loading *loading, const struct jsv_schema_fault *fault)
{
    struct loaded *loaded = find_loaded(loading, fault->uri);
    const char *message = copy_text(loading, fault->message);
    if (!loaded || !message) {
        app_report_errno(loading->cli, "cannot show a fault of the schema", -ENOMEM);
    } else if (fault->json.code != JSV_ERROR_NONE) {
        report_syntax(loading, loaded, &fault->json);
    } else {
        report_place(loading, loaded, fault->pointer, message);
    }
}

/* ---- loading ---- */

static int compile(
    struct loading *loading,
    const struct app_schema_options *options,
    const struct loaded *own,
    struct jsv_schema **ret_schema)
{
    const struct jsv_schema_options how = {
        .assert_format = options->assert_format,
        .assert_content = options->assert_content,
    };
    struct jsv_schema_fault fault = {0};
    int r = jsv_registry_add(loading->registry, own->uri, jsv_buf_str(&own->document.text), &fault);
    if (r == 0) {
        r = jsv_schema_compile(loading->registry, own->uri, &how, ret_schema, &fault);
    }
    if (r == -EBADMSG || r == -EEXIST) {
        report_fault(loading, &fault);
    } else if (r < 0 && !loading->reported) {
        app_report_errno(loading->cli, own->document.name, r);
    }
    return r;
}

/* @return 0, or an error that has been reported. */
static int read_own(struct loading *loading, const char *path, struct loaded **ret_own)
{
    struct jsv_str uri = JSV_STR("");
    int r = 0;
    if (strcmp(path, "-") != 0) {
        r = make_uri(loading, path, &uri);
        r = r < 0 ? r : add_own_directory(loading, path, uri);
    }
    struct loaded *own = r == 0 ? add_loaded(loading, uri) : NULL;
    if (!own) {
        app_report_errno(loading->cli, path, r < 0 ? r : -ENOMEM);
        return -ENOMEM;
    }
    own->document.name = app_input_name(path);
    *ret_own = own;
    return app_input_read(loading->cli, path, &own->document.text);
}

static int load(
    struct loading *loading,
    const struct app_schema_options *options,
    struct jsv_schema **ret_schema)
{
    struct loaded *own;
    int r = read_own(loading, options->path, &own);
    if (r < 0) {
        return r;
    }
    const struct jsv_registry_options how = {
        .draft = options->draft,
        .resolver = resolve,
        .resolver_context = loading,
    };
    loading->registry = jsv_registry_new(os_allocator(), &how);
    if (!loading->registry) {
        app_report_errno(loading->cli, own->document.name, -ENOMEM);
        return -ENOMEM;
    }
    return compile(loading, options, own, ret_schema);
}

int app_schema_load(
    struct app_cli *cli,
    const struct app_schema_options *options,
    struct app_resolve *resolve_by,
    struct app_schema *ret_schema)
{
    struct loading loading = {.cli = cli, .resolve = resolve_by};
    struct app_schema schema = {0};
    int r = load(&loading, options, &schema.schema);
    schema.registry = loading.registry;
    forget_loaded(&loading);
    if (r < 0) {
        app_schema_done(&schema);
        return r;
    }
    *ret_schema = schema;
    return 0;
}

void app_schema_done(struct app_schema *schema)
{
    jsv_schema_free(schema->schema);
    jsv_registry_free(schema->registry);
    *schema = (struct app_schema){0};
}
