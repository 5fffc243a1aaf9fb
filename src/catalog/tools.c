/*
 * Tools as their descriptors declare them: first those that are built in, in
 * their order, then those of the tools directory, by file name.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/ascii.h"
#include "catalog/headers.h"
#include "catalog/snapshot.h"
#include "os/sys.h"

/* As the protocol has it. */
#define NAME_SIZE_MAX 128

/* ---- descriptors ---- */

static bool is_name(struct jsv_str name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        if (!jsv_is_alnum(c) && c != '_' && c != '-' && c != '.') {
            return false;
        }
    }
    return name.size > 0 && name.size <= NAME_SIZE_MAX;
}

static bool is_absent_or(struct jsv_value value, enum jsv_type type)
{
    return jsv_value_type(value) == JSV_TYPE_NONE || jsv_value_type(value) == type;
}

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

/*
 * A pointer into a descriptor is at most this long: each of its tokens stands in the text, with
 * more around it than the slash, and no more than doubles when it is escaped.
 */
#define POINTER_SIZE_MAX (2 * CATALOG_FILE_SIZE_MAX)

/*
 * What is wrong with a descriptor; NULL when nothing is. Also finds out whether it has headers.
 * @param pointer Where it is wrong, unless what is wrong says so.
 */
static const char *check_tool(struct catalog_tool *tool, struct jsv_buf *pointer)
{
    if (!is_name(tool->name)) {
        return "\"name\" must be 1 to 128 of A-Z a-z 0-9 _ - .";
    }
    if (!tool->description.data) {
        return "\"description\" must be a string";
    }
    if (!is_absent_or(jsv_value_get(tool->value, JSV_STR("title")), JSV_TYPE_STRING)) {
        return "\"title\" must be a string";
    }
    if (jsv_value_type(tool->input_schema) != JSV_TYPE_OBJECT) {
        return "\"inputSchema\" must be an object";
    }
    if (!is_absent_or(tool->output_schema, JSV_TYPE_OBJECT)) {
        return "\"outputSchema\" must be an object";
    }
    size_t header_count;
    const char *wrong = catalog_headers_check(tool->input_schema, pointer, &header_count);
    tool->has_headers = header_count > 0;
    return wrong;
}

/* A text that a program can be given: the kernel's end with a NUL. */
static bool is_plain(struct jsv_value value)
{
    struct jsv_str text = jsv_value_text(value);
    return text.data && (text.size == 0 || !memchr(text.data, 0, text.size));
}

static bool are_plain(struct jsv_value array)
{
    struct jsv_iter iter = jsv_value_iter(array);
    bool plain = jsv_value_type(array) == JSV_TYPE_ARRAY;
    while (plain && jsv_iter_next(&iter)) {
        plain = is_plain(iter.value);
    }
    return plain;
}

static bool is_command(struct jsv_value command)
{
    return are_plain(command) && jsv_value_text(jsv_value_at(command, 0)).size > 0;
}

/* Texts, and groups of texts. */
static bool is_template(struct jsv_value template)
{
    struct jsv_iter iter = jsv_value_iter(template);
    bool fits = jsv_value_type(template) == JSV_TYPE_ARRAY;
    while (fits && jsv_iter_next(&iter)) {
        fits = is_plain(iter.value) || are_plain(iter.value);
    }
    return fits;
}

static bool is_output(struct jsv_value output)
{
    struct jsv_str kind = jsv_value_text(output);
    return jsv_str_equal(kind, JSV_STR("json")) || jsv_str_equal(kind, JSV_STR("text")) ||
           jsv_str_equal(kind, JSV_STR("envelope"));
}

static bool is_there(struct jsv_value value)
{
    return jsv_value_type(value) != JSV_TYPE_NONE;
}

static bool is_absent_or_positive(struct jsv_value value)
{
    int64_t number;
    return jsv_value_type(value) == JSV_TYPE_NONE ||
           (jsv_value_int64(value, &number) == 0 && number > 0);
}

