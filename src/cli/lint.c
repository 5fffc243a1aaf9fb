/*
 * Findings, besides the errors that keep a descriptor from being loaded:
 *
 *     schemas that do not compile, or use a draft that clients need not support
 *     objects that accept any member, so that a misspelt one goes unnoticed
 *     missing descriptions, by which a model chooses tools and arguments
 *     invisible characters, which can tell a model what no person reads
 *     argument templates that name a property the input schema does not have
 */
#include "cli/lint.h"

#include <errno.h>
#include <string.h>

#include "catalog/catalog.h"
#include "cli/io.h"
#include "cli/report.h"
#include "jsv/base/utf8.h"
#include "os/sys.h"
#include "tools/command_line.h"

#define DRAFT JSV_STR("https://json-schema.org/draft/2020-12/schema")

/* Room for a pointer as deep as the reader allows, with names of usual length. */
#define POINTER_SIZE_MAX ((size_t)64 << 10)

struct lint {
    struct jsv_buf out;
    struct jsv_buf pointer;
    struct jsv_str file;
    size_t count;
};

/* ---- findings ---- */

static void add_finding(struct lint *lint, struct jsv_str text, struct jsv_str more)
{
    lint->count++;
    jsv_buf_append_str(&lint->out, lint->file);
    jsv_buf_append_byte(&lint->out, '#');
    jsv_buf_append_str(&lint->out, jsv_buf_str(&lint->pointer));
    jsv_buf_append_str(&lint->out, JSV_STR(": "));
    jsv_buf_append_str(&lint->out, text);
    jsv_buf_append_str(&lint->out, more);
    jsv_buf_append_byte(&lint->out, '\n');
}

/* Extend the pointer by a member. @return the old size, for ascend(). */
static size_t descend(struct lint *lint, struct jsv_str name)
{
    size_t before = lint->pointer.size;
    jsv_pointer_push(&lint->pointer, name);
    return before;
}

static void ascend(struct lint *lint, size_t before)
{
    lint->pointer.size = before;
}

static void warn(void *context, enum catalog_warning kind, struct jsv_str file, struct jsv_str why)
{
    (void)kind;
    struct lint *lint = context;
    struct jsv_str before = lint->file;
    lint->file = file;
    add_finding(lint, why, JSV_STR(""));
    lint->file = before;
}

/* ---- invisible characters ---- */

static const struct {
    uint32_t first;
    uint32_t last;
    struct jsv_str kind;
} hidden[] = {
    {0x00, 0x08, JSV_STR("a control character")},
    {0x0B, 0x1F, JSV_STR("a control character")},
    {0x7F, 0x9F, JSV_STR("a control character")},
    {0xAD, 0xAD, JSV_STR("a soft hyphen")},
    {0x61C, 0x61C, JSV_STR("a text direction mark")},
    {0x200B, 0x200D, JSV_STR("a zero-width character")},
    {0x200E, 0x200F, JSV_STR("a text direction mark")},
    {0x202A, 0x202E, JSV_STR("a text direction mark")},
    {0x2060, 0x2064, JSV_STR("a zero-width character")},
    {0x2066, 0x2069, JSV_STR("a text direction mark")},
    {0xFEFF, 0xFEFF, JSV_STR("a zero-width character")},
    {0xE0000, 0xE007F, JSV_STR("a tag character")},
    {0xE0100, 0xE01EF, JSV_STR("a variation selector")},
};

static void check_text(struct lint *lint, struct jsv_str text)
{
    while (text.size > 0) {
        uint32_t point;
        size_t size = jsv_utf8_decode(text, &point);
        for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
            if (point >= hidden[i].first && point <= hidden[i].last) {
                add_finding(lint, JSV_STR("invisible in the text: "), hidden[i].kind);
                return;
            }
        }
        text = (struct jsv_str){text.data + size, text.size - size};
    }
}

/* ---- all values ---- */

static bool is_type_object(struct jsv_value schema)
{
    struct jsv_value type = jsv_value_get(schema, JSV_STR("type"));
    return jsv_str_equal(jsv_value_text(type), JSV_STR("object"));
}

static bool has(struct jsv_value object, struct jsv_str name)
{
    return jsv_value_type(jsv_value_get(object, name)) != JSV_TYPE_NONE;
}

static void check_closed(struct lint *lint, struct jsv_value schema)
{
    if (is_type_object(schema) && !has(schema, JSV_STR("additionalProperties")) &&
        !has(schema, JSV_STR("unevaluatedProperties"))) {
        add_finding(lint, JSV_STR("accepts any member; set \"additionalProperties\""), JSV_STR(""));
    }
}

/* The recursion is as deep as the document, which the reader limits. */
static void walk(struct lint *lint, struct jsv_value value, bool is_input)
{
    struct jsv_iter iter = jsv_value_iter(value);
    enum jsv_type type = jsv_value_type(value);
    if (type == JSV_TYPE_STRING) {
        check_text(lint, jsv_value_text(value));
    }
    if (is_input) {
        check_closed(lint, value);
    }
    for (size_t i = 0; (type == JSV_TYPE_OBJECT || type == JSV_TYPE_ARRAY) && jsv_iter_next(&iter);
         i++) {
        size_t before = lint->pointer.size;
        if (type == JSV_TYPE_OBJECT) {
            descend(lint, jsv_value_text(iter.key));
            check_text(lint, jsv_value_text(iter.key));
        } else {
            jsv_pointer_push_index(&lint->pointer, i);
        }
        bool begins = before == 0 && type == JSV_TYPE_OBJECT &&
                      jsv_str_equal(jsv_value_text(iter.key), JSV_STR("inputSchema"));
        walk(lint, iter.value, is_input || begins);
        ascend(lint, before);
    }
}

