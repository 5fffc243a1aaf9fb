#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/report.h"
#include "cli/validate/output.h"

static void
assert_reason(const char *keyword, const char *schema_path, const char *way, const char *expected)
{
    const struct jsv_problem problem = {
        .keyword = jsv_str_from(keyword),
        .schema_path = jsv_str_from(schema_path),
        .evaluation_path = jsv_str_from(way),
    };
    struct cli_message message;
    cli_message_init(&message, false);
    validate_reason_put(&message, &problem);
    message.data[message.size] = '\0';
    assert_string_equal(message.data, expected);
}

/* The schema false, without a condition and behind each kind of it. */
static void test_reason_for_false(void **state)
{
    (void)state;
    assert_reason("", "", "", "");
    assert_reason("", "/properties/v", "/properties/v", ": the schema at /properties/v is false");
    assert_reason(
        "",
        "/then",
        "/then",
        ": the schema at /then is false, which applies because \"if\" at /if matches");
    assert_reason(
        "",
        "/$defs/n/properties/b",
        "/allOf/0/else/$ref/properties/b",
        ": the schema at /$defs/n/properties/b is false, which applies because \"if\" at"
        " /allOf/0/if does not match");
    assert_reason(
        "",
        "/dependentSchemas/q",
        "/then/dependentSchemas/q",
        ": the schema at /dependentSchemas/q is false, which applies because \"q\" is present");
}

/* Names are shown as they are in the document, not as in a pointer. */
static void test_reason_unescapes_names(void **state)
{
    (void)state;
    assert_reason(
        "",
        "/dependentSchemas/x~1y~0",
        "/dependentSchemas/x~1y~0",
        ": the schema at /dependentSchemas/x~1y~0 is false, which applies because \"x/y~\" is"
        " present");
    char way[4096] = "/dependentSchemas/";
    for (size_t i = strlen(way); i + 2 < sizeof(way); i += 2) {
        memcpy(way + i, "~1", 2);
    }
    const struct jsv_problem problem = {
        .keyword = JSV_STR("not"),
        .schema_path = JSV_STR("/not"),
        .evaluation_path = jsv_str_from(way),
    };
    struct cli_message message;
    cli_message_init(&message, false);
    validate_reason_put(&message, &problem);
    message.data[message.size] = '\0';
    assert_null(strchr(message.data, '~'));
    assert_non_null(strstr(message.data, "\" is present"));
}

static void test_reason_for_not(void **state)
{
    (void)state;
    assert_reason("not", "/not", "/not", " at /not");
    assert_reason(
        "not",
        "/dependencies/r/not",
        "/dependencies/r/not",
        " at /dependencies/r/not, which applies because \"r\" is present");
    assert_reason("type", "/then/type", "/then/type", "");
}

/* Members may be called as keywords are. */
static void test_reason_skips_names_like_keywords(void **state)
{
    (void)state;
    assert_reason(
        "", "/properties/then", "/properties/then", ": the schema at /properties/then is false");
    assert_reason(
        "",
        "/items/else/then",
        "/items/0/else/properties/dependencies/items/then",
        ": the schema at /items/else/then is false, which applies because \"if\" at"
        " /items/0/else/properties/dependencies/items/if matches");
}

static struct jsv_reader *reader;
static struct jsv_document *document;
static struct jsv_buf out;

static int set_up(void **state)
{
    (void)state;
    reader = jsv_reader_new(NULL, NULL);
    document = jsv_document_new(NULL);
    jsv_buf_init(&out, NULL, 1 << 20);
    return reader && document ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    jsv_document_free(document);
    jsv_reader_free(reader);
    jsv_buf_done(&out);
    return 0;
}

static void assert_out(
    const struct validate_verdict *verdict, enum validate_format format, const char *expected)
{
    jsv_buf_reset(&out);
    validate_output_write(verdict, format, false, &out);
    assert_int_equal(jsv_buf_append_byte(&out, '\0'), 0);
    assert_string_equal(out.data, expected);
}

/* A verdict on a document that is JSON. */
static struct validate_verdict
verdict_on(const char *text, const struct jsv_problem *problems, size_t count, size_t more)
{
    static struct jsv_problem placed[32];
    struct jsv_str str = jsv_str_from(text);
    assert_int_equal(jsv_read(reader, document, str, 0, NULL), 0);
    for (size_t i = 0; i < count; i++) {
        struct jsv_value value = jsv_document_root(document);
        (void)jsv_pointer_get(value, problems[i].path, &value);
        placed[i] = problems[i];
        placed[i].offset = problems[i].offset ? problems[i].offset : jsv_value_offset(value);
    }
    return (struct validate_verdict){
        .name = "a.json",
        .line = 1,
        .text = str,
        .problems = {placed, count, more},
        .is_json = true,
    };
}

