/*
 * The format tests of the JSON Schema Test Suite, with formats asserted. They
 * are read from json-schema-test-suite/ in MCPGATE_SHARED and skipped if that is
 * missing.
 */
#include <stdio.h>
#include <stdlib.h>

#include "jsv/schema/format/format.h"
#include "support/files.h"
#include "support/json_fixture.h"

struct run {
    struct json_fixture *fixture;
    enum jsv_draft draft;
    size_t passed;
    size_t failed;
};

/* Only strings of a format that the draft has are checked. */
static bool is_valid(enum jsv_draft draft, struct jsv_str name, struct jsv_value value)
{
    enum jsv_format format;
    return jsv_value_type(value) != JSV_TYPE_STRING || !jsv_format_find(name, draft, &format) ||
           jsv_format_valid(format, jsv_value_text(value)) == 1;
}

static void run_group(struct run *run, struct jsv_value group)
{
    struct jsv_value schema = jsv_value_get(group, JSV_STR("schema"));
    struct jsv_str name = jsv_value_text(jsv_value_get(schema, JSV_STR("format")));
    assert_non_null(name.data);
    struct jsv_iter test = jsv_value_iter(jsv_value_get(group, JSV_STR("tests")));
    while (jsv_iter_next(&test)) {
        struct jsv_value value = jsv_value_get(test.value, JSV_STR("data"));
        bool expected = jsv_value_bool(jsv_value_get(test.value, JSV_STR("valid")));
        if (is_valid(run->draft, name, value) == expected) {
            run->passed++;
            continue;
        }
        run->failed++;
        struct jsv_str text = jsv_value_span(value);
        struct jsv_str about = jsv_value_text(jsv_value_get(test.value, JSV_STR("description")));
        print_error(
            "%.*s of %.*s should be %s: %.*s\n",
            (int)name.size,
            name.data,
            (int)text.size,
            text.data,
            expected ? "valid" : "invalid",
            (int)about.size,
            about.data);
    }
}

static void run_file(const char *path, void *data)
{
    struct run *run = data;
    struct jsv_str text = files_read(path);
    struct jsv_iter group = jsv_value_iter(json_fixture_read_str(run->fixture, text, 0));
    while (jsv_iter_next(&group)) {
        run_group(run, group.value);
    }
    free((void *)(uintptr_t)text.data);
}

static void suite(void **state)
{
    static const struct {
        const char *name;
        enum jsv_draft draft;
    } drafts[] = {
        {"draft4", JSV_DRAFT_4},
        {"draft6", JSV_DRAFT_6},
        {"draft7", JSV_DRAFT_7},
        {"draft2019-09", JSV_DRAFT_2019_09},
        {"draft2020-12", JSV_DRAFT_2020_12},
    };
    size_t failed = 0;
    for (size_t i = 0; i < sizeof(drafts) / sizeof(*drafts); i++) {
        char path[1024];
        snprintf(
            path,
            sizeof(path),
            "%s/data/json-schema-test-suite/tests/%s/optional/format",
            getenv("MCPGATE_SHARED"),
            drafts[i].name);
        struct run run = {.fixture = *state, .draft = drafts[i].draft};
        assert_int_not_equal(files_each(path, ".json", run_file, &run), 0);
        print_message("%s: %zu passed, %zu failed\n", drafts[i].name, run.passed, run.failed);
        assert_true(run.passed > 100);
        failed += run.failed;
    }
    assert_int_equal(failed, 0);
}

static void ignore(const char *path, void *data)
{
    (void)path;
    (void)data;
}

int main(void)
{
    const char *shared = getenv("MCPGATE_SHARED");
    char path[1024];
    snprintf(
        path, sizeof(path), "%s/data/json-schema-test-suite/tests/draft7", shared ? shared : "");
    if (!shared || files_each(path, ".json", ignore, NULL) == 0) {
        puts("skipped: no JSON Schema Test Suite (MCPGATE_SHARED)");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        JSON_TEST(suite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
