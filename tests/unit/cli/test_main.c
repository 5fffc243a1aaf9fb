

/*
 * The program as a process: behaviour that a test inside the process cannot see.
 */
#define _GNU_SOURCE /* pipe2(), nftw() */
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "unit/os/tmpdir.h"

#define TEXT_MAX ((size_t)1 << 16)

static char program[PATH_MAX];
static struct tmpdir dir;

static int find_program(void **state)
{
    (void)state;
    const char *bin = getenv("MCPGATE_BIN");
    snprintf(program, sizeof(program), "%s/mcpgate", bin ? bin : "build/release/bin");
    if (access(program, X_OK) < 0) {
        print_error("%s: %s\n", program, strerror(errno));
        return -1;
    }
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    tmpdir_write(&dir, "a", "{\"a\": 1}");
    tmpdir_write(&dir, "bad", "{\"a\" 1}");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tmpdir_remove(&dir);
    return 0;
}

/* ---- running it ---- */

struct process {
    const char *words[12]; /* up to NULL, without the program */
    const char *environment[4];
    int in_fd; /* descriptors for it; 0: /dev/null, -1: closed */
    int out_fd;
    int err_fd;
};

static void child_fd(int wanted, int fd)
{
    if (fd < 0) {
        close(wanted);
        return;
    }
    if (fd == 0) {
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    }
    dup2(fd, wanted);
}

static pid_t start(const struct process *process)
{
    char *argv[14] = {program};
    for (size_t i = 0; process->words[i]; i++) {
        argv[i + 1] = strdup(process->words[i]);
    }
    pid_t pid = fork();
    if (pid == 0) {
        char *environment[4];
        memcpy(environment, process->environment, sizeof(environment));
        signal(SIGPIPE, SIG_DFL);
        child_fd(STDERR_FILENO, process->err_fd);
        child_fd(STDOUT_FILENO, process->out_fd);
        child_fd(STDIN_FILENO, process->in_fd);
        execve(program, argv, environment);
        _exit(127);
    }
    for (size_t i = 1; argv[i]; i++) {
        free(argv[i]);
    }
    return pid;
}

