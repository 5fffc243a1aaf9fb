/*
 * Judging while reading. Whatever the text and wherever the drain runs, the
 * result is that of reading first and checking then: verdicts, faults of the
 * text with their places, limits.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jsv/json/node.h"
#include "jsv/schema/run/fused.h"
#include "support/json_fixture.h"
#include "support/schema_fixture.h"
#include "support/slowness.h"
#include "support/torture.h"

/* So many bytes of tape before the drain runs: as often as can be, now and then, hardly. */
static const size_t tape_sizes[] = {1, 200, 1000, 20000};

#define TAPE_SIZES (sizeof(tape_sizes) / sizeof(tape_sizes[0]))

/* What the two ways are asked with. */
struct bench {
    const struct jsv_schema *schema;
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_validator *validator;
};

static struct bench
bench_new(const struct schema_fixture *fixture, const struct jsv_validator_limits *limits)
{
    struct bench bench = {
        .schema = fixture->schema,
        .reader = jsv_reader_new(NULL, NULL),
        .document = jsv_document_new(NULL),
        .validator = jsv_validator_new(NULL, limits),
    };
    assert_non_null(bench.reader);
    assert_non_null(bench.document);
    assert_non_null(bench.validator);
    return bench;
}

static void bench_free(struct bench *bench)
{
    jsv_validator_free(bench->validator);
    jsv_document_free(bench->document);
    jsv_reader_free(bench->reader);
}

static int in_two_passes(struct bench *bench, struct jsv_str text, struct jsv_error *reterr_error)
{
    int r = jsv_read(bench->reader, bench->document, text, 0, reterr_error);
    struct jsv_value root = jsv_document_root(bench->document);
    return r < 0 ? r : jsv_validate(bench->validator, bench->schema, root);
}

static int
in_one(struct bench *bench, struct jsv_str text, size_t tape_size, struct jsv_error *reterr_error)
{
    return jsv_validate_drained(
        bench->schema,
        text,
        bench->reader,
        bench->document,
        bench->validator,
        tape_size,
        reterr_error);
}

static void assert_same_error(const struct jsv_error *error, const struct jsv_error *expected)
{
    assert_int_equal(error->code, expected->code);
    assert_int_equal(error->offset, expected->offset);
    assert_int_equal(error->line, expected->line);
    assert_int_equal(error->column, expected->column);
    assert_true(jsv_str_equal(error->pointer, expected->pointer));
}

/* Both ways, with every size of tape. @return what both say */
static int judge(struct bench *two, struct bench *one, struct jsv_str text)
{
    struct jsv_error expected_error = {0};
    int expected = in_two_passes(two, text, &expected_error);
    for (size_t i = 0; i < TAPE_SIZES; i++) {
        struct jsv_error error = {0};
        assert_int_equal(in_one(one, text, tape_sizes[i], &error), expected);
        if (expected == -EBADMSG) {
            assert_same_error(&error, &expected_error);
        }
        if (expected == 0) { /* the document is there for a report */
            assert_true(jsv_value_type(jsv_document_root(one->document)) != JSV_TYPE_NONE);
        }
    }
    return expected;
}

static int judge_text(struct schema_fixture *fixture, struct jsv_str text)
{
    struct bench two = bench_new(fixture, NULL);
    struct bench one = bench_new(fixture, NULL);
    int r = judge(&two, &one, text);
    if (r == 1) { /* and that without reading it again */
        assert_int_equal(in_one(&one, text, 1, NULL), 1);
        assert_int_equal(jsv_value_type(jsv_document_root(one.document)), JSV_TYPE_NONE);
    }
    bench_free(&two);
    bench_free(&one);
    return r;
}

/* A document: what it begins with, what is repeated with a number for each %, what it ends with. */
struct pattern {
    const char *head;
    const char *item;
    const char *tail;
};

