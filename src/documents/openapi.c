/*
 * The OpenAPI document: the fixed part in openapi.json, with the version of the
 * envelope schemas, an operation for each tool, and the schemas of tools and
 * envelopes added.
 *
 * A tool's operation has the path /mcp/tool/<id>; its schemas are the components
 * <name>.input and <name>.output.
 */
#include <string.h>

#include "dialect/mcp/mcp.h"
#include "dialect/write.h"
#include "documents/embedded.h"
#include "documents/published.h"
#include "envelope/reference.h"
#include "envelope/schemas.h"

/* A path or a pointer with the name of a tool. */
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

/* ---- schemas as components ---- */

#define COMPONENTS "#/components/schemas/"

/* Deeper values are copied unchanged. */
#define DEPTH_MAX 128

/* The envelope schemas that are components of the document. */
static const struct {
    struct jsv_str name;
    struct jsv_str file;
} components[] = {
    {JSV_STR("MCPRequest"), JSV_STR("request.schema.json")},
    {JSV_STR("MCPResponse"), JSV_STR("response.schema.json")},
    {JSV_STR("EnvelopeRequest"), JSV_STR("mcp.request.schema.v0.1.json")},
    {JSV_STR("Envelope"), JSV_STR("mcp.envelope.schema.v0.1.json")},
    {JSV_STR("ProvenanceRecord"), JSV_STR("prov.record.schema.v0.1.json")},
    {JSV_STR("Artifact"), JSV_STR("artifact.schema.v0.1.json")},
    {JSV_STR("ArtifactReference"), JSV_STR("artifact.ref.schema.v0.1.json")},
    {JSV_STR("Evidence"), JSV_STR("evidence.schema.v0.1.json")},
};

#define COMPONENT_COUNT (sizeof(components) / sizeof(components[0]))

struct copy {
    struct jsv_writer *writer;
    struct jsv_str component;
};

/* What the value of a keyword contains. */
enum inside {
    SCHEMAS, /* a schema, or an array of schemas */
    NAMES,   /* an object of schemas */
    DATA,    /* not a schema */
};

static enum inside inside_of(struct jsv_str keyword)
{
    static const struct {
        struct jsv_str keyword;
        enum inside inside;
    } known[] = {
        {JSV_STR("properties"), NAMES},
        {JSV_STR("patternProperties"), NAMES},
        {JSV_STR("dependentSchemas"), NAMES},
        {JSV_STR("$defs"), NAMES},
        {JSV_STR("definitions"), NAMES},
        {JSV_STR("const"), DATA},
        {JSV_STR("enum"), DATA},
        {JSV_STR("default"), DATA},
        {JSV_STR("examples"), DATA},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (jsv_str_equal(known[i].keyword, keyword)) {
            return known[i].inside;
        }
    }
    return SCHEMAS;
}

/* ---- references ---- */

static struct jsv_str component_of_file(struct jsv_str file)
{
    for (size_t i = 0; i < COMPONENT_COUNT; i++) {
        if (jsv_str_equal(components[i].file, file)) {
            return components[i].name;
        }
    }
    return (struct jsv_str){NULL, 0};
}

/* Longer references are not ours. */
#define REFERENCE_MAX ((size_t)64 * 1024)

static void write_reference(const struct copy *copy, struct jsv_str reference)
{
    const char *hash = reference.size > 0 ? memchr(reference.data, '#', reference.size) : NULL;
    size_t file_size = hash ? (size_t)(hash - reference.data) : reference.size;
    struct jsv_str file = {reference.data, file_size};
    struct jsv_str fragment = {
        reference.data + file_size + (hash ? 1 : 0), reference.size - file_size - (hash ? 1 : 0)};
    struct jsv_str component = file.size == 0 ? copy->component : component_of_file(file);
    bool is_pointer = fragment.size == 0 || fragment.data[0] == '/';
    if (!component.data || !is_pointer) {
        jsv_write_string(copy->writer, reference);
        return;
    }
    struct jsv_buf target;
    jsv_buf_init(&target, &copy->writer->out->allocator, REFERENCE_MAX);
    jsv_buf_append_str(&target, JSV_STR(COMPONENTS));
    jsv_buf_append_str(&target, component);
    jsv_buf_append_str(&target, fragment);
    jsv_write_string(copy->writer, jsv_buf_str(&target));
    jsv_buf_done(&target);
}

/* ---- copying schemas ---- */

static void
copy_value(const struct copy *copy, struct jsv_value value, enum inside inside, unsigned depth);

