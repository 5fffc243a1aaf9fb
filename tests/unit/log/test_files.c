#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "log/files.h"
#include "os/sys.h"
#include "support/files.h"
#include "unit/log/log_root.h"

static char folder[128];

static int setup_folder(void **state)
{
    int r = setup(state);
    snprintf(folder, sizeof(folder), "%s/mcp_server/envelope_validation", root);
    return r;
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

static void make_latest_a_directory(void)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/.latest", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/.latest/kept", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static void test_directory_called_latest_is_moved_aside(void **state)
{
    (void)state;
    struct log_files files;
    size_t written;
    char path[320];
    log_files_init(&files, root, 1000);
    assert_int_equal(log_files_write(&files, JSV_STR("a\n"), &written), 0);
    log_files_done(&files);
    snprintf(path, sizeof(path), "%s/.latest", folder);
    assert_int_equal(unlink(path), 0);
    make_latest_a_directory();
    log_files_init(&files, root, 1000);
    assert_int_equal(log_files_write(&files, JSV_STR("b\n"), &written), 0);
    assert_latest("b\n");
    snprintf(path, sizeof(path), "%s/.latest.%s.moved/kept", folder, files.name);
    assert_int_equal(access(path, F_OK), 0);
    log_files_done(&files);
}

static int refuse_name(const char *path, const char *new_path)
{
    (void)path;
    (void)new_path;
    return -EISDIR;
}

static void assert_lines_without_link(const struct os_sys *broken)
{
    struct log_files files;
    size_t written;
    remove_all();
    os_sys = broken;
    log_files_init(&files, root, 1000);
    assert_int_equal(log_files_write(&files, JSV_STR("a\n"), &written), 0);
    assert_int_equal(written, 2);
    assert_int_equal(log_files_write(&files, JSV_STR("b\n"), &written), 0);
    assert_int_equal(files.latest_error, -EISDIR);
    assert_int_equal(count_files(), 1);
    os_sys = &os_sys_real;
    assert_int_equal(log_files_write(&files, JSV_STR("c\n"), &written), 0);
    assert_latest("a\nb\nc\n");
    assert_int_equal(files.latest_error, 0);
    log_files_done(&files);
}

static void test_lines_are_written_without_the_link(void **state)
{
    (void)state;
    struct os_sys no_rename = os_sys_real;
    no_rename.rename = refuse_name;
    assert_lines_without_link(&no_rename);
    struct os_sys no_link = os_sys_real;
    no_link.symlink = refuse_name;
    assert_lines_without_link(&no_link);
}

/* ---- names ---- */

/* 2026-01-02T23:59:59.999Z */
#define BEFORE_MIDNIGHT 1767398399999

static int64_t wall_ms;

static int64_t fake_wall_ms(void)
{
    return wall_ms;
}

static struct os_sys fake_clock(int64_t now)
{
    struct os_sys clock = os_sys_real;
    clock.wall_ms = fake_wall_ms;
    wall_ms = now;
    return clock;
}

static void make_file(const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static bool has_file(const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void assert_latest_begins(const char *beginning)
{
    char path[160];
    char target[128] = "";
    snprintf(path, sizeof(path), "%s/.latest", folder);
    assert_true(readlink(path, target, sizeof(target) - 1) > 0);
    assert_memory_equal(target, beginning, strlen(beginning));
}

/* A run is one file, whatever the day; the next one is called after its own. */
static void test_midnight(void **state)
{
    (void)state;
    struct log_files files;
    struct os_sys clock = fake_clock(BEFORE_MIDNIGHT);
    size_t written;
    os_sys = &clock;
    log_files_init(&files, root, 8);
    assert_int_equal(log_files_write(&files, JSV_STR("aaa\n"), &written), 0);
    assert_latest_begins("20260102T235959.999Z-");
    wall_ms++;
    assert_int_equal(log_files_write(&files, JSV_STR("bbb\n"), &written), 0);
    assert_latest("aaa\nbbb\n");
    assert_int_equal(log_files_write(&files, JSV_STR("ccc\n"), &written), 0);
    assert_latest("ccc\n");
    assert_latest_begins("20260103T000000.000Z-");
    assert_int_equal(count_files(), 2);
    log_files_done(&files);
}

/* The file that is written stays, also when a clock that was set back makes it look the oldest. */
static void test_clock_set_back(void **state)
{
    (void)state;
    struct log_files files;
    struct os_sys clock = fake_clock(BEFORE_MIDNIGHT);
    size_t written;
    os_sys = &clock;
    log_files_init(&files, root, 4);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(log_files_write(&files, JSV_STR("new\n"), &written), 0);
    }
    wall_ms = 0;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(log_files_write(&files, JSV_STR("old\n"), &written), 0);
        assert_latest("old\n");
        assert_latest_begins("19700101T000000.000Z-");
        assert_int_equal(count_files(), LOG_FILES_KEPT);
    }
    log_files_done(&files);
}

/* Files of other programs are neither counted nor removed. */
static void test_files_of_others(void **state)
{
    (void)state;
    static const char *const others[] = {
        "notes.jsonl",
        "00000000T000000.000Z.txt",
        "2026-01-02T030405.678Z-1-000001.jsonl",
        "00000000T000000.000Z-a-name-that-is-much-longer-than-any-of-ours-would-be.jsonl",
    };
    struct log_files files;
    size_t written;
    log_files_init(&files, root, 4);
    assert_int_equal(log_files_open(&files), 0);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        make_file(others[i]);
    }
    make_file("20200102T030405.678Z-1-000001.jsonl");
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(log_files_write(&files, JSV_STR("aaa\n"), &written), 0);
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_true(has_file(others[i]));
    }
    assert_false(has_file("20200102T030405.678Z-1-000001.jsonl"));
    log_files_done(&files);
}

