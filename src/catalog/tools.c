/*
 * The list of tools: first the built-in ones in their order, then those of the
 * tools directory by file name.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "catalog/command.h"
#include "catalog/descriptor.h"
#include "catalog/snapshot.h"
#include "os/digest.h"
#include "os/sys.h"

/* ---- descriptors ---- */

static bool is_content(struct jsv_value tool)
{
    struct jsv_value output = jsv_value_get(tool, JSV_STR("output"));
    return jsv_str_equal(jsv_value_text(output), JSV_STR("content"));
}

static struct catalog_tool tool_of(struct jsv_str descriptor, struct jsv_value value)
{
    return (struct catalog_tool){
        .name = jsv_value_text(jsv_value_get(value, JSV_STR("name"))),
        .title = jsv_value_text(jsv_value_get(value, JSV_STR("title"))),
        .description = jsv_value_text(jsv_value_get(value, JSV_STR("description"))),
        .descriptor = descriptor,
        .value = value,
        .input_schema = jsv_value_get(value, JSV_STR("inputSchema")),
        .output_schema = jsv_value_get(value, JSV_STR("outputSchema")),
        .is_content = is_content(value),
    };
}

/* Each token of a pointer is in the descriptor's text; escaping at most doubles it. */
#define POINTER_SIZE_MAX (2 * CATALOG_FILE_SIZE_MAX)

/* ---- loading ---- */

/* Whether a built-in tool has something to work on. */
static bool is_configured(const struct catalog_options *options, struct jsv_str need)
{
    if (jsv_str_equal(need, JSV_STR("schemas"))) {
        return options->schemas_dir;
    }
    if (jsv_str_equal(need, JSV_STR("examples"))) {
        return options->examples_dir;
    }
    if (jsv_str_equal(need, JSV_STR("assets"))) {
        return options->schemas_dir || options->examples_dir;
    }
    return !jsv_str_equal(need, JSV_STR("backend")) || options->has_backend;
}

/* ---- fingerprints ----
 *
 * The same tool with the same schemas, however they are spelled, has the same
 * fingerprint. `mcpgate digest` prints the same for the schema's text.
 */

static void write_part(const char *name, struct jsv_value schema, struct jsv_writer *writer)
{
    jsv_write_member_object_begin(writer, jsv_str_from(name));
    jsv_write_member_string(writer, JSV_STR("type"), JSV_STR("object"));
    if (jsv_value_type(schema) != JSV_TYPE_NONE) {
        jsv_write_member_array_begin(writer, JSV_STR("allOf"));
        jsv_write_value(writer, schema);
        jsv_write_array_end(writer);
    }
    jsv_write_object_end(writer);
}

static void write_tool(struct jsv_str tool_id, struct jsv_writer *writer)
{
    jsv_write_member_object_begin(writer, JSV_STR("tool"));
    jsv_write_member_string(writer, JSV_STR("const"), tool_id);
    jsv_write_object_end(writer);
}

/*
 * Append the schema of {tool, input, output}: `tool` must equal the id, `input` and
 * `output` must be objects that match the tool's own schemas; without one, any object.
 */
static int write_io_schema(
    struct jsv_str tool_id, struct jsv_value input, struct jsv_value output, struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("type"), JSV_STR("object"));
    jsv_write_member_object_begin(&writer, JSV_STR("properties"));
    write_tool(tool_id, &writer);
    write_part("input", input, &writer);
    write_part("output", output, &writer);
    jsv_write_object_end(&writer);
    jsv_write_member_span(&writer, JSV_STR("required"), JSV_STR("[\"tool\"]"));
    jsv_write_object_end(&writer);
    return out->error;
}

/* The SHA-256 of a schema's canonical form. @return 0; -ERANGE when a number has none; -ENOMEM. */
static int digest_of(
    struct jsv_value schema, struct jsv_arena *scratch, char ret_hex[static OS_DIGEST_HEX_SIZE + 1])
{
    struct jsv_buf canonical;
    jsv_buf_init(&canonical, &scratch->allocator, SIZE_MAX);
    int r = jsv_canon_write(schema, JSV_CANON_UTF8, scratch, &canonical, NULL);
    if (r == 0) {
        os_digest(jsv_buf_str(&canonical), ret_hex);
    }
    jsv_buf_done(&canonical);
    return r;
}

/* Both schemas take a little more than the descriptor. */
#define IO_SIZE_MAX (2 * CATALOG_FILE_SIZE_MAX)

