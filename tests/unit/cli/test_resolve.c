#define _GNU_SOURCE /* memfd_create(), nftw() */
#include "cli/resolve.h"
#include "unit/app/run.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

static struct tmpdir dir;
static struct cli_resolve resolve;
static struct jsv_buf out;
static const char *name;
static struct cli cli = {.command = "validate", .err_fd = -1};

static int set_up(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    tmpdir_mkdir(&dir, "d");
    tmpdir_write(&dir, "d/q.json", "{\"q\": 1}");
    tmpdir_write(&dir, "d/a b.json", "\"blank\"");
    tmpdir_write(&dir, "secret.json", "\"secret\"");
    tmpdir_link(&dir, "../secret.json", "d/out.json");
    cli_resolve_init(&resolve);
    jsv_buf_init(&out, NULL, 4096);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    cli_resolve_done(&resolve);
    jsv_buf_done(&out);
    tmpdir_remove(&dir);
    return 0;
}

/* A rule borrows its word. */
static const char *make_word(const char *prefix, const char *directory)
{
    static char words[16][256];
    static size_t count;
    char *word = words[count++ % 16];
    snprintf(word, sizeof(words[0]), "%s=%s", prefix, tmpdir_path(&dir, directory));
    return word;
}

static void add(const char *prefix, const char *directory)
{
    assert_int_equal(cli_resolve_add(&cli, &resolve, make_word(prefix, directory)), 0);
}

static int look_up(const char *uri)
{
    jsv_buf_reset(&out);
    name = NULL;
    return cli_resolve_read(&cli, &resolve, jsv_str_from(uri), &out, &name);
}

static void assert_found(const char *uri, const char *text)
{
    assert_int_equal(look_up(uri), 0);
    assert_int_equal(out.size, strlen(text));
    assert_memory_equal(out.data, text, out.size);
}

static void test_prefixes(void **state)
{
    (void)state;
    add("https://x.test/s/", "d");
    assert_found("https://x.test/s/q.json", "{\"q\": 1}");
    assert_string_equal(name, tmpdir_path(&dir, "d/q.json"));
    assert_found("https://x.test/s/a%20b.json", "\"blank\"");
    assert_found("https://x.test/s/./q.json", "{\"q\": 1}");
    assert_int_equal(look_up("https://x.test/s/none.json"), -ENOENT);
    assert_int_equal(look_up("https://x.test/s/"), -ENOENT);
    assert_int_equal(look_up("https://x.test/s"), -ENOENT);
    assert_int_equal(look_up("https://y.test/s/q.json"), -ENOENT);
    assert_null(name);
}

static void test_prefixes_end_with_segments(void **state)
{
    (void)state;
    add("https://x.test/s", "d");
    add("urn:x:", "d");
    assert_found("https://x.test/s/q.json", "{\"q\": 1}");
    assert_int_equal(look_up("https://x.test/sq.json"), -ENOENT);
    assert_null(name);
    assert_found("urn:x:q.json", "{\"q\": 1}");
}

/* Both sides are normalised: the registry's URIs are, and so is the prefix here. */
static void test_normalised_prefix(void **state)
{
    (void)state;
    add("HTTPS://X.test/a/../%73/", "d");
    assert_found("https://x.test/s/q.json", "{\"q\": 1}");
}

static void test_longest_prefix(void **state)
{
    (void)state;
    add("https://x.test/", "d");
    add("https://x.test/up/", "");
    add("https://x.test/", "d");
    assert_found("https://x.test/up/secret.json", "\"secret\"");
    assert_string_equal(name, tmpdir_path(&dir, "secret.json"));
    assert_found("https://x.test/q.json", "{\"q\": 1}");
    assert_int_equal(look_up("https://x.test/up/q.json"), -ENOENT);
}

static void test_paths_that_leave_the_directory(void **state)
{
    (void)state;
    add("https://x.test/", "d");
    static const char *const uris[] = {
        "https://x.test/../secret.json",
        "https://x.test/%2e%2e/secret.json",
        "https://x.test/..%2fsecret.json",
        "https://x.test//etc/passwd",
        "https://x.test/%2fetc/passwd",
        "https://x.test/out.json",
        "https://x.test/q.json%00",
        "https://x.test/q%2",
        "https://x.test/%ff",
        "https://x.test/q.json/",
        "https://x.test/.",
    };
    for (size_t i = 0; i < sizeof(uris) / sizeof(uris[0]); i++) {
        assert_int_equal(look_up(uris[i]), -ENOENT);
        assert_int_equal(out.size, 0);
    }
}

