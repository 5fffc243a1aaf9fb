#include "cli/schema.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/io.h"
#include "cli/report.h"
#include "cli/resolve.h"
#include "os/sys.h"

/* Bytes shown of a URI that could not be found. */
#define URI_SHOWN_MAX 200

/* A text given to the registry, kept to show errors in it. */
struct loaded {
    struct loaded *next;
    struct jsv_str uri;
    struct cli_document document; /* never parsed */
};

struct loading {
    struct cli *cli;
    struct cli_resolve *resolve;
    struct loaded *loaded;
    struct jsv_registry *registry;
    bool reported;
};

/* ---- texts ---- */

/* Add an entry without text. NULL without memory. */
static struct loaded *add_loaded(struct loading *loading, struct jsv_str uri)
{
    struct loaded *loaded = jsv_arena_alloc(&loading->resolve->arena, sizeof(*loaded));
    if (loaded) {
        *loaded = (struct loaded){.next = loading->loaded, .uri = uri};
        jsv_buf_init(&loaded->document.text, os_allocator(), CLI_INPUT_SIZE_MAX);
        loading->loaded = loaded;
    }
    return loaded;
}

static void free_loaded(struct loading *loading)
{
    for (struct loaded *loaded = loading->loaded; loaded; loaded = loaded->next) {
        cli_document_done(&loaded->document);
    }
}

/* A terminated copy; NULL without memory. */
static char *copy_text(struct loading *loading, struct jsv_str text)
{
    char *copy = jsv_arena_alloc(&loading->resolve->arena, text.size + 1);
    if (copy) {
        memcpy(copy, text.data, text.size);
        copy[text.size] = '\0';
    }
    return copy;
}

/* Called by the registry for a text it needs. */
static int resolve(void *context, struct jsv_str uri, struct jsv_str *ret_text)
{
    struct loading *loading = context;
    const char *copy = copy_text(loading, uri);
    struct loaded *loaded = copy ? add_loaded(loading, (struct jsv_str){copy, uri.size}) : NULL;
    if (!loaded) {
        return -ENOMEM;
    }
    struct cli_document *document = &loaded->document;
    int r = cli_resolve_read(loading->cli, loading->resolve, uri, &document->text, &document->name);
    if (r < 0 && r != -ENOENT && document->name) {
        if (r != -EEXIST) { /* reported already */
            cli_input_report(loading->cli, document->name, r);
        }
        loading->reported = true;
    }
    if (r == 0) {
        *ret_text = jsv_buf_str(&document->text);
    }
    return r;
}

/* ---- errors and warnings ---- */

/* A schema from standard input has no URI, and so matches any. */
static struct loaded *find_loaded(const struct loading *loading, struct jsv_str uri)
{
    struct loaded *loaded = loading->loaded;
    while (loaded && loaded->uri.size > 0 && !jsv_str_equal(loaded->uri, uri)) {
        loaded = loaded->next;
    }
    return loaded;
}

/* Room for a message and advice; more is cut when shown. */
#define TEXT_SIZE_MAX 2048

/* The message of a note, with advice. */
static void make_text(
    const struct loaded *loaded,
    enum jsv_note_kind kind,
    const struct jsv_error *fault,
    char text[static TEXT_SIZE_MAX])
{
    struct jsv_str file = JSV_STR("file:");
    bool is_file =
        fault->missing.size > file.size && memcmp(fault->missing.data, file.data, file.size) == 0;
    if (fault->code != JSV_ERROR_NONE &&
        cli_is_like_yaml(loaded->document.name, jsv_buf_str(&loaded->document.text))) {
        snprintf(text, TEXT_SIZE_MAX, "%s", CLI_YAML_MESSAGE);
        return;
    }
    int size = snprintf(
        text,
        TEXT_SIZE_MAX,
        "%s%.*s",
        kind == JSV_NOTE_WARNING ? "warning: " : "",
        (int)(fault->message.size < TEXT_SIZE_MAX / 2 ? fault->message.size : TEXT_SIZE_MAX / 2),
        fault->message.data);
    if (fault->code == JSV_ERROR_DUPLICATE_MEMBER) {
        snprintf(text + size, TEXT_SIZE_MAX - (size_t)size, "; with --lenient the last one counts");
    } else if (fault->missing.size > 0 && !is_file) {
        snprintf(
            text + size,
            TEXT_SIZE_MAX - (size_t)size,
            "; nothing is downloaded: use --resolve %.*s=FILE, or --resolve DIR for a directory of "
            "schemas",
            (int)(fault->missing.size < URI_SHOWN_MAX ? fault->missing.size : URI_SHOWN_MAX),
            fault->missing.data);
    }
}

