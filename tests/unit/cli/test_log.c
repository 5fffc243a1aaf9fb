#define _GNU_SOURCE
#include "cli/log.h"
#include "unit/app/run_faults.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

static struct tmpdir dir;
static struct cli_log_files trail;
static char latest[PATH_MAX];

static int set_up(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    snprintf(latest, sizeof(latest), "%s", tmpdir_path(&dir, ".latest"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    tmpdir_remove(&dir);
    return 0;
}

static void point_latest(const char *target)
{
    tmpdir_link(&dir, target, ".next");
    assert_int_equal(renameat(dir.fd, ".next", dir.fd, ".latest"), 0);
}

static void assert_reads(const char *expected)
{
    char text[16] = "";
    assert_true(read(trail.fd, text, sizeof(text) - 1) >= 0);
    assert_string_equal(text, expected);
}

static void test_next_file(void **state)
{
    (void)state;
    tmpdir_write(&dir, "1.jsonl", "a");
    point_latest("1.jsonl");
    assert_int_equal(cli_log_files_open(&trail, latest), 0);
    assert_string_equal(trail.name, "1.jsonl");
    assert_reads("a");
    assert_false(cli_log_files_has_more(&trail));
    tmpdir_write(&dir, "2.jsonl", "b");
    tmpdir_write(&dir, "3.jsonl", "c");
    tmpdir_write(&dir, "2x", "x");
    assert_false(cli_log_files_has_more(&trail));
    point_latest("3.jsonl");
    assert_true(cli_log_files_has_more(&trail));
    assert_int_equal(cli_log_files_next(&trail), 1);
    assert_reads("b");
    assert_true(cli_log_files_has_more(&trail));
    assert_int_equal(cli_log_files_next(&trail), 1);
    assert_reads("c");
    assert_false(cli_log_files_has_more(&trail));
    cli_log_files_close(&trail);
}

static void test_missing_files(void **state)
{
    (void)state;
    assert_int_equal(cli_log_files_open(&trail, latest), -ENOENT);
    point_latest("1.jsonl");
    assert_int_equal(cli_log_files_open(&trail, latest), -ENOENT);
    tmpdir_write(&dir, "1.jsonl", "a");
    assert_int_equal(cli_log_files_open(&trail, latest), 0);
    point_latest("2.jsonl"); /* which is not there */
    assert_false(cli_log_files_has_more(&trail));
    assert_int_equal(cli_log_files_next(&trail), 0);
    assert_reads("a");
    cli_log_files_close(&trail);
}

static void test_errors_between_files(void **state)
{
    (void)state;
    tmpdir_write(&dir, "1.jsonl", "a");
    tmpdir_write(&dir, "2.jsonl", "b");
    point_latest("1.jsonl");
    assert_int_equal(cli_log_files_open(&trail, latest), 0);
    point_latest("2.jsonl");
    /* If the directory cannot be listed, the link is used. */
    fault_arm(FAULT_OPENAT, 1, EMFILE);
    assert_int_equal(cli_log_files_next(&trail), 1);
    assert_true(fault.hit);
    fault_disarm();
    assert_reads("b");
    tmpdir_write(&dir, "3.jsonl", "c");
    fault_arm(FAULT_OPENAT, 2, EACCES);
    assert_int_equal(cli_log_files_next(&trail), -EACCES);
    fault_arm(FAULT_FSTAT, 1, EIO);
    assert_false(cli_log_files_has_more(&trail));
    fault_disarm();
    cli_log_files_close(&trail);
}

static void test_path_too_long(void **state)
{
    (void)state;
    static char deep[PATH_MAX + 16];
    static const char target[] = "1234567890123456789012345678901234567890.jsonl";
    size_t size = strlen(dir.path);
    memcpy(deep, dir.path, size);
    for (; size < PATH_MAX - 20; size += 2) {
        memcpy(deep + size, "/.", 3);
    }
    snprintf(deep + size, sizeof(deep) - size, "/.latest");
    tmpdir_write(&dir, target, "a");
    point_latest(target);
    assert_int_equal(cli_log_files_open(&trail, deep), -ENAMETOOLONG);
}

#define FOLDER "runs/mcp_server/envelope_validation"

/* A line of the log, and how it is shown. */
#define LINE(ts, status)                                                                           \
    "{\"ts\":\"" ts "\",\"transport\":\"stdio\",\"method\":\"m\",\"status\":\"" status             \
    "\",\"durationMs\":1.5,\"metadata\":{\"toolId\":null,\"promptId\":null},\"error\":null}"
#define OK(ts)       LINE(ts, "ok") "\n"
#define SHOWN_OK(ts) ts "  ok                      1.500 ms  stdio   m  \n"

static int set_up_log(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    tmpdir_mkdir(&dir, "runs");
    tmpdir_mkdir(&dir, "runs/mcp_server");
    tmpdir_mkdir(&dir, FOLDER);
    return 0;
}

static int tear_down_log(void **state)
{
    (void)state;
    fault_disarm();
    tmpdir_remove(&dir);
    return 0;
}

static void assert_shown(const char *expected)
{
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, expected);
    assert_int_equal(run.status, 0);
}

static void assert_trouble(const char *words)
{
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    assert_true(run_is_one_line(run.err));
    assert_non_null(strstr(run.err, words));
}

/* Show a file with the text. */
static void show_text(const char *text)
{
    tmpdir_write(&dir, "file", text);
    run_cli("", "log", tmpdir_path(&dir, "file"));
}

/* ---- lines ---- */

static void test_line_format(void **state)
{
    (void)state;
    show_text(OK("t1"));
    assert_shown(SHOWN_OK("t1"));
    show_text("{\"ts\":\"t\",\"transport\":\"http\",\"method\":\"mcp.tool.invoke\",\"status\":"
              "\"tool_not_found\",\"durationMs\":0.032,\"metadata\":{\"toolId\":\"nix\"},"
              "\"error\":{\"message\":\"Unknown tool\"},\"stage\":\"dialect\"}\n");
    assert_shown("t  tool_not_found          0.032 ms  http    mcp.tool.invoke  nix: "
                 "Unknown tool (dialect)\n");
    show_text("{\"ts\":\"t\",\"transport\":\"stdio\",\"method\":\"p\",\"status\":\"ok\","
              "\"durationMs\":1,\"metadata\":{\"toolId\":null,\"promptId\":\"greet\"}}\n");
    assert_shown("t  ok                      1.000 ms  stdio   p  greet\n");
}

static void test_control_characters_are_replaced(void **state)
{
    (void)state;
    show_text("{\"ts\":\"t\\u001b[2J\",\"transport\":\"\\u007f\",\"method\":\"a\\nb\\u0085"
              "c\\u00e9\",\"status\":\"ok\",\"durationMs\":0}\n");
    assert_shown("t?[2J  ok                      0.000 ms  ?       a?b?c\xC3\xA9  \n");
}

static void test_other_lines_are_skipped(void **state)
{
    (void)state;
    show_text("garbage\n\n[1]\n\"ts\"\nnull\n{}\n{\"ts\":1}\n{\"ts\":\"t\",\"ts\":\"t\"}\n\xFF\xFE"
              "\n" OK("t1") "{\"ts\":\"t2\n" OK("t3"));
    assert_shown(SHOWN_OK("t1") SHOWN_OK("t3"));
    show_text("");
    assert_shown("");
}

/* Longer than any server writes: cut. */
static void test_absurd_duration(void **state)
{
    (void)state;
    show_text("{\"ts\":\"t\",\"status\":\"ok\",\"durationMs\":1e300}\n");
    assert_int_equal(run.status, 0);
    assert_true(strlen(run.out) < 80);
    assert_non_null(strstr(run.out, "1000000000000000052504760255204"));
    show_text("{\"ts\":\"t\",\"status\":\"ok\",\"durationMs\":\"x\"}\n");
    assert_int_equal(run.status, 0);
}

static void test_last_line_without_line_break(void **state)
{
    (void)state;
    show_text(OK("t1") LINE("t2", "ok"));
    assert_shown(SHOWN_OK("t1") SHOWN_OK("t2"));
    show_text(OK("t1") "{\"ts\":\"t2\",\"stat");
    assert_shown(SHOWN_OK("t1"));
}

static void test_line_too_long(void **state)
{
    (void)state;
    size_t size = (size_t)2 << 20;
    char *text = test_malloc(size);
    memset(text, 'x', size);
    tmpdir_write_bytes(&dir, "file", text, size);
    run_cli("", "log", tmpdir_path(&dir, "file"));
    assert_trouble("a line is longer than 1 MiB");
    test_free(text);
}

static void test_many_lines(void **state)
{
    (void)state;
    static char text[1 << 19];
    size_t size = 0;
    unsigned count = 0;
    for (; size + sizeof(OK("t")) < sizeof(text); count++) {
        size += (size_t)snprintf(text + size, sizeof(text) - size, "%s", OK("t"));
    }
    show_text(text);
    assert_int_equal(run.status, 0);
    assert_int_equal(strlen(run.out), count * (sizeof(SHOWN_OK("t")) - 1));
}

/* ---- filters ---- */

#define DAY                                                                                        \
    OK("2026-01-02T03:04:05.678Z") OK("2026-01-02T03:04:06.000Z") OK("2026-01-03T00:00:00.000Z")

static void show_since(const char *when)
{
    tmpdir_write(&dir, "file", DAY);
    run_cli("", "log", "--since", when, tmpdir_path(&dir, "file"));
}

static void test_since(void **state)
{
    (void)state;
    static const struct {
        const char *when;
        unsigned lines;
    } cases[] = {
        {"2025", 3},
        {"2026-01-02", 3},
        {"2026-01-02T03:04:05Z", 3},
        {"2026-01-02T03:04:05.678Z", 3},
        {"2026-01-02T03:04:05.679Z", 2},
        {"2026-01-02T03:04:06", 2},
        {"2026-01-02T03:05Z", 1},
        {"2026-01-03", 1},
        {"2026-01-03T00:00:00.000Z", 1},
        {"2027", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        show_since(cases[i].when);
        assert_string_equal(run.err, "");
        unsigned lines = 0;
        for (const char *c = run.out; *c; c++) {
            lines += *c == '\n';
        }
        assert_int_equal(lines, cases[i].lines);
    }
}

static void test_since_accepts_times_only(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "now",
        "202",
        "2026-1-2",
        "2026-01-02 03:04",
        "2026-01-02T03:04:05+01:00",
        "2026-01-02T03:04:05.678Z ",
        "2026-01-02T03:04:05.6789Z",
        "2026Z",
        "-1h",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        show_since(wrong[i]);
        assert_trouble("--since");
    }
    /* The time it names as an example is one. */
    show_since("2026-01-02T03:04:05Z");
    assert_int_equal(run.status, 0);
}

static void test_failures(void **state)
{
    (void)state;
    tmpdir_write(&dir, "file", OK("t1") LINE("t2", "parse_error") "\n" OK("t3"));
    run_cli("", "log", "--failures", tmpdir_path(&dir, "file"));
    assert_shown("t2  parse_error             1.500 ms  stdio   m  \n");
    run_cli("", "log", "--failures", "--since", "2026", tmpdir_path(&dir, "file"));
    assert_int_equal(run.status, 0);
}

/* ---- choosing the file ---- */

static void test_directory_shows_its_newest_file(void **state)
{
    (void)state;
    tmpdir_write(&dir, FOLDER "/1.jsonl", OK("old"));
    tmpdir_write(&dir, FOLDER "/2.jsonl", OK("new"));
    tmpdir_link(&dir, "2.jsonl", FOLDER "/.latest");
    run_cli("", "log", tmpdir_path(&dir, "runs"));
    assert_shown(SHOWN_OK("new"));
    run_cli("", "log", tmpdir_path(&dir, FOLDER));
    assert_shown(SHOWN_OK("new"));
    run_cli("", "log", tmpdir_path(&dir, FOLDER "/1.jsonl"));
    assert_shown(SHOWN_OK("old"));
}

static void test_directory_from_the_environment(void **state)
{
    (void)state;
    tmpdir_write(&dir, FOLDER "/1.jsonl", OK("t"));
    tmpdir_link(&dir, "1.jsonl", FOLDER "/.latest");
    setenv("MCPGATE_LOG_DIR", tmpdir_path(&dir, "runs"), 1);
    run_cli("", "log");
    unsetenv("MCPGATE_LOG_DIR");
    assert_shown(SHOWN_OK("t"));
    char before[PATH_MAX];
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(dir.path), 0);
    run_cli("", "log");
    assert_int_equal(chdir(before), 0);
    assert_shown(SHOWN_OK("t"));
}