static void test_read_errors(void **state)
{
    (void)state;
    add("https://x.test/", "d");
    fault_arm(FAULT_READ, 1, EIO);
    assert_int_equal(look_up("https://x.test/q.json"), -EIO);
    assert_string_equal(name, tmpdir_path(&dir, "d/q.json"));
    fault_disarm();
    jsv_buf_done(&out);
    jsv_buf_init(&out, NULL, 4);
    assert_int_equal(look_up("https://x.test/q.json"), -EFBIG);
}

/* ---- forms of --resolve ---- */

static const char *add_word(const char *word, int expected)
{
    static char said[RUN_TEXT_MAX];
    cli.err_fd = run_memfd("");
    assert_int_equal(cli_resolve_add(&cli, &resolve, word), expected);
    run_take(cli.err_fd, said);
    cli.err_fd = -1;
    return said;
}

static void test_forms_of_rules(void **state)
{
    (void)state;
    char word[PATH_MAX];
    snprintf(word, sizeof(word), "https://x.test/=%s/d", dir.path);
    assert_string_equal(add_word(word, 0), "");
    assert_found("https://x.test/q.json", "{\"q\": 1}");
    snprintf(word, sizeof(word), "https://y.test/=%s/d/", dir.path);
    assert_string_equal(add_word(word, 0), "");
    assert_found("https://y.test/q.json", "{\"q\": 1}");
    assert_string_equal(name, tmpdir_path(&dir, "d/q.json"));
}

/* A URI may contain "=", too. */
static void test_rules_for_files(void **state)
{
    (void)state;
    char word[PATH_MAX];
    snprintf(word, sizeof(word), "https://x.test/?a=b=%s/d/q.json", dir.path);
    assert_string_equal(add_word(word, 0), "");
    assert_found("https://x.test/?a=b", "{\"q\": 1}");
    assert_string_equal(name, tmpdir_path(&dir, "d/q.json"));
    snprintf(word, sizeof(word), "urn:x:y#=%s/d/q.json", dir.path);
    assert_string_equal(add_word(word, 0), "");
    assert_found("urn:x:y", "{\"q\": 1}");
}

/* A directory's schemas are known by their $id, wherever they are in it; "id" is draft 4's. */
static void test_directory_by_id(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "d/sub");
    tmpdir_write(&dir, "d/sub/1.json", "{\"$id\": \"https://x.test/a/one#\"}");
    tmpdir_write(&dir, "d/2.json", "{\"id\": \"HTTP://x.test/two\", \"id\": \"http://x.test/2\"}");
    tmpdir_write(&dir, "d/3.json", "{\"$id\": \"#anchor\"}");
    tmpdir_write(&dir, "d/4.json", "{\"$id\": 4}");
    unlinkat(dir.fd, "d/out.json", 0);
    assert_string_equal(add_word(tmpdir_path(&dir, "d"), 0), "");
    assert_found("https://x.test/a/one", "{\"$id\": \"https://x.test/a/one#\"}");
    assert_string_equal(name, tmpdir_path(&dir, "d/sub/1.json"));
    assert_int_equal(look_up("http://x.test/two"), -ENOENT);
    assert_int_equal(look_up("http://x.test/2"), 0);
    assert_int_equal(look_up("https://x.test/a/three"), -ENOENT);
    /* a neighbour by its $id, but not outside the directory */
    tmpdir_write(&dir, "d/sub/beside.json", "true");
    assert_found("https://x.test/a/beside", "true");
    assert_found("https://x.test/q.json", "{\"q\": 1}");
    assert_int_equal(look_up("https://x.test/secret.json"), -ENOENT);
    assert_int_equal(look_up("https://y.test/a/beside"), -ENOENT);
    /* one file */
    tmpdir_write(&dir, "5.json", "{\"$id\": \"urn:five\"}");
    assert_string_equal(add_word(tmpdir_path(&dir, "5.json"), 0), "");
    assert_found("urn:five", "{\"$id\": \"urn:five\"}");
}

static void test_files_that_are_skipped(void **state)
{
    (void)state;
    char expected[3 * PATH_MAX];
    tmpdir_write(&dir, "d/bad.json", "{,}");
    snprintf(
        expected,
        sizeof(expected),
        "mcpgate: validate: %s/d/out.json: warning: skipped: this link leaves the directory\n",
        dir.path);
    const char *said = add_word(tmpdir_path(&dir, "d"), 0);
    assert_non_null(strstr(said, "/d/bad.json: warning: skipped: "));
    assert_non_null(strstr(said, expected));
    resolve.no_warnings = true;
    assert_string_equal(add_word(tmpdir_path(&dir, "d"), 0), "");
    tmpdir_mkdir(&dir, "empty");
    assert_string_equal(add_word(tmpdir_path(&dir, "empty"), 0), "");
}

