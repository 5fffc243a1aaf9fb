/*
 * Schemas and memory: every allocation of adding, compiling, checking and
 * reporting fails once. Whatever was under way says so, nothing is lost, and
 * the same objects, asked again, do as if nothing had happened.
 */
#include <errno.h>
#include <string.h>

#include "support/json_fixture.h"
#include "support/schema_fixture.h"
#include "support/torture.h"

/* A schema, what adding and compiling it comes to, and documents that pass and that do not. */
struct scene {
    const char *name;
    enum jsv_draft draft;
    const char *schema;
    int expected;
    const char *good;
    const char *bad;
};

static const struct scene scenes[] = {
    {"types and bounds",
     JSV_DRAFT_2020_12,
     "{'type':['integer','string','null'],'minimum':1,'maximum':10.5,'multipleOf':0.5,"
     "'minLength':1,'enum':[1,'a',null,{'a':1}]}",
     0,
     "1",
     "2.25"},
    {"patterns and formats",
     JSV_DRAFT_2020_12,
     "{'items':{'anyOf':[{'pattern':'^(a+)\\\\1$'},{'pattern':'[0-9]{3}'},{'format':'idn-hostname'}"
     ",{'format':'uri-template'},{'format':'regex'}]}}",
     0,
     "['aaaa','123','b\xC3\xBC"
     "cher.example','(a)']",
     "['{(','{','-{']"},
    {"names",
     JSV_DRAFT_2020_12,
     "{'properties':{'a':true,'bb':{'type':'null'},'ccc':false,'dddd':{'const':1},'eeeee':{},"
     "'long enough for a table':{'type':'string'}},'patternProperties':{'^x':{'type':'null'}},"
     "'additionalProperties':{'type':'boolean'},'required':['a','bb'],'propertyNames':"
     "{'maxLength':30},'dependentRequired':{'a':['bb']},'dependentSchemas':{'bb':{'required':"
     "['a']}},'minProperties':1}",
     0,
     "{'a':1,'bb':null,'dddd':1,'long enough for a table':'','xy':null,'other':true}",
     "{'a':1,'ccc':2,'dddd':2,'other':3,'a name that is longer than the limit allows':1}"},
    {"choices",
     JSV_DRAFT_2020_12,
     "{'items':{'oneOf':[{'type':'object','properties':{'kind':{'const':'a'}},'required':['kind','"
     "x']},"
     "{'type':'object','properties':{'kind':{'const':'b'}},'required':['kind','y']},{'type':'array'"
     "}],'not':"
     "{'required':['z'],'type':'object'},'if':{'type':'object','required':['x']},'then':{'"
     "properties':{'x':{'type':'null'}}}}}",
     0,
     "[{'kind':'a','x':null},{'kind':'b','y':1},[]]",
     "[{'kind':'a','x':1},{'kind':'c','y':1},{'kind':'b'},{'z':1},3]"},
    {"arrays",
     JSV_DRAFT_2020_12,
     "{'prefixItems':[{'type':'integer'},{'type':'object'}],'items':{'uniqueItems':true},"
     "'contains':{'const':{'a':1,'b':2}},'maxContains':1,'uniqueItems':true}",
     0,
     "[1,{'b':2,'a':1},[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20],[{'a':1},{'b':1}]]",
     "[1.5,{'b':2},[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,1.0],[{'a':1,'b':2},{'b':2,'a':1}"
     "]]"},
    {"what was evaluated",
     JSV_DRAFT_2020_12,
     "{'allOf':[{'properties':{'a':{'unevaluatedItems':false,'prefixItems':[true]}}}],"
     "'unevaluatedProperties':{'type':'null'}}",
     0,
     "{'a':[1],'b':null,'c':null}",
     "{'a':[1,2],'b':1,'c':2,'d':3}"},
    {"references",
     JSV_DRAFT_2020_12,
     "{'$id':'http://h/root','properties':{'a':{'$ref':'#/$defs/x~1y'},'b':{'$ref':'#anchor'},"
     "'c':{'$ref':'other'},'d':{'$ref':'http://h/remote#/$defs/r'}},'$defs':{'x/y':{'type':'null'},"
     "'z':{'$anchor':'anchor','properties':{'b':{'$ref':'#'}}},'o':{'$id':'other','type':'integer'}"
     "}}",
     0,
     "{'a':null,'b':{'b':{'a':null}},'c':3,'d':'r'}",
     "{'a':1,'b':{'b':{'a':1}},'c':'3','d':4}"},
    {"dynamic references",
     JSV_DRAFT_2020_12,
     "{'$id':'http://h/strict','$dynamicAnchor':'node','$ref':'tree','unevaluatedProperties':false,"
     "'$defs':{'tree':{'$id':'tree','$dynamicAnchor':'node','properties':{'data':true,'children':"
     "{'items':{'$dynamicRef':'#node'}}}}}}",
     0,
     "{'children':[{'data':1},{'children':[]}]}",
     "{'children':[{'daat':1}]}"},
    {"recursive references",
     JSV_DRAFT_2019_09,
     "{'$id':'http://h/strict','$recursiveAnchor':true,'$ref':'tree','unevaluatedProperties':false,"
     "'$defs':{'tree':{'$id':'tree','$recursiveAnchor':true,'properties':{'children':"
     "{'items':{'$recursiveRef':'#'}}}}}}",
     0,
     "{'children':[{'children':[]}]}",
     "{'children':[{'daat':1}]}"},
    {"drafts in each other",
     JSV_DRAFT_7,
     "{'definitions':{'new':{'$schema':'https://json-schema.org/draft/2020-12/"
     "schema','$id':'http://h/new','prefixItems':[{'type':'null'}]},'old':{'$schema':"
     "'http://json-schema.org/draft-04/schema#','id':'http://h/old','minimum':1,"
     "'exclusiveMinimum':true}},'items':[{'$ref':'http://h/new'},{'$ref':'http://h/old'}],"
     "'dependencies':{'a':['b'],'c':{'type':'null'}}}",
     0,
     "[[null],2]",
     "[[1],1]"},
    {"a meta-schema of one's own",
     JSV_DRAFT_2020_12,
     "{'$schema':'http://h/meta','title':'T','type':'null'}",
     0,
     "null",
     "1"},
    {"no JSON", JSV_DRAFT_2020_12, "{'properties':{'a':[1,", -EBADMSG, NULL, NULL},
    {"an anchor twice",
     JSV_DRAFT_2020_12,
     "{'$defs':{'a':{'$anchor':'x'},'b':{'$id':'http://h/b','$anchor':'x'},'c':{'$anchor':'x'}}}",
     -EBADMSG,
     NULL,
     NULL},
    {"wrong by its meta-schema",
     JSV_DRAFT_2020_12,
     "{'properties':{'a':{'type':'nothing'}},'$defs':{'b':{'$id':'http://h/b'}}}",
     -EBADMSG,
     NULL,
     NULL},
    {"a reference that leads nowhere",
     JSV_DRAFT_2020_12,
     "{'allOf':[{'$ref':'#/$defs/none'}]}",
     -EBADMSG,
     NULL,
     NULL},
    {"a pattern that is none", JSV_DRAFT_2020_12, "{'pattern':'(a'}", -EBADMSG, NULL, NULL},
    {"a remote that is broken", JSV_DRAFT_2020_12, "{'$ref':'http://h/broken'}", -EIO, NULL, NULL},
};