static void test_no_log(void **state)
{
    (void)state;
    run_cli("", "log", tmpdir_path(&dir, "none"));
    assert_trouble("none");
    run_cli("", "log", tmpdir_path(&dir, "runs"));
    assert_trouble("no log file in this directory; the server writes one to its --log-dir");
    tmpdir_link(&dir, "gone.jsonl", FOLDER "/.latest");
    run_cli("", "log", tmpdir_path(&dir, "runs"));
    assert_trouble("no log file in this directory; the server writes one to its --log-dir");
    run_cli("", "log", "a", "b");
    assert_int_equal(run.status, 2);
}

static void test_injected_faults(void **state)
{
    (void)state;
    tmpdir_write(&dir, "file", OK("t1"));
    char log[] = "log";
    char *words[] = {log, tmpdir_path(&dir, "file"), NULL};
    run_words_with_fault("", words, FAULT_OPENAT, 1, EACCES);
    run_words_with_fault("", words, FAULT_READ, 1, EIO);
    run_words_with_fault("", words, FAULT_WRITE, 1, ENOSPC);
    fault_watch();
    run_words("", words);
    const unsigned allocations = fault.calls[FAULT_RESIZE];
    assert_true(allocations > 0);
    for (unsigned at = 1; at <= allocations; at++) {
        run_words_with_fault("", words, FAULT_RESIZE, at, ENOMEM);
    }
    /* Lines read before the error are shown. */
    fault_arm(FAULT_READ, 2, EIO);
    run_words("", words);
    assert_true(fault.hit);
    assert_int_equal(run.status, 2);
    assert_true(run_is_one_line(run.err));
    assert_string_equal(run.out, SHOWN_OK("t1"));
}