static void
copy_object(const struct copy *copy, struct jsv_value object, enum inside inside, unsigned depth)
{
    struct jsv_iter iter = jsv_value_iter(object);
    jsv_write_object_begin(copy->writer);
    while (jsv_iter_next(&iter)) {
        struct jsv_str name = jsv_value_text(iter.key);
        bool is_string = jsv_value_type(iter.value) == JSV_TYPE_STRING;
        bool is_keyword = inside == SCHEMAS;
        if (is_keyword && depth == 0 && jsv_str_equal(name, JSV_STR("$id"))) {
            continue;
        }
        jsv_write_key(copy->writer, name);
        if (is_keyword && is_string && jsv_str_equal(name, JSV_STR("$ref"))) {
            write_reference(copy, jsv_value_text(iter.value));
        } else {
            copy_value(copy, iter.value, is_keyword ? inside_of(name) : SCHEMAS, depth + 1);
        }
    }
    jsv_write_object_end(copy->writer);
}

static void
copy_value(const struct copy *copy, struct jsv_value value, enum inside inside, unsigned depth)
{
    enum jsv_type type = jsv_value_type(value);
    if (inside == DATA || depth == DEPTH_MAX) {
        jsv_write_value(copy->writer, value);
    } else if (type == JSV_TYPE_OBJECT) {
        copy_object(copy, value, inside, depth);
    } else if (type == JSV_TYPE_ARRAY) {
        struct jsv_iter iter = jsv_value_iter(value);
        jsv_write_array_begin(copy->writer);
        while (jsv_iter_next(&iter)) {
            copy_value(copy, iter.value, SCHEMAS, depth + 1);
        }
        jsv_write_array_end(copy->writer);
    } else {
        jsv_write_value(copy->writer, value);
    }
}

/*
 * Write a schema as a component.
 *
 * A reference within a schema starts at the schema's own root, which is elsewhere in this document:
 * "#/$defs/a" becomes "#/components/schemas/<name>/$defs/a". A reference to an envelope's file
 * becomes one to its component. A schema with an $id is written unchanged, unless it is an
 * envelope's.
 */
static void write_schema(
    struct jsv_writer *writer, struct jsv_value schema, struct jsv_str component, bool is_envelope)
{
    const struct copy copy = {.writer = writer, .component = component};
    bool has_id = jsv_value_type(jsv_value_get(schema, JSV_STR("$id"))) != JSV_TYPE_NONE;
    if (has_id && !is_envelope) {
        jsv_write_value(writer, schema);
    } else {
        copy_value(&copy, schema, SCHEMAS, 0);
    }
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
        write_schema(writer, schema, jsv_buf_str(&name), false);
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
static int write_envelopes(struct jsv_writer *writer, struct dialect_req *req)
{
    for (size_t i = 0; i < COMPONENT_COUNT; i++) {
        struct jsv_value schema;
        struct jsv_str text = envelope_schemas_text(components[i].file);
        int r = req->host->read(req, text, &schema);
        if (r < 0) {
            return r;
        }
        jsv_write_key(writer, components[i].name);
        write_schema(writer, schema, components[i].name, true);
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

/* Everything but the components. */
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

/* The envelope schemas come last, because reading them invalidates the fixed part. */
static int
write_components(struct jsv_writer *writer, struct jsv_value fixed, struct dialect_req *req)
{
    begin(writer, "components");
    struct jsv_iter iter = jsv_value_iter(fixed);
    while (jsv_iter_next(&iter)) {
        if (!jsv_str_equal(jsv_value_text(iter.key), JSV_STR("schemas"))) {
            jsv_write_member_value(writer, jsv_value_text(iter.key), iter.value);
        }
    }
    begin(writer, "schemas");
    write_members(writer, jsv_value_get(fixed, JSV_STR("schemas")));
    write_tool_schemas(writer, req->catalog);
    int r = write_envelopes(writer, req);
    end(writer);
    end(writer);
    return r;
}

int documents_write_openapi(struct dialect_req *req)
{
    const struct jsv_embedded *file = &documents_embedded[0];
    struct jsv_value fixed;
    int r = req->host->read(req, (struct jsv_str){file->data, file->size}, &fixed);
    if (r < 0) {
        return r;
    }
    struct jsv_writer writer = jsv_writer_on(req->reply);
    jsv_write_object_begin(&writer);
    write_head(&writer, fixed, req->catalog);
    r = write_components(&writer, jsv_value_get(fixed, JSV_STR("components")), req);
    jsv_write_object_end(&writer);
    return r;
}
