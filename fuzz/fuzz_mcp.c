/*
 * Input: a byte that names a version and a side, and a message. Checking it
 * comes to a verdict; a refusal lists problems, each at a place of the message,
 * with a code that fits its layer; a valid message has been held against a
 * definition; checking it again gives the same.
 */
#include "fuzz.h"
#include "mcp/check.h"
#include "os/sys.h"

/* Made once: a definition is compiled when the first message asks for it. */
static struct mcp_definitions *definitions;

/* A numeric id selects a request of the version that has a result. */
static const struct mcp_method *known_request(void *context, struct jsv_value id)
{
    const struct mcp_check *check = context;
    int64_t integer = 0;
    (void)jsv_value_int64(id, &integer);
    const struct mcp_method *method =
        mcp_method((enum mcp_method_id)((uint64_t)integer % MCP_METHOD_COUNT));
    return method->result && mcp_method_is_in(method, check->version) ? method : NULL;
}

static void expect_code(const struct mcp_verdict *verdict)
{
    switch (verdict->layer) {
    case MCP_LAYER_NONE:
        FUZZ_CHECK(verdict->code == 0);
        break;
    case MCP_LAYER_JSON:
        FUZZ_CHECK(false);
        break;
    case MCP_LAYER_RPC:
        FUZZ_CHECK(verdict->code == MCP_CODE_INVALID_REQUEST);
        break;
    case MCP_LAYER_MCP:
        FUZZ_CHECK(
            verdict->code == MCP_CODE_INVALID_REQUEST ||
            verdict->code == MCP_CODE_METHOD_NOT_FOUND || verdict->code == MCP_CODE_INVALID_PARAMS);
        break;
    }
}

static void expect_sound(struct jsv_value message, const struct mcp_verdict *verdict)
{
    bool valid = verdict->layer == MCP_LAYER_NONE;
    expect_code(verdict);
    FUZZ_CHECK(valid == (verdict->problems.count == 0));
    FUZZ_CHECK(!valid || verdict->definition || verdict->shape.kind == MCP_KIND_BATCH);
    for (size_t i = 0; i < verdict->problems.count; i++) {
        struct jsv_value place;
        FUZZ_CHECK(jsv_pointer_get(message, verdict->problems.items[i].path, &place) == 0);
        FUZZ_CHECK(verdict->problems.items[i].message.size > 0);
    }
}

static void check_message(const struct mcp_check *check, struct jsv_value message)
{
    struct mcp_verdict verdict;
    struct mcp_verdict again;
    FUZZ_CHECK(mcp_check(check, message, &verdict) == 0);
    expect_sound(message, &verdict);
    FUZZ_CHECK(mcp_check(check, message, &again) == 0);
    FUZZ_CHECK(verdict.layer == again.layer && verdict.code == again.code);
    FUZZ_CHECK(verdict.definition == again.definition);
    FUZZ_CHECK(verdict.problems.count == again.problems.count);
}

static void check_text(struct mcp_check *check, struct jsv_str text)
{
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    FUZZ_CHECK(reader && document);
    if (jsv_read(reader, document, text, 0, NULL) == 0) {
        check_message(check, jsv_document_root(document));
    }
    jsv_document_free(document);
    jsv_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    if (!definitions) {
        FUZZ_CHECK(mcp_definitions_new(NULL, &definitions, NULL) == 0);
    }
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, NULL, SIZE_MAX);
    struct mcp_check check = {
        .definitions = definitions,
        .version = (enum mcp_version)(data[0] % MCP_VERSION_COUNT),
        .sender = (enum mcp_sender)(1 + data[0] / MCP_VERSION_COUNT % MCP_SENDER_BOTH),
        .validator = jsv_validator_new(NULL, NULL),
        .scratch = &scratch,
    };
    const struct mcp_pairing pairing = {.answered = known_request, .context = &check};
    check.pairing = &pairing;
    FUZZ_CHECK(check.validator);
    check_text(&check, (struct jsv_str){(const char *)data + 1, size - 1});
    jsv_validator_free(check.validator);
    jsv_arena_done(&scratch);
    return 0;
}