/* Called by the registry for each note. */
static void report_note(void *context, enum jsv_note_kind kind, const struct jsv_error *fault)
{
    struct loading *loading = context;
    struct loaded *loaded = find_loaded(loading, fault->uri);
    char text[TEXT_SIZE_MAX];
    bool is_warning = kind == JSV_NOTE_WARNING;
    if (is_warning && loading->resolve->no_warnings) {
        return;
    }
    loading->reported |= !is_warning;
    if (!loaded) { /* it could not be read, which was reported */
        return;
    }
    struct jsv_str all = jsv_buf_str(&loaded->document.text);
    const struct cli_spot spot = {
        .name = loaded->document.name,
        .text = is_warning ? (struct jsv_str){0} : all,
        .offset = fault->offset,
        .line = fault->line,
        .column = fault->column,
        .pointer = fault->pointer,
    };
    make_text(loaded, kind, fault, text);
    cli_report_spot(loading->cli, &spot, text);
}

/* ---- loading ---- */

static int compile(
    struct loading *loading,
    const struct cli_schema_options *options,
    const struct loaded *own,
    struct jsv_schema **ret_schema)
{
    const struct jsv_schema_options how = {
        .assert_format = options->assert_format,
        .assert_content = options->assert_content,
        .compile_unused = options->compile_unused,
    };
    struct jsv_error fault = {0};
    int r = jsv_registry_add(loading->registry, own->uri, jsv_buf_str(&own->document.text), &fault);
    if (r == 0) {
        r = jsv_schema_compile(loading->registry, own->uri, &how, ret_schema, &fault);
    }
    if (r < 0 && !loading->reported) {
        cli_report_errno(loading->cli, own->document.name, r);
    }
    return r;
}

/* @return 0, or a reported error. */
static int read_own(struct loading *loading, const char *path, struct loaded **ret_own)
{
    bool is_file = strcmp(path, "-") != 0;
    struct jsv_str uri = JSV_STR("");
    int r = is_file ? cli_resolve_file_uri(loading->resolve, path, &uri) : 0;
    struct loaded *own = r == 0 ? add_loaded(loading, uri) : NULL;
    if (!own) {
        cli_report_errno(loading->cli, path, r < 0 ? r : -ENOMEM);
        return -ENOMEM;
    }
    own->document.name = cli_input_name(path);
    *ret_own = own;
    r = cli_input_read(loading->cli, path, &own->document.text);
    if (r == 0 && is_file) {
        r = cli_resolve_begin(loading->resolve, path, uri, jsv_buf_str(&own->document.text));
        if (r < 0) {
            cli_report_errno(loading->cli, path, r);
        }
    }
    return r;
}

static int load(
    struct loading *loading,
    const struct cli_schema_options *options,
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
        .listener = report_note,
        .listener_context = loading,
        .allow_duplicates = options->lenient,
    };
    loading->registry = jsv_registry_new(os_allocator(), &how);
    if (!loading->registry) {
        cli_report_errno(loading->cli, own->document.name, -ENOMEM);
        return -ENOMEM;
    }
    return compile(loading, options, own, ret_schema);
}

int cli_schema_load(
    struct cli *cli,
    const struct cli_schema_options *options,
    struct cli_resolve *resolve_by,
    struct cli_schema *ret_schema)
{
    struct loading loading = {.cli = cli, .resolve = resolve_by};
    struct cli_schema schema = {0};
    int r = load(&loading, options, &schema.schema);
    schema.registry = loading.registry;
    free_loaded(&loading);
    if (r < 0) {
        cli_schema_done(&schema);
        return r;
    }
    *ret_schema = schema;
    return 0;
}

void cli_schema_done(struct cli_schema *schema)
{
    jsv_schema_free(schema->schema);
    jsv_registry_free(schema->registry);
    *schema = (struct cli_schema){0};
}
