/*
 * Resources: by which URIs they are known, by which draft and vocabularies
 * they are read, and what happens when something is wrong with them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "schema/registry.h"
#include "support/schema_fixture.h"
#include "support/torture.h"

static void assert_text(struct jsv_str actual, const char *expected)
{
    if (!jsv_str_equal(actual, jsv_str_from(expected))) {
        fail_msg("\"%.*s\" instead of \"%s\"", (int)actual.size, actual.data, expected);
    }
}

static void draft_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum jsv_draft draft;
    } names[] = {
        {"4", JSV_DRAFT_4},
        {"6", JSV_DRAFT_6},
        {"7", JSV_DRAFT_7},
        {"2019-09", JSV_DRAFT_2019_09},
        {"2020-12", JSV_DRAFT_2020_12},
    };
    for (size_t i = 0; i < 5; i++) {
        enum jsv_draft draft = JSV_DRAFT_6;
        assert_int_equal(jsv_draft_from_name(jsv_str_from(names[i].name), &draft), 0);
        assert_int_equal(draft, names[i].draft);
    }
    static const char *const wrong[] = {"", "5", "07", "draft-07", "2020", "2020-12 ", "04"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        enum jsv_draft draft = JSV_DRAFT_6;
        assert_int_equal(jsv_draft_from_name(jsv_str_from(wrong[i]), &draft), -EINVAL);
        assert_int_equal(draft, JSV_DRAFT_6);
    }
}

static void freeing_nothing(void **state)
{
    (void)state;
    jsv_registry_free(NULL);
    jsv_schema_free(NULL);
    jsv_validator_free(NULL);
}

/* Without options: 2020-12, where items is for the rest. */
static void default_options(void **state)
{
    (void)state;
    struct jsv_registry *registry = jsv_registry_new(NULL, NULL);
    assert_non_null(registry);
    assert_int_equal(
        jsv_registry_add(registry, JSV_STR("urn:a"), JSV_STR("{\"prefixItems\":[false]}"), NULL),
        0);
    struct jsv_resource *resource;
    assert_int_equal(jsv_registry_find(registry, JSV_STR("urn:a"), &resource, NULL), 0);
    assert_int_equal(resource->draft, JSV_DRAFT_2020_12);
    assert_int_equal(jsv_registry_find(registry, JSV_STR("urn:b"), &resource, NULL), -ENOENT);
    jsv_registry_free(registry);
}

static const struct jsv_resource *find(struct schema_fixture *fixture, const char *uri)
{
    struct jsv_resource *resource = NULL;
    int r = jsv_registry_find(fixture->registry, jsv_str_from(uri), &resource, NULL);
    assert_int_equal(r, resource ? 0 : -ENOENT);
    return resource;
}

/* $schema decides, in whatever scheme and with or without an empty fragment. */
static void drafts_by_schema(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct {
        const char *schema;
        enum jsv_draft draft;
    } cases[] = {
        {"http://json-schema.org/draft-04/schema#", JSV_DRAFT_4},
        {"https://json-schema.org/draft-04/schema", JSV_DRAFT_4},
        {"http://json-schema.org/draft-06/schema#", JSV_DRAFT_6},
        {"http://json-schema.org/draft-07/schema#", JSV_DRAFT_7},
        {"http://json-schema.org/draft-07/schema", JSV_DRAFT_7},
        {"https://json-schema.org/draft/2019-09/schema", JSV_DRAFT_2019_09},
        {"http://json-schema.org/draft/2020-12/schema#", JSV_DRAFT_2020_12},
        {"https://json-schema.org/schema", JSV_DRAFT_2020_12},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[128];
        snprintf(text, sizeof(text), "{'$schema':'%s'}", cases[i].schema);
        fixture->draft = cases[i].draft == JSV_DRAFT_6 ? JSV_DRAFT_7 : JSV_DRAFT_6;
        schema_fixture_reset(fixture);
        assert_int_equal(schema_fixture_add(fixture, "urn:a", text), 0);
        assert_int_equal(find(fixture, "urn:a")->draft, cases[i].draft);
    }
    fixture->draft = JSV_DRAFT_6;
    schema_fixture_reset(fixture);
    assert_int_equal(schema_fixture_add(fixture, "urn:a", "{'$schema':5}"), 0);
    assert_int_equal(find(fixture, "urn:a")->draft, JSV_DRAFT_6);
}