static struct jsv_buf repeat(const struct pattern *pattern, size_t count)
{
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    jsv_buf_append_str(&text, jsv_str_from(pattern->head));
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            jsv_buf_append_byte(&text, ',');
        }
        for (const char *at = pattern->item; *at; at++) {
            if (*at == '%') {
                json_fixture_print(&text, "%zu", i);
            } else {
                jsv_buf_append_byte(&text, *at);
            }
        }
    }
    jsv_buf_append_str(&text, jsv_str_from(pattern->tail));
    for (size_t i = 0; i < text.size; i++) {
        text.data[i] = text.data[i] == '\'' ? '"' : text.data[i];
    }
    assert_int_equal(text.error, 0);
    return text;
}

/* A schema with so much to do that the program remembers verdicts. */
#define NOT(n)  "{'not':{'const':['x'," #n "]}},"
#define FOUR(n) NOT(n##0) NOT(n##1) NOT(n##2) NOT(n##3)
#define OFTEN   "{'allOf':[" FOUR(1) FOUR(2) FOUR(3) FOUR(4) FOUR(5) FOUR(6) "true]}"

static const struct {
    const char *schema;
    struct pattern document;
    int verdict;
} cases[] = {
    /* elements */
    {"{'items':{'type':'integer'}}", {"[", "%", "]"}, 1},
    {"{'items':{'type':'integer'}}", {"[", "%", ",true]"}, 0},
    {"{'items':{'type':'integer'}}", {"[null,", "%", "]"}, 0},
    {"{'items':{'type':'integer'}}", {"[", "%.0", "]"}, 1},
    {"{'items':{'properties':{'a':{'minimum':0}}}}", {"[", "{'a':%}", "]"}, 1},
    {"{'items':{'properties':{'a':{'minimum':1}}}}", {"[", "{'a':%}", "]"}, 0},
    {"{'type':'array'}", {"[", "[%,{'a':'%'}]", "]"}, 1},
    {"{'type':'object'}", {"[", "[%,{'a':'%'}]", "]"}, 0},
    {"true", {"[", "[%,{'a':'%'}]", "]"}, 1},
    {"false", {"[", "[%,{'a':'%'}]", "]"}, 0},
    /* how many there are */
    {"{'items':{'type':'array'},'minItems':100}", {"[", "[]", "]"}, 1},
    {"{'items':{'type':'array'},'minItems':101}", {"[", "[]", "]"}, 0},
    {"{'items':{'type':'array'},'minItems':3}", {"[", "[[%]]", "]"}, 1},
    {"{'items':{'items':{'type':'array'},'minItems':3}}", {"[", "[[],[%],[]]", "]"}, 1},
    {"{'items':{'items':{'type':'array'},'minItems':3}}", {"[", "[[],[%],[]]", ",[[],[]]]"}, 0},
    {"{'items':{'items':{'type':'integer'},'minItems':2,'maxItems':3}}", {"[", "[%,1]", "]"}, 1},
    {"{'items':{'items':{'type':'integer'},'minItems':2,'maxItems':3}}",
     {"[", "[%,1]", ",[1]]"},
     0},
    {"{'items':{'items':{'type':'integer'}}}", {"[", "[%,1,2,3,4,5,6,7,8,9]", "]"}, 1},
    {"{'items':{'items':{'type':'integer'}}}",
     {"[", "[%,1,2,3,4,5,6,7,8,9]", ",[1,2,3,4,5,'']]"},
     0},
    {"{'items':{'type':'array','items':{'type':'integer'}}}",
     {"[", "[%,1,2,3,4,5,6,7,8,9]", "]"},
     1},
    {"{'items':{'type':'array','items':{'type':'integer'}}}",
     {"[", "[%,1,2,3,4,5,6,7,8,9]", ",[1,2,3,4,5,6,7,'',8],[9]]"},
     0},
    {"{'items':{'type':'array'},'maxItems':100}", {"[", "[]", "]"}, 1},
    {"{'items':{'type':'array'},'maxItems':99}", {"[", "[]", "]"}, 0},
    /* members, listed and other */
    {"{'additionalProperties':{'type':'string'}}", {"{", "'a%':'%'", "}"}, 1},
    {"{'additionalProperties':{'type':'string'}}", {"{", "'a%':'%'", ",'x':[]}"}, 0},
    {"{'properties':{'a7':{'const':7}},'additionalProperties':{'type':'integer'}}",
     {"{", "'a%':%", "}"},
     1},
    {"{'properties':{'a7':{'const':8}},'additionalProperties':{'type':'integer'}}",
     {"{", "'a%':%", "}"},
     0},
    {"{'properties':{'a':{'items':{'type':'integer'}}}}", {"{'a':[", "%", "],'b':1}"}, 1},
    {"{'properties':{'a':{'items':{'type':'integer'}}}}", {"{'a':[", "%", ",''],'b':1}"}, 0},
    {"{'properties':{'a':{'items':{'type':'integer'}}},'additionalProperties':false}",
     {"{'a':[", "%", "],'b':1}"},
     0},
    {"{'minProperties':100,'maxProperties':100}", {"{", "'a%':[%]", "}"}, 1},
    {"{'minProperties':101}", {"{", "'a%':[%]", "}"}, 0},
    {"{'required':['a0','a50','a99']}", {"{", "'a%':[%]", "}"}, 1},
    {"{'required':['a0','a50','a100']}", {"{", "'a%':[%]", "}"}, 0},
    {"{'required':['b'],'properties':{'a':{'items':{'required':['c']}}}}",
     {"{'a':[", "{'c':%}", "],'b':{}}"},
     1},
    {"{'required':['b'],'properties':{'a':{'items':{'required':['c']}}}}",
     {"{'a':[", "{'c':%}", "]}"},
     0},
    {"{'propertyNames':{'maxLength':3},'additionalProperties':{'type':'array'}}",
     {"{", "'a%':[%]", "}"},
     1},
    {"{'propertyNames':{'maxLength':2},'additionalProperties':{'type':'array'}}",
     {"{", "'a%':[%]", "}"},
     0},
    /* objects that are leaves */
    {"{'items':{'type':'object','properties':{'a':{'type':'integer'},'b':{'type':'string'}},"
     "'required':['a','b'],'additionalProperties':false}}",
     {"[", "{'a':%,'b':'x'}", "]"},
     1},
    {"{'items':{'type':'object','properties':{'a':{'type':'integer'},'b':{'type':'string'}},"
     "'required':['a','b'],'additionalProperties':false}}",
     {"[", "{'a':%,'b':'x'}", ",{'a':1},{'a':1,'b':'x'}]"},
     0},
    {"{'items':{'type':'object','properties':{'a':{'type':'integer'}},'required':['a']}}",
     {"[", "{'a':%,'b':[%,%],'c':{}}", "]"},
     1},
    {"{'properties':{'a':{'type':'array'},'b':{'type':'string'}},'required':['a','b']}",
     {"{'a':[", "%", "],'b':''}"},
     1},
    {"{'properties':{'a':{'type':'array'},'b':{'type':'string'}},'required':['a','b']}",
     {"{'a':[", "%", "],'b':[]}"},
     0},
    {"{'properties':{'a':{'type':'array'}},'required':['a']}", {"{'b':[", "%", "],'a':[]}"}, 1},
    {"{'properties':{'a':{'type':'array'},'b':{'type':'object'},'c':true},'required':['a','b'],"
     "'additionalProperties':false}",
     {"{'a':[", "%", "],'b':{},'c':1}"},
     1},
    {"{'properties':{'a':{'type':'array'},'b':{'type':'object'},'c':true},'required':['a','b'],"
     "'additionalProperties':false}",
     {"{'a':[", "%", "],'c':1}"},
     0},
    /* what patterns say of names */
    {"{'patternProperties':{'^a':{'items':{'type':'integer'}}}}", {"{'a':[", "%", "]}"}, 1},
    {"{'patternProperties':{'^a':{'items':{'type':'integer'}}}}", {"{'a':[", "%", ",null]}"}, 0},
    {"{'patternProperties':{'^a':{'items':{'type':'integer'}}}}", {"{'b':[", "'%'", "]}"}, 1},
    {"{'patternProperties':{'^a':{'items':{'type':'integer'}}},'additionalProperties':{'items':"
     "{'type':'string'}}}",
     {"{'b':[", "'%'", "]}"},
     1},
    {"{'patternProperties':{'a':{'items':{'type':'integer'}},'b':{'items':{'minimum':1}}}}",
     {"{'ab':[", "%", "]}"},
     0},
    {"{'patternProperties':{'a':{'items':{'minimum':1}},'b':{'items':{'type':'integer'}}}}",
     {"{'ab':[", "%", "]}"},
     0},
    {"{'properties':{'ab':{'items':{'type':'integer'}}},'patternProperties':{'b':{'items':"
     "{'minimum':1}}}}",
     {"{'ab':[", "%", "]}"},
     0},
    {"{'properties':{'ab':{'items':{'type':'integer'}}},'patternProperties':{'c':{'items':"
     "{'minimum':1}}}}",
     {"{'ab':[", "%", "]}"},
     1},
    {"{'patternProperties':{'^a':{'type':'integer'}},'additionalProperties':false}",
     {"{", "'a%':%", "}"},
     1},
    {"{'patternProperties':{'^a':{'type':'integer'}},'additionalProperties':false}",
     {"{", "'a%':%", ",'b':1}"},
     0},
    /* what takes more than one value at a time */
    {"{'uniqueItems':true}", {"[", "%", "]"}, 1},
    {"{'uniqueItems':true}", {"[", "%", ",7]"}, 0},
    {"{'contains':{'const':0}}", {"[", "%", "]"}, 1},
    {"{'contains':{'const':'x'}}", {"[", "%", "]"}, 0},
    {"{'prefixItems':[{'const':0},{'const':1}],'items':{'minimum':2}}", {"[", "%", "]"}, 1},
    {"{'prefixItems':[{'const':0},{'const':2}],'items':{'minimum':2}}", {"[", "%", "]"}, 0},
    {"{'anyOf':[{'items':{'type':'string'}},{'items':{'type':'integer'}}]}", {"[", "%", "]"}, 1},
    {"{'allOf':[{'items':{'minimum':0}},{'items':{'maximum':99}}]}", {"[", "%", "]"}, 1},
    {"{'allOf':[{'items':{'minimum':0}},{'items':{'maximum':98}}]}", {"[", "%", "]"}, 0},
    {"{'properties':{'a':true},'unevaluatedProperties':false}", {"{'a':[", "%", "]}"}, 1},
    {"{'properties':{'a':true},'unevaluatedProperties':false}", {"{'a':[", "%", "],'b':1}"}, 0},
    {"{'properties':{'a':{'uniqueItems':true},'b':{'items':{'type':'integer'}}}}",
     {"{'a':[1,2],'b':[", "%", "]}"},
     1},
    {"{'items':{'uniqueItems':true}}", {"[", "[%,[[%]],{'a':['\\n%']}]", "]"}, 1},
    {"{'items':{'uniqueItems':true}}", {"[", "[%,[[%]],{'a':['\\n%']}]", ",[1,[2],1]]"}, 0},
    {"{'dependentRequired':{'a':['b']}}", {"{'a':[", "%", "]}"}, 0},
    /* the same schema again and again */
    {"{'$defs':{'t':{'type':['array','integer'],'items':{'$ref':'#/$defs/t'}}},"
     "'$ref':'#/$defs/t'}",
     {"[[[", "[%,[%]]", "]]]"},
     1},
    {"{'$defs':{'t':{'type':['array','integer'],'items':{'$ref':'#/$defs/t'}}},"
     "'$ref':'#/$defs/t'}",
     {"[[[", "[%,[%]]", "],'']]"},
     0},
    /* verdicts that are remembered by place, where others stood before */
    {"{'items':" OFTEN "}", {"[", "['x',1%]", "]"}, 0},
    {"{'items':" OFTEN "}", {"[", "['x',9%]", "]"}, 1},
    {"{'items':" OFTEN "}", {"[", "['x',9%]", ",['x',63],['x',9],['x',9]]"}, 0},
    /* texts that are decoded */
    {"{'items':{'maxLength':3}}", {"[", "'\\u0041%'", "]"}, 1},
    {"{'items':{'maxLength':2}}", {"[", "'\\u0041%'", "]"}, 0},
    {"{'properties':{'A':{'additionalProperties':{'minLength':1}}}}",
     {"{'\\u0041':{", "'\\n%':'\\t%'", "},'\\u0042':1}"},
     1},
    {"{'properties':{'a name of some length':{'items':{'maxLength':3}}},'additionalProperties':"
     "false}",
     {"{'\\u0061 name of some length':[", "'\\n%'", "]}"},
     1},
    {"{'properties':{'A':{'additionalProperties':{'maxLength':2}}}}",
     {"{'\\u0041':{", "'\\n%':'\\t%'", "}}"},
     0},
    /* names that stand there twice */
    {"true", {"{", "'a%':[%]", ",'a5':1}"}, -EBADMSG},
    {"true", {"{", "'\\u0061%':'\\n'", ",'a5':1}"}, -EBADMSG},
    {"{'items':true}", {"[", "{'a':%}", ",{'a':1,'a':2}]"}, -EBADMSG},
    /* a text that ends wrong is no JSON, whatever the schema says of its beginning */
    {"{'items':{'type':'integer'}}", {"['no',", "%", "}"}, -EBADMSG},
    {"{'items':{'type':'integer'}}", {"[", "%", "] 1"}, -EBADMSG},
};

