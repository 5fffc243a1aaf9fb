#define _GNU_SOURCE /* memfd_create(), nftw() */
#include <stdlib.h>
#include <string.h>

#include "cli/validate/run.h"
#include "cli/validate/source.h"
#include "os/interrupt.h"
#include "unit/app/compiled.h"
#include "unit/app/run.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

static const struct validate_file file_a = {.name = "a"};

static struct compiled compiled;
static struct validate_options check;
static struct validate_worker worker;
static struct validate_counts counts;
static struct validate_piece piece;
static struct jsv_buf output;

static int set_up(void **state)
{
    (void)state;
    compiled = compiled_from("{\"type\": \"number\", \"minimum\": 3}");
    check = (struct validate_options){
        .schema = compiled.schema, .format = VALIDATE_JSON, .line_size_max = 100};
    worker = (struct validate_worker){0};
    counts = (struct validate_counts){0};
    validate_piece_init(&piece);
    jsv_buf_init(&output, NULL, (size_t)1 << 30);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    validate_worker_done(&worker);
    validate_piece_done(&piece);
    jsv_buf_done(&output);
    compiled_done(&compiled);
    return 0;
}

/* Use another schema. */
static void use(const char *schema)
{
    compiled_done(&compiled);
    compiled = compiled_from(schema);
    check.schema = compiled.schema;
}

static void fill(enum validate_kind kind, size_t line, const char *text)
{
    validate_piece_reset(&piece);
    piece.file = &file_a;
    piece.kind = kind;
    piece.line = line;
    assert_int_equal(jsv_buf_append_str(&piece.text, jsv_str_from(text)), 0);
}

static int check_piece(void)
{
    jsv_buf_reset(&output);
    counts = (struct validate_counts){0};
    return validate_check_piece(&check, &worker, &piece, &output, &counts);
}

static int check_text(enum validate_kind kind, size_t line, const char *text)
{
    fill(kind, line, text);
    return check_piece();
}

static void assert_out(const char *expected)
{
    assert_int_equal(jsv_buf_append_byte(&output, '\0'), 0);
    assert_string_equal(output.data, expected);
}

static void assert_counts(size_t documents, size_t valid, size_t broken)
{
    assert_int_equal(counts.documents, documents);
    assert_int_equal(counts.valid, valid);
    assert_int_equal(counts.broken, broken);
}

static void test_whole_file(void **state)
{
    (void)state;
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, " 7\n"), 0);
    assert_out("{\"file\":\"a\",\"line\":1,\"ok\":true}\n");
    assert_counts(1, 1, 0);
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, "2"), 0);
    assert_out(
        "{\"file\":\"a\",\"line\":1,\"ok\":false,\"errors\":[{\"path\":\"\","
        "\"msg\":\"must be at least 3\",\"keyword\":\"minimum\",\"schemaPath\":\"/minimum\"}]}\n");
    assert_counts(1, 0, 0);
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, "[2"), 0);
    assert_counts(1, 0, 1);
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, ""), 0);
    assert_counts(1, 0, 1);
}

static void test_lines(void **state)
{
    (void)state;
    assert_int_equal(check_text(VALIDATE_LINES, 10, "3\n\n \t\r\n4\r\n{\n5"), 0);
    assert_out(
        "{\"file\":\"a\",\"line\":10,\"ok\":true}\n"
        "{\"file\":\"a\",\"line\":13,\"ok\":true}\n"
        "{\"file\":\"a\",\"line\":14,\"ok\":false,\"errors\":[{\"path\":\"\",\"msg\":"
        "\"unexpected end of input; expected a member name in double quotes (line 14, column 2)\","
        "\"keyword\":\"\",\"schemaPath\":\"\"}]}\n"
        "{\"file\":\"a\",\"line\":15,\"ok\":true}\n");
    assert_counts(4, 3, 1);
    assert_int_equal(check_text(VALIDATE_LINES, 1, "\n\n"), 0);
    assert_out("");
    assert_counts(0, 0, 0);
}

