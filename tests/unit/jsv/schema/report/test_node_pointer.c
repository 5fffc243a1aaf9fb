/*
 * The pointer of every node, from the top and from a place in between; names
 * that need escapes, no memory.
 */
#include <errno.h>

#include "jsv/schema/report/node_pointer.h"
#include "support/json_fixture.h"
#include "support/texts.h"

static const char text[] = "{\"a/b\": [true, {\"~\": 1, \"\": []}], \"c\": null}";

/* In the order of the tape; a key's pointer is that of its value. */
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

static void from_the_top(void **state)
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

static void from_in_between(void **state)
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

static void without_memory(void **state)
{
    struct jsv_value top = json_fixture_read(*state, text);
    assert_int_equal(json_fixture_starve(*state, point, &top), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(from_the_top),
        JSON_TEST(from_in_between),
        JSON_TEST(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