static void same_verdicts(void **state)
{
    struct schema_fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        schema_fixture_use(fixture, cases[i].schema);
        struct jsv_buf text = repeat(&cases[i].document, 100);
        int verdict = judge_text(fixture, jsv_buf_str(&text));
        if (verdict != cases[i].verdict) {
            fail_msg("%s: %d", cases[i].schema, verdict);
        }
        jsv_buf_done(&text);
    }
}

/* A text cut short anywhere is refused with the same words. */
static void same_faults(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'properties':{'a':{'items':{'additionalProperties':true}}}}");
    const struct pattern document = {
        "{'x':1,'a':[", "{'\\u0062%':[%],'c':{'d':'\\n'}}", "],'e':2}"};
    struct jsv_buf text = repeat(&document, 30);
    struct bench two = bench_new(fixture, NULL);
    struct bench one = bench_new(fixture, NULL);
    for (size_t size = 0; size < text.size; size++) {
        assert_int_equal(judge(&two, &one, (struct jsv_str){text.data, size}), -EBADMSG);
    }
    assert_int_equal(judge(&two, &one, jsv_buf_str(&text)), 1);
    bench_free(&two);
    bench_free(&one);
    jsv_buf_done(&text);
}

/* Every budget from nothing upwards, until it is enough. */
static void same_limits(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'additionalProperties':{'items':{'type':['array','string'],'pattern':'1','items':{"
        "'properties':{'a':{'anyOf':[{'minimum':1000},{'multipleOf':1}]}}}}}}");
    const struct pattern document = {"{'x':['1'],'y':[", "[{'a':%}]", "],'z':[]}"};
    struct jsv_buf text = repeat(&document, 30);
    for (int kind = 0; kind < 2; kind++) {
        int verdict = -ELOOP;
        for (uint32_t limit = 1; verdict == -ELOOP; limit++) {
            struct jsv_validator_limits limits = {
                .steps_max = kind == 0 ? limit : 0,
                .depth_max = kind == 1 ? limit : 0,
            };
            struct bench two = bench_new(fixture, &limits);
            struct bench one = bench_new(fixture, &limits);
            verdict = judge(&two, &one, jsv_buf_str(&text));
            bench_free(&two);
            bench_free(&one);
        }
        assert_int_equal(verdict, 1);
    }
    jsv_buf_done(&text);
}

/* A pattern that gives up while it is asked which shape an open member has. */
static void pattern_limit(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture, "{'patternProperties':{'^(a+)+\\\\1$':{'items':{'type':'integer'}}}}");
    const struct pattern document = {
        "{'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab':[", "%", "]}"};
    struct jsv_buf text = repeat(&document, 100);
    assert_int_equal(judge_text(fixture, jsv_buf_str(&text)), -ETIME);
    jsv_buf_done(&text);
}

/* One that gives up where giving up looks like holding: all that follows must not hide it. */
static void pattern_limit_under_not(void **state)
{
    static const char *const schemas[] = {
        "{'items':{'not':{'type':'string','pattern':'^(a|aa|aaa)*b?(a|aa)*\\\\1c|^a'}}}",
        "{'items':{'if':{'type':'string','pattern':'^(a|aa|aaa)*b?(a|aa)*\\\\1c|^a'},"
        "'then':false}}",
    };
    struct schema_fixture *fixture = *state;
    const struct pattern document = {
        "['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',", "%", "]"};
    struct jsv_buf text = repeat(&document, 20000);
    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
        schema_fixture_use(fixture, schemas[i]);
        assert_int_equal(judge_text(fixture, jsv_buf_str(&text)), -ETIME);
    }
    jsv_buf_done(&text);
}

