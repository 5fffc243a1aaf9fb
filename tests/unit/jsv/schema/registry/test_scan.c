/*
 * Resources and anchors within a source: where they begin, by which URIs they
 * are known, and what is refused.
 */
#include <errno.h>
#include <stdio.h>

#include "jsv/schema/registry/registry.h"
#include "support/schema_fixture.h"
#include "support/texts.h"

static void embedded_resources(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_reset(fixture);
    int r = schema_fixture_add(
        fixture,
        "http://h/root",
        "{'$defs':{'a':{'$id':'dir/a','$defs':{'b':{'$id':'b'}}},'c':{'$id':'urn:c'}},"
        "'properties':{'p':{'$id':'p'}},'items':{'$id':'i'},'allOf':[{'$id':'l'}],"
        "'dependentSchemas':{'d':{'$id':'d'}},'contentSchema':{'$id':'content'},"
        "'const':{'$id':'const'},'enum':[{'$id':'enum'}],'unknown':{'$id':'unknown'},"
        "'$comment':{'$id':'comment'},'required':[{'$id':'required'}]}");
    assert_int_equal(r, 0);
    static const char *const there[] = {
        "dir/a",
        "dir/b",
        "p",
        "i",
        "l",
        "d",
        "content",
    };
    for (size_t i = 0; i < sizeof(there) / sizeof(there[0]); i++) {
        char uri[64];
        snprintf(uri, sizeof(uri), "http://h/%s", there[i]);
        assert_non_null(schema_fixture_find(fixture, uri));
    }
    assert_non_null(schema_fixture_find(fixture, "urn:c"));
    static const char *const absent[] = {"const", "enum", "unknown", "comment", "required", "a"};
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
        char uri[64];
        snprintf(uri, sizeof(uri), "http://h/%s", absent[i]);
        assert_null(schema_fixture_find(fixture, uri));
    }
    const struct jsv_resource *b = schema_fixture_find(fixture, "http://h/dir/b");
    assert_ptr_equal(jsv_registry_resource_at(fixture->registry, b->root), b);
    assert_null(jsv_registry_resource_at(fixture->registry, b->root + 1));
}

/* In draft 4 it is `id`; up to 7 a $ref hides it, and a fragment in it is an anchor. */
static void identifiers_of_old_drafts(void **state)
{
    struct schema_fixture *fixture = *state;
    static const char schema[] =
        "{'definitions':{'a':{'id':'four','$id':'six'},'b':{'$id':'hidden','id':'hidden','$ref':'#'"
        "},"
        "'c':{'$id':'#foo','id':'#foo'},'d':{'$id':'bar#baz','id':'bar#baz'}}}";
    for (unsigned draft = JSV_DRAFT_4; draft <= JSV_DRAFT_2020_12; draft++) {
        fixture->draft = (enum jsv_draft)draft;
        schema_fixture_reset(fixture);
        assert_int_equal(schema_fixture_add(fixture, "http://h/root", schema), 0);
        const struct jsv_resource *root = schema_fixture_find(fixture, "http://h/root");
        assert_int_equal(
            schema_fixture_find(fixture, "http://h/four") != NULL, draft == JSV_DRAFT_4);
        assert_int_equal(
            schema_fixture_find(fixture, "http://h/six") != NULL, draft != JSV_DRAFT_4);
        assert_int_equal(
            schema_fixture_find(fixture, "http://h/hidden") != NULL, draft >= JSV_DRAFT_2019_09);
        bool old = draft < JSV_DRAFT_2019_09;
        const struct jsv_resource *bar = schema_fixture_find(fixture, "http://h/bar");
        assert_non_null(bar);
        assert_int_equal(jsv_resource_anchor(fixture->registry, root, JSV_STR("foo")) != NULL, old);
        assert_int_equal(jsv_resource_anchor(fixture->registry, bar, JSV_STR("baz")) != NULL, old);
    }
    /* the root's own */
    fixture->draft = JSV_DRAFT_7;
    schema_fixture_reset(fixture);
    assert_int_equal(schema_fixture_add(fixture, "http://h/root", "{'$id':'#top'}"), 0);
    assert_non_null(jsv_resource_anchor(
        fixture->registry, schema_fixture_find(fixture, "http://h/root"), JSV_STR("top")));
}

