#include <errno.h>
#include <stdio.h>

#include "mcp/definitions.h"
#include "unit/mcp/schema_text.h"
#include "unit/os/fault.h"

static struct mcp_definitions *embedded(void)
{
    struct mcp_definitions *definitions = NULL;
    assert_int_equal(mcp_definitions_new(NULL, &definitions, NULL), 0);
    return definitions;
}

static int adopt(
    struct jsv_str text,
    enum mcp_version version,
    struct mcp_definitions **ret_definitions,
    struct mcp_fault *fault_found)
{
    struct mcp_official official = {text, version};
    return mcp_definitions_new(&official, ret_definitions, fault_found);
}

/* ---- slots ---- */

static void test_all_slots_compile(void **state)
{
    (void)state;
    struct mcp_definitions *definitions = embedded();
    for (enum mcp_version version = 0; version < MCP_VERSION_COUNT; version++) {
        size_t count = 0;
        for (unsigned slot = 0; slot < MCP_SLOT_COUNT; slot++) {
            const struct jsv_schema *schema = NULL;
            const struct jsv_schema *again = NULL;
            if (mcp_slot_name(version, slot)) {
                assert_int_equal(mcp_definitions_get(definitions, version, slot, &schema), 0);
                assert_int_equal(mcp_definitions_get(definitions, version, slot, &again), 0);
                assert_non_null(schema);
                assert_ptr_equal(schema, again);
                count++;
            }
        }
        assert_true(count > 35);
    }
    mcp_definitions_free(definitions);
}

static void test_slot_names(void **state)
{
    (void)state;
    static const struct {
        enum mcp_version version;
        unsigned slot;
        const char *name;
    } cases[] = {
        {MCP_VERSION_2025_06_18, MCP_SLOT_MESSAGE + MCP_METHOD_TOOLS_LIST, "ListToolsRequest"},
        {MCP_VERSION_2025_06_18, MCP_SLOT_RESULT + MCP_METHOD_TOOLS_LIST, "ListToolsResult"},
        {MCP_VERSION_2025_06_18, MCP_SLOT_RESULT + MCP_METHOD_PROGRESS, NULL},
        {MCP_VERSION_2025_06_18, MCP_SLOT_MESSAGE + MCP_METHOD_TASKS_GET, NULL},
        {MCP_VERSION_2025_06_18, MCP_SLOT_RESULT + MCP_METHOD_TASKS_GET, NULL},
        {MCP_VERSION_2025_06_18, MCP_SLOT_ALTERNATIVE + MCP_ALTERNATIVE_TOOL_TASK, NULL},
        {MCP_VERSION_2025_11_25,
         MCP_SLOT_ALTERNATIVE + MCP_ALTERNATIVE_TOOL_TASK,
         "CreateTaskResult"},
        {MCP_VERSION_2025_11_25, MCP_SLOT_TYPED_ERROR + MCP_ERROR_INTERNAL, NULL},
        {MCP_VERSION_2026_07_28, MCP_SLOT_TYPED_ERROR + MCP_ERROR_INTERNAL, "InternalError"},
        {MCP_VERSION_2024_11_05, MCP_SLOT_ANY_RESPONSE, "JSONRPCResponse"},
        {MCP_VERSION_2026_07_28, MCP_SLOT_ANY_ERROR, "JSONRPCErrorResponse"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *name = mcp_slot_name(cases[i].version, cases[i].slot);
        if (cases[i].name) {
            assert_string_equal(name, cases[i].name);
        } else {
            assert_null(name);
        }
    }
}

/* ---- by name ---- */

static void test_find(void **state)
{
    (void)state;
    static const char *const unknown[] = {
        "",
        "NoSuchThing",
        "tool",
        "Tool/properties",
        "Tool~1",
        "Tool%20",
        "T\xC3\xB6ol",
        "Tool ",
        "AudioContent", /* came later */
    };
    struct mcp_definitions *definitions = embedded();
    const struct jsv_schema *schema = NULL;
    assert_int_equal(
        mcp_definitions_find(definitions, MCP_VERSION_2024_11_05, JSV_STR("Tool"), &schema), 0);
    assert_non_null(schema);
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        struct jsv_str name = jsv_str_from(unknown[i]);
        assert_int_equal(
            mcp_definitions_find(definitions, MCP_VERSION_2024_11_05, name, &schema), -ENOENT);
    }
    char long_name[4096];
    memset(long_name, 'a', sizeof(long_name));
    for (size_t size = 200; size <= sizeof(long_name); size = size < 300 ? size + 1 : size * 2) {
        struct jsv_str name = {long_name, size};
        assert_int_equal(
            mcp_definitions_find(definitions, MCP_VERSION_2024_11_05, name, &schema), -ENOENT);
    }
    mcp_definitions_free(definitions);
}

