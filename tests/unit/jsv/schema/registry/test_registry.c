/*
 * Sources: by which URIs they are known, where they come from, and what happens
 * when something is wrong with them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "jsv/schema/registry/registry.h"
#include "support/schema_fixture.h"
#include "support/schema_notes.h"
#include "support/slowness.h"
#include "support/texts.h"

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
    assert_int_equal(jsv_registry_find(registry, NULL, JSV_STR("urn:a"), &resource, NULL), 0);
    assert_int_equal(resource->draft, JSV_DRAFT_2020_12);
    assert_int_equal(jsv_registry_find(registry, NULL, JSV_STR("urn:b"), &resource, NULL), -ENOENT);
    jsv_registry_free(registry);
}

/* Known by the URI it was added under, and by its own. */
static void names(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_reset(fixture);
    assert_int_equal(schema_fixture_add(fixture, "http://h/added", "{'$id':'own#'}"), 0);
    const struct jsv_resource *resource = schema_fixture_find(fixture, "http://h/added");
    assert_non_null(resource);
    assert_ptr_equal(schema_fixture_find(fixture, "http://h/own"), resource);
    assert_text(resource->uri, "http://h/own");
    assert_null(schema_fixture_find(fixture, "http://h/other"));
    /* spelled differently, but the same */
    assert_int_equal(schema_fixture_add(fixture, "HTTP://H/x/../b", "{}"), 0);
    assert_non_null(schema_fixture_find(fixture, "http://h/b"));
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
    assert_text(
        fixture->fault.message,
        "a different schema has the identifier http://h/a already: http://h/a#");
    assert_int_equal(
        schema_fixture_add(fixture, "http://h/b", "{'$id':'http://h/own','type':'null'}"), -EEXIST);
    assert_text(
        fixture->fault.message,
        "a different schema has the identifier http://h/own already: http://h/a#");
    assert_text(fixture->fault.uri, "http://h/b");
    /* its address is taken though its name is not */
    assert_int_equal(schema_fixture_add(fixture, "http://h/a", "{'$id':'http://h/new'}"), -EEXIST);
    assert_null(schema_fixture_find(fixture, "http://h/new"));
    assert_null(schema_fixture_find(fixture, "http://h/b"));
    /* the first is still there */
    assert_ptr_equal(
        schema_fixture_find(fixture, "http://h/a"), schema_fixture_find(fixture, "http://h/own"));
}

/* A refused schema leaves no trace and may be added again. */
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
        assert_null(schema_fixture_find(fixture, "http://h/a"));
        assert_null(schema_fixture_find(fixture, "http://h/b"));
        assert_null(schema_fixture_find(fixture, "http://h/x"));
        assert_int_equal(schema_fixture_compile_uri(fixture, "http://h/b"), -ENOENT);
    }
    assert_int_equal(
        schema_fixture_add(
            fixture, "http://h/b", "{'$id':'a','$defs':{'x':{'$id':'x','$anchor':'n'}}}"),
        0);
    assert_non_null(schema_fixture_find(fixture, "http://h/a"));
    assert_non_null(schema_fixture_find(fixture, "http://h/x"));
    assert_non_null(schema_fixture_find(fixture, "http://h/kept"));
    assert_non_null(jsv_resource_anchor(
        fixture->registry, schema_fixture_find(fixture, "http://h/x"), JSV_STR("n")));
    assert_non_null(jsv_resource_anchor(
        fixture->registry, schema_fixture_find(fixture, "http://h/kept"), JSV_STR("k")));
}

static void faults_in_the_text(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_reset(fixture);
    assert_int_equal(schema_fixture_add(fixture, "http://h/a", "{'a':[1,}"), -EBADMSG);
    assert_text(fixture->fault.uri, "http://h/a");
    assert_text(fixture->fault.pointer, "/a/1");
    assert_int_not_equal(fixture->fault.code, JSV_ERROR_NONE);
    assert_int_equal(fixture->fault.offset, 8);
    assert_true(fixture->fault.message.size > 0);
    assert_int_equal(schema_fixture_add(fixture, "http://h/a", "{'a':1,'a':2}"), -EBADMSG);
    assert_int_equal(fixture->fault.code, JSV_ERROR_DUPLICATE_MEMBER);
    /* the callback may be NULL */
    assert_int_equal(
        jsv_registry_add(fixture->registry, JSV_STR("urn:a"), JSV_STR("{"), NULL), -EBADMSG);
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
    assert_text(fixture->fault.message, "the schema could not be loaded");
    assert_int_equal(schema_fixture_compile(fixture, "{'$schema':'http://h/broken'}"), -EIO);
    assert_text(fixture->fault.uri, "http://h/broken");
    assert_int_equal(schema_fixture_compile(fixture, "{'$ref':'http://h/bad'}"), -EBADMSG);
    assert_text(fixture->fault.uri, "http://h/bad");
    schema_fixture_expect_fault(
        fixture, "{'$ref':'http://h/none#/a'}", "/$ref", "cannot find http://h/none");
    assert_int_equal(schema_fixture_compile(fixture, "{'$ref':'http://h/text'}"), -EBADMSG);
    assert_text(fixture->fault.uri, "http://h/text");
    assert_int_not_equal(fixture->fault.code, JSV_ERROR_NONE);
    schema_fixture_expect_fault(
        fixture, "{'$ref':'http://h/schema'}", "/$defs/a", "duplicate anchor x");
    assert_text(fixture->fault.uri, "http://h/schema");
    /* the registry goes on */
    assert_int_equal(schema_fixture_add(fixture, "urn:next", "{'type':'null'}"), 0);
    assert_int_equal(schema_fixture_compile_uri(fixture, "urn:next"), 0);
}

