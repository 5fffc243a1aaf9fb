/*
 * A message is checked in steps: shape, method, definition. A step that refuses
 * it fills in the verdict; otherwise the next step follows. Paths of problems in
 * a part of a message (its result, a message of a batch) are completed to paths
 * in the whole.
 */
#include "mcp/check.h"

#include <errno.h>
#include <string.h>

#include "mcp/problem.h"

MCP_PROBLEM(no_id, "", "required", "missing property \"id\"");
MCP_PROBLEM(unknown_method, "/method", "enum", "unknown method");
MCP_PROBLEM(foreign_method, "/method", "enum", "not a method of this protocol version");
MCP_PROBLEM(wrong_sender, "/method", "enum", "not a method for this side to call");
MCP_PROBLEM(no_batches, "", "type", "expected object: this protocol version has no batches");
MCP_PROBLEM(empty_batch, "", "minItems", "a batch has at least one message");
MCP_PROBLEM(opening_in_batch, "/method", "not", "initialize cannot be part of a batch");
MCP_PROBLEM(too_costly, "", "", "takes too many steps to validate");

const char *mcp_layer_name(enum mcp_layer layer)
{
    static const char *const names[] = {
        [MCP_LAYER_NONE] = "none",
        [MCP_LAYER_JSON] = "json",
        [MCP_LAYER_RPC] = "rpc",
        [MCP_LAYER_MCP] = "mcp",
    };
    return names[layer];
}

/* ---- verdicts ---- */

static void refuse(
    struct mcp_verdict *verdict,
    enum mcp_layer layer,
    enum mcp_code code,
    const struct jsv_problem *problem)
{
    verdict->layer = layer;
    verdict->code = code;
    verdict->problems = (struct jsv_problems){problem, 1, 0};
}

static struct jsv_str join(struct jsv_arena *arena, struct jsv_str a, struct jsv_str b)
{
    char *joined = jsv_arena_alloc(arena, a.size + b.size);
    if (!joined) {
        return (struct jsv_str){0};
    }
    memcpy(joined, a.data, a.size);
    memcpy(joined + a.size, b.data, b.size);
    return (struct jsv_str){joined, a.size + b.size};
}

/* Prefix the paths of problems in a part of a message. */
static int
move_problems(struct jsv_problems *problems, struct jsv_str place, struct jsv_arena *scratch)
{
    struct jsv_problem *moved = jsv_arena_array(scratch, problems->count, sizeof(*moved));
    if (!moved) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < problems->count; i++) {
        moved[i] = problems->items[i];
        moved[i].path = join(scratch, place, moved[i].path);
        if (!moved[i].path.data) {
            return -ENOMEM;
        }
    }
    problems->items = moved;
    return 0;
}

/* ---- definitions ---- */

/* A missing params counts as a problem in it. */
static bool is_in_params(const struct jsv_problem *problem)
{
    static const struct jsv_str params = MCP_TEXT("/params");
    if (problem->path.size == 0) {
        return jsv_str_equal(problem->keyword, JSV_STR("required")) &&
               jsv_str_equal(problem->member, JSV_STR("params"));
    }
    return problem->path.size >= params.size &&
           memcmp(problem->path.data, params.data, params.size) == 0 &&
           (problem->path.size == params.size || problem->path.data[params.size] == '/');
}

/* The code is about params only when nothing else is wrong. */
static enum mcp_code code_of(const struct jsv_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        if (!is_in_params(&problems->items[i])) {
            return MCP_CODE_INVALID_REQUEST;
        }
    }
    return MCP_CODE_INVALID_PARAMS;
}

/* @return 0 when the message is too costly to validate; otherwise the error. */
static int give_up(struct mcp_verdict *verdict, int error)
{
    if (error != -ELOOP && error != -ETIME) {
        return error;
    }
    refuse(verdict, MCP_LAYER_MCP, MCP_CODE_INVALID_REQUEST, &too_costly);
    return 0;
}

/* Validate a part of a message. @param place Its pointer in the message. */
static int validate(
    const struct mcp_check *check,
    const struct jsv_schema *schema,
    struct jsv_value value,
    struct jsv_str place,
    struct mcp_verdict *verdict)
{
    int valid = jsv_validate_report(check->validator, schema, value, &verdict->problems);
    if (valid != 0) {
        return valid < 0 ? give_up(verdict, valid) : 0;
    }
    verdict->layer = MCP_LAYER_MCP;
    verdict->code = code_of(&verdict->problems);
    if (place.size == 0) {
        return 0;
    }
    verdict->code = MCP_CODE_INVALID_REQUEST; /* only answers are validated in parts */
    return move_problems(&verdict->problems, place, check->scratch);
}