static void test_digest(void **state)
{
    struct jsv_str text = schema_text(*state, MCP_VERSION_2025_06_18, NULL, NULL);
    char expected[OS_DIGEST_HEX_SIZE + 1];
    char hex[OS_DIGEST_HEX_SIZE + 1];
    os_digest(text, expected);
    struct mcp_definitions *definitions = embedded();
    assert_int_equal(mcp_definitions_digest(definitions, MCP_VERSION_2025_06_18, hex), 0);
    assert_string_equal(hex, expected);
    assert_int_equal(mcp_definitions_digest(definitions, MCP_VERSION_2025_03_26, hex), 0);
    assert_string_not_equal(hex, expected);
    mcp_definitions_free(definitions);
}

static void assert_described(struct mcp_definitions *definitions, const char *expected)
{
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, SIZE_MAX);
    struct jsv_writer writer = jsv_writer_on(&out);
    mcp_definitions_describe(definitions, &writer);
    jsv_buf_append_byte(&out, '\0');
    assert_string_equal(out.data, expected);
    jsv_buf_done(&out);
}

/* Only versions used so far are listed, the oldest first. */
static void test_describe(void **state)
{
    (void)state;
    char expected[512];
    char old_hex[OS_DIGEST_HEX_SIZE + 1];
    char hex[OS_DIGEST_HEX_SIZE + 1];
    struct mcp_definitions *definitions = embedded();
    assert_described(definitions, "[]");
    assert_int_equal(mcp_definitions_digest(definitions, MCP_VERSION_2025_06_18, hex), 0);
    assert_int_equal(mcp_definitions_digest(definitions, MCP_VERSION_2024_11_05, old_hex), 0);
    snprintf(
        expected,
        sizeof(expected),
        "[{\"version\":\"2024-11-05\",\"source\":\"embedded\",\"sha256\":\"%s\"},"
        "{\"version\":\"2025-06-18\",\"source\":\"embedded\",\"sha256\":\"%s\"}]",
        old_hex,
        hex);
    assert_described(definitions, expected);
    mcp_definitions_free(definitions);
}

/* ---- an operator's schema ---- */

static void test_official_takes_its_place(void **state)
{
    /* A version of its own: every ping needs a reason. */
    struct jsv_str text = schema_text(
        *state,
        MCP_VERSION_2025_06_18,
        "\"PingRequest\":{\"type\":\"object\",\"required\":[\"method\"]",
        "\"PingRequest\":{\"type\":\"object\",\"required\":[\"method\",\"reason\"]");
    struct mcp_definitions *definitions;
    struct mcp_fault fault_found;
    assert_int_equal(adopt(text, MCP_VERSION_COUNT, &definitions, &fault_found), 0);
    struct jsv_value ping = json_fixture_read(*state, "{\"method\":\"ping\"}");
    struct jsv_validator *validator = jsv_validator_new(NULL, NULL);
    for (enum mcp_version version = 0; version < MCP_VERSION_2025_11_25; version++) {
        const struct jsv_schema *schema;
        unsigned slot = MCP_SLOT_MESSAGE + MCP_METHOD_PING;
        assert_int_equal(mcp_definitions_get(definitions, version, slot, &schema), 0);
        bool valid = version != MCP_VERSION_2025_06_18;
        assert_int_equal(jsv_validate(validator, schema, ping), valid);
    }
    char expected[OS_DIGEST_HEX_SIZE + 1];
    char hex[OS_DIGEST_HEX_SIZE + 1];
    os_digest(text, expected);
    assert_int_equal(mcp_definitions_digest(definitions, MCP_VERSION_2025_06_18, hex), 0);
    assert_string_equal(hex, expected);
    assert_true(mcp_definitions_is_operators(definitions, MCP_VERSION_2025_06_18));
    assert_false(mcp_definitions_is_operators(definitions, MCP_VERSION_2025_11_25));
    jsv_validator_free(validator);
    mcp_definitions_free(definitions);
}

static void expect_fault(struct jsv_str text, const char *message)
{
    struct mcp_definitions *definitions = NULL;
    struct mcp_fault fault_found;
    assert_int_equal(adopt(text, MCP_VERSION_COUNT, &definitions, &fault_found), -EBADMSG);
    assert_null(definitions);
    if (strncmp(fault_found.text, message, strlen(message)) != 0) {
        fail_msg("%s", fault_found.text);
    }
}