static void unknown_meta_schemas(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_expect_fault(
        fixture,
        "{'properties':{},'$schema':'http://h/unknown'}",
        "/$schema",
        "unknown meta-schema http://h/unknown");
    assert_text(fixture->fault.uri, "urn:test");
    static const char *const almost[] = {
        "ftp://json-schema.org/draft-07/schema",
        "json-schema.org/draft-07/schema",
        "http://json-schema.org/draft-05/schema#",
        "htt",
        "http",
        "https",
    };
    for (size_t i = 0; i < sizeof(almost) / sizeof(almost[0]); i++) {
        char text[128];
        snprintf(text, sizeof(text), "{'$schema':'%s'}", almost[i]);
        schema_fixture_expect_fault(fixture, text, "/$schema", "unknown meta-schema");
    }
}

/* Known by the URI it was added under, and by its own. */
static void names(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_reset(fixture);
    assert_int_equal(schema_fixture_add(fixture, "http://h/added", "{'$id':'own#'}"), 0);
    const struct jsv_resource *resource = find(fixture, "http://h/added");
    assert_non_null(resource);
    assert_ptr_equal(find(fixture, "http://h/own"), resource);
    assert_text(resource->uri, "http://h/own");
    assert_null(find(fixture, "http://h/other"));
    /* spelled differently, but the same */
    assert_int_equal(schema_fixture_add(fixture, "HTTP://H/x/../b", "{}"), 0);
    assert_non_null(find(fixture, "http://h/b"));
    /* no URI at all */
    assert_int_equal(schema_fixture_add(fixture, "", "{'type':'null'}"), 0);
    assert_int_equal(schema_fixture_compile_uri(fixture, ""), 0);
    assert_int_equal(schema_fixture_verdict(fixture, schema_fixture_read(fixture, "1")), 0);
}

static void taken_uris(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_reset(fixture);
    assert_int_equal(schema_fixture_add(fixture, "http://h/a", "{'$id':'http://h/own'}"), 0);
    assert_int_equal(schema_fixture_add(fixture, "http://h/a", "{}"), -EEXIST);
    assert_text(fixture->fault.message, "the identifier http://h/a is used twice");
    assert_int_equal(schema_fixture_add(fixture, "http://h/b", "{'$id':'http://h/own'}"), -EEXIST);
    assert_text(fixture->fault.message, "the identifier http://h/own is used twice");
    assert_text(fixture->fault.uri, "http://h/b");
    /* its address is taken though its name is not */
    assert_int_equal(schema_fixture_add(fixture, "http://h/a", "{'$id':'http://h/new'}"), -EEXIST);
    assert_null(find(fixture, "http://h/new"));
    assert_null(find(fixture, "http://h/b"));
    /* the first is still there */
    assert_ptr_equal(find(fixture, "http://h/a"), find(fixture, "http://h/own"));
}