/* ---- single members ---- */

static void check_file_name(struct lint *lint, const struct catalog_tool *tool)
{
    struct jsv_str ending = JSV_STR(".tool.json");
    struct jsv_str name = tool->file;
    size_t size = name.size > ending.size ? name.size - ending.size : 0;
    if (!jsv_str_equal((struct jsv_str){name.data, size}, tool->name)) {
        size_t before = descend(lint, JSV_STR("name"));
        add_finding(lint, JSV_STR("differs from the file name"), JSV_STR(""));
        ascend(lint, before);
    }
}

static void check_version(struct lint *lint, const struct catalog_tool *tool)
{
    if (jsv_value_text(jsv_value_get(tool->value, JSV_STR("version"))).size == 0) {
        size_t before = descend(lint, JSV_STR("version"));
        add_finding(lint, JSV_STR("is missing; call records will say \"unknown\""), JSV_STR(""));
        ascend(lint, before);
    }
}

static void check_descriptions(struct lint *lint, const struct catalog_tool *tool)
{
    if (tool->description.size == 0) {
        size_t before = descend(lint, JSV_STR("description"));
        add_finding(lint, JSV_STR("is empty"), JSV_STR(""));
        ascend(lint, before);
    }
    size_t before = descend(lint, JSV_STR("inputSchema"));
    descend(lint, JSV_STR("properties"));
    struct jsv_iter iter = jsv_value_iter(jsv_value_get(tool->input_schema, JSV_STR("properties")));
    while (jsv_iter_next(&iter)) {
        struct jsv_value text = jsv_value_get(iter.value, JSV_STR("description"));
        size_t here = descend(lint, jsv_value_text(iter.key));
        if (jsv_value_text(text).size == 0) {
            add_finding(lint, JSV_STR("has no \"description\""), JSV_STR(""));
        }
        ascend(lint, here);
    }
    ascend(lint, before);
}

static void check_schema(struct lint *lint, struct jsv_str name, struct jsv_value schema)
{
    struct jsv_value draft = jsv_value_get(schema, JSV_STR("$schema"));
    size_t before = descend(lint, name);
    if (jsv_value_type(draft) != JSV_TYPE_NONE && !jsv_str_equal(jsv_value_text(draft), DRAFT)) {
        descend(lint, JSV_STR("$schema"));
        add_finding(lint, JSV_STR("clients need not support any draft but 2020-12"), JSV_STR(""));
    }
    ascend(lint, before);
}

static void
check_placeholders(struct lint *lint, const struct catalog_tool *tool, struct jsv_value template)
{
    struct jsv_str text = jsv_value_text(template);
    struct jsv_value properties = jsv_value_get(tool->input_schema, JSV_STR("properties"));
    while (text.size > 0) {
        struct jsv_str name;
        size_t size = command_line_placeholder(text, &name);
        if (size > 0 && !has(properties, name)) {
            add_finding(lint, JSV_STR("the input schema has no property "), name);
        }
        size = size > 0 ? size : 1;
        text = (struct jsv_str){text.data + size, text.size - size};
    }
}

static void check_template(struct lint *lint, const struct catalog_tool *tool)
{
    size_t before = descend(lint, JSV_STR("arguments"));
    struct jsv_iter outer = jsv_value_iter(jsv_value_get(tool->value, JSV_STR("arguments")));
    for (size_t i = 0; jsv_iter_next(&outer); i++) {
        size_t here = lint->pointer.size;
        jsv_pointer_push_index(&lint->pointer, i);
        check_placeholders(lint, tool, outer.value);
        struct jsv_iter inner = jsv_value_iter(outer.value);
        while (jsv_value_type(outer.value) == JSV_TYPE_ARRAY && jsv_iter_next(&inner)) {
            check_placeholders(lint, tool, inner.value);
        }
        ascend(lint, here);
    }
    ascend(lint, before);
}

/* ---- the command ---- */

static void check_tools(struct lint *lint, const struct catalog *catalog)
{
    for (size_t i = 0; i < catalog_tool_count(catalog); i++) {
        const struct catalog_tool *tool = catalog_tool_at(catalog, i);
        lint->file = tool->file;
        check_file_name(lint, tool);
        check_descriptions(lint, tool);
        check_version(lint, tool);
        check_schema(lint, JSV_STR("inputSchema"), tool->input_schema);
        check_schema(lint, JSV_STR("outputSchema"), tool->output_schema);
        check_template(lint, tool);
        walk(lint, tool->value, false);
    }
}

enum app_exit cli_lint(struct cli *cli, const char *directory)
{
    const struct catalog_options options = {.tools_dir = directory};
    struct lint lint = {.file = JSV_STR("")};
    struct catalog *catalog = NULL;
    const char *dir = NULL;
    cli_output_init(&lint.out);
    jsv_buf_init(&lint.pointer, os_allocator(), POINTER_SIZE_MAX);
    int r = catalog_load(&options, NULL, warn, &lint, &catalog, &dir);
    if (r < 0) {
        cli_report_errno(cli, directory, r);
    } else {
        check_tools(&lint, catalog);
        r = cli_output_buf(cli, &lint.out);
    }
    catalog_release(catalog);
    jsv_buf_done(&lint.pointer);
    jsv_buf_done(&lint.out);
    return r < 0 ? APP_EXIT_TROUBLE : lint.count > 0 ? APP_EXIT_INVALID : APP_EXIT_OK;
}
