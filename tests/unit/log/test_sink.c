/*
 * The thread behind the log, with a disk that refuses, stops half-way, or is
 * slow, as the test says. The table of system calls stays the same while the
 * thread runs; what its entries do is decided by atomics.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "log/sink.h"
#include "support/files.h"
#include "support/stderr_capture.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

/* How long anything may take on a machine that does something else as well. */
#define PATIENCE_MS 20000

#define FOLDER "mcp_server/envelope_validation"

static struct tmpdir dir;
static const struct log_secrets no_secrets;

/* ---- the disk ---- */

static struct {
    atomic_int error;           /* of writes to files; 0: they succeed */
    atomic_bool takes_half;     /* half is written before that error */
    atomic_int truncate_error;  /* and cutting it off again fails */
    atomic_bool holds;          /* writes wait for as long as this is so */
    atomic_uint writes;         /* begun */
    atomic_uint_fast64_t ahead; /* milliseconds the clock is ahead */
} disk;

static ssize_t disk_write(int fd, const void *data, size_t size)
{
    if (fd == STDERR_FILENO) {
        return os_sys_real.write(fd, data, size);
    }
    atomic_fetch_add(&disk.writes, 1);
    while (atomic_load(&disk.holds)) {
        usleep(1000);
    }
    int error = atomic_load(&disk.error);
    if (error == 0) {
        return os_sys_real.write(fd, data, size);
    }
    if (atomic_exchange(&disk.takes_half, false)) {
        return os_sys_real.write(fd, data, size / 2);
    }
    return -error;
}

static int disk_truncate(int fd, off_t size)
{
    int error = atomic_load(&disk.truncate_error);
    return error ? -error : os_sys_real.truncate(fd, size);
}

static uint64_t disk_now_ms(void)
{
    return os_sys_real.now_ms() + atomic_load(&disk.ahead);
}

