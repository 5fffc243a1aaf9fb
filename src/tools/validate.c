/*
 * Validating assets, for four tools.
 *
 * A top-level $schemaRef names the schema of an asset and is not part of it, so
 * a schema with additionalProperties false must not refuse it: such an asset is
 * validated as a copy without the member.
 */
#include "tools/builtin.h"

#define SCHEMA_REF JSV_STR("$schemaRef")

/* ---- the schema ---- */

/* "invalid_schema: part.schema.json#/type: …" */
static int refuse_schema(struct tool_call *call, struct jsv_str reason)
{
    struct jsv_buf message;
    jsv_buf_init(&message, &call->scratch->allocator, reason.size + 32);
    jsv_buf_append_str(&message, JSV_STR("invalid_schema: "));
    jsv_buf_append_str(&message, reason);
    int r = message.error;
    if (r == 0) {
        r = tool_refuse(call, JSV_STR("/schema"), jsv_buf_str(&message));
    }
    jsv_buf_done(&message);
    return r;
}

int tool_schema(struct tool_call *call, struct jsv_str name, const struct jsv_schema **ret_schema)
{
    const struct catalog_schema *schema;
    struct jsv_str reason = {NULL, 0};
    int r = catalog_schema_resolve(call->catalog, name, &schema);
    if (r == 0) {
        r = catalog_schema_compiled(call->catalog, schema, ret_schema, &reason);
    }
    switch (r) {
    case -EINVAL:
        r = tool_refuse(call, JSV_STR("/schema"), JSV_STR("invalid_path"));
        break;
    case -ENOENT:
        r = tool_refuse(call, JSV_STR("/schema"), JSV_STR("schema_not_found"));
        break;
    case -EBADMSG:
        r = refuse_schema(call, reason);
        break;
    default:
        return r;
    }
    return r < 0 ? r : 1;
}

/* ---- the asset ---- */

/* The asset, or a copy without its $schemaRef, which is valid until the next call. */
static int without_schema_ref(struct tool_call *call, struct jsv_value *asset)
{
    if (jsv_value_type(jsv_value_get(*asset, SCHEMA_REF)) == JSV_TYPE_NONE) {
        return 0;
    }
    struct jsv_buf *text = &call->tools->text;
    jsv_buf_reset(text);
    struct jsv_writer writer = jsv_writer_on(text);
    jsv_write_object_begin(&writer);
    struct jsv_iter iter = jsv_value_iter(*asset);
    while (jsv_iter_next(&iter)) {
        if (!jsv_str_equal(jsv_value_text(iter.key), SCHEMA_REF)) {
            jsv_write_member_value(&writer, jsv_value_text(iter.key), iter.value);
        }
    }
    jsv_write_object_end(&writer);
    int r = text->error;
    if (r == 0) {
        r = jsv_read(call->reader, call->tools->document, jsv_buf_str(text), 0, NULL);
    }
    *asset = r == 0 ? jsv_document_root(call->tools->document) : *asset;
    return r;
}

int tool_validate(
    struct tool_call *call,
    const struct jsv_schema *schema,
    struct jsv_value asset,
    struct jsv_problems *ret_problems)
{
    int r = without_schema_ref(call, &asset);
    if (r < 0) {
        return r;
    }
    return jsv_validate_report(call->validator, schema, asset, ret_problems);
}

struct jsv_str tool_limit_message(int error)
{
    switch (error) {
    case -ELOOP:
        return JSV_STR("validation_limit: this asset, with those before it, takes too many steps");
    case -ETIME:
        return JSV_STR("validation_limit: a pattern takes too long for this asset");
    default:
        return (struct jsv_str){0};
    }
}

int tool_check(
    struct tool_call *call,
    const struct jsv_schema *schema,
    struct jsv_value asset,
    enum tool_verdict negative)
{
    struct jsv_problems problems;
    int r = tool_validate(call, schema, asset, &problems);
    if (r > 0) {
        return 0;
    }
    if (r < 0) {
        struct jsv_str message = tool_limit_message(r);
        r = message.data ? tool_refuse(call, JSV_STR(""), message) : r;
        return r < 0 ? r : 1;
    }
    struct jsv_writer writer = tool_begin_failure(call, JSV_STR("validation_failed"));
    tool_write_problems(&writer, &problems);
    r = tool_end(call, &writer, negative);
    return r < 0 ? r : 1;
}