/* What was refused leaves nothing behind, and may be added again. */
static void refused_schemas(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_reset(fixture);
    assert_int_equal(
        schema_fixture_add(fixture, "http://h/keep", "{'$id':'kept','$anchor':'k'}"), 0);
    static const char *const wrong[] = {
        "{'$id':'a','$defs':{'x':{'$id':'x','$anchor':'n'},'y':{'$id':'x'}}}",
        "{'$id':'a','$defs':{'x':{'$id':'x','$schema':'urn:unknown'}}}",
        "{'$id':'a','$defs':{'x':{'$anchor':'n'},'y':{'$anchor':'n'}}}",
        "{'$id':'a',",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(schema_fixture_add(fixture, "http://h/b", wrong[i]), -EBADMSG);
        assert_null(find(fixture, "http://h/a"));
        assert_null(find(fixture, "http://h/b"));
        assert_null(find(fixture, "http://h/x"));
        assert_int_equal(schema_fixture_compile_uri(fixture, "http://h/b"), -ENOENT);
    }
    assert_int_equal(
        schema_fixture_add(
            fixture, "http://h/b", "{'$id':'a','$defs':{'x':{'$id':'x','$anchor':'n'}}}"),
        0);
    assert_non_null(find(fixture, "http://h/a"));
    assert_non_null(find(fixture, "http://h/x"));
    assert_non_null(find(fixture, "http://h/kept"));
    assert_non_null(
        jsv_resource_anchor(fixture->registry, find(fixture, "http://h/x"), JSV_STR("n")));
    assert_non_null(
        jsv_resource_anchor(fixture->registry, find(fixture, "http://h/kept"), JSV_STR("k")));
}

static void faults_in_the_text(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_reset(fixture);
    assert_int_equal(schema_fixture_add(fixture, "http://h/a", "{'a':[1,}"), -EBADMSG);
    assert_text(fixture->fault.uri, "http://h/a");
    assert_text(fixture->fault.pointer, "/a/1");
    assert_int_not_equal(fixture->fault.json.code, JSV_ERROR_NONE);
    assert_int_equal(fixture->fault.json.offset, 8);
    assert_true(fixture->fault.message.size > 0);
    assert_int_equal(schema_fixture_add(fixture, "http://h/a", "{'a':1,'a':2}"), -EBADMSG);
    assert_int_equal(fixture->fault.json.code, JSV_ERROR_DUPLICATE_MEMBER);
    /* nobody need listen */
    assert_int_equal(
        jsv_registry_add(fixture->registry, JSV_STR("urn:a"), JSV_STR("{"), NULL), -EBADMSG);
}

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
        assert_non_null(find(fixture, uri));
    }
    assert_non_null(find(fixture, "urn:c"));
    static const char *const absent[] = {"const", "enum", "unknown", "comment", "required", "a"};
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
        char uri[64];
        snprintf(uri, sizeof(uri), "http://h/%s", absent[i]);
        assert_null(find(fixture, uri));
    }
    const struct jsv_resource *b = find(fixture, "http://h/dir/b");
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
        const struct jsv_resource *root = find(fixture, "http://h/root");
        assert_int_equal(find(fixture, "http://h/four") != NULL, draft == JSV_DRAFT_4);
        assert_int_equal(find(fixture, "http://h/six") != NULL, draft != JSV_DRAFT_4);
        assert_int_equal(find(fixture, "http://h/hidden") != NULL, draft >= JSV_DRAFT_2019_09);
        bool old = draft < JSV_DRAFT_2019_09;
        const struct jsv_resource *bar = find(fixture, "http://h/bar");
        assert_non_null(bar);
        assert_int_equal(jsv_resource_anchor(fixture->registry, root, JSV_STR("foo")) != NULL, old);
        assert_int_equal(jsv_resource_anchor(fixture->registry, bar, JSV_STR("baz")) != NULL, old);
    }
    /* the root's own */
    fixture->draft = JSV_DRAFT_7;
    schema_fixture_reset(fixture);
    assert_int_equal(schema_fixture_add(fixture, "http://h/root", "{'$id':'#top'}"), 0);
    assert_non_null(
        jsv_resource_anchor(fixture->registry, find(fixture, "http://h/root"), JSV_STR("top")));
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
    const struct jsv_resource *root = find(fixture, "http://h/root");
    const struct jsv_anchor *top = jsv_resource_anchor(fixture->registry, root, JSV_STR("top"));
    assert_ptr_equal(top->node, root->root);
    assert_false(top->dynamic);
    assert_true(jsv_resource_anchor(fixture->registry, root, JSV_STR("dyn"))->dynamic);
    assert_true(jsv_resource_anchor(fixture->registry, root, JSV_STR("both"))->dynamic);
    assert_null(jsv_resource_anchor(fixture->registry, root, JSV_STR("none")));
    const struct jsv_resource *c = find(fixture, "http://h/c");
    assert_ptr_equal(jsv_resource_anchor(fixture->registry, c, JSV_STR("top"))->node, c->root);

    schema_fixture_expect_fault(
        fixture,
        "{'$defs':{'a':{'$anchor':'x'},'b':{'$dynamicAnchor':'x'}}}",
        "/$defs/a",
        "the anchor x is used twice");
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
        "the identifier http://h/x is used twice");
    schema_fixture_expect_fault(
        fixture,
        "{'$id':'http://h/x','$defs':{'a':{'$id':'x'}}}",
        "/$defs/a",
        "the identifier http://h/x is used twice");
}