/* What stays on the tape is judged once, however often the drain runs. */
static void kept_values_are_judged_once(void **state)
{
    static const char *const schemas[] = {
        "{'properties':{'blob':{'pattern':'^[a-z]*=?$'},'rows':{'items':{'type':'integer'}}}}",
        "{'minItems':1,'items':{'pattern':'^[a-z]*=?$'}}",
    };
    static const struct pattern documents[] = {
        {"'rows':[", "%", "]}"},
        {"", "%", "]"},
    };
    static const char *const starts[] = {"{\"blob\":\"", "[\""};
    struct schema_fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
        struct jsv_buf rest = repeat(&documents[i], 20000);
        struct jsv_buf text;
        jsv_buf_init(&text, NULL, SIZE_MAX);
        jsv_buf_append_str(&text, jsv_str_from(starts[i]));
        for (size_t k = 0; k < 300000; k++) {
            jsv_buf_append_byte(&text, 'z');
        }
        jsv_buf_append_str(&text, JSV_STR("\","));
        jsv_buf_append_str(&text, jsv_buf_str(&rest));
        schema_fixture_use(fixture, schemas[i]);
        struct bench one = bench_new(fixture, NULL);
        double before = cpu_seconds();
        assert_int_equal(in_one(&one, jsv_buf_str(&text), 200, NULL), 1);
        assert_true(cpu_seconds() - before < 0.5 * SLOWNESS);
        bench_free(&one);
        jsv_buf_done(&text);
        jsv_buf_done(&rest);
    }
}

