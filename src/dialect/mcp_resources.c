/*
 * Schemas and examples as resources:
 *
 *     mcpgate://schemas/{name}      mcpgate://examples/{+path}
 *
 * Names are percent-encoded in URIs, slashes of a path are not.
 */
#include <string.h>

#include "base/percent.h"
#include "dialect/mcp_http.h"
#include "dialect/mcp_page.h"

#define SCHEMAS_PREFIX  "mcpgate://schemas/"
#define EXAMPLES_PREFIX "mcpgate://examples/"
#define MIME_TYPE       "application/json"

/* Values a completion lists at most, as the protocol has it. */
#define COMPLETIONS_MAX 100

struct resource {
    struct jsv_str prefix;
    struct jsv_str name; /* decoded: what follows the prefix */
    struct jsv_str text;
};

/* ---- URIs ---- */

static void write_uri(struct jsv_writer *writer, const struct resource *resource)
{
    /* What percent-encoding leaves needs no escape in JSON, so it can go straight out. */
    jsv_write_key(writer, JSV_STR("uri"));
    jsv_buf_append_byte(writer->out, '"');
    jsv_buf_append_str(writer->out, resource->prefix);
    jsv_percent_append(writer->out, resource->name, JSV_PERCENT_PATH);
    jsv_buf_append_byte(writer->out, '"');
}

static int hex_value(char digit)
{
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
           : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                          : -1;
}

/* @return what follows the prefix with percent-encoding undone; data NULL when it has no such
   prefix, is badly encoded or memory ran out. */
static struct jsv_str
decode_name(struct jsv_arena *scratch, struct jsv_str uri, struct jsv_str prefix)
{
    struct jsv_str none = {NULL, 0};
    if (uri.size <= prefix.size || memcmp(uri.data, prefix.data, prefix.size) != 0) {
        return none;
    }
    char *name = jsv_arena_alloc(scratch, uri.size);
    size_t size = 0;
    for (size_t i = prefix.size; name && i < uri.size; i++) {
        char byte = uri.data[i];
        if (byte == '%') {
            int high = i + 1 < uri.size ? hex_value(uri.data[i + 1]) : -1;
            int low = i + 2 < uri.size ? hex_value(uri.data[i + 2]) : -1;
            if (high < 0 || low < 0) {
                return none;
            }
            byte = (char)(high * 16 + low);
            i += 2;
        }
        name[size++] = byte;
    }
    return name ? (struct jsv_str){name, size} : none;
}

static bool
find_schema(struct dialect_request *request, struct jsv_str name, struct resource *ret_resource)
{
    const struct catalog_schema *schema;
    if (!name.data || catalog_schema_find(request->catalog, name, &schema) < 0) {
        return false;
    }
    *ret_resource = (struct resource){JSV_STR(SCHEMAS_PREFIX), schema->name, schema->text};
    return true;
}

static bool
find_example(struct dialect_request *request, struct jsv_str path, struct resource *ret_resource)
{
    const struct catalog_example *example;
    if (!path.data || catalog_example_find(request->catalog, path, &example) < 0) {
        return false;
    }
    *ret_resource = (struct resource){JSV_STR(EXAMPLES_PREFIX), example->path, example->text};
    return true;
}

static bool
find_resource(struct dialect_request *request, struct jsv_str uri, struct resource *ret_resource)
{
    struct jsv_arena *scratch = request->scratch;
    struct jsv_str name = decode_name(scratch, uri, JSV_STR(SCHEMAS_PREFIX));
    struct jsv_str path = decode_name(scratch, uri, JSV_STR(EXAMPLES_PREFIX));
    return find_schema(request, name, ret_resource) || find_example(request, path, ret_resource);
}

/* ---- resources/list ---- */

static struct resource resource_at(const struct catalog *catalog, size_t index)
{
    size_t schemas = catalog_schema_count(catalog);
    if (index < schemas) {
        const struct catalog_schema *schema = catalog_schema_at(catalog, index);
        return (struct resource){JSV_STR(SCHEMAS_PREFIX), schema->name, schema->text};
    }
    const struct catalog_example *example = catalog_example_at(catalog, index - schemas);
    return (struct resource){JSV_STR(EXAMPLES_PREFIX), example->path, example->text};
}