static void test_long_lines(void **state)
{
    (void)state;
    static const char expected[] =
        "{\"file\":\"a\",\"line\":2,\"ok\":false,\"errors\":[{\"path\":\"\","
        "\"msg\":\"this line is longer than the limit of 16 MiB\",\"keyword\":\"\","
        "\"schemaPath\":\"\"}]}\n";
    char text[256];
    memset(text, '7', sizeof(text));
    text[100] = '\n';
    text[202] = '\0'; /* 100 characters, and 101 */
    assert_int_equal(check_text(VALIDATE_LINES, 1, text), 0);
    assert_counts(2, 1, 1);
    assert_int_equal(jsv_buf_append_byte(&output, '\0'), 0);
    assert_string_equal(strchr(output.data, '\n') + 1, expected);
    assert_int_equal(check_text(VALIDATE_LONG_LINE, 2, ""), 0);
    assert_out(expected);
    assert_counts(1, 0, 1);
}

static void test_unread_piece(void **state)
{
    (void)state;
    assert_int_equal(check_text(VALIDATE_UNREAD, 1, ""), 0);
    assert_out("");
    assert_counts(0, 0, 0);
}

/* ---- limits of validating ---- */

/* A reference to itself is followed until the step budget is used up. */
static void test_step_limit(void **state)
{
    (void)state;
    use("{\"$defs\": {\"a\": {\"anyOf\": [{\"$ref\": \"#/$defs/a\"}, false]}},"
        " \"$ref\": \"#/$defs/a\"}");
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, "1"), 0);
    assert_counts(1, 0, 1);
    assert_int_equal(jsv_buf_append_byte(&output, '\0'), 0);
    assert_non_null(strstr(output.data, "\"takes too many steps to validate\""));
}

static void test_many_problems(void **state)
{
    (void)state;
    use("{\"items\": {\"type\": \"string\"}}");
    char text[2 * 150 + 2] = "[";
    for (size_t i = 0; i < 150; i++) {
        memcpy(text + 1 + 2 * i, "1,", 2);
    }
    text[2 * 150] = ']';
    text[2 * 150 + 1] = '\0';
    check.format = VALIDATE_TEXT;
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, text), 0);
    assert_counts(1, 0, 0);
    assert_int_equal(jsv_buf_append_byte(&output, '\0'), 0);
    assert_non_null(strstr(output.data, "\na:1: and 50 more\n"));
}

/* ---- memory ---- */

/* The memory of a large document is freed. */
static void test_large_documents(void **state)
{
    (void)state;
    size_t size = (size_t)3 << 20;
    char *text = malloc(size + 1);
    memset(text, ' ', size);
    text[size - 1] = '4';
    text[size] = '\0';
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, "4"), 0);
    assert_non_null(worker.document);
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, text), 0);
    assert_counts(1, 1, 0);
    assert_null(worker.document);
    text[size - 1] = '[';
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, text), 0);
    assert_counts(1, 0, 1);
    assert_null(worker.document);
    free(text);
}

static void test_check_without_memory(void **state)
{
    (void)state;
    use("{\"uniqueItems\": true, \"items\": {\"minimum\": 3}}");
    fill(VALIDATE_LINES, 1, "[3]\n[\"\\u00e9\", 1, 2, 3]\n{}\n");
    unsigned at = 0;
    int r;
    do {
        validate_worker_done(&worker);
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        r = check_piece();
        assert_int_equal(r, fault.hit ? -ENOMEM : 0);
    } while (r < 0);
    assert_true(at > 4);
}

static void test_output_limit(void **state)
{
    (void)state;
    jsv_buf_done(&output);
    jsv_buf_init(&output, NULL, 10);
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, "4"), -ENOBUFS);
}

#define CHECK_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static struct tmpdir dir;
static struct validate_options options;
static struct validate_counts sum;
static char out_text[RUN_TEXT_MAX];
static char err_text[RUN_TEXT_MAX];

static int set_up_run(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    compiled = compiled_from("{\"type\": \"number\"}");
    options = (struct validate_options){
        .schema = compiled.schema,
        .format = VALIDATE_JSON,
        .line_size_max = 1000,
        .threads = 1,
    };
    return 0;
}

static int tear_down_run(void **state)
{
    (void)state;
    fault_disarm();
    os_interrupt_unwatch();
    compiled_done(&compiled);
    tmpdir_remove(&dir);
    return 0;
}

/* Run on up to two operands; the output is in out_text and err_text. */
static int go(bool ndjson, const char *one, const char *other, int in_fd)
{
    char *operands[2] = {(char *)(uintptr_t)one, (char *)(uintptr_t)other};
    struct cli cli = {
        .command = "validate",
        .in_fd = in_fd,
        .out_fd = run_memfd(""),
        .err_fd = run_memfd(""),
    };
    struct validate_files files;
    int r = validate_files_list(operands, other ? 2 : 1, ndjson, &files);
    if (r == 0) {
        r = validate_run(&cli, &options, &files, &sum);
        validate_files_done(&files);
    }
    run_take(cli.out_fd, out_text);
    run_take(cli.err_fd, err_text);
    return r;
}