static void shared_steps(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'items':{'type':'integer'}}");
    const struct pattern document = {"[", "%", "]"};
    struct jsv_buf text = repeat(&document, 100);
    struct bench two = bench_new(fixture, NULL);
    struct bench one = bench_new(fixture, NULL);
    jsv_validator_set_budget(two.validator, 60);
    jsv_validator_set_budget(one.validator, 60);
    for (int expected = 1; expected != -ELOOP;) {
        expected = in_two_passes(&two, jsv_buf_str(&text), NULL);
        assert_int_equal(in_one(&one, jsv_buf_str(&text), 1, NULL), expected);
    }
    bench_free(&two);
    bench_free(&one);
    jsv_buf_done(&text);
}

/* The problems of what was not valid. */
static void report_follows(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'items':{'type':'integer'}}");
    const struct pattern document = {"[", "%", ",null,true]"};
    struct jsv_buf text = repeat(&document, 20000);
    struct bench one = bench_new(fixture, NULL);
    struct jsv_error error = {.code = JSV_ERROR_NONE};
    int r = jsv_validate_text(
        one.validator, one.schema, one.reader, one.document, jsv_buf_str(&text), &error);
    assert_int_equal(r, 0);
    assert_int_equal(error.code, JSV_ERROR_NONE); /* the text was read */
    struct jsv_problems problems;
    struct jsv_value root = jsv_document_root(one.document);
    assert_int_equal(jsv_value_count(root), 20002);
    assert_int_equal(jsv_validate_report(one.validator, one.schema, root, &problems), 0);
    assert_int_equal(problems.count, 2);
    assert_true(jsv_str_equal(problems.items[0].path, JSV_STR("/20000")));
    bench_free(&one);
    jsv_buf_done(&text);
}

