/*
 * Schemas against their meta-schemas, each resource by its own.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/schema/compile/compile.h"
#include "support/schema_fixture.h"

/* An embedded resource may follow another draft, with other rules. */
static void each_by_its_own_draft(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(
        fixture,
        "{'$id':'http://h/root','$defs':{"
        "'four':{'$schema':'http://json-schema.org/draft-04/schema#','id':'four','minimum':1,"
        "'exclusiveMinimum':true,'items':[{}]},"
        "'list':{'allOf':[{'$id':'seven','$schema':'http://json-schema.org/draft-07/"
        "schema#','items':[true]}]}}}");
    schema_fixture_expect_fault(
        fixture,
        "{'$id':'http://h/root','$defs':{"
        "'four':{'$schema':'http://json-schema.org/draft-04/"
        "schema#','id':'four','exclusiveMinimum':1}}}",
        "/$defs/four",
        "missing property 'minimum'");
    schema_fixture_expect_fault(
        fixture,
        "{'$id':'http://h/root','$defs':{"
        "'four':{'$schema':'http://json-schema.org/draft-04/schema#','id':'four',"
        "'properties':{'a':{'minimum':1,'exclusiveMinimum':1}}}}}",
        "/$defs/four/properties/a/exclusiveMinimum",
        "expected boolean");
}

/* Three drafts in each other: each would find the next one wrong, and is not asked. */
static void by_its_own_draft_only(void **state)
{
    struct schema_fixture *fixture = *state;
    static const char *const schemas[] = {
        /* {4 {2020-12 {4}}} */
        "{'$schema':'http://json-schema.org/draft-04/schema#','id':'http://h/outer',"
        "'definitions':{'new':{'$schema':'https://json-schema.org/draft/2020-12/schema',"
        "'$id':'http://h/new','exclusiveMinimum':5,'items':%s,'not':true,"
        "'$defs':{'old':{'$schema':'http://json-schema.org/draft-04/schema#','id':'http://h/old',"
        "'minimum':1,'exclusiveMinimum':%s,'required':['a']}}}}}",
        /* {7 {2019-09 {4}}}: an empty list of names, $anchor, an array of items */
        "{'$schema':'http://json-schema.org/draft-07/schema#','$id':'http://h/outer',"
        "'definitions':{'new':{'$schema':'https://json-schema.org/draft/2019-09/schema',"
        "'$id':'http://h/new','$anchor':'a','items':%s,'required':[],"
        "'$defs':{'old':{'$schema':'http://json-schema.org/draft-04/schema#','id':'http://h/old',"
        "'minimum':1,'exclusiveMinimum':%s}}}}}",
    };
    static const struct {
        const char *items;
        const char *exclusive;
        const char *pointer; /* of the fault; NULL for none */
    } cases[] = {
        {"true", "true", NULL},
        {"{}", "false", NULL},
        {"5", "true", "/definitions/new/items"},
        {"true", "5", "/definitions/new/$defs/old/exclusiveMinimum"},
    };
    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
        for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
            char text[640];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(text, sizeof(text), schemas[i], cases[c].items, cases[c].exclusive);
#pragma GCC diagnostic pop
            if (cases[c].pointer) {
                schema_fixture_expect_fault(fixture, text, cases[c].pointer, "expected ");
            } else {
                schema_fixture_use(fixture, text);
            }
        }
    }
}

/* Without an identifier it is not a resource, and its $schema has no effect. */
static void only_resources_have_a_draft(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_expect_fault(
        fixture,
        "{'$defs':{'a':{'$schema':'http://json-schema.org/draft-04/schema#','minimum':1,"
        "'exclusiveMinimum':true}}}",
        "/$defs/a/exclusiveMinimum",
        "expected number");
}

