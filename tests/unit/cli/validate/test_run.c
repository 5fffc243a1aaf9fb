#define _GNU_SOURCE /* memfd_create(), nftw() */
#include "cli/validate/files.h"
#include "cli/validate/run.h"
#include "os/interrupt.h"
#include "unit/app/compiled.h"
#include "unit/app/run.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

static struct tmpdir dir;
static struct compiled compiled;
static struct validate_wishes wishes;
static struct validate_sum sum;
static char out_text[RUN_TEXT_MAX];
static char err_text[RUN_TEXT_MAX];

static int set_up(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    compiled = compiled_from("{\"type\": \"number\"}");
    wishes = (struct validate_wishes){
        .check = {.schema = compiled.schema, .format = VALIDATE_JSON, .line_size_max = 1000},
        .threads = 1,
    };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    os_interrupt_unwatch();
    compiled_done(&compiled);
    tmpdir_remove(&dir);
    return 0;
}

/* Run on up to two operands; what was written is in out_text and err_text. */
static int go(bool ndjson, const char *one, const char *other, int in_fd)
{
    char *operands[2] = {(char *)(uintptr_t)one, (char *)(uintptr_t)other};
    struct app_cli cli = {
        .command = "validate",
        .in_fd = in_fd,
        .out_fd = run_memfd(""),
        .err_fd = run_memfd(""),
    };
    struct validate_files files;
    int r = validate_files_list(operands, other ? 2 : 1, ndjson, &files);
    if (r == 0) {
        r = validate_run(&cli, &wishes, &files, &sum);
        validate_files_done(&files);
    }
    run_take(cli.out_fd, out_text);
    run_take(cli.err_fd, err_text);
    return r;
}

static void assert_sum(size_t documents, size_t valid, size_t broken, size_t unread)
{
    assert_int_equal(sum.counts.documents, documents);
    assert_int_equal(sum.counts.valid, valid);
    assert_int_equal(sum.counts.broken, broken);
    assert_int_equal(sum.unread, unread);
}

static void test_sum(void **state)
{
    (void)state;
    tmpdir_write(&dir, "a", "1\n\"two\"\n[\n\n4");
    assert_int_equal(go(true, tmpdir_path(&dir, "a"), NULL, -1), 0);
    assert_sum(4, 2, 1, 0);
    assert_string_equal(err_text, "");
}

static void test_unread(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "d");
    tmpdir_mkdir(&dir, "d/e");
    tmpdir_mkdir(&dir, "empty");
    tmpdir_write(&dir, "out.json", "1");
    tmpdir_write(&dir, "d/a.json", "1");
    tmpdir_link(&dir, "../out.json", "d/b.json");
    tmpdir_link(&dir, "e", "d/c.json");
    tmpdir_link(&dir, "none", "d/d.json");
    assert_int_equal(mkfifoat(dir.fd, "d/f.json", 0600), 0);
    assert_int_equal(go(false, tmpdir_path(&dir, "d"), tmpdir_path(&dir, "empty"), -1), 0);
    /* what is skipped is named, but not a failure */
    assert_sum(1, 1, 0, 2);
    assert_non_null(strstr(err_text, "/d/b.json: skipped: this link leaves the directory\n"));
    assert_non_null(strstr(err_text, "/d/c.json: skipped: a link to a directory\n"));
    assert_non_null(strstr(err_text, "/d/f.json: skipped: not a regular file\n"));
    assert_non_null(strstr(err_text, "/d/d.json: No such file or directory\n"));
    assert_non_null(strstr(err_text, "/empty: no *.json files in this directory\n"));
}