/* The same for how a program is run. */
static const char *check_running(struct jsv_value tool)
{
    struct jsv_value template = jsv_value_get(tool, JSV_STR("arguments"));
    struct jsv_value environment = jsv_value_get(tool, JSV_STR("environment"));
    struct jsv_value directory = jsv_value_get(tool, JSV_STR("working_directory"));
    struct jsv_value output = jsv_value_get(tool, JSV_STR("output"));
    if (is_there(template) && !is_template(template)) {
        return "\"arguments\" must be an array of strings, and arrays of strings";
    }
    if (is_there(environment) && !are_plain(environment)) {
        return "\"environment\" must be an array of strings";
    }
    if (is_there(directory) && !is_plain(directory)) {
        return "\"working_directory\" must be a string";
    }
    if (is_there(output) && !is_output(output)) {
        return "\"output\" must be json, text or envelope";
    }
    return NULL;
}

/* The same for what only programs of others have. */
static const char *check_external(struct catalog_tool *tool, struct jsv_buf *pointer)
{
    if (jsv_value_type(tool->value) != JSV_TYPE_OBJECT) {
        return "it must be an object";
    }
    const char *wrong = check_tool(tool, pointer);
    if (wrong) {
        return wrong;
    }
    if (!is_absent_or(jsv_value_get(tool->value, JSV_STR("version")), JSV_TYPE_STRING)) {
        return "\"version\" must be a string";
    }
    if (!is_command(jsv_value_get(tool->value, JSV_STR("command")))) {
        return "\"command\" must be an array of strings, and not empty";
    }
    if (!is_absent_or_positive(jsv_value_get(tool->value, JSV_STR("timeout_ms")))) {
        return "\"timeout_ms\" must be a positive integer";
    }
    if (!is_absent_or_positive(jsv_value_get(tool->value, JSV_STR("max_output_bytes")))) {
        return "\"max_output_bytes\" must be a positive integer";
    }
    return check_running(tool->value);
}

/* ---- loading ---- */

/* @param document Owned by the entry, also on failure; NULL when it is a file's. */
static int add_tool(
    struct catalog *catalog,
    const struct catalog_tool *tool,
    bool built_in,
    struct jsv_document *document)
{
    struct catalog_tool_entry *entry = jsv_arena_alloc(&catalog->arena, sizeof(*entry));
    struct catalog_program *input = catalog_program_new(&catalog->arena);
    struct catalog_program *output = catalog_program_new(&catalog->arena);
    if (!entry || !input || !output) {
        jsv_document_free(document);
        return -ENOMEM;
    }
    *entry = (struct catalog_tool_entry){*tool, built_in, document, input, output};
    catalog->tools[catalog->tool_count++] = entry;
    return 0;
}

static int
add_built_in(struct catalog *catalog, struct catalog_loading *loading, struct jsv_str text)
{
    struct jsv_document *document = jsv_document_new(os_allocator());
    int r = document ? jsv_read(loading->reader, document, text, 0, NULL) : -ENOMEM;
    if (r < 0) {
        assert(r == -ENOMEM);
        jsv_document_free(document);
        return r;
    }
    struct catalog_tool tool = tool_of(text, jsv_document_root(document));
    struct jsv_buf pointer;
    jsv_buf_init(&pointer, os_allocator(), POINTER_SIZE_MAX);
    const char *wrong = check_tool(&tool, &pointer);
    r = pointer.error;
    jsv_buf_done(&pointer);
    assert(!wrong);
    (void)wrong; /* without assertions nobody looks */
    if (r < 0) {
        jsv_document_free(document);
        return r;
    }
    return add_tool(catalog, &tool, true, document);
}

/* Where programs are, for as long as the snapshot: whoever runs them may be elsewhere by then. */
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