static void anchors(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_reset(fixture);
    int r = schema_fixture_add(
        fixture,
        "http://h/root",
        "{'$anchor':'top','$defs':{'a':{'$dynamicAnchor':'dyn'},'b':{'$anchor':'both',"
        "'$dynamicAnchor':'both'},'c':{'$id':'c','$anchor':'top'}}}");
    assert_int_equal(r, 0);
    const struct jsv_resource *root = schema_fixture_find(fixture, "http://h/root");
    const struct jsv_anchor *top = jsv_resource_anchor(fixture->registry, root, JSV_STR("top"));
    assert_ptr_equal(top->node, root->root);
    assert_false(top->dynamic);
    assert_true(jsv_resource_anchor(fixture->registry, root, JSV_STR("dyn"))->dynamic);
    assert_true(jsv_resource_anchor(fixture->registry, root, JSV_STR("both"))->dynamic);
    assert_null(jsv_resource_anchor(fixture->registry, root, JSV_STR("none")));
    const struct jsv_resource *c = schema_fixture_find(fixture, "http://h/c");
    assert_ptr_equal(jsv_resource_anchor(fixture->registry, c, JSV_STR("top"))->node, c->root);

    schema_fixture_expect_fault(
        fixture,
        "{'$defs':{'a':{'$anchor':'x'},'b':{'$dynamicAnchor':'x'}}}",
        "/$defs/a",
        "duplicate anchor x");
    /* of these, 2019-09 knows one, older drafts none */
    fixture->draft = JSV_DRAFT_2019_09;
    schema_fixture_use(fixture, "{'$defs':{'a':{'$anchor':'x'},'b':{'$dynamicAnchor':'x'}}}");
    fixture->draft = JSV_DRAFT_7;
    schema_fixture_use(fixture, "{'definitions':{'a':{'$anchor':'x'},'b':{'$anchor':'x'}}}");
}

static void identifiers_used_twice(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_expect_fault(
        fixture,
        "{'$id':'http://h/','$defs':{'a':{'$id':'x'},'b':{'$id':'http://h/x'}}}",
        "/$defs/a",
        "a different schema has the identifier http://h/x already: #/$defs/b");
    schema_fixture_expect_fault(
        fixture,
        "{'$id':'http://h/x','$defs':{'a':{'$id':'x'}}}",
        "/$defs/a",
        "a different schema has the identifier http://h/x already: #");
    /* equal schemas are one */
    schema_fixture_use(
        fixture,
        "{'$defs':{'a':{'$id':'http://h/x','type':'null','minimum':1},"
        "'b':{'minimum':1.0,'type':'null','$id':'http://h/x'}},'$ref':'http://h/x'}");
    schema_fixture_expect(fixture, "2", ": expected null (type /$defs/b/type)");
}

/* Equal texts that follow different drafts are different schemas. */
static void equal_texts_of_two_drafts(void **state)
{
    schema_fixture_expect_fault(
        *state,
        "{'$defs':{'a':{'$id':'http://h/a','$schema':'http://json-schema.org/draft-07/schema',"
        "'definitions':{'x':{'$id':'http://h/x'}}},'b':{'$id':'http://h/x'}}}",
        "/$defs/a/definitions/x",
        "a different schema has the identifier http://h/x already: #/$defs/b");
}

/* Many short identifiers below a long one. */
static void identifiers_too_long_together(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    jsv_buf_append_str(&text, JSV_STR("{\"$id\":\"http://h/"));
    for (int i = 0; i < 3000; i++) {
        jsv_buf_append_byte(&text, 'x');
    }
    jsv_buf_append_str(&text, JSV_STR("/\",\"$defs\":{\"_\":{}"));
    for (int i = 0; i < 2000; i++) {
        char item[64];
        jsv_buf_append(
            &text, item, (size_t)snprintf(item, sizeof(item), ",\"%d\":{\"$id\":\"%d\"}", i, i));
    }
    jsv_buf_append_str(&text, JSV_STR("}}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&text)), -EBADMSG);
    jsv_buf_done(&text);
    assert_text(
        fixture->fault.message, "the resolved identifiers of this schema exceed the size limit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(embedded_resources),
        SCHEMA_TEST(identifiers_of_old_drafts),
        SCHEMA_TEST(anchors),
        SCHEMA_TEST(identifiers_used_twice),
        SCHEMA_TEST(equal_texts_of_two_drafts),
        SCHEMA_TEST(identifiers_too_long_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
