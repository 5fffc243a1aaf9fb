#define _GNU_SOURCE /* pipe2() */
#include <jsv/jsv.h>

#include "os/file.h"
#include "os/sys.h"
#include "unit/os/in_tmpdir.h"

/* Read a file of the directory into a new buffer with a ceiling. */
static int read_named(const char *name, size_t size_max, struct jsv_buf *out)
{
    int fd = openat(dir.fd, name, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    jsv_buf_init(out, os_allocator(), size_max);
    int r = os_file_read(fd, out);
    close(fd);
    return r;
}

static void assert_reads(const char *name, size_t size_max, int expected)
{
    struct jsv_buf out;
    assert_int_equal(read_named(name, size_max, &out), expected);
    jsv_buf_done(&out);
}

static void test_contents(void **state)
{
    (void)state;
    struct jsv_buf out;
    tmpdir_write(&dir, "empty", "");
    assert_int_equal(read_named("empty", 10, &out), 0);
    assert_int_equal(out.size, 0);
    jsv_buf_done(&out);

    tmpdir_write_bytes(&dir, "bytes", "a\0b\n", 4);
    assert_int_equal(read_named("bytes", 10, &out), 0);
    assert_int_equal(out.size, 4);
    assert_memory_equal(out.data, "a\0b\n", 4);
    jsv_buf_done(&out);
}

static void test_appends(void **state)
{
    (void)state;
    struct jsv_buf out;
    tmpdir_write(&dir, "file", "two");
    jsv_buf_init(&out, NULL, 6);
    jsv_buf_append(&out, "one", 3);
    int fd = openat(dir.fd, "file", O_RDONLY | O_CLOEXEC);
    assert_int_equal(os_file_read(fd, &out), 0);
    assert_int_equal(out.size, 6);
    assert_memory_equal(out.data, "onetwo", 6);
    jsv_buf_done(&out);
    close(fd);
}

static void test_ceiling_is_exact(void **state)
{
    (void)state;
    char *text = malloc(10001);
    assert_non_null(text);
    memset(text, 'x', 10001);
    tmpdir_write_bytes(&dir, "file", text, 10000);
    assert_reads("file", 10000, 0);
    assert_reads("file", 9999, -EFBIG);
    assert_reads("file", 0, -EFBIG);
    tmpdir_write(&dir, "empty", "");
    assert_reads("empty", 0, 0);
    free(text);
}

static void test_one_allocation_for_a_file(void **state)
{
    (void)state;
    char text[5000];
    memset(text, 'x', sizeof(text));
    tmpdir_write_bytes(&dir, "file", text, sizeof(text));
    fault_watch();
    assert_reads("file", 1 << 20, 0);
    assert_int_equal(fault.calls[FAULT_RESIZE], 1);
    assert_int_equal(fault.live_blocks, 0);
}

/* Refused by its size, before a byte is read or allocated. */
static void test_huge_sparse_file(void **state)
{
    (void)state;
    tmpdir_write(&dir, "sparse", "");
    assert_int_equal(truncate(tmpdir_path(&dir, "sparse"), (off_t)10 << 30), 0);
    fault_watch();
    assert_reads("sparse", 1 << 20, -EFBIG);
    assert_int_equal(fault.calls[FAULT_READ], 0);
    assert_int_equal(fault.calls[FAULT_RESIZE], 0);
}

/* Files of procfs say they are empty, which is what a growing file looks like. */
static void test_file_that_grows(void **state)
{
    (void)state;
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        print_message("/proc is not mounted\n");
        skip();
    }
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 1 << 20);
    assert_int_equal(os_file_read(fd, &out), 0);
    assert_true(out.size > 100);
    assert_memory_equal(out.data, "Name:", 5);
    size_t size = out.size;
    jsv_buf_done(&out);

    jsv_buf_init(&out, NULL, size / 2);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(os_file_read(fd, &out), -EFBIG);
    assert_true(out.size <= size / 2);
    jsv_buf_done(&out);
    close(fd);
}

/* 200,000 bytes through a pipe: several reads, several times larger. */
static int read_pipe(size_t size_max, size_t *ret_size)
{
    enum {
        SIZE = 200000
    };
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    assert_true(fcntl(fds[1], F_SETPIPE_SZ, SIZE) >= SIZE);
    char *data = malloc(SIZE);
    assert_non_null(data);
    memset(data, 'p', SIZE);
    assert_int_equal(write(fds[1], data, SIZE), SIZE);
    close(fds[1]);
    struct jsv_buf out;
    jsv_buf_init(&out, os_allocator(), size_max);
    int r = os_file_read(fds[0], &out);
    *ret_size = out.size;
    assert_memory_equal(out.data, data, out.size);
    jsv_buf_done(&out);
    close(fds[0]);
    free(data);
    return r;
}