/* Many documents of all kinds. */
static void write_many(const char *name, int count)
{
    int fd = openat(dir.fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    FILE *file = fdopen(fd, "w");
    for (int i = 0; i < count; i++) {
        if (i % 97 == 0) {
            fprintf(file, "\"%d\"\n", i);
        } else if (i % 1009 == 0) {
            fprintf(file, "{%d\n\n", i);
        } else {
            fprintf(file, "%d%*s\n", i, i % 50, "");
        }
    }
    assert_int_equal(fclose(file), 0);
}

static void test_threads_do_not_show(void **state)
{
    (void)state;
    static char alone[RUN_TEXT_MAX];
    write_many("a.ndjson", 30000);
    write_many("b.ndjson", 10);
    wishes.check.format = VALIDATE_GITHUB;
    assert_int_equal(
        go(false, tmpdir_path(&dir, "a.ndjson"), tmpdir_path(&dir, "b.ndjson"), -1), 0);
    memcpy(alone, out_text, sizeof(alone));
    struct validate_sum alone_sum = sum;
    assert_true(strlen(alone) > 10000);
    for (unsigned threads = 2; threads <= 16; threads *= 2) {
        wishes.threads = threads;
        assert_int_equal(
            go(false, tmpdir_path(&dir, "a.ndjson"), tmpdir_path(&dir, "b.ndjson"), -1), 0);
        assert_string_equal(out_text, alone);
        assert_memory_equal(&sum, &alone_sum, sizeof(sum));
    }
}

static void test_many_files_on_threads(void **state)
{
    (void)state;
    char name[32];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof(name), "%03d.json", i);
        tmpdir_write(&dir, name, i % 10 == 0 ? "null" : "1");
    }
    static char alone[RUN_TEXT_MAX];
    assert_int_equal(go(false, dir.path, NULL, -1), 0);
    assert_sum(300, 270, 0, 0);
    memcpy(alone, out_text, sizeof(alone));
    wishes.threads = 8;
    assert_int_equal(go(false, dir.path, NULL, -1), 0);
    assert_string_equal(out_text, alone);
}

/* ---- documents that come one by one ---- */

struct dialog {
    int in_fd;
    int out_fd;
    int turns;
};

/* Write a document, wait for the answer, write the next one. */
static void *converse(void *argument)
{
    struct dialog *dialog = argument;
    char answer[256];
    for (int i = 0; i < 5; i++) {
        assert_int_equal(write(dialog->in_fd, "1\n", 2), 2);
        if (read(dialog->out_fd, answer, sizeof(answer)) > 0) {
            dialog->turns++;
        }
    }
    close(dialog->in_fd);
    return NULL;
}

static void test_each_gets_an_answer(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        int in[2];
        int out[2];
        assert_int_equal(pipe2(in, O_CLOEXEC), 0);
        assert_int_equal(pipe2(out, O_CLOEXEC), 0);
        struct dialog dialog = {in[1], out[0], 0};
        pthread_t other;
        assert_int_equal(pthread_create(&other, NULL, converse, &dialog), 0);
        char dash[] = "-";
        char *operands[1] = {dash};
        struct validate_files files;
        struct app_cli cli = {.in_fd = in[0], .out_fd = out[1], .err_fd = -1};
        wishes.threads = threads;
        assert_int_equal(validate_files_list(operands, 1, true, &files), 0);
        assert_int_equal(validate_run(&cli, &wishes, &files, &sum), 0);
        pthread_join(other, NULL);
        assert_int_equal(dialog.turns, 5);
        assert_sum(5, 5, 0, 0);
        validate_files_done(&files);
        close(out[0]);
        close(out[1]);
    }
}

/* ---- progress ---- */

static uint64_t fake_now(void)
{
    static uint64_t now;
    return now += 150;
}

static void test_progress(void **state)
{
    (void)state;
    write_many("a.ndjson", 30000);
    fault_watch();
    fault_sys.now_ms = fake_now;
    wishes.progress = true;
    assert_int_equal(go(false, tmpdir_path(&dir, "a.ndjson"), NULL, -1), 0);
    /* Drawn over itself, erased in the end; results do not go to the terminal. */
    assert_memory_equal(err_text, "\r[", 2);
    size_t size = strlen(err_text);
    assert_string_equal(err_text + size - 4, "\r\033[K");
    assert_non_null(strstr(err_text, " documents  "));
    assert_non_null(strstr(err_text, " left\033[K\r["));
}