/* @param text Where the schemas are put together. */
static int make_fingerprint(
    const struct catalog_tool *tool,
    struct catalog_loading *loading,
    struct jsv_buf *text,
    struct jsv_str *ret_fingerprint)
{
    char id[sizeof(CATALOG_TOOL_ID_PREFIX) + CATALOG_TOOL_NAME_MAX];
    char hex[OS_DIGEST_HEX_SIZE + 1];
    int size = snprintf(
        id, sizeof(id), CATALOG_TOOL_ID_PREFIX "%.*s", (int)tool->name.size, tool->name.data);
    struct jsv_str tool_id = {id, (size_t)size};
    struct jsv_document *document = jsv_document_new(os_allocator());
    int r = document ? write_io_schema(tool_id, tool->input_schema, tool->output_schema, text)
                     : -ENOMEM;
    if (r == 0) {
        r = jsv_read(loading->reader, document, jsv_buf_str(text), 0, NULL);
    }
    if (r == 0) {
        r = digest_of(jsv_document_root(document), &loading->scratch, hex);
    }
    if (r == 0) {
        *ret_fingerprint = catalog_keep(loading, jsv_str_from(hex));
        r = ret_fingerprint->data ? 0 : -ENOMEM;
    }
    jsv_document_free(document);
    return r == -ENOMEM ? r : 0; /* a schema beyond all limits has no fingerprint */
}

static int set_fingerprint(struct catalog_tool *tool, struct catalog_loading *loading)
{
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), IO_SIZE_MAX);
    int r = make_fingerprint(tool, loading, &text, &tool->fingerprint);
    jsv_buf_done(&text);
    return r;
}

/* @param document Owned by the entry, also on failure; NULL when it is a file's. */
static int add_tool(
    struct catalog *catalog,
    struct catalog_loading *loading,
    struct catalog_tool *tool,
    bool built_in,
    struct jsv_document *document)
{
    int r = set_fingerprint(tool, loading);
    if (r < 0) {
        jsv_document_free(document);
        return r;
    }
    struct catalog_tool_entry *entry = jsv_arena_alloc(&catalog->arena, sizeof(*entry));
    if (entry) {
        *entry = (struct catalog_tool_entry){*tool, built_in, document, NULL};
        r = catalog_tool_schemas_make(catalog, loading, entry, &entry->schemas);
    }
    if (!entry || r < 0) {
        jsv_document_free(document);
        return -ENOMEM;
    }
    catalog->tools[catalog->tool_count++] = entry;
    if (tool->is_listed) {
        catalog->listed_tools[catalog->listed_tool_count++] = entry;
    }
    return 0;
}

static int add_built_in(
    struct catalog *catalog,
    struct catalog_loading *loading,
    const struct catalog_options *options,
    struct jsv_str text)
{
    struct jsv_document *document = jsv_document_new(os_allocator());
    int r = document ? jsv_read(loading->reader, document, text, 0, NULL) : -ENOMEM;
    if (r < 0) {
        assert(r == -ENOMEM);
        jsv_document_free(document);
        return r;
    }
    struct catalog_tool tool = tool_of(text, jsv_document_root(document));
    tool.is_listed =
        is_configured(options, jsv_value_text(jsv_value_get(tool.value, JSV_STR("needs"))));
    struct jsv_buf pointer;
    jsv_buf_init(&pointer, os_allocator(), POINTER_SIZE_MAX);
    const char *wrong = catalog_descriptor_check_headers(&tool, &pointer);
    r = pointer.error;
    jsv_buf_done(&pointer);
    assert(!wrong);
    (void)wrong; /* in builds without assertions */
    if (r < 0) {
        jsv_document_free(document);
        return r;
    }
    return add_tool(catalog, loading, &tool, true, document);
}

/* The directory of programs as an absolute path: the working directory may change later. */
static int
absolute(struct catalog_loading *loading, const char *directory, struct jsv_str *ret_path)
{
    char here[PATH_MAX] = "";
    int r = directory[0] == '/' ? 0 : os_getcwd(here, sizeof(here));
    if (r < 0) {
        return r;
    }
    struct jsv_buf path;
    jsv_buf_init(&path, os_allocator(), 2 * PATH_MAX);
    if (here[0]) {
        jsv_buf_append_str(&path, jsv_str_from(here));
        jsv_buf_append_byte(&path, '/');
    }
    jsv_buf_append_str(&path, jsv_str_from(directory));
    *ret_path = path.error ? (struct jsv_str){0} : catalog_keep(loading, jsv_buf_str(&path));
    jsv_buf_done(&path);
    return ret_path->data ? 0 : -ENOMEM;
}

/*
 * "/inputSchema/properties/n: expected …" for a reason "urn:…:input#/properties/n: expected …".
 * Other reasons concern schemas that the tool refers to and keep their names.
 */
static struct jsv_str describe_fault(
    struct catalog_loading *loading, const struct catalog_tool_entry *entry, struct jsv_str reason)
{
    struct jsv_str name = jsv_str_from(entry->schemas->failed);
    size_t own = sizeof(CATALOG_TOOL_URN) - 1 + entry->tool.name.size;
    const char *hash = memchr(reason.data, '#', reason.size);
    bool is_own = hash && (size_t)(hash - reason.data) > own &&
                  memcmp(reason.data, CATALOG_TOOL_URN, sizeof(CATALOG_TOOL_URN) - 1) == 0;
    if (!is_own) {
        name = catalog_join(&loading->scratch, name, JSV_STR(" does not compile: "));
        return name.data ? catalog_join(&loading->scratch, name, reason) : name;
    }
    size_t skipped = (size_t)(hash + 1 - reason.data);
    struct jsv_str rest = {hash + 1, reason.size - skipped};
    name = catalog_join(&loading->scratch, JSV_STR("/"), name);
    return name.data ? catalog_join(&loading->scratch, name, rest) : name;
}

