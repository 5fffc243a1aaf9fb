/*
 * What compiling says: all faults in the order of the text, and keywords that
 * have no effect.
 */
#include <errno.h>

#include "support/schema_fixture.h"
#include "support/schema_notes.h"
#include "support/texts.h"

static int compile_in(enum jsv_draft draft, const char *schema)
{
    return schema_notes_compile(
        (struct jsv_registry_options){.draft = draft}, (struct jsv_schema_options){0}, schema);
}

static void all_faults_in_order(void **state)
{
    (void)state;
    assert_int_equal(
        compile_in(
            JSV_DRAFT_2020_12,
            "{'properties':{'a':{'$ref':'http://h/a'},'b':{'$ref':'#/none'}},"
            "'allOf':[{'$dynamicRef':'#x'},{'pattern':'('},{'$ref':'#/type'},{'$ref':'http://h/a'},"
            "{'patternProperties':{'(':{},'[':{'$ref':'#/$defs'}}}],'type':'object'}"),
        -EBADMSG);
    assert_string_equal(
        schema_notes,
        "fault urn:test#/properties/a/$ref@27: cannot find http://h/a (missing)\n"
        "fault urn:test#/properties/b/$ref@53: cannot find #/none in this schema\n"
        "fault urn:test#/allOf/0/$dynamicRef@88: cannot find #x in this schema\n"
        "fault urn:test#/allOf/1/pattern@105: invalid pattern at offset 0: the parenthesis is "
        "not closed\n"
        "fault urn:test#/allOf/2/$ref@118: $ref target is not a schema: #/type\n"
        "fault urn:test#/allOf/3/$ref@136: cannot find http://h/a (missing)\n"
        "fault urn:test#/allOf/4/patternProperties/(@172: invalid pattern at offset 0: the "
        "parenthesis is not closed\n"
        "fault urn:test#/allOf/4/patternProperties/[@179: invalid pattern at offset 0: the "
        "class is not closed\n"
        "fault urn:test#/allOf/4/patternProperties/[/$ref@191: cannot find #/$defs in this "
        "schema\n");
}

/* Without a callback, the caller gets the first one. */
static void the_first_is_returned(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_expect_fault(
        fixture,
        "{'allOf':[{'$ref':'urn:a'},{'$ref':'#/b'}]}",
        "/allOf/0/$ref",
        "cannot find urn:a");
    assert_text(fixture->fault.missing, "urn:a");
    assert_int_equal(fixture->fault.offset, 18);
    schema_fixture_expect_fault(
        fixture, "{'allOf':[{'$ref':'#/b'}]}", "/allOf/0/$ref", "cannot find #/b in this schema");
    assert_int_equal(fixture->fault.missing.size, 0);
}

/* A resource that is refused is told once; what else refers to it adds nothing. */
static void a_refused_resource(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct schema_remote remotes[] = {{"http://h/a", "{,}", 0}, {NULL, NULL, 0}};
    fixture->remotes = remotes;
    assert_int_equal(
        schema_fixture_compile(
            fixture, "{'allOf':[{'$ref':'http://h/a'},{'$ref':'http://h/a#/x'},{'$ref':'#/y'}]}"),
        -EBADMSG);
    assert_text(fixture->fault.uri, "http://h/a");
    assert_int_equal(fixture->fault.offset, 1);
}

static void faults_of_adding(void **state)
{
    (void)state;
    assert_int_equal(compile_in(JSV_DRAFT_7, "{'a':}"), -EBADMSG);
    assert_non_null(strstr(schema_notes, "fault urn:test#/a@5: "));
    assert_int_equal(compile_in(JSV_DRAFT_7, "{'$schema':'urn:no'}"), -EBADMSG);
    assert_string_equal(
        schema_notes, "fault urn:test#/$schema@11: unknown meta-schema urn:no (missing)\n");
    /* one place of a meta-schema */
    assert_int_equal(
        compile_in(JSV_DRAFT_7, "{'properties':{'x':{'$id':'urn:x','minLength':-1}}}"), -EBADMSG);
    assert_string_equal(
        schema_notes, "fault urn:test#/properties/x/minLength@46: must be at least 0\n");
}

struct warning_case {
    enum jsv_draft draft;
    const char *schema;
    const char *notes;
};