static int is_terminal(int fd)
{
    return fd >= 0;
}

/* Where results go to the same terminal, each time it is erased before. */
static void test_progress_beside_results(void **state)
{
    (void)state;
    write_many("a.ndjson", 30000);
    fault_watch();
    fault_sys.now_ms = fake_now;
    fault_sys.isatty = is_terminal;
    wishes.progress = true;
    assert_int_equal(go(false, tmpdir_path(&dir, "a.ndjson"), NULL, -1), 0);
    assert_non_null(strstr(err_text, " left\033[K\r\033[K\r["));
    assert_null(strstr(err_text, " left\033[K\r["));
}

static void test_messages_erase_progress(void **state)
{
    (void)state;
    write_many("a.ndjson", 30000);
    fault_watch();
    fault_sys.now_ms = fake_now;
    wishes.progress = true;
    assert_int_equal(go(false, tmpdir_path(&dir, "a.ndjson"), "/nowhere", -1), 0);
    assert_non_null(strstr(err_text, "\033[K\r\033[Kmcpgate: validate: /nowhere: No such"));
}

/* ---- trouble ---- */

static void test_interrupted(void **state)
{
    (void)state;
    write_many("a.ndjson", 30000);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        wishes.threads = threads;
        assert_int_equal(os_interrupt_watch(), 0);
        raise(SIGTERM);
        assert_int_equal(go(false, tmpdir_path(&dir, "a.ndjson"), NULL, -1), -EINTR);
        assert_string_equal(err_text, "");
        os_interrupt_unwatch();
    }
}

static void test_output_fails(void **state)
{
    (void)state;
    write_many("a.ndjson", 30000);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        wishes.threads = threads;
        fault_arm(FAULT_WRITE, 2, ENOSPC);
        assert_int_equal(go(false, tmpdir_path(&dir, "a.ndjson"), NULL, -1), -ENOSPC);
        fault_disarm();
        assert_string_equal(
            err_text,
            "mcpgate: validate: cannot write to standard output: No space left on device\n");
        assert_true(sum.counts.documents < 30000);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    tmpdir_write(&dir, "a.json", "\"\\u00e9\"");
    tmpdir_write(&dir, "b.ndjson", "1\n\"2\"\n3");
    const char *a = tmpdir_path(&dir, "a.json");
    const char *b = tmpdir_path(&dir, "b.ndjson");
    unsigned at = 0;
    int r;
    do {
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        r = go(false, a, b, -1);
        assert_int_equal(r, fault.hit ? -ENOMEM : 0);
        assert_int_equal(fault.live_blocks, 0);
        assert_int_equal(fault.open_fds, 0);
        assert_true(r == 0 || err_text[0] == '\0' || run_is_one_line(err_text));
    } while (r < 0);
    assert_true(at > 10);
}

/* As many threads as there are to be had. */
static void test_no_threads(void **state)
{
    (void)state;
    write_many("a.ndjson", 10000);
    wishes.threads = 8;
    fault_arm(FAULT_THREAD_START, 0, EAGAIN);
    assert_int_equal(go(false, tmpdir_path(&dir, "a.ndjson"), NULL, -1), 0);
    assert_int_equal(sum.counts.documents, 10000);
}

#define RUN_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN_TEST(test_sum),
        RUN_TEST(test_unread),
        RUN_TEST(test_threads_do_not_show),
        RUN_TEST(test_many_files_on_threads),
        RUN_TEST(test_each_gets_an_answer),
        RUN_TEST(test_progress),
        RUN_TEST(test_progress_beside_results),
        RUN_TEST(test_messages_erase_progress),
        RUN_TEST(test_interrupted),
        RUN_TEST(test_output_fails),
        RUN_TEST(test_no_memory),
        RUN_TEST(test_no_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
