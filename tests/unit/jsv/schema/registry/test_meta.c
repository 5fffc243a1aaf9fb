/*
 * Run from the top of the project: the files the table was made from are read.
 */
#include <stdlib.h>
#include <string.h>

#include "jsv/schema/registry/meta.h"
#include "jsv/schema/registry/uri.h"
#include "support/count_of.h"
#include "support/files.h"
#include "support/json_fixture.h"

static const char *const uris[] = {
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
    for (size_t i = 0; i < COUNT_OF(uris); i++) {
        const struct jsv_embedded *schema = jsv_meta_find(jsv_str_from(uris[i]));
        assert_non_null(schema);
        assert_string_equal(schema->name, uris[i]);
        char with_fragment[100];
        size_t size = strlen(uris[i]);
        memcpy(with_fragment, uris[i], size);
        with_fragment[size] = '#';
        assert_ptr_equal(jsv_meta_find((struct jsv_str){with_fragment, size + 1}), schema);
        assert_null(jsv_meta_find((struct jsv_str){uris[i], size - 1}));
    }
    size_t count = 0;
    while (jsv_meta_schemas[count].name) {
        count++;
    }
    assert_int_equal(count, COUNT_OF(uris));

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

/* What has prose upstream has none here. */
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
    assert_int_equal(files, COUNT_OF(uris));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(finds_all_and_nothing_else),
        JSON_TEST(names_itself_and_its_meta_schema),
        JSON_TEST(refers_to_nothing_outside),
        JSON_TEST(has_no_prose),
        JSON_TEST(is_made_of_the_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
