#define _GNU_SOURCE /* memfd_create(), nftw() */
#include "cli/yaml.h"
#include "unit/app/run.h"

static bool is_like(const char *name, const char *text)
{
    return app_is_like_yaml(name, jsv_str_from(text));
}

static void test_yaml(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "---",
        "---\na",
        "%YAML 1.2\n",
        "type: object",
        "$ref: '#/x'\n",
        "properties:\n  a: 1",
        "properties:\r\n  a: 1",
        "\n# x\n\n- a",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_true(is_like("x.json", texts[i]));
    }
    assert_true(is_like("x.yaml", "{"));
    assert_true(is_like("d/x.yml", ""));
}

static void test_broken_json(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "{",
        "{\"a\": 1",
        "\"a\": 1",
        "'a': 1",
        "[1",
        "nul",
        "a:b",
        ": x",
        "-",
        "-1 2",
        "#",
        "a b: c",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_false(is_like("x.json", texts[i]));
        assert_false(is_like(".yaml", texts[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_yaml),
        cmocka_unit_test(test_broken_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
