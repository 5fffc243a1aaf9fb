/*
 * Verdicts and problems, keyword by keyword. Every case is validated twice, by
 * the program and by explaining, and both must say the same.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jsv/schema.h>

#include "support/count_of.h"
#include "support/json_fixture.h"

/* What one case needs; made anew for each. */
struct bench {
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_registry *registry;
    struct jsv_schema *schema;
    struct jsv_validator *validator;
    struct jsv_error fault;
};

static void bench_done(struct bench *bench)
{
    jsv_schema_free(bench->schema);
    jsv_validator_free(bench->validator);
    jsv_registry_free(bench->registry);
    jsv_document_free(bench->document);
    jsv_reader_free(bench->reader);
}

/* 0, or why the schema does not compile. */
static int bench_make(
    struct bench *bench,
    const struct jsv_allocator *allocator,
    enum jsv_draft draft,
    const char *schema)
{
    struct jsv_registry_options options = {.draft = draft};
    struct jsv_schema_options how = {.assert_format = true, .assert_content = true};
    struct jsv_str uri = JSV_STR("https://example.test/root");
    *bench = (struct bench){
        .reader = jsv_reader_new(allocator, NULL),
        .document = jsv_document_new(allocator),
        .registry = jsv_registry_new(allocator, &options),
        .validator = jsv_validator_new(allocator, NULL),
    };
    if (!bench->reader || !bench->document || !bench->registry || !bench->validator) {
        return -ENOMEM;
    }
    int r = jsv_registry_add(bench->registry, uri, jsv_str_from(schema), &bench->fault);
    if (r == 0) {
        r = jsv_schema_compile(bench->registry, uri, &how, &bench->schema, &bench->fault);
    }
    return r;
}

struct verdict_case {
    enum jsv_draft draft;
    const char *schema;
    const char *valid;   /* instances, each on a line of its own */
    const char *invalid; /* the same */
};