/* @return the exit status; minus the signal when one ended it */
static int finish(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Read to the end and close. A terminal whose other side is gone says EIO. */
static const char *take(int fd)
{
    static char text[TEXT_MAX];
    size_t size = 0;
    ssize_t length;
    while ((length = read(fd, text + size, TEXT_MAX - 1 - size)) > 0) {
        size += (size_t)length;
    }
    text[size] = '\0';
    close(fd);
    return text;
}

/* Run with standard error in a pipe. @return the text written there */
static const char *run(struct process *process, int expected_status)
{
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    process->err_fd = fds[1];
    pid_t pid = start(process);
    close(fds[1]);
    const char *said = take(fds[0]);
    int status = finish(pid);
    if (status != expected_status) {
        fail_msg("exit status %d instead of %d: %s", status, expected_status, said);
    }
    return said;
}

/* ---- standard output ---- */

static void test_result_and_version(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    struct process process = {.words = {"--version"}, .out_fd = fds[1]};
    assert_string_equal(run(&process, 0), "");
    close(fds[1]);
    assert_memory_equal(take(fds[0]), "mcpgate ", 8);

    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    process = (struct process){
        .words = {"diff", tmpdir_path(&dir, "a"), tmpdir_path(&dir, "a")}, .out_fd = fds[1]};
    assert_string_equal(run(&process, 0), "");
    close(fds[1]);
    assert_string_equal(take(fds[0]), "[]\n");
}

static void test_full_disk(void **state)
{
    (void)state;
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (full < 0) {
        print_message("no /dev/full\n");
        skip();
    }
    struct process process = {
        .words = {"digest", tmpdir_path(&dir, "a")},
        .out_fd = full,
    };
    assert_string_equal(
        run(&process, 2),
        "mcpgate: digest: cannot write to standard output: No space left on device\n");
    process.words[0] = "--help";
    process.words[1] = NULL;
    assert_string_equal(
        run(&process, 2), "mcpgate: cannot write to standard output: No space left on device\n");
    close(full);
}

static void test_reader_of_the_pipe_is_gone(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    close(fds[0]);
    struct process process = {.words = {"digest", tmpdir_path(&dir, "a")}, .out_fd = fds[1]};
    assert_string_equal(
        run(&process, 2), "mcpgate: digest: cannot write to standard output: Broken pipe\n");
    close(fds[1]);
}

static void test_closed_descriptors(void **state)
{
    (void)state;
    struct process process = {.words = {"digest", tmpdir_path(&dir, "a")}, .out_fd = -1};
    assert_string_equal(
        run(&process, 2),
        "mcpgate: digest: cannot write to standard output: Bad file descriptor\n");
    process = (struct process){.words = {"digest", "-"}, .in_fd = -1};
    assert_string_equal(run(&process, 2), "mcpgate: digest: <stdin>: Bad file descriptor\n");
    /* Standard error is closed: only the status is left. */
    process = (struct process){.words = {"digest", "nowhere"}, .err_fd = -1};
    assert_int_equal(finish(start(&process)), 2);
    process = (struct process){
        .words = {"digest", tmpdir_path(&dir, "bad")}, .in_fd = -1, .out_fd = -1, .err_fd = -1};
    assert_int_equal(finish(start(&process)), 2);
    assert_int_equal(access(tmpdir_path(&dir, "bad"), F_OK), 0);
}

/* ---- standard input ---- */

static void test_input_that_arrives_late(void **state)
{
    (void)state;
    int in[2];
    int out[2];
    assert_int_equal(pipe2(in, O_CLOEXEC | O_NONBLOCK), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    struct process process = {.words = {"digest"}, .in_fd = in[0], .out_fd = out[1]};
    pid_t pid = start(&process);
    close(in[0]);
    close(out[1]);
    usleep(50 * 1000);
    assert_int_equal(write(in[1], "{", 1), 1);
    usleep(50 * 1000);
    assert_int_equal(write(in[1], "}", 1), 1);
    close(in[1]);
    assert_non_null(strstr(take(out[0]), "\"44136fa355b3678a1146ad16f7e8649e"));
    assert_int_equal(finish(pid), 0);
}

/* As a shell does for <(command). */
static void test_pipe_as_a_file(void **state)
{
    (void)state;
    int fds[2];
    char path[32];
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], "[1]", 3), 3);
    close(fds[1]);
    snprintf(path, sizeof(path), "/dev/fd/%d", fds[0]);
    struct process process = {.words = {"diff", path, tmpdir_path(&dir, "a")}};
    assert_string_equal(run(&process, 0), "");
    close(fds[0]);
}

static void test_input_over_the_limit(void **state)
{
    (void)state;
    assert_int_equal(truncate(tmpdir_path(&dir, "a"), ((off_t)1 << 30) + 1), 0);
    struct process process = {.words = {"digest", tmpdir_path(&dir, "a")}};
    assert_non_null(strstr(run(&process, 2), "/a: larger than the limit of 1 GiB\n"));
}

/* ---- colours ---- */

/* Open a pseudo-terminal. @param ret_other The side of the program. */
static int open_terminal(int *ret_other)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0 || grantpt(terminal) < 0 || unlockpt(terminal) < 0) {
        print_message("no terminals: /dev/pts is not mounted\n");
        skip();
    }
    *ret_other = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(*ret_other >= 0);
    return terminal;
}

/* Run with a terminal as standard error. @return the text written there */
static const char *run_on_terminal(const char *const environment[static 4])
{
    int other;
    int terminal = open_terminal(&other);
    struct process process = {.words = {"digest", tmpdir_path(&dir, "bad")}, .err_fd = other};
    memcpy(process.environment, environment, sizeof(process.environment));
    pid_t pid = start(&process);
    assert_int_equal(finish(pid), 2);
    close(other);
    return take(terminal);
}

