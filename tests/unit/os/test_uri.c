#define _GNU_SOURCE /* nftw() */
#include <jsv/jsv.h>

#include "os/uri.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

static void expect(const char *path, const char *expected)
{
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 2 * PATH_MAX);
    assert_int_equal(os_uri_append_file(&out, path), 0);
    assert_int_equal(out.size, strlen(expected));
    assert_memory_equal(out.data, expected, out.size);
    jsv_buf_done(&out);
}

static void test_absolute(void **state)
{
    (void)state;
    expect("/", "file:///");
    expect("/a b/c%.json", "file:///a%20b/c%25.json");
    expect("/\xC3\xA9", "file:///%C3%A9");
}

static void test_relative(void **state)
{
    (void)state;
    char expected[2 * PATH_MAX];
    char before[PATH_MAX];
    struct tmpdir dir;
    tmpdir_make(&dir);
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(dir.path), 0);
    snprintf(expected, sizeof(expected), "file://%s/./a.json", dir.path);
    expect("./a.json", expected);
    fault_arm(FAULT_GETCWD, 0, ENOENT);
    expect("a.json", "file:///a.json");
    fault_disarm();
    assert_int_equal(chdir(before), 0);
    tmpdir_remove(&dir);
}

static void test_no_room(void **state)
{
    (void)state;
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 8);
    assert_int_equal(os_uri_append_file(&out, "/abc"), -ENOBUFS);
    jsv_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absolute),
        cmocka_unit_test(test_relative),
        cmocka_unit_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