static const struct verdict_case verdicts[] = {
    {JSV_DRAFT_2020_12, "true", "1\nnull\n{}", ""},
    {JSV_DRAFT_2020_12, "false", "", "1\nnull\n{}"},
    {JSV_DRAFT_2020_12, "{\"type\":\"integer\"}", "1\n1.0\n10e-1\n-0", "1.5\n\"1\"\ntrue"},
    {JSV_DRAFT_4, "{\"type\":\"integer\"}", "1\n-7", "1.0\n1.5"},
    {JSV_DRAFT_7, "{\"type\":[\"string\",\"null\"]}", "\"\"\nnull", "0\n[]"},
    {JSV_DRAFT_7, "{\"const\":{\"a\":[1,true]}}", "{\"a\":[1.0,true]}", "{\"a\":[1,1]}\n{}"},
    {JSV_DRAFT_7,
     "{\"enum\":[\"a\",1,null,false,[2]]}",
     "\"a\"\n1.0\nnull\nfalse\n[2]",
     "true\n[3]"},
    {JSV_DRAFT_7, "{\"multipleOf\":0.01}", "0.07\n4.35\n\"x\"\n1e400", "0.075\n1e-400"},
    {JSV_DRAFT_7, "{\"maximum\":3,\"minimum\":-2}", "3\n-2\n2.999\n\"9\"", "4\n-3\n3.0001\n1e400"},
    {JSV_DRAFT_7, "{\"exclusiveMaximum\":3,\"exclusiveMinimum\":1}", "2\n2.9", "3\n1\n1.0"},
    {JSV_DRAFT_4, "{\"maximum\":3,\"exclusiveMaximum\":true}", "2\n2.9", "3\n3.0"},
    {JSV_DRAFT_7,
     "{\"minLength\":2,\"maxLength\":3}",
     "\"ab\"\n\"\\u00e9\\u00e9\\u00e9\"",
     "\"a\"\n\"abcd\""},
    {JSV_DRAFT_7, "{\"pattern\":\"^a+$\"}", "\"aa\"\n3", "\"ab\"\n\"\""},
    {JSV_DRAFT_7, "{\"format\":\"ipv4\"}", "\"127.0.0.1\"\n7", "\"256.0.0.1\""},
    {JSV_DRAFT_7,
     "{\"contentEncoding\":\"base64\",\"contentMediaType\":\"application/json\"}",
     "\"e30=\"",
     "\"e30\"\n\"ew==\""},
    {JSV_DRAFT_7, "{\"minItems\":1,\"maxItems\":2}", "[1]\n[1,2]\n{}", "[]\n[1,2,3]"},
    {JSV_DRAFT_7,
     "{\"uniqueItems\":true}",
     "[1,2,\"1\",[1],{\"a\":1}]",
     "[1,1.0]\n[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]"},
    {JSV_DRAFT_7,
     "{\"items\":[{\"type\":\"string\"}],\"additionalItems\":{\"type\":\"number\"}}",
     "[\"a\",1,2]\n[]",
     "[1]\n[\"a\",\"b\"]"},
    {JSV_DRAFT_2020_12,
     "{\"prefixItems\":[{\"type\":\"string\"}],\"items\":false}",
     "[\"a\"]\n[]",
     "[1]\n[\"a\",\"b\"]"},
    {JSV_DRAFT_2020_12,
     "{\"contains\":{\"type\":\"number\"},\"minContains\":2,\"maxContains\":3}",
     "[1,2]\n[1,\"a\",2,3]",
     "[1]\n[1,2,3,4]"},
    {JSV_DRAFT_7, "{\"contains\":{\"const\":5}}", "[1,5]", "[]\n[1]"},
    {JSV_DRAFT_7, "{\"required\":[\"a\",\"b\"]}", "{\"a\":1,\"b\":2}\n[]", "{\"a\":1}\n{}"},
    {JSV_DRAFT_7,
     "{\"properties\":{\"a\":{\"type\":\"string\"}},\"patternProperties\":{\"^x\":{\"type\":"
     "\"null\"}},\"additionalProperties\":false}",
     "{\"a\":\"s\",\"x1\":null}",
     "{\"a\":1}\n{\"x1\":0}\n{\"b\":1}"},
    {JSV_DRAFT_7,
     "{\"minProperties\":1,\"maxProperties\":2}",
     "{\"a\":1}\n{\"a\":1,\"b\":2}",
     "{}\n{\"a\":1,\"b\":2,\"c\":3}"},
    {JSV_DRAFT_7, "{\"propertyNames\":{\"maxLength\":2}}", "{\"ab\":1}", "{\"abc\":1}"},
    {JSV_DRAFT_7,
     "{\"dependencies\":{\"a\":[\"b\"],\"c\":{\"minProperties\":2}}}",
     "{\"a\":1,\"b\":2}\n{\"c\":1,\"d\":2}\n{}",
     "{\"a\":1}\n{\"c\":1}"},
    {JSV_DRAFT_2020_12,
     "{\"dependentRequired\":{\"a\":[\"b\"]},\"dependentSchemas\":{\"c\":{\"required\":[\"d\"]}}}",
     "{\"a\":1,\"b\":2}\n{\"c\":1,\"d\":2}",
     "{\"a\":1}\n{\"c\":1}"},
    {JSV_DRAFT_7, "{\"allOf\":[{\"minimum\":1},{\"maximum\":3}]}", "2", "0\n4"},
    {JSV_DRAFT_7, "{\"anyOf\":[{\"type\":\"string\"},{\"minimum\":5}]}", "\"a\"\n7\nnull", "3"},
    {JSV_DRAFT_7, "{\"oneOf\":[{\"multipleOf\":3},{\"multipleOf\":5}]}", "3\n5", "15\n1"},
    {JSV_DRAFT_7,
     "{\"oneOf\":[{\"type\":\"object\",\"required\":[\"kind\"],\"properties\":{\"kind\":{\"const\":"
     "\"a\"},\"v\":{\"type\":\"number\"}}},{\"type\":\"object\",\"required\":[\"kind\"],"
     "\"properties\":{\"kind\":{\"const\":\"b\"},\"v\":{\"type\":\"string\"}}}]}",
     "{\"kind\":\"a\",\"v\":1}\n{\"kind\":\"b\",\"v\":\"s\"}",
     "{\"kind\":\"a\",\"v\":\"s\"}\n{\"kind\":\"c\"}\n{}"},
    {JSV_DRAFT_7, "{\"not\":{\"type\":\"null\"}}", "1", "null"},
    {JSV_DRAFT_7,
     "{\"if\":{\"minimum\":10},\"then\":{\"multipleOf\":10},\"else\":{\"multipleOf\":3}}",
     "20\n6",
     "15\n7"},
    {JSV_DRAFT_7,
     "{\"definitions\":{\"n\":{\"type\":\"number\"}},\"properties\":{\"a\":{\"$ref\":\"#/"
     "definitions/n\",\"maximum\":1}}}",
     "{\"a\":5}",
     "{\"a\":\"\"}"},
    {JSV_DRAFT_2020_12,
     "{\"$defs\":{\"n\":{\"$anchor\":\"num\",\"type\":\"number\"}},\"properties\":{\"a\":{\"$ref\":"
     "\"#num\",\"maximum\":1}}}",
     "{\"a\":1}",
     "{\"a\":5}\n{\"a\":\"\"}"},
    {JSV_DRAFT_2020_12,
     "{\"properties\":{\"next\":{\"$ref\":\"#\"},\"v\":{\"type\":\"integer\"}},\"required\":[\"v\"]"
     "}",
     "{\"v\":1,\"next\":{\"v\":2}}",
     "{\"v\":1,\"next\":{}}\n{\"v\":1,\"next\":{\"v\":0.5}}"},
    {JSV_DRAFT_2020_12,
     "{\"allOf\":[{\"properties\":{\"a\":true}}],\"anyOf\":[{\"required\":[\"b\"],\"properties\":{"
     "\"b\":true}},true],\"unevaluatedProperties\":false}",
     "{\"a\":1}\n{\"a\":1,\"b\":2}",
     "{\"c\":1}"},
    {JSV_DRAFT_2020_12,
     "{\"prefixItems\":[true],\"contains\":{\"type\":\"string\"},\"unevaluatedItems\":{\"type\":"
     "\"null\"}}",
     "[1,\"a\",null]",
     "[1,\"a\",2]"},
    {JSV_DRAFT_2019_09, "{\"items\":[true],\"unevaluatedItems\":false}", "[1]", "[1,2]"},
    {JSV_DRAFT_2020_12,
     "{\"$id\":\"https://example.test/"
     "tree\",\"$dynamicAnchor\":\"node\",\"properties\":{\"kids\":{\"items\":{\"$dynamicRef\":\"#"
     "node\"}},\"v\":{\"type\":\"number\"}}}",
     "{\"kids\":[{\"v\":1,\"kids\":[]}]}",
     "{\"kids\":[{\"v\":\"\"}]}"},
    {JSV_DRAFT_2019_09,
     "{\"$recursiveAnchor\":true,\"properties\":{\"kid\":{\"$recursiveRef\":\"#\"},\"v\":{\"type\":"
     "\"number\"}}}",
     "{\"kid\":{\"v\":1}}",
     "{\"kid\":{\"v\":\"\"}}"},
};

