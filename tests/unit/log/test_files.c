#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "log/files.h"
#include "os/sys.h"
#include "support/files.h"

static char root[64];
static char folder[128];

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static void remove_all(void)
{
    nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int setup(void **state)
{
    (void)state;
    snprintf(root, sizeof(root), "/tmp/test_files_XXXXXX");
    snprintf(folder, sizeof(folder), "%s", mkdtemp(root) ? root : "");
    snprintf(folder, sizeof(folder), "%s/mcp_server/envelope_validation", root);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    os_sys = &os_sys_real;
    remove_all();
    return 0;
}

static void visit(const char *path, void *data)
{
    (void)path;
    (void)data;
}

static size_t count_files(void)
{
    return files_each(folder, ".jsonl", visit, NULL);
}

static struct jsv_str read_latest(void)
{
    char path[160];
    snprintf(path, sizeof(path), "%s/.latest", folder);
    return files_read(path);
}

static void assert_latest(const char *expected)
{
    struct jsv_str text = read_latest();
    assert_int_equal(text.size, strlen(expected));
    assert_memory_equal(text.data, expected, text.size);
    free((void *)(uintptr_t)text.data);
}

static void test_append(void **state)
{
    (void)state;
    struct log_files files;
    size_t written;
    log_files_init(&files, root, 1000);
    assert_int_equal(log_files_write(&files, JSV_STR("a\n"), &written), 0);
    assert_int_equal(log_files_write(&files, JSV_STR("b\nc\n"), &written), 0);
    assert_int_equal(written, 4);
    assert_latest("a\nb\nc\n");
    assert_int_equal(count_files(), 1);
    log_files_done(&files);
}

/* Files end between lines, and five stay. */
static void test_rotation(void **state)
{
    (void)state;
    struct log_files files;
    size_t written;
    log_files_init(&files, root, 8);
    assert_int_equal(log_files_write(&files, JSV_STR("aaa\nbbb\nccc\n"), &written), 0);
    assert_int_equal(count_files(), 2);
    assert_latest("ccc\n");
    for (size_t i = 0; i < 40; i++) {
        assert_int_equal(log_files_write(&files, JSV_STR("longer than a file\n"), &written), 0);
    }
    assert_int_equal(count_files(), LOG_FILES_KEPT);
    assert_latest("longer than a file\n");
    log_files_done(&files);
}

static void test_directory_removed(void **state)
{
    (void)state;
    struct log_files files;
    size_t written;
    log_files_init(&files, root, 1000);
    assert_int_equal(log_files_write(&files, JSV_STR("a\n"), &written), 0);
    remove_all();
    assert_int_equal(log_files_write(&files, JSV_STR("b\n"), &written), 0);
    assert_latest("b\n");
    log_files_done(&files);
}

static ssize_t write_half(int fd, const void *data, size_t size)
{
    if (size < 4) {
        return -ENOSPC;
    }
    return os_sys_real.write(fd, data, size / 2);
}

/* Half of what did not fit is taken back; when there is space again, writing goes on. */
static void test_disk_full(void **state)
{
    (void)state;
    struct log_files files;
    struct os_sys full = os_sys_real;
    size_t written;
    full.write = write_half;
    log_files_init(&files, root, 1000);
    assert_int_equal(log_files_write(&files, JSV_STR("a\n"), &written), 0);
    os_sys = &full;
    assert_int_equal(log_files_write(&files, JSV_STR("bbbbbbbb\n"), &written), -ENOSPC);
    assert_int_equal(written, 0);
    assert_latest("a\n");
    os_sys = &os_sys_real;
    assert_int_equal(log_files_write(&files, JSV_STR("c\n"), &written), 0);
    assert_latest("a\nc\n");
    log_files_done(&files);
}

static int refuse_mkdir(const char *path, mode_t mode)
{
    (void)path;
    (void)mode;
    return -EROFS;
}

static void test_read_only(void **state)
{
    (void)state;
    struct log_files files;
    struct os_sys broken = os_sys_real;
    size_t written;
    broken.mkdir = refuse_mkdir;
    os_sys = &broken;
    log_files_init(&files, root, 1000);
    assert_int_equal(log_files_write(&files, JSV_STR("a\n"), &written), -EROFS);
    os_sys = &os_sys_real;
    assert_int_equal(log_files_write(&files, JSV_STR("b\n"), &written), 0);
    assert_latest("b\n");
    log_files_done(&files);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_append),
        TEST(test_rotation),
        TEST(test_directory_removed),
        TEST(test_disk_full),
        TEST(test_read_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