static int validate_slot(
    const struct mcp_check *check,
    unsigned slot,
    struct jsv_value value,
    struct jsv_str place,
    struct mcp_verdict *verdict)
{
    const struct jsv_schema *schema;
    int r = mcp_definitions_get(check->definitions, check->version, slot, &schema);
    if (r < 0) {
        return r;
    }
    verdict->definition = mcp_slot_name(check->version, slot);
    return validate(check, schema, value, place, verdict);
}

/* ---- requests and notifications ---- */

/* The problem with a method itself; NULL: none. */
static const struct jsv_problem *
check_method(const struct mcp_check *check, const struct mcp_method *method, enum mcp_kind kind)
{
    bool is_notification = method && method->kind == MCP_METHOD_KIND_NOTIFICATION;
    if (!method || (is_notification && kind == MCP_KIND_REQUEST)) {
        return &unknown_method;
    }
    if (!mcp_method_is_in(method, check->version)) {
        return &foreign_method;
    }
    return method->sender & check->sender ? NULL : &wrong_sender;
}

static int
check_call(const struct mcp_check *check, struct jsv_value message, struct mcp_verdict *verdict)
{
    const struct mcp_shape *shape = &verdict->shape;
    const struct mcp_method *method = mcp_method_find(jsv_value_text(shape->parts.method));
    const struct jsv_problem *problem = check_method(check, method, shape->kind);
    if (problem) {
        refuse(verdict, MCP_LAYER_MCP, MCP_CODE_METHOD_NOT_FOUND, problem);
        return 0;
    }
    verdict->method = method;
    if (shape->kind == MCP_KIND_NOTIFICATION && method->kind == MCP_METHOD_KIND_REQUEST) {
        refuse(verdict, MCP_LAYER_RPC, MCP_CODE_INVALID_REQUEST, &no_id);
        return 0;
    }
    if (shape->kind == MCP_KIND_REQUEST && check->pairing && check->pairing->asked) {
        check->pairing->asked(check->pairing->context, shape->parts.id, method);
    }
    return validate_slot(check, MCP_SLOT_MESSAGE + method->id, message, JSV_STR(""), verdict);
}

/* ---- answers ---- */

static bool is_alternative(const struct mcp_alternative *alternative, struct jsv_value result)
{
    struct jsv_value member = jsv_value_get(result, alternative->member);
    if (!alternative->value) {
        return jsv_value_type(member) != JSV_TYPE_NONE;
    }
    return jsv_str_equal(jsv_value_text(member), jsv_str_from(alternative->value));
}

static int check_result(const struct mcp_check *check, struct mcp_verdict *verdict)
{
    static const struct jsv_str place = MCP_TEXT("/result");
    enum mcp_method_id method = verdict->method->id;
    struct jsv_value result = verdict->shape.parts.result;
    const struct mcp_alternative *alternative = mcp_alternative_of(method, check->version);
    if (!alternative || !is_alternative(alternative, result)) {
        return validate_slot(check, MCP_SLOT_RESULT + method, result, place, verdict);
    }
    unsigned slot = MCP_SLOT_ALTERNATIVE + alternative->id;
    if (alternative->value) {
        return validate_slot(check, slot, result, place, verdict);
    }
    /* A usual result may have the member, too, because results are open objects. */
    struct mcp_verdict usual = *verdict;
    int r = validate_slot(check, MCP_SLOT_RESULT + method, result, place, &usual);
    if (r < 0 || usual.layer == MCP_LAYER_NONE) {
        *verdict = usual;
        return r;
    }
    return validate_slot(check, slot, result, place, verdict);
}

static int
check_response(const struct mcp_check *check, struct jsv_value message, struct mcp_verdict *verdict)
{
    int r = validate_slot(check, MCP_SLOT_ANY_RESPONSE, message, JSV_STR(""), verdict);
    bool has_method = r == 0 && verdict->layer == MCP_LAYER_NONE && verdict->method;
    return has_method ? check_result(check, verdict) : r;
}

/* The definition of errors with this code; NULL: it has none of its own. */
static const struct mcp_error *
error_of(const struct mcp_check *check, const struct mcp_verdict *verdict)
{
    int64_t code;
    int r = jsv_value_int64(jsv_value_get(verdict->shape.parts.error, JSV_STR("code")), &code);
    return r == 0 ? mcp_error_of(code, check->version) : NULL;
}

static int
check_error(const struct mcp_check *check, struct jsv_value message, struct mcp_verdict *verdict)
{
    int r = validate_slot(check, MCP_SLOT_ANY_ERROR, message, JSV_STR(""), verdict);
    if (r < 0 || verdict->layer != MCP_LAYER_NONE) {
        return r;
    }
    const struct mcp_error *error = error_of(check, verdict);
    if (!error) {
        return 0;
    }
    unsigned slot = MCP_SLOT_TYPED_ERROR + error->id;
    if (error->part == MCP_ERROR_PART_MESSAGE) {
        return validate_slot(check, slot, message, JSV_STR(""), verdict);
    }
    return validate_slot(check, slot, verdict->shape.parts.error, JSV_STR("/error"), verdict);
}