static void write_resource(struct jsv_writer *writer, const struct resource *resource)
{
    jsv_write_object_begin(writer);
    write_uri(writer, resource);
    mcp_write_text(writer, JSV_STR("name"), resource->name);
    mcp_write_text(writer, JSV_STR("mimeType"), JSV_STR(MIME_TYPE));
    jsv_write_key(writer, JSV_STR("size"));
    jsv_write_uint64(writer, resource->text.size);
    jsv_write_object_end(writer);
}

enum dialect_step mcp_handle_resources_list(struct mcp_exchange *exchange)
{
    struct dialect_request *request = exchange->request;
    const struct catalog *catalog = request->catalog;
    size_t count = catalog_schema_count(catalog) + catalog_example_count(catalog);
    size_t first;
    size_t end;
    if (!mcp_page_find(exchange, count, &first, &end)) {
        return mcp_answer_bad_cursor(request);
    }
    struct jsv_writer writer = mcp_result_begin(request);
    jsv_write_key(&writer, JSV_STR("resources"));
    jsv_write_array_begin(&writer);
    for (size_t i = first; i < end; i++) {
        struct resource resource = resource_at(catalog, i);
        write_resource(&writer, &resource);
    }
    jsv_write_array_end(&writer);
    mcp_write_next_page(&writer, count, end);
    mcp_write_cache_hints(&writer, exchange->version);
    mcp_result_end(&writer);
    return DIALECT_DONE;
}

/* ---- resources/templates/list ---- */

static void write_template(
    struct jsv_writer *writer,
    struct jsv_str uri_template,
    struct jsv_str name,
    struct jsv_str description)
{
    jsv_write_object_begin(writer);
    mcp_write_text(writer, JSV_STR("uriTemplate"), uri_template);
    mcp_write_text(writer, JSV_STR("name"), name);
    mcp_write_text(writer, JSV_STR("description"), description);
    mcp_write_text(writer, JSV_STR("mimeType"), JSV_STR(MIME_TYPE));
    jsv_write_object_end(writer);
}

enum dialect_step mcp_handle_resources_templates(struct mcp_exchange *exchange)
{
    size_t first;
    size_t end;
    if (!mcp_page_find(exchange, 0, &first, &end)) {
        return mcp_answer_bad_cursor(exchange->request);
    }
    struct jsv_writer writer = mcp_result_begin(exchange->request);
    jsv_write_key(&writer, JSV_STR("resourceTemplates"));
    jsv_write_array_begin(&writer);
    write_template(
        &writer,
        JSV_STR(SCHEMAS_PREFIX "{name}"),
        JSV_STR("schema"),
        JSV_STR("A JSON schema by its name"));
    write_template(
        &writer,
        JSV_STR(EXAMPLES_PREFIX "{+path}"),
        JSV_STR("example"),
        JSV_STR("An example asset by its path"));
    jsv_write_array_end(&writer);
    mcp_write_cache_hints(&writer, exchange->version);
    mcp_result_end(&writer);
    return DIALECT_DONE;
}

/* ---- resources/read ---- */

/*
 * Modern clients find the URI in the data. To older ones the URI is the cause: the official client
 * library would take a "uri" there for a sign of the modern code.
 */
static enum dialect_step unknown_resource(struct mcp_exchange *exchange, struct jsv_value uri)
{
    struct dialect_request *request = exchange->request;
    const struct mcp_version_facts *facts = mcp_version_facts(exchange->version);
    mcp_set_status(request, RPC_ERROR_RESOURCE_NOT_FOUND);
    struct jsv_writer writer = rpc_write_error(
        request->reply,
        &request->message,
        facts->unknown_resource,
        rpc_error_message(RPC_ERROR_RESOURCE_NOT_FOUND));
    jsv_write_key(&writer, JSV_STR("data"));
    jsv_write_object_begin(&writer);
    mcp_write_member(
        &writer, facts->era == MCP_ERA_MODERN ? JSV_STR("uri") : JSV_STR("cause"), uri);
    jsv_write_object_end(&writer);
    rpc_write_error_end(&writer);
    return DIALECT_DONE;
}

