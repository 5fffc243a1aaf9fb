#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/call_arguments.h"
#include "unit/os/fault.h"

static const char schema_text[] =
    "{\"$defs\":{\"n\":{\"type\":\"integer\"}},\"properties\":{"
    "\"text\":{\"type\":\"string\"},\"count\":{\"type\":\"integer\"},"
    "\"either\":{\"type\":[\"string\",\"null\"]},\"any\":{},\"flag\":{\"type\":\"boolean\"},"
    "\"list\":{\"type\":\"array\"},\"object\":{\"type\":\"object\"},\"ref\":{\"$ref\":\"#/$defs/"
    "n\"},"
    "\"loop\":{\"$ref\":\"#/properties/loop\"},\"code\":{\"enum\":[\"1\",\"2\"]},"
    "\"level\":{\"enum\":[1,2]},\"fixed\":{\"const\":\"7\"},"
    "\"choice\":{\"anyOf\":[{\"type\":\"string\"},{\"$ref\":\"#/$defs/n\"}]},"
    "\"word\":{\"oneOf\":[{\"type\":\"string\"},{\"const\":\"x\"}]}}}";

static struct jsv_reader *reader;
static struct jsv_document *document;
static struct call_error fault_found;
static char text[1024];

static int write_words(const char *const *words, size_t count, bool with_schema)
{
    char copies[4][128];
    char *copied[4];
    struct jsv_buf out;
    struct jsv_value schema = {0};
    assert_true(count <= 4);
    for (size_t i = 0; i < count; i++) {
        snprintf(copies[i], sizeof(copies[i]), "%s", words[i]);
        copied[i] = copies[i];
    }
    if (with_schema) {
        assert_int_equal(jsv_read(reader, document, jsv_str_from(schema_text), 0, NULL), 0);
        schema = jsv_document_root(document);
    }
    jsv_buf_init(&out, os_allocator(), sizeof(text) - 1);
    int r = call_arguments_write(copied, count, schema, &out, &fault_found);
    snprintf(text, sizeof(text), "%.*s", (int)out.size, out.data ? out.data : "");
    jsv_buf_done(&out);
    return r;
}

#define WRITE(with_schema, ...)                                                                    \
    write_words(                                                                                   \
        (const char *const[]){__VA_ARGS__},                                                        \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *),                         \
        (with_schema))

static void values_have_the_type_the_schema_allows(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"text=12", "{\"text\":\"12\"}"},
        {"text=true", "{\"text\":\"true\"}"},
        {"text={}", "{\"text\":\"{}\"}"},
        {"text=", "{\"text\":\"\"}"},
        {"text=a=b", "{\"text\":\"a=b\"}"},
        {"text=say \"hi\"", "{\"text\":\"say \\\"hi\\\"\"}"},
        {"text:=12", "{\"text\":12}"},
        {"count=12", "{\"count\":12}"},
        {"count=1e400", "{\"count\":1e400}"},
        {"count=many", "{\"count\":\"many\"}"},
        {"count=true", "{\"count\":true}"},
        {"either=null", "{\"either\":null}"},
        {"either=1", "{\"either\":\"1\"}"},
        {"any=1", "{\"any\":1}"},
        {"any=\"1\"", "{\"any\":\"\\\"1\\\"\"}"},
        {"any:=\"1\"", "{\"any\":\"1\"}"},
        {"any=01", "{\"any\":\"01\"}"},
        {"flag=false", "{\"flag\":false}"},
        {"flag=no", "{\"flag\":\"no\"}"},
        {"list=[1, 2]", "{\"list\":[1,2]}"},
        {"object={\"a\": 1.50}", "{\"object\":{\"a\":1.50}}"},
        {"ref=5", "{\"ref\":5}"},
        {"loop=5", "{\"loop\":5}"},
        {"code=1", "{\"code\":\"1\"}"},
        {"level=1", "{\"level\":1}"},
        {"fixed=7", "{\"fixed\":\"7\"}"},
        {"choice=3", "{\"choice\":3}"},
        {"choice=true", "{\"choice\":\"true\"}"},
        {"word=3", "{\"word\":\"3\"}"},
        {"other=3", "{\"other\":3}"},
        {"{\"a\": [1]}", "{\"a\":[1]}"},
        {" {}", "{}"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(WRITE(true, cases[i][0]), 0);
        assert_string_equal(text, cases[i][1]);
    }
    assert_int_equal(WRITE(true, "text=1", "count=2", "any:=[]"), 0);
    assert_string_equal(text, "{\"text\":\"1\",\"count\":2,\"any\":[]}");
    assert_int_equal(write_words(NULL, 0, true), 0);
    assert_string_equal(text, "{}");
    /* without a schema nothing is known to be a string */
    assert_int_equal(WRITE(false, "text=12", "other=x"), 0);
    assert_string_equal(text, "{\"text\":12,\"other\":\"x\"}");
}