static int
check_answer(const struct mcp_check *check, struct jsv_value message, struct mcp_verdict *verdict)
{
    const struct mcp_pairing *pairing = check->pairing;
    bool has_id = jsv_value_type(verdict->shape.parts.id) != JSV_TYPE_NONE;
    if (has_id && pairing && pairing->answered) {
        verdict->method = pairing->answered(pairing->context, verdict->shape.parts.id);
    }
    return verdict->shape.kind == MCP_KIND_RESPONSE ? check_response(check, message, verdict)
                                                    : check_error(check, message, verdict);
}

/* ---- messages ---- */

static int check_shaped(
    const struct mcp_check *check,
    struct jsv_value message,
    const struct jsv_problem *problem,
    struct mcp_verdict *verdict)
{
    if (problem) {
        refuse(verdict, MCP_LAYER_RPC, MCP_CODE_INVALID_REQUEST, problem);
        return 0;
    }
    bool is_call = verdict->shape.kind <= MCP_KIND_NOTIFICATION;
    return is_call ? check_call(check, message, verdict) : check_answer(check, message, verdict);
}

static int
check_message(const struct mcp_check *check, struct jsv_value message, struct mcp_verdict *verdict)
{
    *verdict = (struct mcp_verdict){0};
    const struct jsv_problem *problem = mcp_shape_read(message, &verdict->shape);
    return check_shaped(check, message, problem, verdict);
}

static int check_in_batch(
    const struct mcp_check *check,
    struct jsv_value message,
    size_t index,
    struct mcp_verdict *verdict)
{
    int r = check_message(check, message, verdict);
    if (r == 0 && verdict->method && verdict->method->id == MCP_METHOD_INITIALIZE &&
        verdict->shape.kind == MCP_KIND_REQUEST) {
        refuse(verdict, MCP_LAYER_MCP, MCP_CODE_INVALID_REQUEST, &opening_in_batch);
    }
    if (r < 0 || verdict->layer == MCP_LAYER_NONE) {
        return r;
    }
    struct jsv_buf place;
    jsv_buf_init(&place, &check->scratch->allocator, SIZE_MAX);
    r = jsv_pointer_push_index(&place, index);
    if (r == 0) {
        r = move_problems(&verdict->problems, jsv_buf_str(&place), check->scratch);
    }
    jsv_buf_done(&place);
    return r;
}

static int
check_batch(const struct mcp_check *check, struct jsv_value batch, struct mcp_verdict *verdict)
{
    *verdict = (struct mcp_verdict){0};
    if (!mcp_version_has(check->version, MCP_TRAIT_BATCH)) {
        refuse(verdict, MCP_LAYER_RPC, MCP_CODE_INVALID_REQUEST, &no_batches);
        return 0;
    }
    if (jsv_value_count(batch) == 0) {
        refuse(verdict, MCP_LAYER_RPC, MCP_CODE_INVALID_REQUEST, &empty_batch);
        return 0;
    }
    struct jsv_iter iter = jsv_value_iter(batch);
    for (size_t index = 0; jsv_iter_next(&iter); index++) {
        int r = check_in_batch(check, iter.value, index, verdict);
        if (r < 0 || verdict->layer != MCP_LAYER_NONE) {
            return r;
        }
    }
    *verdict = (struct mcp_verdict){.shape.kind = MCP_KIND_BATCH};
    return 0;
}

int mcp_check(
    const struct mcp_check *check, struct jsv_value message, struct mcp_verdict *ret_verdict)
{
    jsv_arena_reset(check->scratch);
    return jsv_value_type(message) == JSV_TYPE_ARRAY ? check_batch(check, message, ret_verdict)
                                                     : check_message(check, message, ret_verdict);
}

int mcp_check_parts(
    const struct mcp_check *check,
    struct jsv_value message,
    const struct rpc_members *parts,
    struct mcp_verdict *ret_verdict)
{
    jsv_arena_reset(check->scratch);
    *ret_verdict = (struct mcp_verdict){0};
    const struct jsv_problem *problem = mcp_shape_of(parts, &ret_verdict->shape);
    return check_shaped(check, message, problem, ret_verdict);
}

int mcp_check_as(
    const struct mcp_check *check,
    const struct jsv_schema *schema,
    struct jsv_value value,
    struct mcp_verdict *ret_verdict)
{
    *ret_verdict = (struct mcp_verdict){0};
    return validate(check, schema, value, JSV_STR(""), ret_verdict);
}
