/*
 * Strings of every size around that of a window, and around that of a word
 * before the end of the text.
 */
#include <string.h>

#include "jsv/json/node.h"
#include "support/count_of.h"
#include "support/reading.h"

static void strings_of_every_size(void **state)
{
    struct reading *reading = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    static const size_t around[] = {0, 64, 128, 8192, 16384, 65536};
    for (size_t i = 0; i < COUNT_OF(around); i++) {
        for (size_t j = 0; j < 20; j++) {
            if (around[i] + j < 10) {
                continue;
            }
            size_t size = around[i] + j - 10;
            jsv_buf_reset(&text);
            jsv_buf_append_str(&text, JSV_STR("[\""));
            reading_fill(&text, 'x', size);
            jsv_buf_append_str(&text, JSV_STR("\",{\""));
            reading_fill(&text, 'y', size);
            jsv_buf_append_str(&text, JSV_STR("\":1}]"));
            struct jsv_value root = reading_root(reading, jsv_buf_str(&text), 0);
            struct jsv_str first = jsv_value_text(jsv_value_at(root, 0));
            struct jsv_iter iter = jsv_value_iter(jsv_value_at(root, 1));
            assert_true(jsv_iter_next(&iter));
            struct jsv_str key = jsv_value_text(iter.key);
            assert_int_equal(first.size, size);
            assert_int_equal(key.size, size);
            assert_ptr_equal(first.data, reading->text + 2);
            assert_ptr_equal(key.data, reading->text + size + 6);
            unsigned flags = jsv_node_flags(iter.key.node);
            assert_int_equal((flags & JSV_NODE_LONG) != 0, size > 65535);
            assert_ptr_equal(jsv_value_get(jsv_value_at(root, 1), key).node, iter.value.node);
        }
    }
    jsv_buf_done(&text);
}

static void strings_at_every_distance_from_the_end(void **state)
{
    struct reading *reading = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (size_t size = 0; size < 12; size++) {
        for (size_t distance = 0; distance < 12; distance++) {
            jsv_buf_reset(&text);
            jsv_buf_append_str(&text, JSV_STR("[\""));
            reading_fill(&text, 'x', size);
            jsv_buf_append_str(&text, JSV_STR("\""));
            reading_fill(&text, ' ', distance);
            jsv_buf_append_str(&text, JSV_STR("]"));
            struct jsv_value root = reading_root(reading, jsv_buf_str(&text), 0);
            struct jsv_value string = jsv_value_at(root, 0);
            struct jsv_str expected = {text.data + 2, size};
            assert_true(jsv_str_equal(jsv_value_text(string), expected));
            assert_int_equal(string.node->body, jsv_prefix(expected.data, size));
        }
    }
    jsv_buf_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        READING_TEST(strings_of_every_size),
        READING_TEST(strings_at_every_distance_from_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