enum dialect_step mcp_handle_resources_read(struct mcp_exchange *exchange)
{
    struct dialect_request *request = exchange->request;
    struct jsv_value uri = jsv_value_get(exchange->params, JSV_STR("uri"));
    struct resource resource;
    if (!find_resource(request, jsv_value_text(uri), &resource)) {
        return unknown_resource(exchange, uri);
    }
    struct jsv_writer writer = mcp_result_begin(request);
    jsv_write_key(&writer, JSV_STR("contents"));
    jsv_write_array_begin(&writer);
    jsv_write_object_begin(&writer);
    mcp_write_member(&writer, JSV_STR("uri"), uri);
    mcp_write_text(&writer, JSV_STR("mimeType"), JSV_STR(MIME_TYPE));
    mcp_write_text(&writer, JSV_STR("text"), resource.text);
    jsv_write_object_end(&writer);
    jsv_write_array_end(&writer);
    mcp_write_cache_hints(&writer, exchange->version);
    mcp_result_end(&writer);
    return DIALECT_DONE;
}

/* ---- completion/complete ---- */

static bool begins_with(struct jsv_str text, struct jsv_str beginning)
{
    return text.size >= beginning.size && memcmp(text.data, beginning.data, beginning.size) == 0;
}

/* Which part of all resources a template stands for. */
static bool template_range(
    const struct catalog *catalog, struct jsv_str uri_template, size_t *ret_first, size_t *ret_end)
{
    size_t schemas = catalog_schema_count(catalog);
    bool is_schema = jsv_str_equal(uri_template, JSV_STR(SCHEMAS_PREFIX "{name}"));
    bool is_example = jsv_str_equal(uri_template, JSV_STR(EXAMPLES_PREFIX "{+path}"));
    *ret_first = is_schema ? 0 : schemas;
    *ret_end = is_schema ? schemas : schemas + catalog_example_count(catalog);
    return is_schema || is_example;
}

static enum dialect_step unknown_template(struct dialect_request *request)
{
    static const struct rpc_fault fault = {
        .details = {"nothing to complete there", 25},
        .suggestion = {"Use a template that resources/templates/list returns", 52},
        .cause = {"/params/ref", 11},
    };
    return mcp_answer_fault(request, RPC_ERROR_INVALID_PARAMS, &fault);
}

static void write_total(struct jsv_writer *writer, size_t total)
{
    jsv_write_key(writer, JSV_STR("total"));
    jsv_write_uint64(writer, total);
    jsv_write_key(writer, JSV_STR("hasMore"));
    jsv_write_bool(writer, total > COMPLETIONS_MAX);
}

enum dialect_step mcp_handle_complete(struct mcp_exchange *exchange)
{
    struct dialect_request *request = exchange->request;
    const struct catalog *catalog = request->catalog;
    struct jsv_value ref = jsv_value_get(exchange->params, JSV_STR("ref"));
    struct jsv_value argument = jsv_value_get(exchange->params, JSV_STR("argument"));
    struct jsv_str uri_template = jsv_value_text(jsv_value_get(ref, JSV_STR("uri")));
    struct jsv_str beginning = jsv_value_text(jsv_value_get(argument, JSV_STR("value")));
    size_t first;
    size_t end;
    if (!template_range(catalog, uri_template, &first, &end)) {
        return unknown_template(request);
    }
    size_t total = 0;
    struct jsv_writer writer = mcp_result_begin(request);
    jsv_write_key(&writer, JSV_STR("completion"));
    jsv_write_object_begin(&writer);
    jsv_write_key(&writer, JSV_STR("values"));
    jsv_write_array_begin(&writer);
    for (size_t i = first; i < end; i++) {
        struct resource resource = resource_at(catalog, i);
        if (begins_with(resource.name, beginning) && total++ < COMPLETIONS_MAX) {
            jsv_write_string(&writer, resource.name);
        }
    }
    jsv_write_array_end(&writer);
    write_total(&writer, total);
    jsv_write_object_end(&writer);
    mcp_result_end(&writer);
    return DIALECT_DONE;
}