/* Judge one instance both ways. */
static void
expect_verdict(struct bench *bench, const char *schema, struct jsv_str instance, int expected)
{
    assert_int_equal(jsv_read(bench->reader, bench->document, instance, 0, NULL), 0);
    struct jsv_value value = jsv_document_root(bench->document);
    int verdict = jsv_validate(bench->validator, bench->schema, value);
    struct jsv_problems problems = {0};
    int reported = jsv_validate_report(bench->validator, bench->schema, value, &problems);
    if (verdict != expected || reported != expected || (problems.count == 0) != expected) {
        fail_msg(
            "%s on %.*s: verdict %d, report %d with %zu problems",
            schema,
            (int)instance.size,
            instance.data,
            verdict,
            reported,
            problems.count);
    }
}

static void
expect_verdicts(struct bench *bench, const char *schema, const char *lines, int expected)
{
    while (*lines) {
        size_t size = strcspn(lines, "\n");
        expect_verdict(bench, schema, (struct jsv_str){lines, size}, expected);
        lines += size + (lines[size] == '\n');
    }
}

static void every_keyword_has_its_verdict(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(verdicts); i++) {
        struct bench bench;
        int r = bench_make(&bench, NULL, verdicts[i].draft, verdicts[i].schema);
        if (r < 0) {
            fail_msg(
                "%s: %.*s",
                verdicts[i].schema,
                (int)bench.fault.message.size,
                bench.fault.message.data);
        }
        expect_verdicts(&bench, verdicts[i].schema, verdicts[i].valid, 1);
        expect_verdicts(&bench, verdicts[i].schema, verdicts[i].invalid, 0);
        bench_done(&bench);
    }
}

struct problem_case {
    const char *schema;
    const char *instance;
    const char *expected; /* path, message, keyword and schema path, one problem a line */
};

static const struct problem_case problem_cases[] = {
    {"{\"properties\":{\"x\":{\"type\":\"number\"}}}",
     "{\"x\":\"a\"}",
     "/x|expected number|type|/properties/x/type\n"},
    {"{\"required\":[\"a\"]}", "{}", "|missing property \"a\"|required|/required\n"},
    {"{\"additionalProperties\":false}",
     "{\"b/c\":1}",
     "/b~1c|unexpected property \"b/c\"|additionalProperties|/additionalProperties\n"},
    {"{\"items\":{\"minimum\":2}}",
     "[1,2,0]",
     "/0|must be at least 2|minimum|/items/minimum\n/2|must be at least "
     "2|minimum|/items/minimum\n"},
};