static void test_pipe(void **state)
{
    (void)state;
    size_t size;
    assert_int_equal(read_pipe(1 << 20, &size), 0);
    assert_int_equal(size, 200000);
    assert_int_equal(read_pipe(200000, &size), 0);
    assert_int_equal(read_pipe(199999, &size), -EFBIG);
    assert_true(size <= 199999);
}

static void test_directory(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "sub");
    assert_reads("sub", 1 << 20, -EISDIR);
}

static void test_each_call_fails(void **state)
{
    (void)state;
    tmpdir_write(&dir, "file", "text");
    static const struct {
        enum fault_call call;
        unsigned at;
        int error;
    } cases[] = {
        {FAULT_FSTAT, 1, EIO},
        {FAULT_READ, 1, EIO},
        {FAULT_READ, 2, ESTALE},
        {FAULT_RESIZE, 1, ENOMEM},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fault_arm(cases[i].call, cases[i].at, cases[i].error);
        assert_reads("file", 100, -cases[i].error);
        assert_true(fault.hit);
        assert_int_equal(fault.live_blocks, 0);
    }
    size_t size;
    fault_arm(FAULT_RESIZE, 2, ENOMEM);
    assert_int_equal(read_pipe(1 << 20, &size), -ENOMEM);
    assert_int_equal(fault.live_blocks, 0);
}

static void test_by_path(void **state)
{
    (void)state;
    struct jsv_buf out;
    tmpdir_write(&dir, "file", "abc");
    jsv_buf_init(&out, os_allocator(), 3);
    assert_int_equal(os_file_read_path(tmpdir_path(&dir, "file"), &out), 0);
    assert_int_equal(out.size, 3);
    assert_memory_equal(out.data, "abc", 3);
    assert_int_equal(os_file_read_path(tmpdir_path(&dir, "none"), &out), -ENOENT);
    assert_int_equal(os_file_read_path(tmpdir_path(&dir, "file"), &out), -EFBIG);
    jsv_buf_done(&out);
}

/* ---- directories ---- */

static int open_dir(void)
{
    int fd = os_openat(dir.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static void test_dir_empty(void **state)
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
static void test_dir_every_name_once(void **state)
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

static void test_dir_hidden_and_odd_names(void **state)
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

static void test_dir_errors(void **state)
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

/* ---- URIs ---- */

static void expect_uri(const char *path, const char *expected)
{
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 2 * PATH_MAX);
    assert_int_equal(os_uri_append_file(&out, path), 0);
    assert_int_equal(out.size, strlen(expected));
    assert_memory_equal(out.data, expected, out.size);
    jsv_buf_done(&out);
}

static void test_uri_absolute(void **state)
{
    (void)state;
    expect_uri("/", "file:///");
    expect_uri("/a b/c%.json", "file:///a%20b/c%25.json");
    expect_uri("/\xC3\xA9", "file:///%C3%A9");
}

static void test_uri_relative(void **state)
{
    (void)state;
    char expected[2 * PATH_MAX];
    char before[PATH_MAX];
    struct tmpdir here;
    tmpdir_make(&here);
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(here.path), 0);
    snprintf(expected, sizeof(expected), "file://%s/./a.json", here.path);
    expect_uri("./a.json", expected);
    fault_arm(FAULT_GETCWD, 0, ENOENT);
    expect_uri("a.json", "file:///a.json");
    fault_disarm();
    assert_int_equal(chdir(before), 0);
    tmpdir_remove(&here);
}

static void test_uri_no_room(void **state)
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
        IN_TMPDIR(test_contents),
        IN_TMPDIR(test_appends),
        IN_TMPDIR(test_ceiling_is_exact),
        IN_TMPDIR(test_one_allocation_for_a_file),
        IN_TMPDIR(test_huge_sparse_file),
        IN_TMPDIR(test_file_that_grows),
        IN_TMPDIR(test_pipe),
        IN_TMPDIR(test_directory),
        IN_TMPDIR(test_by_path),
        IN_TMPDIR(test_each_call_fails),
        IN_TMPDIR(test_dir_empty),
        IN_TMPDIR(test_dir_every_name_once),
        IN_TMPDIR(test_dir_hidden_and_odd_names),
        IN_TMPDIR(test_dir_errors),
        cmocka_unit_test(test_uri_absolute),
        cmocka_unit_test(test_uri_relative),
        cmocka_unit_test(test_uri_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
