/*
 * The OpenAPI document: openapi.json, which has what is always the same, with
 * the version of the envelope schemas, an operation for each tool, and the
 * schemas of tools and envelopes put in.
 *
 * A tool's operation is its own path below /mcp/tool/; its two schemas are the
 * components <name>.input and <name>.output.
 */
#include "dialect/mcp/mcp.h"
#include "documents/describe.h"
#include "documents/embedded.h"
#include "documents/openapi_schema.h"
#include "documents/published.h"
#include "envelope/reference.h"
#include "envelope/schemas.h"

/* Room for a path or a pointer around a tool's name. */
#define NAME_SIZE 512

static void key(struct jsv_writer *writer, const char *name)
{
    jsv_write_key(writer, jsv_str_from(name));
}

static void begin(struct jsv_writer *writer, const char *name)
{
    key(writer, name);
    jsv_write_object_begin(writer);
}

static void end(struct jsv_writer *writer)
{
    jsv_write_object_end(writer);
}

static void write_members(struct jsv_writer *writer, struct jsv_value object)
{
    struct jsv_iter iter = jsv_value_iter(object);
    while (jsv_iter_next(&iter)) {
        jsv_write_member_value(writer, jsv_value_text(iter.key), iter.value);
    }
}

/* before, name and after, joined, as a key or as a string. */
static void write_joined(
    struct jsv_writer *writer,
    void (*put)(struct jsv_writer *writer, struct jsv_str text),
    const char *before,
    struct jsv_str name,
    const char *after)
{
    struct jsv_buf text;
    jsv_buf_init(&text, &writer->out->allocator, NAME_SIZE);
    jsv_buf_append_str(&text, jsv_str_from(before));
    jsv_buf_append_str(&text, name);
    jsv_buf_append_str(&text, jsv_str_from(after));
    put(writer, jsv_buf_str(&text));
    jsv_buf_done(&text);
}

/* ---- an operation for each tool ---- */

/* "name":{"$ref":"#/components/schemas/<tool>.<part>"} */
static void write_part(
    struct jsv_writer *writer,
    const char *name,
    const struct catalog_tool *tool,
    const char *suffix)
{
    begin(writer, name);
    key(writer, "$ref");
    write_joined(writer, jsv_write_string, "#/components/schemas/", tool->name, suffix);
    end(writer);
}

/* "content" with a schema that is an object, whose properties are next. */
static void content_begin(struct jsv_writer *writer)
{
    begin(writer, "content");
    begin(writer, "application/json");
    begin(writer, "schema");
    jsv_write_member_string(writer, JSV_STR("type"), JSV_STR("object"));
    begin(writer, "properties");
}

static void content_end(struct jsv_writer *writer)
{
    end(writer); /* schema */
    end(writer);
    end(writer);
}

static void write_request(struct jsv_writer *writer, const struct catalog_tool *tool)
{
    begin(writer, "requestBody");
    key(writer, "required");
    jsv_write_bool(writer, true);
    content_begin(writer);
    write_part(writer, "arguments", tool, ".input");
    end(writer);
    content_end(writer);
    end(writer);
}

static void write_result(struct jsv_writer *writer, const struct catalog_tool *tool)
{
    begin(writer, "200");
    jsv_write_member_string(writer, JSV_STR("description"), JSV_STR("What the tool returned."));
    content_begin(writer);
    begin(writer, "tool");
    dialect_write_tool_id(writer, JSV_STR("const"), tool);
    end(writer);
    write_part(writer, "output", tool, ".output");
    end(writer);
    key(writer, "required");
    jsv_write_span(writer, JSV_STR("[\"tool\",\"output\"]"));
    content_end(writer);
    end(writer);
}

static void write_operation(struct jsv_writer *writer, const struct catalog_tool *tool)
{
    write_joined(writer, jsv_write_key, "/mcp/tool/" DIALECT_TOOL_ID_PREFIX, tool->name, "");
    jsv_write_object_begin(writer);
    begin(writer, "post");
    dialect_write_tool_id(writer, JSV_STR("operationId"), tool);
    jsv_write_member_string(
        writer, JSV_STR("summary"), tool->title.size > 0 ? tool->title : tool->name);
    jsv_write_member_string(writer, JSV_STR("description"), tool->description);
    key(writer, "tags");
    jsv_write_span(writer, JSV_STR("[\"tools\"]"));
    write_request(writer, tool);
    begin(writer, "responses");
    write_result(writer, tool);
    begin(writer, "default");
    jsv_write_member_string(writer, JSV_STR("$ref"), JSV_STR("#/components/responses/Error"));
    end(writer);
    end(writer);
    end(writer);
    end(writer);
}

