#define _GNU_SOURCE /* nftw() */
#include "os/dir.h"
#include "os/sys.h"
#include "unit/os/in_tmpdir.h"

static int open_dir(void)
{
    int fd = os_openat(dir.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static void test_empty(void **state)
{
    (void)state;
    struct os_dir names = {.fd = open_dir()};
    const char *name = "untouched";
    assert_int_equal(os_dir_next(&names, &name), 0);
    assert_int_equal(os_dir_next(&names, &name), 0);
    assert_string_equal(name, "untouched");
    os_close(names.fd);
}

/* More names than fit the block, so that the kernel is asked several times. */
static void test_every_name_once(void **state)
{
    (void)state;
    enum {
        COUNT = 500
    };
    bool seen[COUNT] = {false};
    for (int i = 0; i < COUNT; i++) {
        char name[32];
        snprintf(name, sizeof(name), "a-rather-long-name-%03d", i);
        tmpdir_write(&dir, name, "");
    }
    fault_watch();
    struct os_dir names = {.fd = open_dir()};
    const char *name;
    int count = 0;
    while (os_dir_next(&names, &name) == 1) {
        long index = strtol(name + strlen("a-rather-long-name-"), NULL, 10);
        assert_true(index >= 0 && index < COUNT && !seen[index]);
        seen[index] = true;
        count++;
    }
    assert_int_equal(count, COUNT);
    assert_true(fault.calls[FAULT_GETDENTS] > 3);
    os_close(names.fd);
}

static void test_hidden_and_odd_names(void **state)
{
    (void)state;
    tmpdir_write(&dir, ".hidden", "");
    tmpdir_write(&dir, "...", "");
    struct os_dir names = {.fd = open_dir()};
    const char *name;
    int hidden = 0;
    int dots = 0;
    while (os_dir_next(&names, &name) == 1) {
        hidden += strcmp(name, ".hidden") == 0;
        dots += strcmp(name, "...") == 0;
    }
    assert_int_equal(hidden, 1);
    assert_int_equal(dots, 1);
    os_close(names.fd);
}

static void test_errors(void **state)
{
    (void)state;
    const char *name;
    struct os_dir names = {.fd = -1};
    assert_int_equal(os_dir_next(&names, &name), -EBADF);
    names = (struct os_dir){.fd = open_dir()};
    fault_arm(FAULT_GETDENTS, 1, EIO);
    assert_int_equal(os_dir_next(&names, &name), -EIO);
    os_close(names.fd);
}

#define DIR_TEST(function) IN_TMPDIR(function)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DIR_TEST(test_empty),
        DIR_TEST(test_every_name_once),
        DIR_TEST(test_hidden_and_odd_names),
        DIR_TEST(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