/* Compile the schemas of the tool that was added last. @param ret_wrong The error; none: "". */
static int
compile_schemas(struct catalog *catalog, struct catalog_loading *loading, struct jsv_str *ret_wrong)
{
    const struct catalog_tool_entry *entry = catalog->tools[catalog->tool_count - 1];
    struct jsv_str reason;
    *ret_wrong = JSV_STR("");
    if (!loading->meta && !(loading->meta = jsv_registry_new(os_allocator(), NULL))) {
        return -ENOMEM;
    }
    int r = catalog_tool_schemas_compile(catalog, entry, loading->meta, &reason);
    if (r == -EBADMSG) {
        *ret_wrong = describe_fault(loading, entry, reason);
        return ret_wrong->data ? 0 : -ENOMEM;
    }
    return r;
}

/* Add a tool, unless a schema of it does not compile; warn when its program cannot be run. */
static int add_checked(
    struct catalog *catalog,
    struct catalog_loading *loading,
    const char *directory,
    struct catalog_tool *tool)
{
    int r = add_tool(catalog, loading, tool, false, NULL);
    if (r < 0) {
        return r;
    }
    struct jsv_str wrong;
    r = compile_schemas(catalog, loading, &wrong);
    if (r == 0 && wrong.size > 0) {
        struct catalog_tool_entry *entry = catalog->tools[--catalog->tool_count];
        catalog->listed_tool_count--; /* external tools always are */
        catalog_tool_schemas_release(entry->schemas);
        return catalog_warn_of(loading, directory, tool->file, wrong);
    }
    const char *unusable = NULL;
    r = r < 0 ? r : catalog_command_check(tool, &loading->scratch, &unusable);
    return r < 0 || !unusable
               ? r
               : catalog_warn_unusable(loading, directory, tool->file, jsv_str_from(unusable));
}

static int add_external(
    struct catalog *catalog,
    struct catalog_loading *loading,
    const char *directory,
    const struct catalog_file *file)
{
    struct catalog_tool tool = tool_of(file->text, file->value);
    tool.file = file->path;
    tool.is_listed = true;
    int r = absolute(loading, directory, &tool.directory);
    if (r < 0) {
        return r;
    }
    struct jsv_buf pointer;
    jsv_buf_init(&pointer, os_allocator(), POINTER_SIZE_MAX);
    const char *wrong = catalog_descriptor_check(&tool, &loading->scratch, &pointer);
    if (!wrong && catalog_tool_find(catalog, tool.name)) {
        wrong = "duplicate tool name";
    }
    r = pointer.error;
    if (r == 0) {
        r = wrong ? catalog_warn_at(loading, directory, file->path, wrong, jsv_buf_str(&pointer))
                  : add_checked(catalog, loading, directory, &tool);
    }
    jsv_buf_done(&pointer);
    return r;
}

int catalog_tools_load(
    struct catalog *catalog, struct catalog_loading *loading, const struct catalog_options *options)
{
    const struct catalog_files *files = &catalog->files[CATALOG_ROOT_TOOLS];
    size_t count_max = options->tool_count + files->count + 1;
    catalog->tools = jsv_arena_array(&catalog->arena, count_max, sizeof(*catalog->tools));
    catalog->listed_tools =
        jsv_arena_array(&catalog->arena, count_max, sizeof(*catalog->listed_tools));
    if (!catalog->tools || !catalog->listed_tools) {
        return -ENOMEM;
    }
    int r = 0;
    for (size_t i = 0; i < options->tool_count && r == 0; i++) {
        r = add_built_in(catalog, loading, options, options->tools[i]);
    }
    for (size_t i = 0; i < files->count && r == 0; i++) {
        r = add_external(catalog, loading, options->tools_dir, &files->items[i]);
    }
    return r;
}

/* ---- finding ---- */

size_t catalog_listed_tool_count(const struct catalog *catalog)
{
    return catalog->listed_tool_count;
}

const struct catalog_tool *catalog_listed_tool_at(const struct catalog *catalog, size_t index)
{
    return &catalog->listed_tools[index]->tool;
}

size_t catalog_tool_count(const struct catalog *catalog)
{
    return catalog->tool_count;
}

const struct catalog_tool *catalog_tool_at(const struct catalog *catalog, size_t index)
{
    return &catalog->tools[index]->tool;
}

const struct catalog_tool *catalog_tool_find(const struct catalog *catalog, struct jsv_str name)
{
    for (size_t i = 0; i < catalog->tool_count; i++) {
        const struct catalog_tool *tool = &catalog->tools[i]->tool;
        if (tool->name.size == name.size && memcmp(tool->name.data, name.data, name.size) == 0) {
            return tool;
        }
    }
    return NULL;
}