/* Adding an equal text again changes nothing, also when it is spelled differently. */
static void added_again(void **state)
{
    struct schema_fixture *fixture = *state;
    static const char text[] = "{'$id':'http://h/own','$defs':{'x':{'$id':'x','type':'null'}}}";
    static const char same[] = "{'$defs':{'x':{'type':'null','$id':'x'}}, '$id':'http://h/own'}";
    schema_fixture_reset(fixture);
    assert_int_equal(schema_fixture_add(fixture, "http://h/a", text), 0);
    assert_int_equal(schema_fixture_add(fixture, "http://h/a", text), 0);
    assert_int_equal(schema_fixture_add(fixture, "http://h/b", same), 0);
    assert_int_equal(schema_fixture_add(fixture, "http://h/c", "{'$id':'http://h/x'}"), -EEXIST);
    assert_int_equal(schema_fixture_compile_uri(fixture, "http://h/x"), 0);
    schema_fixture_expect(fixture, "1", ": expected null (type /$defs/x/type)");
}

/* One file reached by two URIs, whichever comes first; what it embeds comes twice, too. */
static void resolved_twice(void **state)
{
    struct schema_fixture *fixture = *state;
#define TWICE "{'$id':'http://h/a','$defs':{'n':{'$id':'n','type':'null'}},'$ref':'n'}"
    static const struct schema_remote remotes[] = {
        {"http://h/a.json", TWICE, 0},
        {"https://other/a.json", TWICE, 0},
        {"http://h/different", "{'$id':'http://h/a','type':'string'}", 0},
        {NULL, NULL, 0},
    };
    static const char *const orders[][3] = {
        {"http://h/a.json", "https://other/a.json", "http://h/a.json"},
        {"https://other/a.json", "http://h/a.json", "https://other/a.json"},
    };
    fixture->remotes = remotes;
    for (size_t i = 0; i < 2; i++) {
        char schema[256];
        snprintf(
            schema,
            sizeof(schema),
            "{'prefixItems':[{'$ref':'%s'},{'$ref':'%s'},{'$ref':'%s'}]}",
            orders[i][0],
            orders[i][1],
            orders[i][2]);
        assert_int_equal(schema_fixture_compile(fixture, schema), 0);
        assert_int_equal(
            schema_fixture_verdict(fixture, schema_fixture_read(fixture, "[null,null,null]")), 1);
        assert_int_equal(
            schema_fixture_verdict(fixture, schema_fixture_read(fixture, "[null,1,null]")), 0);
    }
    /* a different text is not the same schema */
    static const char *const different[] = {
        "{'prefixItems':[{'$ref':'http://h/a.json'},{'$ref':'http://h/different'}]}",
        "{'prefixItems':[{'$ref':'http://h/different'},{'$ref':'http://h/a.json'}]}",
    };
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(schema_fixture_compile(fixture, different[i]), -EBADMSG);
        assert_memory_equal(fixture->fault.message.data, "a different schema has", 22);
    }
}

/*
 * A copy of a draft's meta-schema, which need not be our text, is a schema like
 * any other and counts where it is: here, and nowhere else.
 */