static const struct jsv_problem two[] = {
    {
        .path = {"", 0},
        .message = {"missing property \"z\"", 20},
        .keyword = {"required", 8},
        .schema_path = {"/required", 9},
        .evaluation_path = {"/$ref/required", 14},
    },
    {
        .path = {"/x", 2},
        .message = {"expected number", 15},
        .keyword = {"type", 4},
        .schema_path = {"/properties/x/type", 18},
        .evaluation_path = {"/$ref/properties/x/type", 23},
        .resource_uri = {"urn:s", 5},
        .resource_path = {"/properties/x/type", 18},
    },
};

static void test_valid(void **state)
{
    (void)state;
    struct validate_verdict verdict = verdict_on("{}", NULL, 0, 0);
    verdict.line = 7;
    assert_out(&verdict, VALIDATE_TEXT, "");
    assert_out(&verdict, VALIDATE_JSON, "{\"file\":\"a.json\",\"line\":7,\"ok\":true}\n");
    assert_out(&verdict, VALIDATE_BASIC, "{\"valid\":true}\n");
    assert_out(&verdict, VALIDATE_GITHUB, "");
}

static void test_invalid(void **state)
{
    (void)state;
    struct validate_verdict verdict =
        verdict_on("\n{\"\xc3\xa9\": 1,\n  \"x\": \"no\"}", two, 2, 0);
    assert_out(
        &verdict,
        VALIDATE_TEXT,
        "a.json:2:1: missing property \"z\"\n"
        "  {\"\xc3\xa9\": 1,\n"
        "  ^\n"
        "a.json:3:8: /x: expected number\n"
        "    \"x\": \"no\"}\n"
        "         ^\n");
    assert_out(
        &verdict,
        VALIDATE_JSON,
        "{\"file\":\"a.json\",\"line\":1,\"ok\":false,\"errors\":["
        "{\"path\":\"\",\"msg\":\"missing property \\\"z\\\"\",\"keyword\":\"required\","
        "\"schemaPath\":\"/required\"},"
        "{\"path\":\"/x\",\"msg\":\"expected number\",\"keyword\":\"type\","
        "\"schemaPath\":\"/properties/x/type\"}]}\n");
    assert_out(
        &verdict,
        VALIDATE_BASIC,
        "{\"valid\":false,\"errors\":["
        "{\"keywordLocation\":\"/$ref/required\",\"instanceLocation\":\"\","
        "\"error\":\"missing property \\\"z\\\"\"},"
        "{\"keywordLocation\":\"/$ref/properties/x/type\","
        "\"absoluteKeywordLocation\":\"urn:s#/properties/x/type\","
        "\"instanceLocation\":\"/x\",\"error\":\"expected number\"}]}\n");
    assert_out(
        &verdict,
        VALIDATE_GITHUB,
        "::error file=a.json,line=2,col=1::missing property \"z\"\n"
        "::error file=a.json,line=3,col=8::/x: expected number\n");
}

/* The line of a document in a larger file. */
static void test_lines_count_from_the_start_of_the_file(void **state)
{
    (void)state;
    struct validate_verdict verdict = verdict_on("{\"x\": \"no\"}", two + 1, 1, 0);
    verdict.line = 500;
    assert_out(
        &verdict,
        VALIDATE_TEXT,
        "a.json:500:7: /x: expected number\n"
        "  {\"x\": \"no\"}\n"
        "        ^\n");
    assert_out(
        &verdict, VALIDATE_GITHUB, "::error file=a.json,line=500,col=7::/x: expected number\n");
}

static void test_more(void **state)
{
    (void)state;
    struct validate_verdict verdict = verdict_on("{\"x\": 1}", two + 1, 1, 41);
    verdict.line = 3;
    jsv_buf_reset(&out);
    validate_output_write(&verdict, VALIDATE_TEXT, false, &out);
    assert_int_equal(jsv_buf_append_byte(&out, '\0'), 0);
    assert_non_null(strstr(out.data, "\na.json:3: and 41 more\n"));
    jsv_buf_reset(&out);
    validate_output_write(&verdict, VALIDATE_JSON, false, &out);
    assert_int_equal(jsv_buf_append_byte(&out, '\0'), 0);
    assert_non_null(strstr(out.data, "}],\"more\":41}\n"));
    jsv_buf_reset(&out);
    validate_output_write(&verdict, VALIDATE_GITHUB, false, &out);
    assert_int_equal(jsv_buf_append_byte(&out, '\0'), 0);
    assert_non_null(strstr(out.data, "\n::error file=a.json,line=3::and 41 more\n"));
    jsv_buf_reset(&out);
    validate_output_write(&verdict, VALIDATE_BASIC, false, &out);
    assert_int_equal(jsv_buf_append_byte(&out, '\0'), 0);
    assert_non_null(strstr(out.data, "\"error\":\"and 41 more\"}]}\n"));
}