/* ---- meta-schemas of one's own ---- */

static void vocabularies(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct schema_remote remotes[] = {
        {"http://h/no-validation",
         "{'$schema':'https://json-schema.org/draft/2020-12/schema','$id':'http://h/no-validation',"
         "'$vocabulary':{'https://json-schema.org/draft/2020-12/vocab/core':true,"
         "'https://json-schema.org/draft/2020-12/vocab/applicator':true,'urn:unknown':false}}",
         0},
        {"http://h/assert",
         "{'$schema':'https://json-schema.org/draft/2020-12/schema','$id':'http://h/assert',"
         "'$vocabulary':{'https://json-schema.org/draft/2020-12/vocab/core':true,"
         "'https://json-schema.org/draft/2020-12/vocab/format-assertion':false}}",
         0},
        {"http://h/odd",
         "{'$schema':'https://json-schema.org/draft/2019-09/schema','$id':'http://h/odd',"
         "'$vocabulary':{'https://json-schema.org/draft/2019-09/vocab/applicator':true,"
         "'urn:unknown':true}}",
         0},
        {"http://h/applicator",
         "{'$schema':'https://json-schema.org/draft/2019-09/schema','$id':'http://h/applicator',"
         "'$vocabulary':{'https://json-schema.org/draft/2019-09/vocab/applicator':true}}",
         0},
        {"http://h/seven",
         "{'$schema':'http://json-schema.org/draft-07/schema#','$id':'http://h/seven',"
         "'$vocabulary':{'urn:unknown':true}}",
         0},
        {"http://h/itself", "{'$schema':'http://h/itself','$id':'http://h/itself'}", 0},
        {NULL, NULL, 0},
    };
    fixture->remotes = remotes;
    schema_fixture_use(
        fixture,
        "{'$schema':'http://h/no-validation','properties':{'a':false,'b':{'type':'null'}},"
        "'contains':{'const':1},'minContains':0}");
    schema_fixture_expect(fixture, "{'b':1}", NULL);
    schema_fixture_expect(fixture, "{'a':1}", "/a: no value is allowed here ( /properties/a)");
    /* minContains is of the vocabulary that is not there */
    schema_fixture_expect(
        fixture, "[]", ": must contain at least 1 matching item, found 0 (contains /contains)");

    schema_fixture_use(fixture, "{'$schema':'http://h/assert','format':'ipv4','type':'null'}");
    schema_fixture_expect(fixture, "'a'", ": not a valid ipv4 (format /format)");

    schema_fixture_use(fixture, "{'$schema':'http://h/applicator','unevaluatedItems':false}");
    schema_fixture_expect(
        fixture, "[1]", "/0: unexpected item (unevaluatedItems /unevaluatedItems)");

    schema_fixture_use(fixture, "{'$schema':'http://h/seven','type':'null'}");
    schema_fixture_expect(fixture, "1", ": expected null (type /type)");

    schema_fixture_use(fixture, "{'$schema':'http://h/itself','type':'null'}");
    schema_fixture_expect(fixture, "1", ": expected null (type /type)");

    schema_fixture_expect_fault(
        fixture,
        "{'$schema':'http://h/odd'}",
        "/$schema",
        "its meta-schema requires the unknown vocabulary urn:unknown");
}