static const struct schema_remote remotes[] = {
    {"http://h/remote", "{\"$defs\":{\"r\":{\"type\":\"string\"}}}", 0},
    {"http://h/meta",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":\"http://h/meta\","
     "\"$vocabulary\":{\"https://json-schema.org/draft/2020-12/vocab/validation\":true},"
     "\"required\":[\"title\"]}",
     0},
    {"http://h/broken", NULL, -EIO},
};

static int resolve(void *context, struct jsv_str uri, struct jsv_str *ret_text)
{
    (void)context;
    for (size_t i = 0; i < sizeof(remotes) / sizeof(remotes[0]); i++) {
        if (jsv_str_equal(uri, jsv_str_from(remotes[i].uri))) {
            *ret_text = remotes[i].text ? jsv_str_from(remotes[i].text) : (struct jsv_str){0};
            return remotes[i].error;
        }
    }
    return -ENOENT;
}

/* What one run of a scene works with. */
struct stage {
    enum jsv_draft draft;
    struct torture torture;
    struct jsv_registry *registry;
    struct jsv_schema *schema;
    struct jsv_validator *validator;
    struct jsv_str text;
    struct jsv_value value;
};

static int make(struct stage *stage)
{
    struct jsv_registry_options options = {.draft = stage->draft, .resolver = resolve};
    const struct jsv_allocator *allocator = &stage->torture.allocator;
    stage->registry = stage->registry ? stage->registry : jsv_registry_new(allocator, &options);
    stage->validator = stage->validator ? stage->validator : jsv_validator_new(allocator, NULL);
    return stage->registry && stage->validator ? 0 : -ENOMEM;
}

static int add(struct stage *stage)
{
    struct jsv_error fault = {0};
    int r = jsv_registry_add(stage->registry, JSV_STR("urn:test"), stage->text, &fault);
    assert_int_equal(r == -EBADMSG, fault.message.size > 0);
    return r;
}

static int compile(struct stage *stage)
{
    struct jsv_error fault = {0};
    struct jsv_schema_options options = {.assert_format = true, .assert_content = true};
    int r =
        jsv_schema_compile(stage->registry, JSV_STR("urn:test"), &options, &stage->schema, &fault);
    assert_int_equal(r == 0, stage->schema != NULL);
    assert_true(r == 0 || r == -ENOMEM || fault.message.size > 0);
    return r;
}