static void words_that_are_wrong_are_named(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"text", "expected NAME=VALUE, NAME:=JSON or one JSON object"},
        {"=1", "expected NAME=VALUE, NAME:=JSON or one JSON object"},
        {":=1", "expected NAME=VALUE, NAME:=JSON or one JSON object"},
        {"text:=x", "the value is not JSON: expected a value"},
        {"text:=", "the value is not JSON: expected a JSON value, found nothing"},
        {"{\"a\":1", "not JSON: unexpected end of input; expected ',' or '}'"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(WRITE(true, cases[i][0]), -EINVAL);
        assert_string_equal(fault_found.why, cases[i][1]);
    }
    assert_int_equal(WRITE(true, "any=1", "any:=2"), -EINVAL);
    assert_string_equal(fault_found.why, "duplicate argument");
    assert_int_equal(WRITE(true, "any=1", "{}"), -EINVAL);
}

static void misspelt_names_have_a_suggestion(void **state)
{
    (void)state;
    char good[] = "count=1";
    char bad[] = "cuont=1";
    char strange[] = "xyzzy=1";
    char *const words[] = {good, strange, bad};
    struct jsv_str name;
    struct jsv_str suggestion;
    assert_int_equal(jsv_read(reader, document, jsv_str_from(schema_text), 0, NULL), 0);
    struct jsv_value schema = jsv_document_root(document);
    assert_false(call_arguments_misspelt(words, 2, schema, &name, &suggestion));
    assert_true(call_arguments_misspelt(words, 3, schema, &name, &suggestion));
    assert_true(jsv_str_equal(name, JSV_STR("cuont")));
    assert_true(jsv_str_equal(suggestion, JSV_STR("count")));
    assert_false(call_arguments_misspelt(words, 3, (struct jsv_value){0}, &name, &suggestion));
}

static void memory_may_run_out(void **state)
{
    (void)state;
    bool hit = true;
    for (unsigned at = 1; hit; at++) {
        fault_arm(FAULT_RESIZE, at, 0);
        int r = WRITE(false, "a=1", "b={\"x\":\"\\u0041\"}");
        hit = fault.hit;
        assert_int_equal(fault.live_blocks, 0);
        fault_disarm();
        assert_int_equal(r, hit ? -ENOMEM : 0);
    }
}

/* A schema whose alternatives list each other: 30 to the power of 8 ways. */
static void wide_schemas_end(void **state)
{
    (void)state;
    struct jsv_buf schema;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    jsv_buf_append_str(&schema, JSV_STR("{\"$defs\":{\"a\":{\"anyOf\":[{\"$ref\":\"#/$defs/b\"}"));
    for (int i = 0; i < 29; i++) {
        jsv_buf_append_str(&schema, JSV_STR(",{\"$ref\":\"#/$defs/b\"}"));
    }
    jsv_buf_append_str(&schema, JSV_STR("]},\"b\":{\"anyOf\":[{\"type\":\"string\"}"));
    for (int i = 0; i < 29; i++) {
        jsv_buf_append_str(&schema, JSV_STR(",{\"$ref\":\"#/$defs/a\"}"));
    }
    jsv_buf_append_str(&schema, JSV_STR("]}},\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\"}}}"));
    assert_int_equal(jsv_read(reader, document, jsv_buf_str(&schema), 0, NULL), 0);
    char word[] = "x=1";
    char *words[] = {word};
    struct jsv_buf out;
    jsv_buf_init(&out, os_allocator(), sizeof(text));
    alarm(20);
    int r = call_arguments_write(words, 1, jsv_document_root(document), &out, &fault_found);
    alarm(0);
    assert_int_equal(r, 0);
    assert_true(jsv_str_equal(jsv_buf_str(&out), JSV_STR("{\"x\":1}")));
    jsv_buf_done(&out);
    jsv_buf_done(&schema);
}

static int set_up(void **state)
{
    (void)state;
    reader = jsv_reader_new(NULL, NULL);
    document = jsv_document_new(NULL);
    return reader && document ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    jsv_document_free(document);
    jsv_reader_free(reader);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_the_type_the_schema_allows),
        cmocka_unit_test(words_that_are_wrong_are_named),
        cmocka_unit_test(misspelt_names_have_a_suggestion),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(wide_schemas_end),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