/* The names of vocabularies count only where they belong. */
static void names_of_vocabularies(void **state)
{
    struct schema_fixture *fixture = *state;
    static const char *const wrong[] = {
        "https://json-schema.org/draft/2020-12/vocab/",
        "https://json-schema.org/draft/2020-12/vocab/cor",
        "https://json-schema.org/draft/2021-12/vocab/core",
        "core",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[256];
        snprintf(
            text,
            sizeof(text),
            "{'$schema':'https://json-schema.org/draft/2020-12/schema','$id':'http://h/m',"
            "'$vocabulary':{'%s':true}}",
            wrong[i]);
        struct schema_remote remotes[] = {{"http://h/m", text, 0}, {NULL, NULL, 0}};
        fixture->remotes = remotes;
        schema_fixture_expect_fault(
            fixture, "{'$schema':'http://h/m'}", "/$schema", "its meta-schema requires");
    }
}

/* A chain of meta-schemas has an end, and so has a circle. */
static void meta_schemas_of_meta_schemas(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct schema_remote circle[] = {
        {"http://h/a", "{'$schema':'http://h/b','$id':'http://h/a'}", 0},
        {"http://h/b", "{'$schema':'http://h/a','$id':'http://h/b'}", 0},
        {NULL, NULL, 0},
    };
    fixture->remotes = circle;
    schema_fixture_use(fixture, "{'$schema':'http://h/a','type':'null'}");
    schema_fixture_expect(fixture, "1", ": expected null (type /type)");

    static char texts[40][64];
    static char uris[40][32];
    struct schema_remote chain[41] = {0};
    for (int i = 0; i < 40; i++) {
        snprintf(uris[i], sizeof(uris[i]), "http://h/%d", i);
        snprintf(texts[i], sizeof(texts[i]), "{'$schema':'http://h/%d'}", i + 1);
        chain[i] = (struct schema_remote){uris[i], texts[i], 0};
    }
    fixture->remotes = chain;
    assert_int_equal(schema_fixture_compile(fixture, "{'$schema':'http://h/0'}"), -EBADMSG);
    assert_memory_equal(fixture->fault.message.data, "too many meta-schemas of meta-schemas", 37);
}

static void resolver_errors(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct schema_remote remotes[] = {
        {"http://h/broken", NULL, -EIO},
        {"http://h/bad", NULL, -EBADMSG},
        {"http://h/none", NULL, -ENOENT},
        {"http://h/text", "{'a':", 0},
        {"http://h/schema",
         "{'$id':'http://h/schema','$defs':{'a':{'$anchor':'x'},'b':{'$anchor':'x'}}}",
         0},
        {NULL, NULL, 0},
    };
    fixture->remotes = remotes;
    assert_int_equal(schema_fixture_compile(fixture, "{'$ref':'http://h/broken'}"), -EIO);
    assert_text(fixture->fault.uri, "http://h/broken");
    assert_text(fixture->fault.message, "it could not be loaded");
    assert_int_equal(schema_fixture_compile(fixture, "{'$schema':'http://h/broken'}"), -EIO);
    assert_text(fixture->fault.uri, "http://h/broken");
    assert_int_equal(schema_fixture_compile(fixture, "{'$ref':'http://h/bad'}"), -EBADMSG);
    assert_text(fixture->fault.uri, "http://h/bad");
    schema_fixture_expect_fault(
        fixture,
        "{'$ref':'http://h/none#/a'}",
        "/$ref",
        "the reference leads nowhere: http://h/none#/a");
    assert_int_equal(schema_fixture_compile(fixture, "{'$ref':'http://h/text'}"), -EBADMSG);
    assert_text(fixture->fault.uri, "http://h/text");
    assert_int_not_equal(fixture->fault.json.code, JSV_ERROR_NONE);
    schema_fixture_expect_fault(
        fixture, "{'$ref':'http://h/schema'}", "/$defs/a", "the anchor x is used twice");
    assert_text(fixture->fault.uri, "http://h/schema");
    /* the registry goes on */
    assert_int_equal(schema_fixture_add(fixture, "urn:next", "{'type':'null'}"), 0);
    assert_int_equal(schema_fixture_compile_uri(fixture, "urn:next"), 0);
}

