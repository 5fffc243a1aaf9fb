#include "documents/published.h"

#include <string.h>

#include "documents/describe.h"
#include "envelope/canonical.h"
#include "envelope/reference.h"
#include "envelope/schemas.h"

#define SCHEMA_SUFFIX ".schema.json"

static const struct envelope_canonical_error unknown_schema = {
    .name = JSV_STR("SCHEMA_NOT_FOUND"),
    .http = 404,
    .message = JSV_STR("Unknown schema"),
};

static void write_catalog(struct dialect_request *request)
{
    struct jsv_writer writer = jsv_writer_on(request->reply);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("version"), JSV_STR(ENVELOPE_REFERENCE_VERSION));
    dialect_write_tools(&writer, request->catalog);
    jsv_write_object_end(&writer);
}

/* The file's text: of a schema we publish, else of one in the root. data NULL when there is none.
 */
static struct jsv_str find_schema(const struct dialect_request *request, struct jsv_str file)
{
    struct jsv_str text = envelope_schemas_text(file);
    size_t suffix = sizeof(SCHEMA_SUFFIX) - 1;
    if (text.data) {
        return text;
    }
    struct jsv_str name = file;
    bool has_suffix =
        file.size > suffix && memcmp(file.data + file.size - suffix, SCHEMA_SUFFIX, suffix) == 0;
    if (has_suffix) {
        name.size -= suffix;
    }
    const struct catalog_schema *schema;
    int r = catalog_schema_resolve(request->catalog, name, &schema);
    return r < 0 ? (struct jsv_str){NULL, 0} : schema->text;
}

static void write_schema(struct dialect_request *request)
{
    struct jsv_str text = find_schema(request, request->http->parameter);
    if (text.data) {
        jsv_buf_append_str(request->reply, text);
    } else {
        request->http_status = unknown_schema.http;
        envelope_canonical_write_http(&unknown_schema, (struct jsv_str){0}, request->reply);
    }
}

static bool published_recognise(const struct dialect_request *request)
{
    (void)request;
    return false;
}

static void published_fail(struct dialect_request *request, struct jsv_str details)
{
    const struct envelope_canonical_error *error =
        envelope_canonical_get(ENVELOPE_CANONICAL_INTERNAL_ERROR);
    (void)details; /* the status says enough */
    request->http_status = error->http;
    envelope_canonical_write_http(error, (struct jsv_str){0}, request->reply);
}

static void write_openapi(struct dialect_request *request)
{
    if (openapi_write(request) < 0) {
        jsv_buf_reset(request->reply);
        published_fail(request, JSV_STR("out of memory"));
    }
}

static enum dialect_step published_open(struct dialect_request *request)
{
    switch ((int)request->http->endpoint) {
    case RPC_ENDPOINT_TOOLS:
        write_catalog(request);
        break;
    case RPC_ENDPOINT_SCHEMA:
        write_schema(request);
        break;
    default:
        write_openapi(request);
        break;
    }
    return DIALECT_DONE;
}

const struct dialect dialect_published = {
    .name = "http",
    .recognise = published_recognise,
    .open = published_open,
    .fail = published_fail,
};
