/*
 * Regular expressions in the JSON Schema Test Suite: pattern, patternProperties,
 * the optional files about ECMA-262 and characters beyond the BMP, and format
 * "regex". Skipped if MCPGATE_SHARED does not have the suite.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/files.h"
#include "support/json_fixture.h"
#include "support/regex_ask.h"

struct tally {
    size_t patterns;
    size_t keys;
    size_t formats;
};

static void expect(struct jsv_str pattern, struct jsv_str subject, int expected)
{
    if (regex_ask_str(pattern, subject) != expected) {
        fail_msg("%.*s on %.*s", (int)pattern.size, pattern.data, (int)subject.size, subject.data);
    }
}

static void ask_pattern(struct jsv_value pattern, struct jsv_value test, struct tally *tally)
{
    struct jsv_value data = jsv_value_get(test, JSV_STR("data"));
    if (jsv_value_type(data) == JSV_TYPE_STRING) {
        bool valid = jsv_value_bool(jsv_value_get(test, JSV_STR("valid")));
        expect(jsv_value_text(pattern), jsv_value_text(data), valid);
        tally->patterns++;
    }
}

static void ask_format(struct jsv_value test, struct tally *tally)
{
    struct jsv_value data = jsv_value_get(test, JSV_STR("data"));
    if (jsv_value_type(data) == JSV_TYPE_STRING) {
        bool valid = jsv_value_bool(jsv_value_get(test, JSV_STR("valid")));
        assert_int_equal(jsv_regex_check(jsv_value_text(data), NULL, NULL) == 0, valid);
        tally->formats++;
    }
}

/*
 * The verdict shows whether a key matches if there is one pattern and no other key
 * is allowed.
 */
static void ask_keys(struct jsv_value schema, struct jsv_value test, struct tally *tally)
{
    struct jsv_value patterns = jsv_value_get(schema, JSV_STR("patternProperties"));
    struct jsv_value others = jsv_value_get(schema, JSV_STR("additionalProperties"));
    struct jsv_value data = jsv_value_get(test, JSV_STR("data"));
    bool closed = jsv_value_type(others) == JSV_TYPE_BOOLEAN && !jsv_value_bool(others);
    struct jsv_iter pattern = jsv_value_iter(patterns);
    while (jsv_iter_next(&pattern)) {
        struct jsv_iter member = jsv_value_iter(data);
        while (jsv_value_type(data) == JSV_TYPE_OBJECT && jsv_iter_next(&member)) {
            struct jsv_str text = jsv_value_text(pattern.key);
            int found = regex_ask_str(text, jsv_value_text(member.key));
            assert_true(found == 0 || found == 1);
            if (closed && jsv_value_count(patterns) == 1 && jsv_value_count(data) == 1) {
                assert_int_equal(found, jsv_value_bool(jsv_value_get(test, JSV_STR("valid"))));
                tally->keys++;
            }
        }
    }
}

static void run_file(struct json_fixture *fixture, const char *path, struct tally *tally)
{
    struct jsv_str text = files_read(path);
    struct jsv_iter group = jsv_value_iter(json_fixture_read_str(fixture, text, 0));
    while (jsv_iter_next(&group)) {
        struct jsv_value schema = jsv_value_get(group.value, JSV_STR("schema"));
        struct jsv_value pattern = jsv_value_get(schema, JSV_STR("pattern"));
        struct jsv_value format = jsv_value_get(schema, JSV_STR("format"));
        struct jsv_iter test = jsv_value_iter(jsv_value_get(group.value, JSV_STR("tests")));
        while (jsv_iter_next(&test)) {
            if (jsv_value_type(pattern) == JSV_TYPE_STRING) {
                ask_pattern(pattern, test.value, tally);
            }
            if (jsv_str_equal(jsv_value_text(format), JSV_STR("regex"))) {
                ask_format(test.value, tally);
            }
            ask_keys(schema, test.value, tally);
        }
    }
    free((void *)(uintptr_t)text.data);
}

static void suite_path(char *out, size_t size, const char *draft, const char *file)
{
    snprintf(
        out,
        size,
        "%s/data/json-schema-test-suite/tests/%s/%s.json",
        getenv("MCPGATE_SHARED"),
        draft,
        file);
}

static void test_suite(void **state)
{
    static const char *const drafts[] = {
        "draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"};
    static const char *const files[] = {
        "pattern",
        "patternProperties",
        "optional/ecmascript-regex",
        "optional/non-bmp-regex",
        "optional/format/regex",
        "optional/format/ecmascript-regex",
    };
    struct tally tally = {0};
    for (size_t i = 0; i < sizeof drafts / sizeof drafts[0]; i++) {
        for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
            char path[1024];
            suite_path(path, sizeof path, drafts[i], files[k]);
            if (access(path, R_OK) == 0) {
                run_file(*state, path, &tally);
            }
        }
    }
    print_message(
        "%zu patterns, %zu keys, %zu formats\n", tally.patterns, tally.keys, tally.formats);
    assert_true(tally.patterns > 300 && tally.keys > 50 && tally.formats > 30);
}

int main(void)
{
    char path[1024];
    suite_path(path, sizeof path, "draft7", "pattern");
    if (!getenv("MCPGATE_SHARED") || access(path, R_OK) != 0) {
        puts("skipped: no JSON Schema Test Suite (MCPGATE_SHARED)");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        JSON_TEST(test_suite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