/* The same schema under two addresses: it is known by both, and by its name as first seen. */
static void resolved_twice(void **state)
{
    struct schema_fixture *fixture = *state;
    static const struct schema_remote remotes[] = {
        {"http://h/a.json", "{'$id':'http://h/a','type':'null'}", 0},
        {"http://h/a.json?2", "{'$id':'http://h/a','type':'string'}", 0},
        {NULL, NULL, 0},
    };
    fixture->remotes = remotes;
    static const struct {
        const char *schema;
        const char *problems;
    } cases[] = {
        {"{'$ref':'http://h/a.json'}", ": expected null (type http://h/a.json#/type)"},
        {"{'$ref':'http://h/a.json?2'}", ": expected string (type http://h/a.json?2#/type)"},
        {"{'$ref':'http://h/a'}", ": expected null (type http://h/a.json#/type)"},
    };
    schema_fixture_reset(fixture);
    for (size_t i = 0; i < 3; i++) {
        char uri[] = {'u', 'r', 'n', ':', (char)('a' + i), '\0'};
        assert_int_equal(schema_fixture_add(fixture, uri, cases[i].schema), 0);
        assert_int_equal(schema_fixture_compile_uri(fixture, uri), 0);
        schema_fixture_expect(fixture, "1", cases[i].problems);
    }
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
    assert_text(fixture->fault.message, "its identifiers, when resolved, are too long together");
}

/* A pointer in a fault may be long and odd; a message is cut. */
static void pointers_and_messages_of_faults(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_expect_fault(
        fixture,
        "{'properties':{'a/b':{'allOf':[true,{'$ref':'#/x~y'}]}}}",
        "/properties/a~1b/allOf/1/$ref",
        "the reference leads nowhere: #/x~y");
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    jsv_buf_append_str(&text, JSV_STR("{\"$ref\":\"#/"));
    for (int i = 0; i < 1000; i++) {
        jsv_buf_append_str(&text, JSV_STR("\xC3\xA9"));
    }
    jsv_buf_append_str(&text, JSV_STR("\"}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&text)), -EBADMSG);
    jsv_buf_done(&text);
    struct jsv_str message = fixture->fault.message;
    assert_true(message.size > 900 && message.size < 1024);
    assert_memory_equal(message.data + message.size - 3, "…", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draft_names),
        cmocka_unit_test(freeing_nothing),
        cmocka_unit_test(default_options),
        SCHEMA_TEST(drafts_by_schema),
        SCHEMA_TEST(unknown_meta_schemas),
        SCHEMA_TEST(names),
        SCHEMA_TEST(taken_uris),
        SCHEMA_TEST(refused_schemas),
        SCHEMA_TEST(faults_in_the_text),
        SCHEMA_TEST(embedded_resources),
        SCHEMA_TEST(identifiers_of_old_drafts),
        SCHEMA_TEST(anchors),
        SCHEMA_TEST(identifiers_used_twice),
        SCHEMA_TEST(vocabularies),
        SCHEMA_TEST(names_of_vocabularies),
        SCHEMA_TEST(meta_schemas_of_meta_schemas),
        SCHEMA_TEST(resolver_errors),
        SCHEMA_TEST(resolved_twice),
        SCHEMA_TEST(identifiers_too_long_together),
        SCHEMA_TEST(pointers_and_messages_of_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
