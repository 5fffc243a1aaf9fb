/*
 * Messages about values of any length: what does not fit is cut.
 */
#include <stdio.h>
#include <string.h>

#include "support/schema_fixture.h"
#include "support/texts.h"

static void
expect_message_end(struct schema_fixture *fixture, const char *instance, const char *end)
{
    struct jsv_value value = schema_fixture_read(fixture, instance);
    assert_int_equal(schema_fixture_verdict(fixture, value), 0);
    struct jsv_str message = fixture->problems.items[0].message;
    assert_true(message.size < 256);
    size_t size = strlen(end);
    assert_true(message.size > size);
    assert_memory_equal(message.data + message.size - size, end, size);
}

/* Names and values of any length; what does not fit is cut between two characters. */
static void long_messages(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf schema;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    jsv_buf_append_str(&schema, JSV_STR("{\"required\":[\"x"));
    append_repeated(&schema, "\xC3\xA9", 4000);
    jsv_buf_append_str(&schema, JSV_STR("\"]}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    expect_message_end(fixture, "{}", "\xC3\xA9…");

    jsv_buf_reset(&schema);
    jsv_buf_append_str(&schema, JSV_STR("{\"const\":\""));
    append_repeated(&schema, "\xF0\x9F\x98\x80", 100);
    jsv_buf_append_str(&schema, JSV_STR("\"}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    expect_message_end(fixture, "{}", "\xF0\x9F\x98\x80…");

    jsv_buf_reset(&schema);
    jsv_buf_append_str(&schema, JSV_STR("{\"enum\":[\""));
    for (int i = 0; i < 100; i++) {
        char text[32];
        jsv_buf_append(&schema, text, (size_t)snprintf(text, sizeof(text), "value %d\",\"", i));
    }
    jsv_buf_append_str(&schema, JSV_STR("\"]}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    expect_message_end(fixture, "{}", "\", …");

    jsv_buf_reset(&schema);
    jsv_buf_append_str(&schema, JSV_STR("{\"enum\":[0"));
    for (int i = 1; i < 60; i++) {
        char text[32];
        jsv_buf_append(&schema, text, (size_t)snprintf(text, sizeof(text), ",%d", i));
    }
    jsv_buf_append_str(&schema, JSV_STR("]}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    expect_message_end(fixture, "{}", ", 31, …");

    jsv_buf_reset(&schema);
    jsv_buf_append_str(&schema, JSV_STR("{\"pattern\":\""));
    append_repeated(&schema, "\xC3\xA9", 300);
    jsv_buf_append_str(&schema, JSV_STR("\"}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    expect_message_end(fixture, "''", "\xC3\xA9");
    jsv_buf_done(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(long_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