/* A large array needs memory for a few elements, a small text is read as ever. */
static void little_memory(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'items':{'properties':{'a':{'type':'integer'}}}}");
    const struct pattern document = {"[", "{'a':%,'b':['\\n%',{'c':[]}]}", "]"};
    struct jsv_buf text = repeat(&document, 100000);
    struct torture torture;
    torture_init(&torture, 0);
    struct bench one = bench_new(fixture, NULL);
    jsv_document_free(one.document);
    jsv_reader_free(one.reader);
    const struct jsv_limits limits = {.memory_max = (size_t)512 << 10};
    one.reader = jsv_reader_new(&torture.allocator, &limits);
    one.document = jsv_document_new(&torture.allocator);
    struct jsv_str whole = jsv_buf_str(&text);
    assert_int_equal(jsv_read(one.reader, one.document, whole, 0, NULL), -ENOMEM);
    jsv_document_free(one.document);
    one.document = jsv_document_new(&torture.allocator);
    torture.peak_bytes = torture.live_bytes;
    size_t before = torture.live_bytes;
    assert_int_equal(
        jsv_validate_text(one.validator, one.schema, one.reader, one.document, whole, NULL), 1);
    assert_true(torture.peak_bytes - before < (size_t)300 << 10);
    assert_int_equal(jsv_value_type(jsv_document_root(one.document)), JSV_TYPE_NONE);
    assert_int_equal(
        jsv_validate_text(
            one.validator, one.schema, one.reader, one.document, JSV_STR("[{\"a\":1}]"), NULL),
        1);
    bench_free(&one);
    torture_done(&torture);
    jsv_buf_done(&text);
}