static int add_external(
    struct catalog *catalog,
    struct catalog_loading *loading,
    const char *directory,
    const struct catalog_file *file)
{
    struct catalog_tool tool = tool_of(file->text, file->value);
    tool.file = file->path;
    int r = absolute(loading, directory, &tool.directory);
    if (r < 0) {
        return r;
    }
    struct jsv_buf pointer;
    jsv_buf_init(&pointer, os_allocator(), POINTER_SIZE_MAX);
    const char *wrong = check_external(&tool, &pointer);
    if (!wrong && catalog_tool_find(catalog, tool.name)) {
        wrong = "there is a tool of this name already";
    }
    r = pointer.error;
    if (r == 0) {
        r = wrong ? catalog_warn_at(loading, directory, file->path, wrong, jsv_buf_str(&pointer))
                  : add_tool(catalog, &tool, false, NULL);
    }
    jsv_buf_done(&pointer);
    return r;
}

int catalog_tools_load(
    struct catalog *catalog, struct catalog_loading *loading, const struct catalog_options *options)
{
    const struct catalog_files *files = &catalog->files[CATALOG_ROOT_TOOLS];
    catalog->tools = jsv_arena_array(
        &catalog->arena, options->tool_count + files->count + 1, sizeof(*catalog->tools));
    if (!catalog->tools) {
        return -ENOMEM;
    }
    int r = 0;
    for (size_t i = 0; i < options->tool_count && r == 0; i++) {
        r = add_built_in(catalog, loading, options->tools[i]);
    }
    for (size_t i = 0; i < files->count && r == 0; i++) {
        r = add_external(catalog, loading, options->tools_dir, &files->items[i]);
    }
    return r;
}

/* ---- looking ---- */

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

/* ---- schemas ---- */

/* "urn:mcpgate:tool:<name>:<part>", with room for the longest name. */
#define URN_SIZE_MAX (NAME_SIZE_MAX + 64)

static int compile(
    const struct catalog *catalog,
    const struct catalog_tool_entry *entry,
    struct catalog_program *program,
    struct jsv_value schema,
    struct jsv_str part,
    const struct jsv_schema **ret_compiled,
    struct jsv_str *reterr_reason)
{
    struct jsv_buf urn;
    jsv_buf_init(&urn, os_allocator(), URN_SIZE_MAX);
    jsv_buf_append_str(&urn, JSV_STR("urn:mcpgate:tool:"));
    jsv_buf_append_str(&urn, entry->tool.name);
    jsv_buf_append_str(&urn, part);
    const struct catalog_source source = {
        .uri = jsv_buf_str(&urn),
        .text = jsv_value_span(schema),
        .options = {.assert_format = true, .skip_meta = entry->built_in},
    };
    int r = urn.error;
    if (r == 0) {
        r = catalog_program_get(catalog->compiler, program, &source, ret_compiled, reterr_reason);
    }
    jsv_buf_done(&urn);
    return r;
}

/* Every call of a tool asks for its schemas, and only the first has anything to do. */
int catalog_tool_input(
    const struct catalog *catalog,
    const struct catalog_tool *tool,
    const struct jsv_schema **ret_compiled,
    struct jsv_str *reterr_reason)
{
    const struct catalog_tool_entry *entry = (const void *)tool;
    *ret_compiled = catalog_program_ready(entry->input);
    if (*ret_compiled) {
        return 0;
    }
    return compile(
        catalog,
        entry,
        entry->input,
        tool->input_schema,
        JSV_STR(":input"),
        ret_compiled,
        reterr_reason);
}

int catalog_tool_output(
    const struct catalog *catalog,
    const struct catalog_tool *tool,
    const struct jsv_schema **ret_compiled,
    struct jsv_str *reterr_reason)
{
    const struct catalog_tool_entry *entry = (const void *)tool;
    *ret_compiled = catalog_program_ready(entry->output);
    if (*ret_compiled) {
        return 0;
    }
    if (jsv_value_type(tool->output_schema) == JSV_TYPE_NONE) {
        return -ENOENT;
    }
    return compile(
        catalog,
        entry,
        entry->output,
        tool->output_schema,
        JSV_STR(":output"),
        ret_compiled,
        reterr_reason);
}
