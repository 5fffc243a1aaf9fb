#include "documents/published.h"

#include <string.h>

#include "dialect/write.h"
#include "envelope/canonical.h"
#include "envelope/reference.h"
#include "envelope/schemas.h"

#define SCHEMA_SUFFIX ".schema.json"

static const struct envelope_canonical_error unknown_schema = {
    .name = JSV_STR("SCHEMA_NOT_FOUND"),
    .http = 404,
    .message = JSV_STR("Unknown schema"),
};

bool documents_serve(const struct rpc_http *http)
{
    return http && (http->endpoint == RPC_ENDPOINT_TOOLS || http->endpoint == RPC_ENDPOINT_SCHEMA ||
                    http->endpoint == RPC_ENDPOINT_OPENAPI);
}

static void write_catalog(struct dialect_req *req)
{
    struct jsv_writer writer = jsv_writer_on(req->reply);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("version"), JSV_STR(ENVELOPE_REFERENCE_VERSION));
    dialect_write_tools(&writer, req->catalog);
    jsv_write_object_end(&writer);
}

/* The text of a published schema, or of one in the schema root. data NULL: there is none. */
static struct jsv_str find_schema(const struct dialect_req *req, struct jsv_str file)
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
    int r = catalog_schema_resolve(req->catalog, name, &schema);
    return r < 0 ? (struct jsv_str){NULL, 0} : schema->text;
}

static void write_schema(struct dialect_req *req)
{
    struct jsv_str text = find_schema(req, req->http->parameter);
    if (text.data) {
        jsv_buf_append_str(req->reply, text);
    } else {
        req->http_status = unknown_schema.http;
        envelope_canonical_write_http(&unknown_schema, (struct jsv_str){0}, req->reply);
    }
}

static void documents_fail(struct dialect_req *req, struct jsv_str details)
{
    const struct envelope_canonical_error *error =
        envelope_canonical_get(ENVELOPE_CANONICAL_INTERNAL_ERROR);
    (void)details;
    req->http_status = error->http;
    envelope_canonical_write_http(error, (struct jsv_str){0}, req->reply);
}

static void write_openapi(struct dialect_req *req)
{
    if (documents_write_openapi(req) < 0) {
        jsv_buf_reset(req->reply);
        documents_fail(req, JSV_STR("out of memory"));
    }
}

static enum dialect_step documents_open(struct dialect_req *req)
{
    switch ((int)req->http->endpoint) {
    case RPC_ENDPOINT_TOOLS:
        write_catalog(req);
        break;
    case RPC_ENDPOINT_SCHEMA:
        write_schema(req);
        break;
    default:
        write_openapi(req);
        break;
    }
    return DIALECT_DONE;
}

const struct dialect dialect_documents = {
    .name = "http",
    .open = documents_open,
    .fail = documents_fail,
};
