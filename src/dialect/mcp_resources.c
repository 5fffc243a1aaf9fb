/*
 * Resources: listed, read, completed, subscribed to.
 */
#include <string.h>

#include "dialect/mcp_http.h"
#include "dialect/mcp_page.h"
#include "dialect/mcp_resource.h"

#define MIME_TYPE "application/json"

/* Values a completion lists at most, as the protocol has it. */
#define COMPLETIONS_MAX 100

/* ---- resources/list ---- */

static void write_uri(struct jsv_writer *writer, const struct mcp_resource *resource)
{
    /* What percent-encoding leaves needs no escape in JSON, so it can go straight out. */
    jsv_write_key(writer, JSV_STR("uri"));
    jsv_buf_append_byte(writer->out, '"');
    mcp_resource_append_uri(writer->out, resource);
    jsv_buf_append_byte(writer->out, '"');
}

static void write_resource(struct jsv_writer *writer, const struct mcp_resource *resource)
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
    size_t count = mcp_resource_count(catalog);
    size_t first;
    size_t end;
    if (!mcp_page_find(exchange, count, &first, &end)) {
        return mcp_answer_bad_cursor(request);
    }
    struct jsv_writer writer = mcp_result_begin(request);
    jsv_write_key(&writer, JSV_STR("resources"));
    jsv_write_array_begin(&writer);
    for (size_t i = first; i < end; i++) {
        struct mcp_resource resource = mcp_resource_at(catalog, i);
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
        JSV_STR(MCP_SCHEMAS_PREFIX "{name}"),
        JSV_STR("schema"),
        JSV_STR("A JSON schema by its name"));
    write_template(
        &writer,
        JSV_STR(MCP_EXAMPLES_PREFIX "{+path}"),
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
    struct mcp_resource resource;
    if (!mcp_resource_find(request->catalog, request->scratch, jsv_value_text(uri), &resource)) {
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
    bool is_schema = jsv_str_equal(uri_template, JSV_STR(MCP_SCHEMAS_PREFIX "{name}"));
    bool is_example = jsv_str_equal(uri_template, JSV_STR(MCP_EXAMPLES_PREFIX "{+path}"));
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
        struct mcp_resource resource = mcp_resource_at(catalog, i);
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

/* ---- resources/subscribe, resources/unsubscribe ---- */

static enum dialect_step answer_nothing(struct dialect_request *request)
{
    struct jsv_writer writer = mcp_result_begin(request);
    mcp_result_end(&writer);
    return DIALECT_DONE;
}

static enum dialect_step no_session(struct dialect_request *request)
{
    static const struct rpc_fault fault = {
        .details = {"there is no session to subscribe in", 35},
        .suggestion = {"Send initialize first", 21},
        .cause = {"/method", 7},
    };
    return mcp_answer_fault(request, RPC_ERROR_INVALID_REQUEST, &fault);
}

enum dialect_step mcp_handle_subscribe(struct mcp_exchange *exchange)
{
    struct dialect_request *request = exchange->request;
    struct jsv_value uri = jsv_value_get(exchange->params, JSV_STR("uri"));
    struct mcp_resource resource;
    if (!*request->session) {
        return no_session(request);
    }
    if (!mcp_resource_find(request->catalog, request->scratch, jsv_value_text(uri), &resource)) {
        return unknown_resource(exchange, uri);
    }
    if (dialect_session_subscribe(*request->session, jsv_value_text(uri)) < 0) {
        return mcp_answer_error(
            request, RPC_ERROR_INTERNAL, JSV_STR("no more subscriptions can be kept"));
    }
    return answer_nothing(request);
}

enum dialect_step mcp_handle_unsubscribe(struct mcp_exchange *exchange)
{
    struct dialect_request *request = exchange->request;
    struct jsv_value uri = jsv_value_get(exchange->params, JSV_STR("uri"));
    if (!*request->session) {
        return no_session(request);
    }
    dialect_session_unsubscribe(*request->session, jsv_value_text(uri));
    return answer_nothing(request);
}