static void copies_of_meta_schemas(void **state)
{
    struct schema_fixture *fixture = *state;
#define DRAFT_7 "http://json-schema.org/draft-07/schema"
#define COPY(type)                                                                                 \
    "{'$schema':'" DRAFT_7 "#','definitions':{'meta':{'$id':'" DRAFT_7 "#','title':'a copy',"      \
    "'type':'" type "'}},'properties':{'m':{'$ref':'" DRAFT_7 "#'}}}"
    static const char *const others[] = {
        "{'$schema':'" DRAFT_7 "#','properties':{'m':{'$ref':'" DRAFT_7 "#'}}}", COPY("null")};
    for (size_t order = 0; order < 2; order++) {
        schema_fixture_reset(fixture);
        for (size_t i = 0; i < 3; i++) {
            static const char *const uris[] = {"urn:plain", "urn:null", "urn:string"};
            size_t which = order ? 2 - i : i;
            const char *text = which < 2 ? others[which] : COPY("string");
            assert_int_equal(schema_fixture_add(fixture, uris[which], text), 0);
        }
        assert_int_equal(schema_fixture_compile_uri(fixture, "urn:plain"), 0);
        schema_fixture_expect(fixture, "{'m':{'type':'null'}}", NULL);
        assert_int_equal(
            schema_fixture_verdict(fixture, schema_fixture_read(fixture, "{'m':{'type':1}}")), 0);
        assert_int_equal(schema_fixture_compile_uri(fixture, "urn:string"), 0);
        schema_fixture_expect(fixture, "{'m':''}", NULL);
        schema_fixture_expect(
            fixture, "{'m':1}", "/m: expected string (type /definitions/meta/type)");
        assert_int_equal(schema_fixture_compile_uri(fixture, "urn:null"), 0);
        schema_fixture_expect(fixture, "{'m':null}", NULL);
    }
    /* schemas are still checked by ours */
    assert_int_equal(schema_fixture_add(fixture, DRAFT_7, "{'$id':'" DRAFT_7 "#'}"), 0);
    assert_int_equal(
        schema_fixture_add(fixture, "urn:bad", "{'$schema':'" DRAFT_7 "#','type':'nul'}"), 0);
    assert_int_equal(schema_fixture_compile_uri(fixture, "urn:bad"), -EBADMSG);
    assert_text(fixture->fault.pointer, "/type");
}

static void pointers_of_faults(void **state)
{
    schema_fixture_expect_fault(
        *state,
        "{'properties':{'a/b':{'allOf':[true,{'$ref':'#/x~y'}]}}}",
        "/properties/a~1b/allOf/1/$ref",
        "cannot find #/x~y in this schema");
}

/* A text that does not fit is cut. */
static void long_messages_of_faults(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    jsv_buf_append_str(&text, JSV_STR("{\"$ref\":\"#/"));
    append_repeated(&text, "\xC3\xA9", 1000);
    jsv_buf_append_str(&text, JSV_STR("\"}"));
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&text)), -EBADMSG);
    jsv_buf_done(&text);
    struct jsv_str message = fixture->fault.message;
    assert_true(message.size > 900 && message.size < 1024);
    assert_memory_equal(message.data + message.size - 3, "…", 3);
}

/* ---- closing ---- */

static void *count_bytes(void *context, void *memory, size_t old_size, size_t new_size)
{
    size_t *used = context;
    *used = *used - old_size + new_size;
    if (new_size == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, new_size);
}

/* What was compiled stays good, also what refers to a meta-schema, and most memory is given back.
 */
