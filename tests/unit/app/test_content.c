#define _GNU_SOURCE /* memfd_create(), nftw() */
#include "app/config.h"
#include "app/content.h"
#include "support/stderr_capture.h"
#include "unit/app/served.h"
#include "unit/os/fault.h"

static struct app_content content;
static char error[APP_CONTENT_ERROR_SIZE];

static void init(const char *schemas, const char *examples)
{
    static struct app_config config;
    config = (struct app_config){.schemas_dir = schemas, .examples_dir = examples};
    error[0] = '\0';
    app_content_init(&content, &config);
}

static void test_configured_roots(void **state)
{
    (void)state;
    init(tmpdir_path(&served, "schemas"), tmpdir_path(&served, "examples"));
    assert_int_equal(app_content_read(&content, error), 0);
    assert_int_equal(catalog_schema_count(content.catalog), 2);
    assert_int_equal(catalog_example_count(content.catalog), 3);
    assert_true(catalog_tool_count(content.catalog) > 0);
    assert_int_equal(content.skipped, 0);
    app_content_done(&content);
    app_content_done(&content);
}

/* Below the working directory, if they exist there. */
static void test_default_roots(void **state)
{
    (void)state;
    char before[PATH_MAX];
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(served.path), 0);
    init(NULL, NULL);
    assert_null(content.options.schemas_dir);
    assert_null(content.options.examples_dir);
    assert_int_equal(app_content_read(&content, error), 0);
    assert_int_equal(catalog_schema_count(content.catalog), 0);
    app_content_done(&content);

    tmpdir_mkdir(&served, "libs");
    tmpdir_mkdir(&served, "libs/synesthetic-schemas");
    tmpdir_link(&served, "../../schemas", "libs/synesthetic-schemas/jsonschema");
    tmpdir_write(&served, "libs/synesthetic-schemas/examples", "no directory");
    init(NULL, NULL);
    assert_string_equal(content.options.schemas_dir, "libs/synesthetic-schemas/jsonschema");
    assert_null(content.options.examples_dir);
    init("elsewhere", NULL);
    assert_string_equal(content.options.schemas_dir, "elsewhere");
    assert_int_equal(chdir(before), 0);
}

static void test_wrong_root(void **state)
{
    (void)state;
    init("/nowhere", NULL);
    assert_int_equal(app_content_read(&content, error), -ENOENT);
    assert_string_equal(error, "/nowhere: No such file or directory");
    app_content_done(&content);
}

static void test_error_names_the_setting(void **state)
{
    (void)state;
    static const struct app_config configs[] = {
        {.schemas_dir = "/a/b", .given_as[APP_SETTING_SCHEMAS_DIR] = "SYN_SCHEMAS_DIR"},
        {.examples_dir = "/a/b", .given_as[APP_SETTING_EXAMPLES_DIR] = "--examples-dir"},
        {.tools_dir = "/a/b", .given_as[APP_SETTING_TOOLS_DIR] = "MCPGATE_TOOLS_DIR"},
    };
    static const char *const names[] = {"SYN_SCHEMAS_DIR", "--examples-dir", "MCPGATE_TOOLS_DIR"};
    for (size_t i = 0; i < 3; i++) {
        char expected[APP_CONTENT_ERROR_SIZE];
        snprintf(expected, sizeof(expected), "%s: /a/b: No such file or directory", names[i]);
        app_content_init(&content, &configs[i]);
        assert_int_equal(app_content_read(&content, error), -ENOENT);
        assert_string_equal(error, expected);
        app_content_done(&content);
    }
}

/* An invalid file is named and left out; the version read before stays. */
static void test_reading_again(void **state)
{
    (void)state;
    const struct catalog_schema *schema;
    init(tmpdir_path(&served, "schemas"), NULL);
    assert_int_equal(app_content_read(&content, error), 0);
    tmpdir_write(&served, "schemas/bulb.schema.json", "{\"half\":");
    tmpdir_write(&served, "schemas/new.schema.json", "[,]");
    stderr_begin();
    int r = app_content_read(&content, error);
    const char *said = stderr_end();
    assert_int_equal(r, 0);
    assert_int_equal(content.skipped, 2);
    assert_non_null(strstr(said, "mcp:warning reason=file_skipped file="));
    assert_non_null(strstr(said, "bulb.schema.json"));
    assert_non_null(strstr(said, "new.schema.json"));
    assert_int_equal(catalog_schema_find(content.catalog, JSV_STR("bulb"), &schema), 0);
    assert_int_equal(catalog_schema_find(content.catalog, JSV_STR("new"), &schema), -ENOENT);

    /* A missing directory changes nothing. */
    const struct catalog *before = content.catalog;
    content.options.schemas_dir = "/nowhere/at/all";
    assert_int_equal(app_content_read(&content, error), -ENOENT);
    assert_ptr_equal(content.catalog, before);
    app_content_done(&content);
}

static void test_no_memory(void **state)
{
    (void)state;
    int r = -ENOMEM;
    for (unsigned at = 1; r < 0; at++) {
        init(tmpdir_path(&served, "schemas"), tmpdir_path(&served, "examples"));
        fault_arm(FAULT_RESIZE, at, ENOMEM);
        r = app_content_read(&content, error);
        app_content_done(&content);
        assert_int_equal(fault.live_blocks, 0);
        assert_int_equal(fault.open_fds, 0);
        fault_disarm();
        assert_true(r == 0 || r == -ENOMEM);
        assert_true(at < 10000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED_TEST(test_configured_roots),
        SERVED_TEST(test_default_roots),
        SERVED_TEST(test_wrong_root),
        SERVED_TEST(test_error_names_the_setting),
        SERVED_TEST(test_reading_again),
        SERVED_TEST(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