/* ---- components ---- */

static void write_tool_schema(
    struct jsv_writer *writer,
    const struct catalog_tool *tool,
    const char *suffix,
    struct jsv_value schema)
{
    struct jsv_buf name;
    jsv_buf_init(&name, &writer->out->allocator, NAME_SIZE);
    jsv_buf_append_str(&name, tool->name);
    jsv_buf_append_str(&name, jsv_str_from(suffix));
    jsv_write_key(writer, jsv_buf_str(&name));
    if (jsv_value_type(schema) == JSV_TYPE_NONE) {
        jsv_write_span(writer, JSV_STR("{\"type\":\"object\"}"));
    } else {
        openapi_schema_write(writer, schema, jsv_buf_str(&name), false);
    }
    jsv_buf_done(&name);
}

static void write_tool_schemas(struct jsv_writer *writer, const struct catalog *catalog)
{
    for (size_t i = 0; i < catalog_tool_count(catalog); i++) {
        const struct catalog_tool *tool = catalog_tool_at(catalog, i);
        write_tool_schema(writer, tool, ".input", tool->input_schema);
        write_tool_schema(writer, tool, ".output", tool->output_schema);
    }
}

/* @return 0 or -ENOMEM. */
static int write_envelopes(struct jsv_writer *writer, struct dialect_request *request)
{
    const struct openapi_component *component;
    for (size_t i = 0; (component = openapi_component_at(i)) != NULL; i++) {
        struct jsv_value schema;
        struct jsv_str text = envelope_schemas_text(component->file);
        int r = request->host->read(request, text, &schema);
        if (r < 0) {
            return r;
        }
        jsv_write_key(writer, component->name);
        openapi_schema_write(writer, schema, component->name, true);
    }
    return 0;
}

/* ---- the document ---- */

static void
write_paths(struct jsv_writer *writer, struct jsv_value paths, const struct catalog *catalog)
{
    begin(writer, "paths");
    write_members(writer, paths);
    for (size_t i = 0; i < catalog_tool_count(catalog); i++) {
        write_operation(writer, catalog_tool_at(catalog, i));
    }
    end(writer);
}

/* All but the components, which come last. */
static void
write_head(struct jsv_writer *writer, struct jsv_value fixed, const struct catalog *catalog)
{
    struct jsv_iter iter = jsv_value_iter(fixed);
    while (jsv_iter_next(&iter)) {
        struct jsv_str name = jsv_value_text(iter.key);
        if (jsv_str_equal(name, JSV_STR("info"))) {
            begin(writer, "info");
            write_members(writer, iter.value);
            jsv_write_member_string(
                writer, JSV_STR("version"), JSV_STR(ENVELOPE_REFERENCE_VERSION));
            end(writer);
        } else if (jsv_str_equal(name, JSV_STR("paths"))) {
            write_paths(writer, iter.value, catalog);
        } else if (!jsv_str_equal(name, JSV_STR("components"))) {
            jsv_write_member_value(writer, name, iter.value);
        }
    }
}

/* The envelopes' schemas are read in place of the fixed part: they are the very last. */
static int write_components(
    struct jsv_writer *writer, struct jsv_value components, struct dialect_request *request)
{
    begin(writer, "components");
    struct jsv_iter iter = jsv_value_iter(components);
    while (jsv_iter_next(&iter)) {
        if (!jsv_str_equal(jsv_value_text(iter.key), JSV_STR("schemas"))) {
            jsv_write_member_value(writer, jsv_value_text(iter.key), iter.value);
        }
    }
    begin(writer, "schemas");
    write_members(writer, jsv_value_get(components, JSV_STR("schemas")));
    write_tool_schemas(writer, request->catalog);
    int r = write_envelopes(writer, request);
    end(writer);
    end(writer);
    return r;
}

int openapi_write(struct dialect_request *request)
{
    const struct jsv_embedded *file = &documents_embedded[0];
    struct jsv_value fixed;
    int r = request->host->read(request, (struct jsv_str){file->data, file->size}, &fixed);
    if (r < 0) {
        return r;
    }
    struct jsv_writer writer = jsv_writer_on(request->reply);
    jsv_write_object_begin(&writer);
    write_head(&writer, fixed, request->catalog);
    r = write_components(&writer, jsv_value_get(fixed, JSV_STR("components")), request);
    jsv_write_object_end(&writer);
    return r;
}