static void problems_name_the_spot(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(problem_cases); i++) {
        const struct problem_case *one = &problem_cases[i];
        struct bench bench;
        assert_int_equal(bench_make(&bench, NULL, JSV_DRAFT_2020_12, one->schema), 0);
        struct jsv_str text = jsv_str_from(one->instance);
        assert_int_equal(jsv_read(bench.reader, bench.document, text, 0, NULL), 0);
        struct jsv_value value = jsv_document_root(bench.document);
        struct jsv_problems problems = {0};
        assert_int_equal(jsv_validate_report(bench.validator, bench.schema, value, &problems), 0);
        char found[1024] = "";
        for (size_t k = 0; k < problems.count; k++) {
            const struct jsv_problem *p = &problems.items[k];
            size_t size = strlen(found);
            snprintf(
                found + size,
                sizeof(found) - size,
                "%.*s|%.*s|%.*s|%.*s\n",
                (int)p->path.size,
                p->path.data,
                (int)p->message.size,
                p->message.data,
                (int)p->keyword.size,
                p->keyword.data,
                (int)p->schema_path.size,
                p->schema_path.data);
        }
        assert_string_equal(found, one->expected);
        bench_done(&bench);
    }
}

static void faults_name_the_spot(void **state)
{
    (void)state;
    static const struct {
        const char *schema;
        const char *pointer;
    } cases[] = {
        {"{\"properties\":{\"a\":{\"type\":\"nmber\"}}}", "/properties/a/type"},
        {"{\"items\":{\"$ref\":\"#/nowhere\"}}", "/items/$ref"},
        {"{\"items\":{\"$ref\":\"https://elsewhere.test/x\"}}", "/items/$ref"},
        {"{\"pattern\":\"(\"}", "/pattern"},
        {"{\"minLength\":-1}", "/minLength"},
        {"{\"$schema\":\"https://unknown.test/meta\"}", "/$schema"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bench bench;
        assert_int_equal(bench_make(&bench, NULL, JSV_DRAFT_2020_12, cases[i].schema), -EBADMSG);
        if (!jsv_str_equal(bench.fault.pointer, jsv_str_from(cases[i].pointer))) {
            fail_msg(
                "%s: fault at %.*s",
                cases[i].schema,
                (int)bench.fault.pointer.size,
                bench.fault.pointer.data);
        }
        assert_true(bench.fault.message.size > 0);
        bench_done(&bench);
    }
}

static void circles_are_given_up(void **state)
{
    (void)state;
    struct bench bench;
    const char *schema = "{\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"allOf\":[{\"$ref\":"
                         "\"#/$defs/a\"}]}},\"$ref\":\"#/$defs/a\"}";
    assert_int_equal(bench_make(&bench, NULL, JSV_DRAFT_2020_12, schema), 0);
    assert_int_equal(jsv_read(bench.reader, bench.document, JSV_STR("1"), 0, NULL), 0);
    struct jsv_value value = jsv_document_root(bench.document);
    struct jsv_problems problems;
    assert_int_equal(jsv_validate(bench.validator, bench.schema, value), -ELOOP);
    assert_int_equal(jsv_validate_report(bench.validator, bench.schema, value, &problems), -ELOOP);
    bench_done(&bench);
}

static void texts_are_read_and_checked(void **state)
{
    (void)state;
    struct bench bench;
    assert_int_equal(bench_make(&bench, NULL, JSV_DRAFT_2020_12, "{\"type\":\"array\"}"), 0);
    static const struct {
        const char *text;
        int verdict;
    } cases[] = {{"[1,2]", 1}, {"{}", 0}, {"[1,", -EBADMSG}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct jsv_error error = {0};
        int r = jsv_validate_text(
            bench.validator,
            bench.schema,
            bench.reader,
            bench.document,
            jsv_str_from(cases[i].text),
            &error);
        assert_int_equal(r, cases[i].verdict);
        assert_int_equal(error.offset, r < 0 ? 3 : 0);
    }
    bench_done(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_keyword_has_its_verdict),
        cmocka_unit_test(problems_name_the_spot),
        cmocka_unit_test(faults_name_the_spot),
        cmocka_unit_test(circles_are_given_up),
        cmocka_unit_test(texts_are_read_and_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