static void test_colours(void **state)
{
    (void)state;
    static const struct {
        const char *environment[4];
        bool coloured;
    } cases[] = {
        {{"TERM=xterm"}, true},
        {{"TERM=xterm", "NO_COLOR="}, true},
        {{"TERM=xterm", "NO_COLOR=1"}, false},
        {{"TERM=dumb"}, false},
        {{NULL}, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *said = run_on_terminal(cases[i].environment);
        assert_non_null(strstr(said, "expected ':'"));
        assert_int_equal(strchr(said, '\033') != NULL, cases[i].coloured);
    }
    struct process process = {
        .words = {"digest", tmpdir_path(&dir, "bad")}, .environment = {"TERM=xterm"}};
    assert_null(strchr(run(&process, 2), '\033'));
}

/* ---- validate ---- */

enum {
    LINES = 200000
};

/* A document of the given number: most are valid, some are not, some are not JSON. */
static int print_document(char *out, size_t size, int number)
{
    if (number % 5000 == 11) {
        return snprintf(out, size, "{\"x\" %d}\n", number);
    }
    const char *quote = number % 500 == 3 ? "\"" : "";
    return snprintf(
        out, size, "{\"x\": %s%d%s, \"pad\": \"%0*d\"}\n", quote, number, quote, number % 60, 0);
}

/* Write the documents into a pipe or a file, in a process of its own. */
static pid_t write_documents(int fd)
{
    pid_t pid = fork();
    if (pid == 0) {
        FILE *file = fdopen(fd, "w");
        char line[256];
        for (int i = 0; i < LINES; i++) {
            print_document(line, sizeof(line), i);
            fputs(line, file);
        }
        _exit(fclose(file) == 0 ? 0 : 1);
    }
    close(fd);
    return pid;
}

/* A hash of all output, and the number of lines. */
static uint64_t take_hash(int fd, size_t *ret_lines)
{
    static char block[TEXT_MAX];
    uint64_t hash = 14695981039346656037u;
    ssize_t size;
    *ret_lines = 0;
    while ((size = read(fd, block, sizeof(block))) > 0) {
        for (ssize_t i = 0; i < size; i++) {
            hash = (hash ^ (unsigned char)block[i]) * 1099511628211u;
            *ret_lines += block[i] == '\n';
        }
    }
    close(fd);
    return hash;
}

/* As finish(); also the most memory it has had, in KiB. */
static int finish_measured(pid_t pid, long *ret_kib)
{
    int status;
    struct rusage usage;
    assert_int_equal(wait4(pid, &status, 0, &usage), pid);
    *ret_kib = usage.ru_maxrss;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void write_schema(void)
{
    tmpdir_write(&dir, "s.json", "{\"properties\": {\"x\": {\"type\": \"number\"}}}");
}

/* Validate a stream from a pipe. @return the output's hash */
static uint64_t validate_stream(const char *jobs, const char *format, size_t *ret_lines)
{
    int in[2];
    int out[2];
    long kib;
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    struct process process = {
        .words =
            {"validate",
             "-s",
             tmpdir_path(&dir, "s.json"),
             "-q",
             "--ndjson",
             "--jobs",
             jobs,
             "--format",
             format,
             "-"},
        .in_fd = in[0],
        .out_fd = out[1],
    };
    pid_t pid = start(&process);
    close(in[0]);
    close(out[1]);
    pid_t writer = write_documents(in[1]);
    uint64_t hash = take_hash(out[0], ret_lines);
    assert_int_equal(finish_measured(pid, &kib), 2);
    assert_int_equal(finish(writer), 0);
    /* 14 MB of documents go through a few buffers. Sanitizers keep freed memory. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    assert_true(kib < 40 * 1024);
#endif
    return hash;
}

static void test_stream_in_constant_memory(void **state)
{
    (void)state;
    static const char *const formats[] = {"json", "text", "github", "basic"};
    write_schema();
    for (size_t i = 0; i < 4; i++) {
        size_t lines_alone;
        size_t lines;
        uint64_t alone = validate_stream("1", formats[i], &lines_alone);
        assert_true(validate_stream("8", formats[i], &lines) == alone);
        assert_int_equal(lines, lines_alone);
        assert_true(lines >= LINES / 500);
        assert_true(i != 0 || lines == LINES);
    }
}

/* Interrupted while waiting for input: it dies of the signal, and the output is complete. */
static void test_interrupted(void **state)
{
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM};
    write_schema();
    for (size_t i = 0; i < 2; i++) {
        int in[2];
        int out[2];
        char answer[256];
        assert_int_equal(pipe2(in, O_CLOEXEC), 0);
        assert_int_equal(pipe2(out, O_CLOEXEC), 0);
        struct process process = {
            .words =
                {"validate", "-s", tmpdir_path(&dir, "s.json"), "--format=json", "--ndjson", "-"},
            .in_fd = in[0],
            .out_fd = out[1],
        };
        pid_t pid = start(&process);
        close(in[0]);
        close(out[1]);
        assert_int_equal(write(in[1], "{}\n{}", 5), 5);
        ssize_t size = read(out[0], answer, sizeof(answer) - 1);
        assert_true(size > 0);
        answer[size] = '\0';
        assert_string_equal(answer, "{\"file\":\"<stdin>\",\"line\":1,\"ok\":true}\n");
        assert_int_equal(kill(pid, signals[i]), 0);
        assert_int_equal(finish(pid), -signals[i]);
        assert_string_equal(take(out[0]), "");
        close(in[1]);
    }
}

/* Feed documents slowly. @return the text on the terminal */
static const char *validate_on_terminal(const char *option, const char *environment)
{
    int in[2];
    int other;
    int terminal = open_terminal(&other);
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    struct process process = {
        .words =
            {"validate",
             "-s",
             tmpdir_path(&dir, "s.json"),
             "--format=json",
             "--ndjson",
             "-",
             option},
        .environment = {environment},
        .in_fd = in[0],
        .err_fd = other,
    };
    pid_t pid = start(&process);
    close(in[0]);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(write(in[1], "{}\n{}\n", 6), 6);
        usleep(50 * 1000);
    }
    close(in[1]);
    assert_int_equal(finish(pid), 0);
    close(other);
    return take(terminal);
}

static void test_progress(void **state)
{
    (void)state;
    write_schema();
    const char *said = validate_on_terminal(NULL, "TERM=xterm");
    assert_memory_equal(said, "\r", 1);
    assert_non_null(strstr(said, " documents  "));
    assert_string_equal(said + strlen(said) - 4, "\r\033[K");
    assert_string_equal(validate_on_terminal("--quiet", "TERM=xterm"), "");
    assert_string_equal(validate_on_terminal(NULL, "TERM=dumb"), "");
}

static void test_validate_without_terminal(void **state)
{
    (void)state;
    write_schema();
    tmpdir_write(&dir, "no.json", "{\"x\": \"\"}");
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    struct process process = {
        .words = {"validate", "-s", tmpdir_path(&dir, "s.json"), tmpdir_path(&dir, "no.json")},
        .environment = {"TERM=xterm"},
        .out_fd = fds[1],
    };
    assert_string_equal(run(&process, 1), "1 document, 0 valid, 1 invalid\n");
    close(fds[1]);
    const char *said = take(fds[0]);
    assert_non_null(strstr(said, "/no.json:1:7: /x: expected number, found string\n"));
    assert_null(strchr(said, '\033'));
}

#define MAIN_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest main_tests[] = {
        MAIN_TEST(test_result_and_version),
        MAIN_TEST(test_full_disk),
        MAIN_TEST(test_reader_of_the_pipe_is_gone),
        MAIN_TEST(test_closed_descriptors),
        MAIN_TEST(test_input_that_arrives_late),
        MAIN_TEST(test_pipe_as_a_file),
        MAIN_TEST(test_input_over_the_limit),
        MAIN_TEST(test_colours),
        MAIN_TEST(test_stream_in_constant_memory),
        MAIN_TEST(test_interrupted),
        MAIN_TEST(test_progress),
        MAIN_TEST(test_validate_without_terminal),
    };
    int failed = 0;
    failed += cmocka_run_group_tests(main_tests, find_program, NULL);
    return failed;
}