static void closing(void **state)
{
    struct schema_fixture *fixture = *state;
    schema_fixture_reset(fixture);
    size_t used = 0;
    const struct jsv_allocator allocator = {count_bytes, &used};
    struct jsv_registry *registry = jsv_registry_new(&allocator, NULL);
    assert_non_null(registry);
    static const struct jsv_str text =
        JSV_STR("{\"properties\":{\"a\":{\"enum\":[\"x\",{\"y\":1}]},"
                "\"s\":{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}}}");
    struct jsv_schema *schema;
    assert_int_equal(jsv_registry_add(registry, JSV_STR("urn:a"), text, NULL), 0);
    assert_int_equal(jsv_schema_compile(registry, JSV_STR("urn:a"), NULL, &schema, NULL), 0);
    size_t before = used;
    jsv_registry_close(registry);
    assert_true(used < before / 2);
    static const struct {
        const char *text;
        int verdict;
    } cases[] = {
        {"{'a':{'y':1},'s':{'type':'string'}}", 1},
        {"{'a':'y'}", 0},
        {"{'s':{'type':'strin'}}", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jsv_problems problems;
        struct jsv_value value = schema_fixture_read(fixture, cases[i].text);
        assert_int_equal(jsv_validate(fixture->validator, schema, value), cases[i].verdict);
        assert_int_equal(
            jsv_validate_report(fixture->validator, schema, value, &problems), cases[i].verdict);
    }
    jsv_registry_close(registry);
    jsv_schema_free(schema);
    jsv_registry_free(registry);
    assert_int_equal(used, 0);
}

/* ---- read ---- */

static int compile_leniently(const char *schema)
{
    return schema_notes_compile(
        (struct jsv_registry_options){.draft = JSV_DRAFT_2020_12, .allow_duplicates = true},
        (struct jsv_schema_options){0},
        schema);
}

static void duplicates_are_refused(void **state)
{
    schema_fixture_expect_fault(*state, "{'type':'null','type':'string'}", "/type", "");
}

/* A warning for each ignored member, in the order of the text. */
static void the_last_one_counts(void **state)
{
    (void)state;
    assert_int_equal(
        compile_leniently("{'type':1,\n'items':{'a':1,'a':2},'\\u0061':'\xC3\xA9','a':3,\n"
                          "'type':2,'type':'null'}"),
        0);
    assert_string_equal(
        schema_notes,
        "warning urn:test#/type@63: duplicate member name; line 1, column 2 is ignored, "
        "the last one counts\n"
        "warning urn:test#/items/a@26: duplicate member name; line 2, column 10 is ignored, "
        "the last one counts\n"
        "warning urn:test#/a@47: duplicate member name; line 2, column 23 is ignored, "
        "the last one counts\n"
        "warning urn:test#/type@63: duplicate member name; line 3, column 1 is ignored, "
        "the last one counts\n");
    assert_int_equal(compile_leniently("{'type':'null','type':'nul'}"), -EBADMSG);
}

/* Also where embedded resources are checked one by one. */
static void duplicates_beside_embedded_resources(void **state)
{
    (void)state;
    assert_int_equal(
        compile_leniently("{'$defs':{'x':{'$id':'urn:x','type':1,'type':'null'}},'$defs':{'x':{"
                          "'$id':'urn:x','type':1,'type':'null'}},'$ref':'urn:x'}"),
        0);
    assert_non_null(strstr(schema_notes, "warning urn:test#/$defs@54: "));
}

static void count_notes(void *context, enum jsv_note_kind kind, const struct jsv_error *note)
{
    assert_int_equal(kind, JSV_NOTE_WARNING);
    ++*(size_t *)context;
    snprintf(
        schema_notes, sizeof(schema_notes), "%.*s", (int)note->message.size, note->message.data);
}

/* Only the first 100 duplicates are named, so that their number does not cost quadratic time. */
static void many_duplicates_are_counted(void **state)
{
    (void)state;
    size_t told = 0;
    const struct jsv_registry_options options = {
        .draft = JSV_DRAFT_2020_12,
        .allow_duplicates = true,
        .listener = count_notes,
        .listener_context = &told,
    };
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (int i = 0; i < 40000; i++) {
        char member[32];
        int size = snprintf(member, sizeof(member), "%s\"m%d\":1", i ? "," : "{", i % 20000);
        jsv_buf_append(&text, member, (size_t)size);
    }
    assert_int_equal(jsv_buf_append_str(&text, JSV_STR("}")), 0);
    struct jsv_registry *registry = jsv_registry_new(NULL, &options);
    double begun = cpu_seconds();
    assert_int_equal(jsv_registry_add(registry, JSV_STR("urn:a"), jsv_buf_str(&text), NULL), 0);
    assert_true(cpu_seconds() - begun < 0.1 * SLOWNESS);
    assert_int_equal(told, 101);
    assert_string_equal(schema_notes, "19900 more duplicate member names");
    jsv_registry_free(registry);
    jsv_buf_done(&text);
}

static void a_listener_is_optional(void **state)
{
    (void)state;
    const struct jsv_registry_options options = {
        .draft = JSV_DRAFT_2020_12, .allow_duplicates = true};
    struct jsv_registry *registry = jsv_registry_new(NULL, &options);
    assert_int_equal(
        jsv_registry_add(registry, JSV_STR("urn:a"), JSV_STR("{\"a\":1,\"a\":2}"), NULL), 0);
    assert_int_equal(jsv_registry_add(registry, JSV_STR("urn:b"), JSV_STR("{"), NULL), -EBADMSG);
    jsv_registry_free(registry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(freeing_nothing),
        cmocka_unit_test(default_options),
        SCHEMA_TEST(names),
        SCHEMA_TEST(taken_uris),
        SCHEMA_TEST(refused_schemas),
        SCHEMA_TEST(faults_in_the_text),
        SCHEMA_TEST(resolver_errors),
        SCHEMA_TEST(added_again),
        SCHEMA_TEST(resolved_twice),
        SCHEMA_TEST(copies_of_meta_schemas),
        SCHEMA_TEST(pointers_of_faults),
        SCHEMA_TEST(long_messages_of_faults),
        SCHEMA_TEST(closing),
        SCHEMA_TEST(duplicates_are_refused),
        cmocka_unit_test(the_last_one_counts),
        cmocka_unit_test(duplicates_beside_embedded_resources),
        cmocka_unit_test(many_duplicates_are_counted),
        cmocka_unit_test(a_listener_is_optional),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
