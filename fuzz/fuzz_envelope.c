/*
 * Input: a message and a tool's output, with a record separator (0x1e, which
 * JSON never holds) between them. The output is wrapped, and answers the
 * message in each way it can be understood. Whatever is written must be one
 * line of JSON that fits its schema, and an envelope must stay what it is when
 * it is wrapped again.
 */
#include <errno.h>
#include <string.h>

#include "envelope/conformance.h"
#include "envelope/identifier.h"
#include "envelope/invoke.h"
#include "envelope/provenance.h"
#include "envelope/reference.h"
#include "fuzz.h"

static const struct jsv_str now = JSV_STR("2025-10-13T15:10:00Z");

struct state {
    struct envelope_schemas *schemas;
    struct jsv_validator *validator;
    struct jsv_reader *reader;
    struct jsv_arena arena;
};

/* Compiled once: it takes longer than all the rest. */
static struct envelope_schemas *shared_schemas(void)
{
    static struct envelope_schemas *schemas;
    if (!schemas) {
        FUZZ_CHECK(envelope_schemas_new(NULL, &schemas) == 0);
    }
    return schemas;
}

/* What was written, which must be valid and in one line. */
static struct jsv_document *read_written(struct state *state, const struct jsv_buf *text)
{
    FUZZ_CHECK(text->error == 0);
    FUZZ_CHECK(!memchr(text->data, '\n', text->size) && !memchr(text->data, '\r', text->size));
    struct jsv_document *document = jsv_document_new(NULL);
    FUZZ_CHECK(document);
    FUZZ_CHECK(jsv_read(state->reader, document, jsv_buf_str(text), 0, NULL) == 0);
    return document;
}

static bool fits(struct state *state, enum envelope_schema which, struct jsv_value value)
{
    const struct jsv_schema *schema = envelope_schemas_get(state->schemas, which);
    return jsv_validate(state->validator, schema, value) == 1;
}

/* ---- envelopes ---- */

/* An envelope of our own making fits its schema and what is asked for beyond it. */
static void check_own(struct state *state, struct jsv_value envelope)
{
    FUZZ_CHECK(fits(state, ENVELOPE_SCHEMA_ENVELOPE, envelope));
    struct jsv_problems problems;
    FUZZ_CHECK(envelope_conformance_check(envelope, &state->arena, &problems) == 0);
    FUZZ_CHECK(problems.count == 0);
}

static void check_wrapping(struct state *state, const struct envelope_answer *answer)
{
    struct jsv_buf first;
    struct jsv_buf second;
    jsv_buf_init(&first, NULL, SIZE_MAX);
    jsv_buf_init(&second, NULL, SIZE_MAX);
    envelope_write(answer, &first);
    struct jsv_document *document = read_written(state, &first);
    struct jsv_value envelope = jsv_document_root(document);
    FUZZ_CHECK(envelope_is(envelope));
    if (!envelope_passes_through(answer)) {
        check_own(state, envelope);
    }
    struct envelope_answer again = {.result = envelope_result_json(envelope)};
    FUZZ_CHECK(envelope_passes_through(&again));
    envelope_write(&again, &second);
    FUZZ_CHECK(jsv_str_equal(jsv_buf_str(&first), jsv_buf_str(&second)));
    jsv_document_free(document);
    jsv_buf_done(&first);
    jsv_buf_done(&second);
}

static void
check_answer(struct state *state, struct jsv_value request, const struct envelope_answer *answer)
{
    static const unsigned char random[OS_UUID_BYTES];
    struct envelope_run run = {
        .tool_name = JSV_STR("t"),
        .tool_version = JSV_STR("1"),
        .request = request,
        .random = random,
        .time = now,
    };
    if (!envelope_is_request(request) || !fits(state, ENVELOPE_SCHEMA_REQUEST, request)) {
        return;
    }
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, SIZE_MAX);
    FUZZ_CHECK(envelope_answer_write(&run, answer, &state->arena, &out) == 0);
    struct jsv_document *document = read_written(state, &out);
    if (!envelope_passes_through(answer)) {
        check_own(state, jsv_document_root(document));
    }
    jsv_document_free(document);
    jsv_buf_done(&out);
}

/* ---- the other kinds of message ---- */