/* ---- following ---- */

/* Steps that happen while the command waits, in order; then reading fails. */
static void (*const *steps)(void);
static struct os_sys table;

static int next_step(struct pollfd *fds, nfds_t count, int timeout_ms, const sigset_t *mask)
{
    (void)fds;
    (void)count;
    (void)mask;
    assert_true(timeout_ms > 0);
    if (*steps) {
        (*steps++)();
    }
    return 0;
}

static ssize_t read_until_over(int fd, void *out, size_t size)
{
    return *steps ? os_sys_real.read(fd, out, size) : -EIO;
}

/* The last step is not observed. */
static void follow(const char *path, void (*const *all)(void))
{
    steps = all;
    table = os_sys_real;
    table.poll = next_step;
    table.read = read_until_over;
    os_sys = &table;
    run_cli("", "log", "--follow", path);
    os_sys = &os_sys_real;
    assert_int_equal(run.status, 2);
    assert_true(run_is_one_line(run.err));
}

static void append(const char *name, const char *text)
{
    int fd = openat(dir.fd, name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void point_log_latest(const char *target)
{
    tmpdir_link(&dir, target, FOLDER "/.next");
    assert_int_equal(renameat(dir.fd, FOLDER "/.next", dir.fd, FOLDER "/.latest"), 0);
}

static void nothing(void)
{
}

static void append_half(void)
{
    append(FOLDER "/1.jsonl", "{\"ts\":\"t2\",\"transport\":\"stdio\",\"method\":\"m\",");
}

static void append_other_half(void)
{
    append(
        FOLDER "/1.jsonl",
        "\"status\":\"ok\",\"durationMs\":1.5,\"metadata\":{},\"error\":null}\n" OK("t3"));
}

/* The old file then has a last line and a partial one that is never completed. */
static void rotate(void)
{
    append(FOLDER "/1.jsonl", OK("t4") "{\"ts\":");
    append(FOLDER "/2.jsonl", OK("t5"));
    point_log_latest("2.jsonl");
}

static void remove_all(void)
{
    assert_int_equal(unlinkat(dir.fd, FOLDER "/.latest", 0), 0);
    assert_int_equal(unlinkat(dir.fd, FOLDER "/1.jsonl", 0), 0);
    assert_int_equal(unlinkat(dir.fd, FOLDER "/2.jsonl", 0), 0);
    assert_int_equal(unlinkat(dir.fd, FOLDER, AT_REMOVEDIR), 0);
}

static void make_again(void)
{
    tmpdir_mkdir(&dir, FOLDER);
    append(FOLDER "/3.jsonl", OK("t6"));
    point_log_latest("3.jsonl");
}

static void append_garbage(void)
{
    append(FOLDER "/3.jsonl", "garbage\n" OK("t7"));
}

static void begin_first_file(void)
{
    append(FOLDER "/1.jsonl", OK("t1"));
    point_log_latest("1.jsonl");
}

static void test_follow(void **state)
{
    (void)state;
    static void (*const all[])(void) = {
        append_half,
        append_other_half,
        rotate,
        remove_all,
        nothing,
        make_again,
        append_garbage,
        nothing,
        nothing,
        NULL,
    };
    begin_first_file();
    follow(tmpdir_path(&dir, "runs"), all);
    assert_string_equal(
        run.out,
        SHOWN_OK("t1") SHOWN_OK("t2") SHOWN_OK("t3") SHOWN_OK("t4") SHOWN_OK("t5") SHOWN_OK("t6")
            SHOWN_OK("t7"));
}

/* Several new files since the last check are all shown; files that are not logs are ignored. */
static void rotate_twice(void)
{
    append(FOLDER "/3.jsonl", OK("t3"));
    append(FOLDER "/2.jsonl", OK("t2"));
    append(FOLDER "/2a.txt", OK("other"));
    append(FOLDER "/notes.jsonl", OK("other"));
    point_log_latest("3.jsonl");
}

/* A clock that was set back: the latest has a name before all others. */
static void begin_an_older_one(void)
{
    append(FOLDER "/0.jsonl", OK("t4"));
    point_log_latest("0.jsonl");
}

static void test_follow_many_files(void **state)
{
    (void)state;
    static void (*const all[])(void) = {rotate_twice, begin_an_older_one, nothing, NULL};
    begin_first_file();
    follow(tmpdir_path(&dir, "runs"), all);
    assert_string_equal(run.out, SHOWN_OK("t1") SHOWN_OK("t2") SHOWN_OK("t3") SHOWN_OK("t4"));
}

/* A file that is named, and replaced by another. */
static void replace_file(void)
{
    append("next", OK("t2"));
    assert_int_equal(renameat(dir.fd, "next", dir.fd, "file"), 0);
}

static void test_follow_one_file(void **state)
{
    (void)state;
    static void (*const all[])(void) = {replace_file, nothing, NULL};
    tmpdir_write(&dir, "file", OK("t1"));
    follow(tmpdir_path(&dir, "file"), all);
    assert_string_equal(run.out, SHOWN_OK("t1") SHOWN_OK("t2"));
    static void (*const linked[])(void) = {nothing, NULL};
    tmpdir_link(&dir, tmpdir_path(&dir, "file"), "link");
    follow(tmpdir_path(&dir, "link"), linked);
    assert_string_equal(run.out, SHOWN_OK("t2"));
}

/* A file whose last line has no line break when the next file starts. */
static void rotate_without_line_end(void)
{
    append(FOLDER "/1.jsonl", LINE("t2", "ok"));
    append(FOLDER "/2.jsonl", OK("t3"));
    point_log_latest("2.jsonl");
}

static void test_follow_with_a_partial_last_line(void **state)
{
    (void)state;
    static void (*const all[])(void) = {rotate_without_line_end, nothing, NULL};
    begin_first_file();
    follow(tmpdir_path(&dir, "runs"), all);
    assert_string_equal(run.out, SHOWN_OK("t1") SHOWN_OK("t2") SHOWN_OK("t3"));
}

/* The next opening fails with this error, if any. */
static int open_error;

static int open_or_fail(int dir_fd, const char *path, int flags)
{
    if (flags & O_DIRECTORY) {
        return os_sys_real.openat(dir_fd, path, flags);
    }
    int error = open_error;
    open_error = 0;
    return error ? -error : os_sys_real.openat(dir_fd, path, flags);
}

static void rotate_and_deny(void)
{
    rotate();
    table.openat = open_or_fail;
    open_error = EACCES;
}

static void rotate_and_hide(void)
{
    rotate_and_deny();
    open_error = ENOENT;
}

static void test_follow_when_the_next_file_cannot_be_opened(void **state)
{
    (void)state;
    static void (*const denied[])(void) = {rotate_and_deny, nothing, NULL};
    begin_first_file();
    follow(tmpdir_path(&dir, "runs"), denied);
    assert_non_null(strstr(run.err, strerror(EACCES)));
    assert_string_equal(run.out, SHOWN_OK("t1") SHOWN_OK("t4"));
}

/* The next file disappears before it is opened; the next check finds another. */
static void test_follow_when_the_next_file_is_gone(void **state)
{
    (void)state;
    static void (*const gone[])(void) = {rotate_and_hide, nothing, NULL};
    begin_first_file();
    follow(tmpdir_path(&dir, "runs"), gone);
    assert_string_equal(run.out, SHOWN_OK("t1") SHOWN_OK("t4") SHOWN_OK("t5"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_next_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_errors_between_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_path_too_long, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_line_format, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(
            test_control_characters_are_replaced, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(test_other_lines_are_skipped, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(test_absurd_duration, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(
            test_last_line_without_line_break, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(test_line_too_long, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(test_many_lines, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(test_since, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(test_since_accepts_times_only, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(test_failures, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(
            test_directory_shows_its_newest_file, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(
            test_directory_from_the_environment, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(test_no_log, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(test_injected_faults, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(test_follow, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(
            test_follow_with_a_partial_last_line, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(test_follow_many_files, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(test_follow_one_file, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(
            test_follow_when_the_next_file_cannot_be_opened, set_up_log, tear_down_log),
        cmocka_unit_test_setup_teardown(
            test_follow_when_the_next_file_is_gone, set_up_log, tear_down_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