/* Each allocation fails once: that is said, and asked again all is well. */
static void out_of_memory(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'additionalProperties':{'items':{'uniqueItems':true}}}");
    const struct pattern document = {"{'\\u0061':[", "['\\n',{'x%':%}]", "]}"};
    struct jsv_buf text = repeat(&document, 500);
    bool failed = true;
    for (size_t fail_at = 1; failed; fail_at++) {
        struct torture torture;
        torture_init(&torture, 0);
        struct bench one = {
            .schema = fixture->schema,
            .reader = jsv_reader_new(&torture.allocator, NULL),
            .document = jsv_document_new(&torture.allocator),
            .validator = jsv_validator_new(&torture.allocator, NULL),
        };
        torture.fail_at = torture.calls + fail_at;
        int r = in_one(&one, jsv_buf_str(&text), 1000, NULL);
        failed = torture_has_failed(&torture);
        assert_true(r == 1 || (failed && r == -ENOMEM));
        assert_int_equal(in_one(&one, jsv_buf_str(&text), 1000, NULL), 1);
        bench_free(&one);
        torture_done(&torture);
    }
    jsv_buf_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(same_verdicts),
        SCHEMA_TEST(same_faults),
        SCHEMA_TEST(same_limits),
        SCHEMA_TEST(pattern_limit),
        SCHEMA_TEST(pattern_limit_under_not),
        SCHEMA_TEST(kept_values_are_judged_once),
        SCHEMA_TEST(shared_steps),
        SCHEMA_TEST(report_follows),
        SCHEMA_TEST(little_memory),
        SCHEMA_TEST(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
