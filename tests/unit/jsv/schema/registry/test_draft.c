/*
 * By which draft and vocabularies a schema is read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jsv/schema/registry/registry.h"
#include "jsv/schema/registry/uri.h"
#include "support/count_of.h"
#include "support/files.h"
#include "support/json_fixture.h"
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

/* ---- meta ---- */

static const char *const meta_uris[] = {
    "http://json-schema.org/draft-04/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2019-09/meta/core",
    "https://json-schema.org/draft/2019-09/meta/applicator",
    "https://json-schema.org/draft/2019-09/meta/validation",
    "https://json-schema.org/draft/2019-09/meta/meta-data",
    "https://json-schema.org/draft/2019-09/meta/format",
    "https://json-schema.org/draft/2019-09/meta/content",
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2020-12/meta/core",
    "https://json-schema.org/draft/2020-12/meta/applicator",
    "https://json-schema.org/draft/2020-12/meta/unevaluated",
    "https://json-schema.org/draft/2020-12/meta/validation",
    "https://json-schema.org/draft/2020-12/meta/meta-data",
    "https://json-schema.org/draft/2020-12/meta/format-annotation",
    "https://json-schema.org/draft/2020-12/meta/format-assertion",
    "https://json-schema.org/draft/2020-12/meta/content",
};

static struct jsv_value
read_embedded(struct json_fixture *fixture, const struct jsv_embedded *schema)
{
    return json_fixture_read_str(fixture, (struct jsv_str){schema->data, schema->size}, 0);
}

/* A schema's own name, without an empty fragment. */
static struct jsv_str own_uri(struct jsv_value root)
{
    struct jsv_value id = jsv_value_get(root, JSV_STR("$id"));
    if (jsv_value_type(id) == JSV_TYPE_NONE) {
        id = jsv_value_get(root, JSV_STR("id"));
    }
    assert_int_equal(jsv_value_type(id), JSV_TYPE_STRING);
    struct jsv_uri uri = jsv_uri_split(jsv_value_text(id));
    assert_int_equal(uri.fragment.size, 0);
    return uri.absolute;
}

static void finds_all_and_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(meta_uris); i++) {
        const struct jsv_embedded *schema = jsv_meta_find(jsv_str_from(meta_uris[i]));
        assert_non_null(schema);
        assert_string_equal(schema->name, meta_uris[i]);
        char with_fragment[100];
        size_t size = strlen(meta_uris[i]);
        memcpy(with_fragment, meta_uris[i], size);
        with_fragment[size] = '#';
        assert_ptr_equal(jsv_meta_find((struct jsv_str){with_fragment, size + 1}), schema);
        assert_null(jsv_meta_find((struct jsv_str){meta_uris[i], size - 1}));
    }
    size_t count = 0;
    while (jsv_meta_schemas[count].name) {
        count++;
    }
    assert_int_equal(count, COUNT_OF(meta_uris));

    static const char *const unknown[] = {
        "",
        "#",
        "http://json-schema.org/draft-03/schema",
        "https://json-schema.org/draft-07/schema",
        "http://json-schema.org/draft/2020-12/schema",
        "http://json-schema.org/draft-07/schema##",
        "http://json-schema.org/draft-07/schema#/definitions",
        "https://json-schema.org/draft/2020-12/meta/format",
    };
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        assert_null(jsv_meta_find(jsv_str_from(unknown[i])));
    }
    assert_null(jsv_meta_find((struct jsv_str){0}));
}

static void names_itself_and_its_meta_schema(void **state)
{
    struct json_fixture *fixture = *state;
    for (const struct jsv_embedded *schema = jsv_meta_schemas; schema->name; schema++) {
        struct jsv_value root = read_embedded(fixture, schema);
        assert_true(jsv_str_equal(own_uri(root), jsv_str_from(schema->name)));
        struct jsv_str meta = jsv_value_text(jsv_value_get(root, JSV_STR("$schema")));
        assert_non_null(jsv_meta_find(meta));
        assert_true(meta.size >= 6);
        assert_int_equal(
            strncmp(meta.data, schema->name, strlen("http://json-schema.org/draft")), 0);
    }
}

/* ---- references ---- */

struct walk {
    struct json_fixture *fixture;
    struct jsv_str base;
    size_t references;
};

