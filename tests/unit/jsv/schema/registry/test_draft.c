/*
 * By which draft and vocabularies a schema is read.
 */
#include <errno.h>
#include <stdio.h>

#include "jsv/schema/registry/registry.h"
#include "support/schema_fixture.h"
#include "support/texts.h"

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
        assert_int_equal(schema_fixture_find(fixture, "urn:a")->draft, cases[i].draft);
    }
    fixture->draft = JSV_DRAFT_6;
    schema_fixture_reset(fixture);
    assert_int_equal(schema_fixture_add(fixture, "urn:a", "{'$schema':5}"), 0);
    assert_int_equal(schema_fixture_find(fixture, "urn:a")->draft, JSV_DRAFT_6);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draft_names),
        SCHEMA_TEST(drafts_by_schema),
        SCHEMA_TEST(unknown_meta_schemas),
        SCHEMA_TEST(vocabularies),
        SCHEMA_TEST(names_of_vocabularies),
        SCHEMA_TEST(meta_schemas_of_meta_schemas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
