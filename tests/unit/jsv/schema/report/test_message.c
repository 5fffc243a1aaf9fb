/*
 * Message text of limited size, and pointers to nodes.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/utf8.h"
#include "jsv/schema/report/message.h"
#include "support/json_fixture.h"
#include "support/texts.h"

__attribute__((format(printf, 3, 4))) static size_t
print(char *out, size_t capacity, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t size = jsv_message_print(out, capacity, format, arguments);
    va_end(arguments);
    return size;
}

static void short_text_is_printed_whole(void **state)
{
    (void)state;
    char out[16];
    struct jsv_str name = JSV_STR("name and more");
    name.size = 4;
    assert_int_equal(print(out, sizeof(out), "<%.*s> %d", JSV_TEXT(name), 7), 8);
    assert_memory_equal(out, "<name> 7", 8);
    assert_int_equal(print(out, sizeof(out), "%s", "123456789012345"), 15);
    assert_int_equal(print(out, sizeof(out), "%s", ""), 0);
}

/* Cut anywhere, the rest is whole characters and an ellipsis. */
static void long_text_is_cut_between_characters(void **state)
{
    (void)state;
    static const char text[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z\xC3\xA9\xE2\x82\xAC";
    for (size_t capacity = 5; capacity < sizeof(text); capacity++) {
        char *out = malloc(capacity);
        size_t size = print(out, capacity, "%s", text);
        struct jsv_str kept = {out, size};
        assert_true(size < capacity);
        assert_int_equal(jsv_utf8_valid_prefix(kept), size);
        assert_memory_equal(out + size - 3, "…", 3);
        assert_memory_equal(out, text, size - 3);
        free(out);
    }
}

/* The size of a very long name is limited. */
static void text_of_any_size(void **state)
{
    (void)state;
    struct jsv_str huge = {"x", (size_t)1 << 40};
    struct {
        int size;
        const char *data;
    } argument = {JSV_TEXT(huge)};
    assert_int_equal(argument.size, 4096);
    assert_ptr_equal(argument.data, huge.data);
}

/* Up to 80 bytes, in whole characters. */
static void values(void **state)
{
    (void)state;
    char text[96];
    memset(text, 'x', sizeof(text));
    assert_int_equal(jsv_message_value((struct jsv_str){text, 80}).size, 80);
    assert_int_equal(jsv_message_value((struct jsv_str){text, 81}).size, 80);
    memcpy(text + 79, "é", 2);
    struct jsv_str part = jsv_message_value((struct jsv_str){text, sizeof(text)});
    assert_int_equal(part.size, 79);
    assert_ptr_equal(part.data, text);
}

static const char text[] = "{\"a/b\": [true, {\"~\": 1, \"\": []}], \"c\": null}";

/* In the order of the nodes; the pointer of a key is that of its value. */
static const char *const pointers[] = {
    "",
    "/a~1b",
    "/a~1b",
    "/a~1b/0",
    "/a~1b/1",
    "/a~1b/1/~0",
    "/a~1b/1/~0",
    "/a~1b/1/",
    "/a~1b/1/",
    "/c",
    "/c",
};

#define NODES     (sizeof(pointers) / sizeof(pointers[0]))
#define THE_ARRAY 2

static void pointers_from_the_root(void **state)
{
    struct jsv_value top = json_fixture_read(*state, text);
    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    assert_int_equal(jsv_node_skip(top.node), NODES);
    for (size_t i = 0; i < NODES; i++) {
        assert_text(jsv_node_pointer(&arena, top.document, top.node + i), pointers[i]);
    }
    jsv_arena_done(&arena);
}

static void pointers_from_an_inner_node(void **state)
{
    struct jsv_value top = json_fixture_read(*state, text);
    struct jsv_buf pointer;
    jsv_buf_init(&pointer, NULL, SIZE_MAX);
    jsv_node_pointer_append(&pointer, top.document, top.node + THE_ARRAY, top.node + THE_ARRAY);
    assert_text(jsv_buf_str(&pointer), "");
    jsv_node_pointer_append(&pointer, top.document, top.node + THE_ARRAY, top.node + 5);
    assert_text(jsv_buf_str(&pointer), "/1/~0");
    jsv_buf_done(&pointer);
}

static int point(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    (void)fixture;
    const struct jsv_value *top = data;
    return jsv_node_pointer(scratch, top->document, top->node + 5).data ? 0 : -ENOMEM;
}

static void pointer_without_memory(void **state)
{
    struct jsv_value top = json_fixture_read(*state, text);
    assert_int_equal(json_fixture_starve(*state, point, &top), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_text_is_printed_whole),
        cmocka_unit_test(long_text_is_cut_between_characters),
        cmocka_unit_test(text_of_any_size),
        cmocka_unit_test(values),
        JSON_TEST(pointers_from_the_root),
        JSON_TEST(pointers_from_an_inner_node),
        JSON_TEST(pointer_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