static void
check_reference(struct state *state, struct jsv_value message, struct envelope_result output)
{
    struct envelope_reference_request request;
    struct envelope_issues issues;
    int verdict = envelope_reference_check(
        state->schemas, message, state->validator, &state->arena, &request, &issues);
    FUZZ_CHECK(verdict >= 0);
    FUZZ_CHECK((verdict == ENVELOPE_REFERENCE_VALID) == (issues.count == 0));
    struct envelope_reference_response response = {
        .request = &request,
        .status =
            verdict == ENVELOPE_REFERENCE_VALID ? ENVELOPE_STATUS_SUCCESS : ENVELOPE_STATUS_ERROR,
        .http = 200,
        .timestamp = now,
        .output = output,
        .errors = issues,
    };
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, SIZE_MAX);
    envelope_reference_write(&response, &out);
    struct jsv_document *document = read_written(state, &out);
    FUZZ_CHECK(fits(state, ENVELOPE_SCHEMA_REFERENCE_RESPONSE, jsv_document_root(document)));
    jsv_document_free(document);
    jsv_buf_done(&out);
}

static void check_invoke(struct jsv_value params)
{
    struct envelope_invoke invoke;
    struct jsv_problem problem;
    if (envelope_invoke_read(params, (struct jsv_str){0}, &invoke, &problem)) {
        enum jsv_type type = jsv_value_type(invoke.arguments);
        FUZZ_CHECK(invoke.tool_id.data && (type == JSV_TYPE_NONE || type == JSV_TYPE_OBJECT));
    } else {
        FUZZ_CHECK(problem.message.size > 0);
    }
}

/* Seeds are JSON, and the ids are well-formed. */
static void check_ids(struct state *state, struct jsv_value message)
{
    struct jsv_buf seed;
    jsv_buf_init(&seed, NULL, SIZE_MAX);
    FUZZ_CHECK(envelope_seed_run(JSV_STR("t"), message, &state->arena, &seed) == 0);
    jsv_document_free(read_written(state, &seed));
    char id[OS_UUID_SIZE + 1];
    envelope_id_from_seed(ENVELOPE_ID_RUN, jsv_buf_str(&seed), id);
    FUZZ_CHECK(strlen(id) == OS_UUID_SIZE && id[14] == '5');
    jsv_buf_done(&seed);
}

/* ---- input ---- */

static void
check_pair(struct state *state, struct jsv_value message, const struct envelope_answer *answer)
{
    check_wrapping(state, answer);
    check_answer(state, message, answer);
    check_reference(state, message, answer->result);
    check_invoke(message);
    check_ids(state, message);
    /* A document that claims to be an envelope may be anything. */
    if (fits(state, ENVELOPE_SCHEMA_ENVELOPE, message)) {
        struct jsv_problems problems;
        FUZZ_CHECK(envelope_conformance_check(message, &state->arena, &problems) == 0);
    }
}

static void check_input(struct state *state, struct jsv_str message, struct jsv_str output)
{
    struct jsv_document *asked = jsv_document_new(NULL);
    struct jsv_document *put_out = jsv_document_new(NULL);
    FUZZ_CHECK(asked && put_out);
    if (jsv_read(state->reader, asked, message, 0, NULL) == 0) {
        bool is_json = jsv_read(state->reader, put_out, output, 0, NULL) == 0;
        struct envelope_answer answer = {
            .result = is_json ? envelope_result_json(jsv_document_root(put_out))
                              : envelope_result_text(output),
        };
        check_pair(state, jsv_document_root(asked), &answer);
        struct envelope_issue issue =
            envelope_failure_text(ENVELOPE_FAILURE_INTERNAL, (struct jsv_str){0});
        answer.errors = (struct envelope_issues){&issue, 1};
        check_pair(state, jsv_document_root(asked), &answer);
    }
    jsv_document_free(asked);
    jsv_document_free(put_out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jsv_str second = {(const char *)data, size};
    struct jsv_str first = fuzz_take(&second, FUZZ_SEPARATOR);
    if (first.size == size) {
        return 0;
    }
    /* Half the depth a document may have: here it goes into another one. */
    struct jsv_limits limits = {.depth_max = 256};
    struct state state = {
        .schemas = shared_schemas(),
        .validator = jsv_validator_new(NULL, NULL),
        .reader = jsv_reader_new(NULL, &limits),
    };
    FUZZ_CHECK(state.validator && state.reader);
    jsv_arena_init(&state.arena, NULL, SIZE_MAX);
    check_input(&state, first, second);
    jsv_arena_done(&state.arena);
    jsv_reader_free(state.reader);
    jsv_validator_free(state.validator);
    return 0;
}