static void test_not_json(void **state)
{
    (void)state;
    struct jsv_problem problem = {
        .path = JSV_STR("/x"), .message = JSV_STR("expected a value"), .offset = 8};
    struct validate_verdict verdict = {
        .name = "a.json",
        .line = 1,
        .text = JSV_STR("{\n \"x\": }"),
        .problems = {&problem, 1, 0},
    };
    assert_out(
        &verdict,
        VALIDATE_TEXT,
        "a.json:2:7: /x: expected a value\n"
        "   \"x\": }\n"
        "        ^\n");
    assert_out(
        &verdict,
        VALIDATE_JSON,
        "{\"file\":\"a.json\",\"line\":1,\"ok\":false,\"errors\":[{\"path\":\"/x\","
        "\"msg\":\"expected a value (line 2, column "
        "7)\",\"keyword\":\"\",\"schemaPath\":\"\"}]}\n");
    assert_out(
        &verdict,
        VALIDATE_BASIC,
        "{\"valid\":false,\"errors\":[{\"keywordLocation\":\"\",\"instanceLocation\":\"/x\","
        "\"error\":\"expected a value (line 2, column 7)\"}]}\n");
    assert_out(
        &verdict, VALIDATE_GITHUB, "::error file=a.json,line=2,col=7::/x: expected a value\n");
    /* No text, no place in it. */
    verdict.text = (struct jsv_str){NULL, 0};
    problem.offset = 0;
    verdict.line = 9;
    assert_out(&verdict, VALIDATE_TEXT, "a.json:9:1: /x: expected a value\n");
    assert_out(
        &verdict,
        VALIDATE_JSON,
        "{\"file\":\"a.json\",\"line\":9,\"ok\":false,\"errors\":[{\"path\":\"/x\","
        "\"msg\":\"expected a value\",\"keyword\":\"\",\"schemaPath\":\"\"}]}\n");
}

static void test_hostile_texts_are_escaped(void **state)
{
    (void)state;
    const struct jsv_problem problem = {
        .path = JSV_STR("/\033[2J\n"), .message = JSV_STR("a%b\r\n::error::c\033")};
    struct validate_verdict verdict = {
        .name = "x\xff,\n:%\033",
        .line = 1,
        .text = JSV_STR("\"\033\""),
        .problems = {&problem, 1, 0},
    };
    assert_out(
        &verdict,
        VALIDATE_TEXT,
        "x\\xff,\\x0a:%\\x1b:1:1: /\\x1b[2J\\x0a: a%b\\x0d\\x0a::error::c\\x1b\n"
        "  \"\\x1b\"\n"
        "  ^\n");
    jsv_buf_reset(&out);
    validate_output_write(&verdict, VALIDATE_JSON, false, &out);
    assert_int_equal(jsv_read(reader, document, jsv_buf_str(&out), 0, NULL), 0);
    struct jsv_str file =
        jsv_value_text(jsv_value_get(jsv_document_root(document), JSV_STR("file")));
    assert_true(jsv_str_equal(file, JSV_STR("x\xef\xbf\xbd,\n:%\033")));
    assert_out(
        &verdict,
        VALIDATE_GITHUB,
        "::error file=x\xff%2C%0A%3A%25%1B,line=1,col=1::"
        "/%1B[2J%0A: a%25b%0D%0A::error::c%1B\n");
}

static void test_colours(void **state)
{
    (void)state;
    struct validate_verdict verdict = verdict_on("{\"x\": 1}", two + 1, 1, 0);
    validate_output_write(&verdict, VALIDATE_TEXT, true, &out);
    assert_int_equal(jsv_buf_append_byte(&out, '\0'), 0);
    assert_string_equal(
        out.data,
        "\033[1ma.json:1:7:\033[0m /x: expected number\n"
        "  {\"x\": 1}\n"
        "        \033[1;31m^\033[0m\n");
}

/* Long paths and messages are cut for people, and only for them. */
static void test_long_texts(void **state)
{
    (void)state;
    char *longest = malloc(5000);
    memset(longest, 'p', 5000);
    longest[0] = '/';
    const struct jsv_problem problem = {.path = {longest, 5000}, .message = {longest, 5000}};
    struct validate_verdict verdict = verdict_on("{}", &problem, 1, 0);
    validate_output_write(&verdict, VALIDATE_TEXT, false, &out);
    assert_true(out.size < 1000);
    jsv_buf_reset(&out);
    validate_output_write(&verdict, VALIDATE_JSON, false, &out);
    assert_true(out.size > 10000);
    free(longest);
}