static void test_two_files_with_one_id(void **state)
{
    (void)state;
    char said[RUN_TEXT_MAX];
    char expected[2 * PATH_MAX];
    unlinkat(dir.fd, "d/out.json", 0);
    tmpdir_write(&dir, "d/1.json", "{\"$id\": \"urn:one\"}");
    tmpdir_write(&dir, "d/2.json", "{\"$id\": \"urn:one\"}");
    assert_string_equal(add_word(tmpdir_path(&dir, "d"), 0), "");
    assert_found("urn:one", "{\"$id\": \"urn:one\"}");
    tmpdir_write(&dir, "d/2.json", "{ \"$id\":\"urn:\\u006fne\" }\n");
    assert_int_equal(look_up("urn:one"), 0); /* written in another way */
    tmpdir_write(&dir, "d/2.json", "{\"$id\": \"urn:one\", \"type\": \"null\"}");
    cli.err_fd = run_memfd("");
    assert_int_equal(look_up("urn:one"), -EEXIST);
    run_take(cli.err_fd, said);
    cli.err_fd = -1;
    snprintf(
        expected,
        sizeof(expected),
        "mcpgate: validate: %s/d/1.json: has the same $id as %s/d/2.json, which is different; name "
        "one with --resolve URI=FILE\n",
        dir.path,
        dir.path);
    assert_string_equal(said, expected);
    snprintf(expected, sizeof(expected), "urn:one=%s/d/2.json", dir.path);
    assert_string_equal(add_word(expected, 0), "");
    assert_found("urn:one", "{\"$id\": \"urn:one\", \"type\": \"null\"}");
}

static void test_json_is_appended(void **state)
{
    (void)state;
    add("https://x.test/", "d");
    assert_found("https://x.test/q", "{\"q\": 1}");
    assert_string_equal(name, tmpdir_path(&dir, "d/q.json"));
    tmpdir_write(&dir, "d/q", "true");
    assert_found("https://x.test/q", "true");
}

static void test_malformed_rules(void **state)
{
    (void)state;
    static const char *const words[] = {"", "=", "x", "x=", "=d"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        assert_non_null(strstr(
            add_word(words[i], -EINVAL),
            "--resolve: expected DIR, URI=FILE or URI_PREFIX=DIR, not '"));
    }
    assert_string_equal(
        add_word("https://x.test/=/nowhere", -ENOENT),
        "mcpgate: validate: /nowhere: No such file or directory\n");
    assert_null(resolve.rules);
}

static void test_no_memory(void **state)
{
    (void)state;
    tmpdir_write(&dir, "d/1.json", "{\"$id\": \"urn:one\"}");
    unlinkat(dir.fd, "d/out.json", 0);
    int r;
    unsigned at = 0;
    do {
        struct cli_resolve other;
        cli_resolve_init(&other);
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        r = cli_resolve_add(&cli, &other, make_word("https://x.test/", "."));
        if (r == 0) {
            r = cli_resolve_add(&cli, &other, tmpdir_path(&dir, "d"));
        }
        jsv_buf_reset(&out);
        if (r == 0) {
            r = cli_resolve_read(&cli, &other, JSV_STR("https://x.test/d/a%20b.json"), &out, &name);
        }
        assert_int_equal(r, fault.hit ? -ENOMEM : 0);
        cli_resolve_done(&other);
        assert_int_equal(fault.live_blocks, 0);
        assert_int_equal(fault.open_fds, 0);
    } while (r < 0);
}

#define RESOLVE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RESOLVE_TEST(test_prefixes),
        RESOLVE_TEST(test_prefixes_end_with_segments),
        RESOLVE_TEST(test_normalised_prefix),
        RESOLVE_TEST(test_longest_prefix),
        RESOLVE_TEST(test_paths_that_leave_the_directory),
        RESOLVE_TEST(test_read_errors),
        RESOLVE_TEST(test_forms_of_rules),
        RESOLVE_TEST(test_rules_for_files),
        RESOLVE_TEST(test_directory_by_id),
        RESOLVE_TEST(test_files_that_are_skipped),
        RESOLVE_TEST(test_two_files_with_one_id),
        RESOLVE_TEST(test_json_is_appended),
        RESOLVE_TEST(test_malformed_rules),
        RESOLVE_TEST(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