/* ---- trouble ---- */

static int exists_already(int dir_fd, const char *path, int flags, mode_t mode)
{
    (void)dir_fd;
    (void)path;
    (void)flags;
    (void)mode;
    return -EEXIST;
}

static void assert_no_file(const struct os_sys *table, int error)
{
    struct log_files files;
    size_t written;
    os_sys = table;
    log_files_init(&files, root, 1000);
    assert_int_equal(log_files_write(&files, JSV_STR("a\n"), &written), error);
    assert_int_equal(written, 0);
    assert_int_equal(files.fd, -1);
    os_sys = &os_sys_real;
    assert_int_equal(log_files_write(&files, JSV_STR("b\n"), &written), 0);
    assert_latest("b\n");
    log_files_done(&files);
}

static void test_no_file(void **state)
{
    (void)state;
    struct os_sys taken = os_sys_real;
    taken.create = exists_already;
    assert_no_file(&taken, -EEXIST);
}

static void test_a_root_that_is_too_long(void **state)
{
    (void)state;
    static char name[5000];
    struct log_files files;
    memset(name, 'x', sizeof(name) - 1);
    log_files_init(&files, name, 1000);
    assert_true(log_files_open(&files) < 0);
    log_files_done(&files);
}

/* Directories above the log dir are made, too. */
static void test_parents(void **state)
{
    (void)state;
    struct log_files files;
    char deep[128];
    char path[256];
    snprintf(deep, sizeof(deep), "%s/a/b", root);
    snprintf(path, sizeof(path), "%s/mcp_server/envelope_validation/.latest", deep);
    log_files_init(&files, deep, 1000);
    assert_int_equal(log_files_open(&files), 0);
    assert_int_equal(access(path, F_OK), 0);
    log_files_done(&files);
}

/* Lines that are in a file before another one cannot be made are there, and said to be. */
static void test_part_of_the_lines(void **state)
{
    (void)state;
    struct log_files files;
    struct os_sys taken = os_sys_real;
    size_t written;
    taken.create = exists_already;
    log_files_init(&files, root, 8);
    assert_int_equal(log_files_write(&files, JSV_STR("aaa\n"), &written), 0);
    os_sys = &taken;
    assert_int_equal(log_files_write(&files, JSV_STR("bbb\nccc\n"), &written), -EEXIST);
    assert_int_equal(written, 4);
    os_sys = &os_sys_real;
    assert_latest("aaa\nbbb\n");
    log_files_done(&files);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup_folder, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_append),
        TEST(test_rotation),
        TEST(test_directory_removed),
        TEST(test_disk_full),
        TEST(test_read_only),
        TEST(test_directory_called_latest_is_moved_aside),
        TEST(test_lines_are_written_without_the_link),
        TEST(test_midnight),
        TEST(test_clock_set_back),
        TEST(test_files_of_others),
        TEST(test_no_file),
        TEST(test_a_root_that_is_too_long),
        TEST(test_parents),
        TEST(test_part_of_the_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
