#define _GNU_SOURCE /* memfd_create() */
#include <jsv/json.h>

#include "tools/tool.h"
#include "unit/app/run.h"

/* The whole descriptor of each tool, in order. */
static void test_json(void **state)
{
    (void)state;
    size_t count;
    const struct jsv_str *descriptors = tools_descriptors(&count);
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    struct jsv_document *descriptor = jsv_document_new(NULL);
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, NULL, SIZE_MAX);
    run_cli("", "tools");
    assert_int_equal(run.status, 0);
    assert_int_equal(jsv_read(reader, document, jsv_str_from(run.out), 0, NULL), 0);
    struct jsv_value list = jsv_document_root(document);
    assert_int_equal(jsv_value_count(list), count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(jsv_read(reader, descriptor, descriptors[i], 0, NULL), 0);
        assert_int_equal(
            jsv_value_equal(jsv_value_at(list, i), jsv_document_root(descriptor), &scratch), 1);
    }
    jsv_arena_done(&scratch);
    jsv_document_free(descriptor);
    jsv_document_free(document);
    jsv_reader_free(reader);
}

static void test_text(void **state)
{
    (void)state;
    run_cli("", "tools", "--format", "text");
    assert_int_equal(run.status, 0);
    assert_memory_equal(run.out, "name ", 5);
    assert_non_null(strstr(run.out, "\nvalidate_asset  "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