static void keywords_without_effect(void **state)
{
    (void)state;
    static const struct warning_case cases[] = {
        {JSV_DRAFT_7,
         "{'definitions':{'n':{}},'properties':{'x':{'type':'null','description':'d','$id':'i',"
         "'$ref':'#/definitions/n','format':'date','definitions':{}}}}",
         "warning urn:test#/properties/x/type@43: \"type\" has no effect beside \"$ref\" in draft "
         "7\n"
         "warning urn:test#/properties/x/$id@75: \"$id\" has no effect beside \"$ref\" in draft "
         "7\n"
         "warning urn:test#/properties/x/format@110: \"format\" has no effect beside \"$ref\" in "
         "draft 7\n"},
        {JSV_DRAFT_2019_09, "{'$defs':{'n':{}},'$ref':'#/$defs/n','type':'null'}", ""},
        {JSV_DRAFT_4,
         "{'const':1,'$id':'urn:x','minimum':1,'exclusiveMinimum':true,'$defs':{},"
         "'contentEncoding':'x'}",
         "warning urn:test#/const@1: \"const\" has no effect in draft 4; it is new in draft 6\n"
         "warning urn:test#/$id@11: \"$id\" has no effect in draft 4; it is new in draft 6\n"},
        {JSV_DRAFT_6,
         "{'if':true}",
         "warning urn:test#/if@1: \"if\" has no effect in draft 6; it is "
         "new in draft 7\n"},
        {JSV_DRAFT_7,
         "{'id':'x','minContains':1,'unevaluatedProperties':false,'prefixItems':[]}",
         "warning urn:test#/id@1: \"id\" has no effect in draft 7; the last to have it is draft 4\n"
         "warning urn:test#/minContains@10: \"minContains\" has no effect in draft 7; it is new in "
         "draft 2019-09\n"
         "warning urn:test#/unevaluatedProperties@26: \"unevaluatedProperties\" has no effect in "
         "draft 7; it is new in draft 2019-09\n"
         "warning urn:test#/prefixItems@56: \"prefixItems\" has no effect in draft 7; it is new in "
         "draft 2020-12\n"},
        {JSV_DRAFT_2020_12,
         "{'additionalItems':false,'$recursiveRef':'#','id':{},'x':1,'dependencies':{}}",
         "warning urn:test#/additionalItems@1: \"additionalItems\" has no effect in draft 2020-12; "
         "the last to have it is draft 2019-09\n"
         "warning urn:test#/$recursiveRef@25: \"$recursiveRef\" has no effect in draft 2020-12; "
         "the "
         "last to have it is draft 2019-09\n"},
        /* names of members are not keywords, and schemas without a reference to them do no harm */
        {JSV_DRAFT_4, "{'properties':{'const':{}},'definitions':{'a':{'const':1}}}", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(compile_in(cases[i].draft, cases[i].schema), 0);
        assert_string_equal(schema_notes, cases[i].notes);
    }
}

/* With faults there are no warnings: first things first. */
static void faults_before_warnings(void **state)
{
    (void)state;
    assert_int_equal(compile_in(JSV_DRAFT_4, "{'const':1,'items':{'$ref':'#/x'}}"), -EBADMSG);
    assert_string_equal(
        schema_notes, "fault urn:test#/items/$ref@27: cannot find #/x in this schema\n");
}

static void definitions_nothing_refers_to(void **state)
{
    (void)state;
    static const char schema[] = "{'$defs':{'a':{'$defs':{'b':{'$ref':'#/x'}}},'c':1}}";
    struct jsv_registry_options options = {.draft = JSV_DRAFT_2020_12};
    struct jsv_schema_options how = {.skip_meta = true};
    assert_int_equal(schema_notes_compile(options, how, schema), 0);
    how.compile_unused = true;
    assert_int_equal(schema_notes_compile(options, how, schema), -EBADMSG);
    assert_string_equal(
        schema_notes, "fault urn:test#/$defs/a/$defs/b/$ref@36: cannot find #/x in this schema\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_faults_in_order),
        SCHEMA_TEST(the_first_is_returned),
        SCHEMA_TEST(a_refused_resource),
        cmocka_unit_test(faults_of_adding),
        cmocka_unit_test(keywords_without_effect),
        cmocka_unit_test(faults_before_warnings),
        cmocka_unit_test(definitions_nothing_refers_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