/* The schema around an embedded resource is checked without it. */
static void around_what_is_embedded(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct {
        const char *schema;
        const char *pointer;
    } cases[] = {
        {"{'type':5,'$id':'http://h/','$defs':{'a':{'$id':'a'}}}", "/type"},
        {"{'$id':'http://h/','$defs':{'a':{'$id':'a'},'b':{'type':5}}}", "/$defs/b/type"},
        {"{'$id':'http://h/','$defs':{'a':{'$id':'a','$defs':{'b':{'$id':'b','type':5}}}}}",
         "/$defs/a/$defs/b/type"},
        {"{'$id':'http://h/','$defs':{'a':{'$id':'a','$defs':{'b':{'$id':'b'}},'type':5}}}",
         "/$defs/a/type"},
        {"{'$id':'http://h/"
         "','allOf':[{'$id':'a'},{'$id':'b','allOf':[true,{'$id':'c'},{'type':5}]},{'$id':'d'}]}",
         "/allOf/1/allOf/2/type"},
        {"{'$id':'http://h/"
         "','allOf':[{'$id':'a'},{'$id':'b'},{'$id':'d','type':5}],'not':{'$id':'e'}}",
         "/allOf/2/type"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        schema_fixture_expect_fault(
            fixture, cases[i].schema, cases[i].pointer, "expected array or one of ");
    }
}

/* Also schemas without a reference to them, in a source that is referred to. */
static void resolved_schemas(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct schema_remote remotes[] = {
        {"http://h/r",
         "{'$id':'http://h/r','$defs':{'good':true,'bad':{'$id':'bad','type':5}}}",
         0},
        {NULL, NULL, 0},
    };
    fixture->remotes = remotes;
    schema_fixture_expect_fault(
        fixture,
        "{'$ref':'http://h/r#/$defs/good'}",
        "/$defs/bad/type",
        "expected array or one of ");
    assert_true(jsv_str_equal(fixture->fault.uri, JSV_STR("http://h/r")));
    /* every time again, until it is right */
    assert_int_equal(schema_fixture_compile_uri(fixture, "urn:test"), -EBADMSG);
    fixture->options.skip_meta = true;
    assert_int_equal(schema_fixture_compile_uri(fixture, "urn:test"), 0);
}

static void once_is_enough(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_use(fixture, "{'type':'null','$defs':{'a':{'$id':'http://h/a'}}}");
    struct jsv_resource *resource;
    assert_int_equal(
        jsv_registry_find(fixture->registry, NULL, JSV_STR("urn:test"), &resource, NULL), 0);
    assert_true(resource->source->checked);
    struct jsv_error fault;
    assert_int_equal(jsv_source_check(fixture->registry, resource->source, &fault), 0);
    /* without a callback */
    assert_int_equal(schema_fixture_add(fixture, "urn:bad", "{'properties':{'a':5}}"), 0);
    assert_int_equal(
        jsv_registry_find(fixture->registry, NULL, JSV_STR("urn:bad"), &resource, NULL), 0);
    assert_int_equal(jsv_source_check(fixture->registry, resource->source, NULL), -EBADMSG);
    assert_false(resource->source->checked);
}

/* A meta-schema of one's own, which asks for more than the draft does. */
static void meta_schemas_of_ones_own(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct schema_remote remotes[] = {
        {"http://h/meta",
         "{'$schema':'https://json-schema.org/draft/2020-12/schema','$id':'http://h/meta',"
         "'$dynamicAnchor':'meta','$ref':'https://json-schema.org/draft/2020-12/schema',"
         "'required':['title'],'properties':{'title':{'pattern':'^[A-Z]'}}}",
         0},
        {"http://h/broken",
         "{'$schema':'https://json-schema.org/draft/2020-12/schema','$id':'http://h/"
         "broken','$ref':'#/x'}",
         0},
        {"http://h/endless",
         "{'$schema':'https://json-schema.org/draft/2020-12/schema','$id':'http://h/"
         "endless','$ref':'#'}",
         0},
        {NULL, NULL, 0},
    };
    fixture->remotes = remotes;
    schema_fixture_use(
        fixture, "{'$schema':'http://h/meta','title':'A','items':{'title':'B','type':'null'}}");
    schema_fixture_expect_fault(
        fixture,
        "{'$schema':'http://h/meta','title':'A','items':{'type':'null'}}",
        "/items",
        "missing property 'title'");
    schema_fixture_expect_fault(
        fixture, "{'$schema':'http://h/meta','title':'a'}", "/title", "does not match pattern");
    schema_fixture_expect_fault(
        fixture, "{'$schema':'http://h/meta','title':'A','type':5}", "/type", "expected array");
    schema_fixture_expect_fault(fixture, "{'$schema':'http://h/broken'}", "/$ref", "cannot find #");
    assert_true(jsv_str_equal(fixture->fault.uri, JSV_STR("http://h/broken")));
    schema_fixture_expect_fault(
        fixture,
        "{'$schema':'http://h/endless'}",
        "",
        "too large to check against its meta-schema");
}

/* A meta-schema that is gone: it was refused after another had taken it for its own. */
static void a_meta_schema_that_is_gone(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct schema_remote remotes[] = {
        {"http://h/b", "{'$schema':'http://h/a','$id':'http://h/b'}", 0},
        {NULL, NULL, 0},
    };
    fixture->remotes = remotes;
    schema_fixture_reset(fixture);
    assert_int_equal(
        schema_fixture_add(
            fixture,
            "http://h/a",
            "{'$schema':'http://h/b','$defs':{'x':{'$anchor':'n'},'y':{'$anchor':'n'}}}"),
        -EBADMSG);
    assert_int_equal(schema_fixture_compile_uri(fixture, "http://h/b"), -EBADMSG);
    static const char message[] = "unknown meta-schema http://h/a";
    assert_int_equal(fixture->fault.message.size, sizeof(message) - 1);
    assert_memory_equal(fixture->fault.message.data, message, sizeof(message) - 1);
}

/* Meta-schemas are found by the number of their resource; those may be far apart. */
static void many_resources(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_reset(fixture);
    static const char *const drafts[] = {
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    };
    for (int i = 0; i < 200; i++) {
        char uri[32];
        char text[96];
        snprintf(uri, sizeof(uri), "http://h/%d", i);
        snprintf(text, sizeof(text), "{'$schema':'%s','type':'null'}", drafts[i / 40]);
        assert_int_equal(schema_fixture_add(fixture, uri, text), 0);
        assert_int_equal(schema_fixture_compile_uri(fixture, uri), 0);
    }
}

static void all_problems_are_listed(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_expect_fault(
        fixture,
        "{'minLength':-1,'properties':{'a':1,'b':{'type':'x'}},'required':[1]}",
        "/minLength",
        "must be at least 0; at /properties/a: expected boolean or object; at /properties/b/type: "
        "expected one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'; "
        "at /required/0: expected string");
    struct jsv_buf schema;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    for (int i = 0; i < 50; i++) {
        char text[32];
        int size = snprintf(text, sizeof(text), "%s\"p%d\":1", i ? "," : "{\"$defs\":{", i);
        jsv_buf_append(&schema, text, (size_t)size);
    }
    jsv_buf_append_str(&schema, JSV_STR("}}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), -EBADMSG);
    jsv_buf_done(&schema);
    assert_non_null(strstr(fixture->fault.message.data, "; and 34 more"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(each_by_its_own_draft),
        SCHEMA_TEST(by_its_own_draft_only),
        SCHEMA_TEST(only_resources_have_a_draft),
        SCHEMA_TEST(around_what_is_embedded),
        SCHEMA_TEST(resolved_schemas),
        SCHEMA_TEST(once_is_enough),
        SCHEMA_TEST(meta_schemas_of_ones_own),
        SCHEMA_TEST(a_meta_schema_that_is_gone),
        SCHEMA_TEST(many_resources),
        SCHEMA_TEST(all_problems_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