static void assert_sum(size_t documents, size_t valid, size_t broken, size_t unread)
{
    assert_int_equal(sum.documents, documents);
    assert_int_equal(sum.valid, valid);
    assert_int_equal(sum.broken, broken);
    assert_int_equal(sum.unread, unread);
}

static void test_counts(void **state)
{
    (void)state;
    tmpdir_write(&dir, "a", "1\n\"two\"\n[\n\n4");
    assert_int_equal(go(true, tmpdir_path(&dir, "a"), NULL, -1), 0);
    assert_sum(4, 2, 1, 0);
    assert_string_equal(err_text, "");
}

static void test_unread_files(void **state)
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
    /* skipped files are named, but are not an error */
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

static void test_output_does_not_depend_on_threads(void **state)
{
    (void)state;
    static char alone[RUN_TEXT_MAX];
    write_many("a.ndjson", 30000);
    write_many("b.ndjson", 10);
    options.format = VALIDATE_GITHUB;
    assert_int_equal(
        go(false, tmpdir_path(&dir, "a.ndjson"), tmpdir_path(&dir, "b.ndjson"), -1), 0);
    memcpy(alone, out_text, sizeof(alone));
    struct validate_counts alone_sum = sum;
    assert_true(strlen(alone) > 10000);
    for (unsigned threads = 2; threads <= 16; threads *= 2) {
        options.threads = threads;
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
    options.threads = 8;
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

static void test_each_line_is_answered_at_once(void **state)
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
        struct cli cli = {.in_fd = in[0], .out_fd = out[1], .err_fd = -1};
        options.threads = threads;
        assert_int_equal(validate_files_list(operands, 1, true, &files), 0);
        assert_int_equal(validate_run(&cli, &options, &files, &sum), 0);
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
    options.progress = true;
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
    options.progress = true;
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
    options.progress = true;
    assert_int_equal(go(false, tmpdir_path(&dir, "a.ndjson"), "/nowhere", -1), 0);
    assert_non_null(strstr(err_text, "\033[K\r\033[Kmcpgate: validate: /nowhere: No such"));
}

/* ---- trouble ---- */

static void test_interrupted(void **state)
{
    (void)state;
    write_many("a.ndjson", 30000);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        options.threads = threads;
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
        options.threads = threads;
        fault_arm(FAULT_WRITE, 2, ENOSPC);
        assert_int_equal(go(false, tmpdir_path(&dir, "a.ndjson"), NULL, -1), -ENOSPC);
        fault_disarm();
        assert_string_equal(
            err_text,
            "mcpgate: validate: cannot write to standard output: No space left on device\n");
        assert_true(sum.documents < 30000);
    }
}

static void test_run_without_memory(void **state)
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
static void test_threads_that_cannot_be_started(void **state)
{
    (void)state;
    write_many("a.ndjson", 10000);
    options.threads = 8;
    fault_arm(FAULT_THREAD_START, 0, EAGAIN);
    assert_int_equal(go(false, tmpdir_path(&dir, "a.ndjson"), NULL, -1), 0);
    assert_int_equal(sum.documents, 10000);
}

#define RUN_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_run, tear_down_run)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK_TEST(test_whole_file),
        CHECK_TEST(test_lines),
        CHECK_TEST(test_long_lines),
        CHECK_TEST(test_unread_piece),
        CHECK_TEST(test_step_limit),
        CHECK_TEST(test_many_problems),
        CHECK_TEST(test_large_documents),
        CHECK_TEST(test_check_without_memory),
        CHECK_TEST(test_output_limit),
        RUN_TEST(test_counts),
        RUN_TEST(test_unread_files),
        RUN_TEST(test_output_does_not_depend_on_threads),
        RUN_TEST(test_many_files_on_threads),
        RUN_TEST(test_each_line_is_answered_at_once),
        RUN_TEST(test_progress),
        RUN_TEST(test_progress_beside_results),
        RUN_TEST(test_messages_erase_progress),
        RUN_TEST(test_interrupted),
        RUN_TEST(test_output_fails),
        RUN_TEST(test_run_without_memory),
        RUN_TEST(test_threads_that_cannot_be_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