static void test_full_buffer(void **state)
{
    (void)state;
    struct validate_verdict verdict = verdict_on("{\"x\": 1}", two, 2, 3);
    verdict.name = "bad\xff name";
    for (int format = VALIDATE_TEXT; format <= VALIDATE_GITHUB; format++) {
        jsv_buf_reset(&out);
        validate_output_write(&verdict, (enum validate_format)format, true, &out);
        for (size_t size_max = 0; size_max < out.size; size_max += 3) {
            struct jsv_buf small;
            jsv_buf_init(&small, NULL, size_max);
            validate_output_write(&verdict, (enum validate_format)format, true, &small);
            assert_int_equal(small.error, -ENOBUFS);
            jsv_buf_done(&small);
        }
    }
}

#define OUTPUT_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

/* Members missing in one object are one entry of text; the other forms have one each. */
static void test_missing_members(void **state)
{
    (void)state;
    static const struct jsv_problem problems[] = {
        {.path = {"", 0},
         .message = {"missing property \"a\"", 20},
         .keyword = {"required", 8},
         .member = {"a", 1}},
        {.path = {"", 0},
         .message = {"missing property \"b\"", 20},
         .keyword = {"required", 8},
         .member = {"b", 1},
         .others = 3},
        {.path = {"/x", 2},
         .message = {"missing property \"c\"", 20},
         .keyword = {"required", 8},
         .member = {"c", 1},
         .others = 1},
    };
    struct validate_verdict verdict = verdict_on("{\"x\":{}}", problems, 3, 0);
    assert_out(
        &verdict,
        VALIDATE_TEXT,
        "a.json:1:1: missing properties \"a\", \"b\", or one of 3 others\n"
        "  {\"x\":{}}\n"
        "  ^\n"
        "a.json:1:6: /x: missing property \"c\", or one of 1 other\n"
        "  {\"x\":{}}\n"
        "       ^\n");
    jsv_buf_reset(&out);
    validate_output_write(&verdict, VALIDATE_GITHUB, false, &out);
    jsv_buf_append_byte(&out, '\0');
    assert_non_null(strstr(out.data, "::missing property \"a\"\n"));
    /* as many as fit */
    static const char name[] = "a-name-of-forty-characters-to-fill-lines";
    struct jsv_problem many[30];
    for (size_t i = 0; i < 30; i++) {
        many[i] = problems[0];
        many[i].member = jsv_str_from(name);
    }
    verdict = verdict_on("{}", many, 30, 0);
    jsv_buf_reset(&out);
    validate_output_write(&verdict, VALIDATE_TEXT, false, &out);
    jsv_buf_append_byte(&out, '\0');
    assert_non_null(strstr(out.data, "lines\" and 19 more\n  {}\n"));
}

static void test_problems_about_names_and_types(void **state)
{
    (void)state;
    static const struct jsv_problem problems[] = {
        {.path = {"/a~1b", 5}, .message = {"unexpected", 10}, .about_name = true, .offset = 10},
        {.path = {"/x/0", 4}, .message = {"expected string", 15}, .found = {"number", 6}},
    };
    struct validate_verdict verdict = verdict_on("{\"x\":[1], \"a/b\": 2}", problems, 2, 0);
    assert_out(
        &verdict,
        VALIDATE_TEXT,
        "a.json:1:11: /a~1b: unexpected\n"
        "  {\"x\":[1], \"a/b\": 2}\n"
        "            ^\n"
        "a.json:1:7: /x/0: expected string, found number\n"
        "  {\"x\":[1], \"a/b\": 2}\n"
        "        ^\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reason_for_false),
        cmocka_unit_test(test_reason_unescapes_names),
        cmocka_unit_test(test_reason_for_not),
        cmocka_unit_test(test_reason_skips_names_like_keywords),
        OUTPUT_TEST(test_valid),
        OUTPUT_TEST(test_invalid),
        OUTPUT_TEST(test_lines_count_from_the_start_of_the_file),
        OUTPUT_TEST(test_more),
        OUTPUT_TEST(test_not_json),
        OUTPUT_TEST(test_hostile_texts_are_escaped),
        OUTPUT_TEST(test_colours),
        OUTPUT_TEST(test_long_texts),
        OUTPUT_TEST(test_full_buffer),
        OUTPUT_TEST(test_missing_members),
        OUTPUT_TEST(test_problems_about_names_and_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