static void test_broken_official(void **state)
{
    const enum mcp_version version = MCP_VERSION_2025_06_18;
    expect_fault(JSV_STR("{"), "line 1, column 2: ");
    expect_fault(JSV_STR("{}"), "not the schema of a version");
    expect_fault(
        schema_text(*state, version, "\"ListToolsResult\":", "\"ListFoolsResult\":"),
        "definition \"ListToolsResult\" of version 2025-06-18 is missing");
    expect_fault(
        schema_text(*state, version, "\"Role\":{\"enum\":[", "\"Role\":{\"enum\":7,\"x\":["),
        "/$defs/Role/enum: expected array");
    expect_fault(
        schema_text(*state, version, "\"$ref\":\"#/$defs/Role\"", "\"$ref\":\"#/$defs/Rule\""),
        "/$defs/");
    expect_fault(schema_text(*state, version, "draft/2020-12/schema", "draft/2099-12/schema"), "");
}

/* A definition that no method needs may be invalid; using it is an error. */
static void test_broken_definition_that_is_not_used(void **state)
{
    struct jsv_str text = schema_text(
        *state, MCP_VERSION_2025_06_18, "\"$defs\":{", "\"$defs\":{\"Extra\":{\"$ref\":\"#/no\"},");
    struct mcp_definitions *definitions;
    struct mcp_fault fault_found;
    const struct jsv_schema *schema;
    assert_int_equal(adopt(text, MCP_VERSION_COUNT, &definitions, &fault_found), 0);
    assert_int_equal(
        mcp_definitions_find(definitions, MCP_VERSION_2025_06_18, JSV_STR("Extra"), &schema),
        -EBADMSG);
    mcp_definitions_free(definitions);
}

/* ---- many threads ---- */

#define THREADS 8

static void *ask_for_all(void *context)
{
    struct mcp_definitions *definitions = context;
    for (unsigned slot = 0; slot < MCP_SLOT_COUNT; slot++) {
        const struct jsv_schema *schema;
        if (mcp_slot_name(MCP_VERSION_2026_07_28, slot) &&
            mcp_definitions_get(definitions, MCP_VERSION_2026_07_28, slot, &schema) < 0) {
            return context;
        }
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    struct mcp_definitions *definitions = embedded();
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(os_thread_start(&threads[i], ask_for_all, definitions), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    mcp_definitions_free(definitions);
}

/* ---- no memory ---- */

/* Ask for a slot and for a name. After a failure asking again must work. */
static int use(struct mcp_definitions *definitions)
{
    const struct jsv_schema *schema;
    unsigned slot = MCP_SLOT_MESSAGE + MCP_METHOD_PING;
    int r = mcp_definitions_get(definitions, MCP_VERSION_2024_11_05, slot, &schema);
    if (r == 0) {
        r = mcp_definitions_find(
            definitions, MCP_VERSION_2024_11_05, JSV_STR("RequestId"), &schema);
    }
    return r;
}

static void test_no_memory_for_embedded(void **state)
{
    (void)state;
    unsigned at = 0;
    bool hit;
    do {
        struct mcp_definitions *definitions = NULL;
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        int r = mcp_definitions_new(NULL, &definitions, NULL);
        r = r == 0 ? use(definitions) : r;
        hit = fault.hit;
        assert_int_equal(r, hit ? -ENOMEM : 0);
        fault.call = FAULT_NONE;
        if (definitions) {
            assert_int_equal(use(definitions), 0);
        }
        mcp_definitions_free(definitions);
        assert_int_equal(fault.live_blocks, 0);
        fault_disarm();
    } while (hit);
    assert_true(at > 20);
}

/* Every seventh allocation: there are many, and each takes the way of its neighbours. */
static void test_no_memory_for_official(void **state)
{
    struct jsv_str text = schema_text(*state, MCP_VERSION_2024_11_05, NULL, NULL);
    unsigned at = 1;
    bool hit;
    do {
        struct mcp_definitions *definitions = NULL;
        struct mcp_fault fault_found;
        fault_arm(FAULT_RESIZE, at, ENOMEM);
        int r = adopt(text, MCP_VERSION_COUNT, &definitions, &fault_found);
        hit = fault.hit;
        assert_int_equal(r, hit ? -ENOMEM : 0);
        mcp_definitions_free(definitions);
        assert_int_equal(fault.live_blocks, 0);
        fault_disarm();
        at += at < 20 ? 1 : 7;
    } while (hit);
    assert_true(at > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_slots_compile),
        cmocka_unit_test(test_slot_names),
        cmocka_unit_test(test_find),
        JSON_TEST(test_digest),
        cmocka_unit_test(test_describe),
        JSON_TEST(test_official_takes_its_place),
        JSON_TEST(test_broken_official),
        JSON_TEST(test_broken_definition_that_is_not_used),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_no_memory_for_embedded),
        JSON_TEST(test_no_memory_for_official),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
