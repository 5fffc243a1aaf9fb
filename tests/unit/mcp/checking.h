/*
 * What tests of checking start with: definitions, a validator, messages. In
 * all texts ' stands for ", so that JSON can be read in C.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "mcp/check.h"
#include "os/sys.h"
#include "support/json_fixture.h"

struct checking {
    struct json_fixture *json;
    struct mcp_check check;
    struct jsv_arena scratch;
    struct mcp_verdict verdict; /* of the last message */
};

static inline int checking_setup(void **state)
{
    struct checking *checking = calloc(1, sizeof(*checking));
    assert_non_null(checking);
    void *json;
    assert_int_equal(json_fixture_setup(&json), 0);
    checking->json = json;
    jsv_arena_init(&checking->scratch, NULL, SIZE_MAX);
    checking->check = (struct mcp_check){
        .version = MCP_VERSION_2025_11_25,
        .sender = MCP_SENDER_BOTH,
        .validator = jsv_validator_new(NULL, NULL),
        .scratch = &checking->scratch,
    };
    assert_int_equal(mcp_definitions_new(NULL, &checking->check.definitions, NULL), 0);
    *state = checking;
    return 0;
}

static inline int checking_teardown(void **state)
{
    struct checking *checking = *state;
    void *json = checking->json;
    mcp_definitions_free(checking->check.definitions);
    jsv_validator_free(checking->check.validator);
    jsv_arena_done(&checking->scratch);
    json_fixture_teardown(&json);
    free(checking);
    return 0;
}

#define CHECKING_TEST(test) cmocka_unit_test_setup_teardown(test, checking_setup, checking_teardown)

/* Read a text with ' for ". */
static inline struct jsv_value checking_read(struct checking *checking, const char *text)
{
    struct jsv_buf *quoted = json_fixture_buf(checking->json);
    for (; *text; text++) {
        jsv_buf_append_byte(quoted, *text == '\'' ? '"' : *text);
    }
    return json_fixture_read_str(checking->json, jsv_buf_str(quoted), 0);
}

/* Check a message, which must come to a verdict. */
static inline const struct mcp_verdict *
checking_verdict(struct checking *checking, const char *text)
{
    struct jsv_value message = checking_read(checking, text);
    assert_int_equal(mcp_check(&checking->check, message, &checking->verdict), 0);
    return &checking->verdict;
}

static inline void checking_expect_valid(
    struct checking *checking, const char *text, enum mcp_kind kind, const char *definition)
{
    const struct mcp_verdict *verdict = checking_verdict(checking, text);
    assert_int_equal(verdict->layer, MCP_LAYER_NONE);
    assert_int_equal(verdict->code, 0);
    assert_int_equal(verdict->problems.count, 0);
    assert_int_equal(verdict->shape.kind, kind);
    assert_string_equal(verdict->definition, definition);
}

static inline bool checking_has(const struct jsv_problems *problems, const char *path)
{
    for (size_t i = 0; i < problems->count; i++) {
        if (jsv_str_equal(problems->items[i].path, jsv_str_from(path))) {
            return problems->items[i].message.size > 0;
        }
    }
    return false;
}

/* Assert that a message is refused, with a problem at a path. */
static inline void checking_expect_refused(
    struct checking *checking, const char *text, enum mcp_layer layer, int code, const char *path)
{
    const struct mcp_verdict *verdict = checking_verdict(checking, text);
    if (verdict->layer != layer || verdict->code != code ||
        !checking_has(&verdict->problems, path)) {
        fail_msg(
            "%s: %s %d, first problem at \"%.*s\"",
            text,
            mcp_layer_name(verdict->layer),
            verdict->code,
            verdict->problems.count ? (int)verdict->problems.items[0].path.size : 0,
            verdict->problems.count ? verdict->problems.items[0].path.data : "");
    }
}