static int set_up(void **state)
{
    (void)state;
    static struct os_sys table;
    tmpdir_make(&dir);
    table = os_sys_real;
    table.write = disk_write;
    table.truncate = disk_truncate;
    table.now_ms = disk_now_ms;
    os_sys = &table;
    atomic_store(&disk.error, 0);
    atomic_store(&disk.takes_half, false);
    atomic_store(&disk.truncate_error, 0);
    atomic_store(&disk.holds, false);
    atomic_store(&disk.writes, 0);
    atomic_store(&disk.ahead, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    tmpdir_remove(&dir);
    return 0;
}

/* ---- the sink ---- */

static struct log_sink *make_sink(struct log_buffer **ret_page)
{
    struct log_sink *sink;
    assert_int_equal(log_sink_new(dir.path, 100000000, &sink), 0);
    assert_int_equal(log_buffer_new(sink, ret_page), 0);
    return sink;
}

static void write_lines(struct log_buffer *page, size_t count)
{
    const struct log_event event = {
        .transport = JSV_STR("stdio"),
        .method = JSV_STR("ping"),
        .status = JSV_STR("ok"),
        .schema_version = JSV_STR("1.0"),
        .stage = JSV_STR("output"),
    };
    for (size_t i = 0; i < count; i++) {
        log_buffer_write(page, &event, &no_secrets);
    }
}

/* Wait until something is so. */
#define wait_until(condition)                                                                      \
    do {                                                                                           \
        unsigned waited = 0;                                                                       \
        while (!(condition)) {                                                                     \
            assert_true(waited++ < PATIENCE_MS);                                                   \
            usleep(1000);                                                                          \
        }                                                                                          \
    } while (0)

/* Whole lines in all files; a file's half line is not allowed, unless it is said to be there. */
struct lines {
    size_t whole;
    size_t halves;
};

static void count_in(const char *path, void *data)
{
    struct lines *lines = data;
    struct jsv_str text = files_read(path);
    for (size_t at = 0; at < text.size;) {
        const char *end = memchr(text.data + at, '\n', text.size - at);
        size_t size = end ? (size_t)(end - text.data) - at : text.size - at;
        assert_int_equal(text.data[at], '{');
        assert_true(!end || end[-1] == '}');
        lines->whole += end != NULL;
        lines->halves += end == NULL;
        at += size + 1;
    }
    free((void *)(uintptr_t)text.data);
}

static struct lines count_lines(void)
{
    struct lines lines = {0, 0};
    files_each(tmpdir_path(&dir, FOLDER), ".jsonl", count_in, &lines);
    return lines;
}

static void assert_lines(size_t whole, size_t halves)
{
    struct lines lines = count_lines();
    assert_int_equal(lines.whole, whole);
    assert_int_equal(lines.halves, halves);
}

static unsigned count_words(const char *text, const char *word)
{
    unsigned count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

/* ---- refusals ---- */

/* Lost lines are counted and reported once; later lines are whole, and the recovery is reported. */
static void lose_and_recover(int error)
{
    struct log_buffer *page;
    stderr_begin();
    struct log_sink *sink = make_sink(&page);
    write_lines(page, 2);
    wait_until(count_lines().whole == 2);
    atomic_store(&disk.error, error);
    write_lines(page, 3);
    wait_until(log_sink_lost(sink) == 3);
    atomic_store(&disk.error, 0);
    atomic_store(&disk.ahead, 1000);
    write_lines(page, 4);
    wait_until(count_lines().whole == 6);
    assert_int_equal(log_sink_lost(sink), 3);
    log_sink_free(sink);
    const char *said = stderr_end();
    assert_int_equal(count_words(said, "reason=log_lost"), 1);
    assert_non_null(strstr(said, strerror(error)));
    assert_int_equal(count_words(said, "reason=log_recovered lost=3"), 1);
    assert_lines(6, 0);
}

static void test_no_space(void **state)
{
    (void)state;
    lose_and_recover(ENOSPC);
}

static void test_bad_disk(void **state)
{
    (void)state;
    lose_and_recover(EIO);
}

static void test_quota(void **state)
{
    (void)state;
    lose_and_recover(EDQUOT);
}

/* Half a write is taken back. */
static void test_half_a_write(void **state)
{
    (void)state;
    atomic_store(&disk.takes_half, true);
    lose_and_recover(ENOSPC);
}

/* Where it cannot be taken back, nothing comes behind it: there is another file. */
static void test_half_a_line_that_stays(void **state)
{
    (void)state;
    struct log_buffer *page;
    stderr_begin();
    struct log_sink *sink = make_sink(&page);
    write_lines(page, 1);
    wait_until(count_lines().whole == 1);
    atomic_store(&disk.takes_half, true);
    atomic_store(&disk.truncate_error, EIO);
    atomic_store(&disk.error, EIO);
    write_lines(page, 1);
    wait_until(log_sink_lost(sink) == 1);
    atomic_store(&disk.error, 0);
    atomic_store(&disk.ahead, 1000);
    write_lines(page, 2);
    log_sink_free(sink);
    stderr_end();
    assert_lines(3, 1);
}

/* A disk that refused is left alone for a second; lines of that second are lost. */
static void test_a_second_until_the_next_try(void **state)
{
    (void)state;
    struct log_buffer *page;
    stderr_begin();
    struct log_sink *sink = make_sink(&page);
    atomic_store(&disk.error, EIO);
    write_lines(page, 1);
    wait_until(log_sink_lost(sink) == 1);
    unsigned writes = atomic_load(&disk.writes);
    atomic_store(&disk.error, 0);
    write_lines(page, 5);
    wait_until(log_sink_lost(sink) == 6);
    assert_int_equal(atomic_load(&disk.writes), writes);
    log_sink_free(sink);
    stderr_end();
    assert_lines(0, 0);
}

/* Errors that come and go are not reported each time. */
static void test_one_warning_a_minute(void **state)
{
    (void)state;
    struct log_buffer *page;
    stderr_begin();
    struct log_sink *sink = make_sink(&page);
    uint64_t lost = 0;
    size_t kept = 0;
    for (unsigned round = 0; round < 3; round++) {
        atomic_store(&disk.error, ENOSPC);
        write_lines(page, 1);
        lost++;
        wait_until(log_sink_lost(sink) == lost);
        atomic_store(&disk.error, 0);
        atomic_fetch_add(&disk.ahead, round == 1 ? 61000 : 1000);
        write_lines(page, 1);
        kept++;
        wait_until(count_lines().whole == kept);
    }
    log_sink_free(sink);
    const char *said = stderr_end();
    assert_int_equal(count_words(said, "reason=log_lost"), 2);
    assert_int_equal(count_words(said, "reason=log_recovered lost=1"), 3);
}

static int refuse_mkdir(const char *path, mode_t mode)
{
    (void)path;
    (void)mode;
    return -EROFS;
}

/* No directory from the start: said before there is a line. */
static void test_read_only_from_the_start(void **state)
{
    (void)state;
    static struct os_sys table;
    table = *os_sys;
    table.mkdir = refuse_mkdir;
    os_sys = &table;
    struct log_buffer *page;
    stderr_begin();
    struct log_sink *sink = make_sink(&page);
    wait_until(lseek(stderr_file, 0, SEEK_END) > 0);
    assert_int_equal(log_sink_lost(sink), 0);
    write_lines(page, 7);
    wait_until(log_sink_lost(sink) == 7);
    log_sink_free(sink);
    const char *said = stderr_end();
    assert_int_equal(count_words(said, "reason=log_lost"), 1);
    assert_non_null(strstr(said, strerror(EROFS)));
}

/* ---- slowness ---- */

/* A slow disk delays no answer: a full buffer drops further lines and counts them. */
static void test_slow_disk(void **state)
{
    (void)state;
    const size_t many = 40000; /* some 12 MiB, more than both sides of a page */
    struct log_buffer *page;
    stderr_begin();
    struct log_sink *sink = make_sink(&page);
    atomic_store(&disk.holds, true);
    write_lines(page, 1);
    wait_until(atomic_load(&disk.writes) == 1);
    write_lines(page, many);
    assert_true(log_sink_queued(sink) > 0);
    atomic_store(&disk.holds, false);
    wait_until(log_sink_lost(sink) > 0 && log_sink_queued(sink) == 0);
    uint64_t lost = log_sink_lost(sink);
    write_lines(page, 1);
    log_sink_free(sink);
    const char *said = stderr_end();
    assert_non_null(strstr(said, "the disk is slower than the messages; lines are dropped"));
    assert_lines(many + 2 - lost, 0);
}

/* ---- no memory, no thread ---- */

static void test_no_memory(void **state)
{
    (void)state;
    struct log_sink *sink;
    fault_arm(FAULT_RESIZE, 1, ENOMEM);
    assert_int_equal(log_sink_new(dir.path, 1000, &sink), -ENOMEM);
    fault_arm(FAULT_THREAD_START, 1, EAGAIN);
    assert_int_equal(log_sink_new(dir.path, 1000, &sink), -EAGAIN);
    assert_int_equal(fault.live_blocks, 0);
    log_sink_free(NULL);
}

/* A line that finds no memory is lost, and the next one is not. */
static atomic_bool has_no_memory;

static void *resize_or_not(void *memory, size_t size)
{
    return size > 0 && atomic_load(&has_no_memory) ? NULL : os_sys_real.resize(memory, size);
}

static void test_a_line_without_memory(void **state)
{
    (void)state;
    static struct os_sys table;
    table = *os_sys;
    table.resize = resize_or_not;
    os_sys = &table;
    struct log_buffer *page;
    stderr_begin();
    struct log_sink *sink = make_sink(&page);
    wait_until(files_each(tmpdir_path(&dir, FOLDER), ".jsonl", count_in, &(struct lines){0, 0}));
    atomic_store(&has_no_memory, true);
    write_lines(page, 1);
    assert_int_equal(log_buffer_new(sink, &page), -ENOMEM);
    atomic_store(&has_no_memory, false);
    wait_until(log_sink_lost(sink) == 1);
    log_sink_free(sink);
    stderr_end();
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_no_space),
        TEST(test_bad_disk),
        TEST(test_quota),
        TEST(test_half_a_write),
        TEST(test_half_a_line_that_stays),
        TEST(test_a_second_until_the_next_try),
        TEST(test_one_warning_a_minute),
        TEST(test_read_only_from_the_start),
        TEST(test_slow_disk),
        TEST(test_no_memory),
        TEST(test_a_line_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
