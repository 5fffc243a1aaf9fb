#define _GNU_SOURCE /* nftw() */
#include "loop/loop.h"
#include "support/files.h"
#include "tools/embedded.h"
#include "unit/tools/calling.h"

static const char *const order[] = {
    "list_schemas",
    "get_schema",
    "list_examples",
    "get_example",
    "validate_asset",
    "validate_many",
    "diff_assets",
    "populate_backend",
};

#define COUNT (sizeof(order) / sizeof(*order))

static void test_order(void **state)
{
    (void)state;
    size_t count;
    assert_non_null(tools_descriptors(&count));
    assert_int_equal(count, COUNT);
    fixture_load("");
    assert_int_equal(catalog_tool_count(fixture.catalog), COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        fixture_expect_str(catalog_tool_at(fixture.catalog, i)->name, order[i]);
    }
}

/* Embedding leaves white space out: nothing else may be different. */
static void test_embedded_as_written(void **state)
{
    (void)state;
    struct jsv_document *document = jsv_document_new(NULL);
    for (const struct jsv_embedded *file = tools_embedded; file->name; file++) {
        char path[128];
        snprintf(path, sizeof(path), "src/tools/%s", file->name);
        struct jsv_str text = files_read(path);
        assert_int_equal(jsv_read(calling.reader, document, text, 0, NULL), 0);
        jsv_buf_reset(&calling.out);
        struct jsv_writer writer = jsv_writer_on(&calling.out);
        jsv_write_value(&writer, jsv_document_root(document));
        assert_true(
            jsv_str_equal(jsv_buf_str(&calling.out), (struct jsv_str){file->data, file->size}));
        free((void *)(uintptr_t)text.data);
    }
    jsv_document_free(document);
}

/* The catalog trusts them: here they are held to the meta-schema. */
static void test_schemas_are_schemas(void **state)
{
    (void)state;
    fixture_load("");
    for (size_t i = 0; i < COUNT; i++) {
        const struct catalog_tool *tool = catalog_tool_at(fixture.catalog, i);
        struct jsv_value schemas[] = {tool->input_schema, tool->output_schema};
        for (size_t k = 0; k < 2; k++) {
            struct jsv_registry *registry = jsv_registry_new(NULL, NULL);
            struct jsv_schema *schema = NULL;
            struct jsv_str text = jsv_value_span(schemas[k]);
            assert_int_equal(jsv_registry_add(registry, JSV_STR("urn:t"), text, NULL), 0);
            assert_int_equal(
                jsv_schema_compile(registry, JSV_STR("urn:t"), NULL, &schema, NULL), 0);
            jsv_schema_free(schema);
            jsv_registry_free(registry);
            fixture_expect_str(
                jsv_value_text(jsv_value_get(schemas[k], JSV_STR("type"))), "object");
        }
    }
}

/* What clients show to people is there, for the tool and for each argument. */
static void test_described(void **state)
{
    (void)state;
    fixture_load("");
    for (size_t i = 0; i < COUNT; i++) {
        const struct catalog_tool *tool = catalog_tool_at(fixture.catalog, i);
        struct jsv_value hints = jsv_value_get(tool->value, JSV_STR("annotations"));
        bool writes = strcmp(order[i], "populate_backend") == 0;
        assert_true(tool->title.size > 0 && tool->description.size > 0);
        assert_int_equal(jsv_value_bool(jsv_value_get(hints, JSV_STR("readOnlyHint"))), !writes);
        assert_int_equal(jsv_value_bool(jsv_value_get(hints, JSV_STR("openWorldHint"))), writes);
        struct jsv_value properties = jsv_value_get(tool->input_schema, JSV_STR("properties"));
        struct jsv_iter iter = jsv_value_iter(properties);
        while (jsv_iter_next(&iter)) {
            assert_true(jsv_value_text(jsv_value_get(iter.value, JSV_STR("description"))).size > 0);
        }
    }
}

static int make_tools(void)
{
    const struct tool_settings settings = {.batch_max = 1, .backend_url = "http://127.0.0.1:1/"};
    return tools_new(calling.loop, &settings, &calling.tools);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    assert_int_equal(loop_new(&calling.loop), 0);
    int r = -ENOMEM;
    for (unsigned n = 1; r != 0; n++) {
        fault_arm(FAULT_RESIZE, n, ENOMEM);
        r = make_tools();
        assert_int_equal(r, fault.hit ? -ENOMEM : 0);
        fault_disarm();
    }
    tools_free(calling.tools);
    calling.tools = NULL;
    loop_free(calling.loop);
    tools_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CALLING_TEST(test_order),
        CALLING_TEST(test_embedded_as_written),
        CALLING_TEST(test_schemas_are_schemas),
        CALLING_TEST(test_described),
        CALLING_TEST(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