static int validate(struct stage *stage)
{
    return jsv_validate(stage->validator, stage->schema, stage->value);
}

static int report(struct stage *stage)
{
    struct jsv_problems problems = {0};
    int r = jsv_validate_report(stage->validator, stage->schema, stage->value, &problems);
    assert_int_equal(problems.count > 0, r == 0);
    return r;
}

/* Do it, and if memory ran out do it again, which must succeed. @return what it came to. */
static int insist(struct stage *stage, int (*step)(struct stage *stage))
{
    bool failed_before = torture_has_failed(&stage->torture);
    int r = step(stage);
    if (r == -ENOMEM) {
        assert_false(failed_before);
        assert_true(torture_has_failed(&stage->torture));
        r = step(stage);
    }
    assert_int_not_equal(r, -ENOMEM);
    return r;
}

static void expect_verdict(struct stage *stage, struct jsv_value value, int verdict)
{
    stage->value = value;
    assert_int_equal(insist(stage, validate), verdict);
    assert_int_equal(insist(stage, report), verdict);
}

/* A scene's texts, read once. */
struct play {
    const struct scene *scene;
    struct jsv_str schema;
    struct jsv_value good;
    struct jsv_value bad;
};

/* All there is to do with a scene, one allocation failing. @return whether one did. */
static bool act(const struct play *play, size_t fail_at)
{
    struct stage stage = {.draft = play->scene->draft, .text = play->schema};
    torture_init(&stage.torture, fail_at);
    assert_int_equal(insist(&stage, make), 0);
    int r = insist(&stage, add);
    if (r == 0) {
        r = insist(&stage, compile);
    }
    assert_int_equal(r, play->scene->expected);
    if (r == 0) {
        expect_verdict(&stage, play->good, 1);
        expect_verdict(&stage, play->bad, 0);
    }
    jsv_schema_free(stage.schema);
    jsv_validator_free(stage.validator);
    jsv_registry_free(stage.registry);
    bool failed = torture_has_failed(&stage.torture);
    torture_done(&stage.torture);
    return failed;
}

static void every_allocation_fails_once(void **state)
{
    struct schema_fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
        struct play play = {
            .scene = &scenes[i],
            .schema = schema_fixture_quoted(fixture, scenes[i].schema),
        };
        if (scenes[i].expected == 0) {
            play.good = schema_fixture_read(fixture, scenes[i].good);
            play.bad = schema_fixture_read(fixture, scenes[i].bad);
        }
        size_t fail_at = 1;
        while (act(&play, fail_at)) {
            fail_at++;
        }
        print_message("%s: %zu allocations\n", scenes[i].name, fail_at - 1);
        assert_true(fail_at > 5);
    }
}

/* ---- wherever a block of memory ends ---- */

#define PADS_MAX 120

static int compile_unchecked(const struct jsv_allocator *allocator, void *state)
{
    const struct jsv_buf *text = state;
    struct jsv_registry_options options = {.draft = JSV_DRAFT_2020_12, .resolver = resolve};
    struct jsv_schema_options unchecked = {.skip_meta = true};
    struct jsv_registry *registry = jsv_registry_new(allocator, &options);
    struct jsv_schema *schema = NULL;
    int r = registry ? 0 : -ENOMEM;
    if (r == 0) {
        r = jsv_registry_add(registry, JSV_STR("urn:test"), jsv_buf_str(text), NULL);
    }
    if (r == 0) {
        r = jsv_schema_compile(registry, JSV_STR("urn:test"), &unchecked, &schema, NULL);
    }
    jsv_schema_free(schema);
    jsv_registry_free(registry);
    return r;
}

/*
 * Memory is asked for in blocks, so most of what compiling takes comes from
 * one that is there already. Schemas of many sizes move the ends of blocks to
 * every place in it.
 */
static void compiling_with_any_end_of_a_block(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (int pads = 0; pads <= PADS_MAX; pads++) {
        jsv_buf_reset(&text);
        json_fixture_print(&text, "{\"allOf\":[true");
        for (int i = 0; i < pads; i++) {
            json_fixture_print(&text, ",{\"minimum\":%d,\"minLength\":1}", -i);
        }
        for (size_t i = 0; scenes[i].draft == JSV_DRAFT_2020_12; i++) {
            jsv_buf_append_byte(&text, ',');
            jsv_buf_append_str(&text, schema_fixture_quoted(fixture, scenes[i].schema));
        }
        jsv_buf_append_str(&text, JSV_STR("]}"));
        assert_true(torture_run(compile_unchecked, &text) > 10);
    }
    jsv_buf_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(every_allocation_fails_once),
        SCHEMA_TEST(compiling_with_any_end_of_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
