/*
 * Every allocation fails once while messages of all kinds go through the
 * corridor: each message is answered all the same, if only with an error, and
 * so is the next one. What is lost the sanitizers tell.
 */
#include <errno.h>
#include <string.h>

#include "support/corridor.h"
#include "unit/os/fault.h"

#define CALL(name, arguments)                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" name         \
    "\",\"arguments\":" arguments "}}"
#define ASK(method, params)                                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":" params "}"
#define MODERN                                                                                     \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

static const char *const messages[] = {
    "nonsense",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2}",
    "[]",
    "[1]",
    "{}",
    "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}",
    ASK("nope", "{}"),
    ASK("nope/nope", "{}"),
    ASK("list_schemas", "[]"),
    ASK("list_schemas", "{}"),
    ASK("list_examples", "{}"),
    ASK("get_schema", "{\"name\":\"part\"}"),
    ASK("get_schema", "{\"name\":5}"),
    ASK("get_schema", "{}"),
    ASK("get_example", "{\"path\":\"Part_One.json\"}"),
    ASK("validate_asset", "{\"schema\":\"part\",\"asset\":{\"n\":1,\"$schemaRef\":\"x\"}}"),
    ASK("validate_asset", "{\"schema\":\"widget\",\"asset\":{\"part\":{\"n\":\"x\"}}}"),
    ASK("validate_asset", "{\"asset\":{}}"),
    ASK("validate_many", "{\"schema\":\"part\",\"assets\":[{\"n\":1},{},{\"n\":\"x\"}]}"),
    ASK("diff_assets", "{\"base\":{\"a\":[1,2]},\"new\":{\"b\":{\"c\":1}}}"),
    ASK("populate_backend", "{\"asset\":{}}"),
    ASK("initialize",
        "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
        "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}"),
    ASK("ping", "{}"),
    ASK("tools/list", "{}"),
    ASK("tools/list", "{" MODERN "}"),
    ASK("tools/call", "{}"),
    ASK("resources/list", "{\"cursor\":\"x\"}"),
    ASK("resources/read", "{\"uri\":\"mcpgate://schemas/part\"}"),
    ASK("resources/read", "{\"uri\":\"mcpgate://schemas/none\"}"),
    ASK("server/discover", "{" MODERN "}"),
    CALL("validate_asset", "{\"schema\":\"part\",\"asset\":{\"n\":1}}"),
    CALL("validate_asset", "{\"schema\":5}"),
    CALL("nope", "{}"),
};

/* A frame in memory of its own, which no failing allocation is needed for. */
static void hand_in(struct corridor *corridor, const char *message)
{
    static union {
        struct rpc_chunk chunk;
        char bytes[4096];
    } memory;
    size_t size = strlen(message);
    assert_true(size < sizeof(memory) - sizeof(memory.chunk));
    memory.chunk.references = 1;
    memory.chunk.capacity = size;
    char *data = memory.bytes + offsetof(struct rpc_chunk, data);
    memcpy(data, message, size);
    const struct rpc_frame frame = {.text = {data, size}, .chunk = &memory.chunk};
    core_handle(&corridor->conn, &frame);
    assert_int_equal(memory.chunk.references, 1);
}

/* @return whether an allocation was made to fail. */
static bool fail_once(struct corridor *corridor, const char *message, unsigned at)
{
    fault_arm(FAULT_RESIZE, at, ENOMEM);
    hand_in(corridor, message);
    bool has_failed = fault.hit;
    fault_disarm();
    if (corridor->answer_count != 1) {
        fail_msg("%zu answers to %s", corridor->answer_count, message);
    }
    assert_false(core_conn_is_busy(&corridor->conn));
    corridor_forget(corridor);
    corridor_reconnect(corridor);
    hand_in(corridor, ASK("ping", "{}"));
    assert_int_equal(corridor->answer_count, 1);
    assert_string_equal(corridor->answers[0].data, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    corridor_forget(corridor);
    return has_failed;
}

static void every_message_is_answered_without_memory(void **state)
{
    for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
        for (unsigned at = 1; fail_once(*state, messages[i], at); at++) {
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CORRIDOR_TEST(every_message_is_answered_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