static void check_reference(struct walk *walk, struct jsv_str reference)
{
    struct jsv_str uri;
    assert_int_equal(jsv_uri_resolve(&walk->fixture->scratch, walk->base, reference, &uri), 0);
    struct jsv_uri parts = jsv_uri_split(uri);
    const struct jsv_embedded *target = jsv_meta_find(parts.absolute);
    if (!target) {
        fail_msg("%.*s is not embedded", (int)uri.size, uri.data);
        return;
    }
    struct jsv_value root = read_embedded(walk->fixture, target);
    struct jsv_value value;
    if (jsv_str_equal(parts.fragment, JSV_STR("meta"))) {
        value = jsv_value_get(root, JSV_STR("$dynamicAnchor"));
        assert_true(jsv_str_equal(jsv_value_text(value), parts.fragment));
    } else if (jsv_pointer_get(root, parts.fragment, &value) < 0) {
        fail_msg("nothing at %.*s", (int)uri.size, uri.data);
    }
    walk->references++;
}

static bool is_reference(struct jsv_str key)
{
    return jsv_str_equal(key, JSV_STR("$ref")) || jsv_str_equal(key, JSV_STR("$dynamicRef")) ||
           jsv_str_equal(key, JSV_STR("$recursiveRef"));
}

static void walk_value(struct walk *walk, struct jsv_value value)
{
    struct jsv_iter iter = jsv_value_iter(value);
    while (jsv_iter_next(&iter)) {
        bool string = jsv_value_type(iter.value) == JSV_TYPE_STRING;
        if (string && is_reference(jsv_value_text(iter.key))) {
            check_reference(walk, jsv_value_text(iter.value));
        } else {
            walk_value(walk, iter.value);
        }
    }
}

static void refers_to_nothing_outside(void **state)
{
    struct walk walk = {.fixture = *state};
    for (const struct jsv_embedded *schema = jsv_meta_schemas; schema->name; schema++) {
        walk.base = jsv_str_from(schema->name);
        walk_value(&walk, read_embedded(walk.fixture, schema));
    }
    assert_true(walk.references > 100);
}

/* The embedded schemas have no prose. */
static void walk_for_prose(struct jsv_value schema, bool names)
{
    struct jsv_iter iter = jsv_value_iter(schema);
    while (jsv_iter_next(&iter)) {
        struct jsv_str key = jsv_value_text(iter.key);
        if (!names) {
            assert_false(jsv_str_equal(key, JSV_STR("title")));
            assert_false(jsv_str_equal(key, JSV_STR("description")));
            assert_false(jsv_str_equal(key, JSV_STR("$comment")));
        }
        walk_for_prose(iter.value, !names && jsv_str_equal(key, JSV_STR("properties")));
    }
}

static void has_no_prose(void **state)
{
    for (const struct jsv_embedded *schema = jsv_meta_schemas; schema->name; schema++) {
        walk_for_prose(read_embedded(*state, schema), false);
    }
}

/* ---- files ---- */

/* A file is embedded as this library writes it without white space. */
static void check_file(const char *path, void *data)
{
    struct json_fixture *fixture = data;
    struct jsv_str text = files_read(path);
    struct jsv_value root = json_fixture_read_str(fixture, text, 0);
    const struct jsv_embedded *schema = jsv_meta_find(own_uri(root));
    assert_non_null(schema);
    struct jsv_writer writer = jsv_writer_on(&fixture->out);
    jsv_write_value(&writer, root);
    assert_int_equal(schema->size, strlen(schema->data));
    json_fixture_expect(fixture, schema->data);
    free((void *)(uintptr_t)text.data);
}

static void is_made_of_the_files(void **state)
{
    size_t files = files_each("schemas/json-schema", ".json", check_file, *state) +
                   files_each("schemas/json-schema/2019-09", ".json", check_file, *state) +
                   files_each("schemas/json-schema/2020-12", ".json", check_file, *state);
    assert_int_equal(files, COUNT_OF(meta_uris));
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
        JSON_TEST(finds_all_and_nothing_else),
        JSON_TEST(names_itself_and_its_meta_schema),
        JSON_TEST(refers_to_nothing_outside),
        JSON_TEST(has_no_prose),
        JSON_TEST(is_made_of_the_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
