#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "loop/collector.h"
#include "unit/os/fault.h"

struct stage {
    struct loop *loop;
    struct loop_collector *collector;
    unsigned ends;
    struct loop_collected end;
    char output[1 << 12];
    char error[1 << 12];
};

static unsigned open_files(void)
{
    unsigned count = 0;
    DIR *directory = opendir("/proc/self/fd");
    assert_non_null(directory);
    while (readdir(directory)) {
        count++;
    }
    closedir(directory);
    return count;
}

static void copy(char *out, size_t size, struct jsv_str text)
{
    size_t length = text.size < size - 1 ? text.size : size - 1;
    memcpy(out, text.size > 0 ? text.data : "", length);
    out[length] = 0;
}

static void ended(void *owner, const struct loop_collected *end)
{
    struct stage *stage = owner;
    stage->ends++;
    stage->end = *end;
    copy(stage->output, sizeof(stage->output), end->output);
    copy(stage->error, sizeof(stage->error), end->error);
    loop_collector_close(stage->collector);
    stage->collector = NULL;
    loop_stop(stage->loop);
}

static char *environment[] = {(char[]){"COLOUR=blue"}, (char[]){"PATH=/usr/bin:/bin"}, NULL};

static struct loop_collector_options
options_of(const struct os_spawn *program, struct jsv_str input)
{
    return (struct loop_collector_options){
        .program = program,
        .input = input,
        .output_max = 1 << 20,
        .error_max = 100,
        .timeout_ms = 20000,
    };
}

static int start(
    struct stage *stage,
    const char *script,
    struct jsv_str input,
    size_t output_max,
    uint64_t timeout_ms)
{
    char text[1024];
    snprintf(text, sizeof(text), "%s", script);
    char *arguments[] = {(char[]){"sh"}, (char[]){"-c"}, text, NULL};
    const struct os_spawn program = {
        .path = "/bin/sh",
        .arguments = arguments,
        .environment = environment,
        .directory = "/usr",
    };
    struct loop_collector_options options = options_of(&program, input);
    options.output_max = output_max;
    options.timeout_ms = timeout_ms;
    return loop_collector_start(stage->loop, &options, ended, stage, &stage->collector);
}

/* Run a script to its end and see that nothing is left of it. */
static struct stage
run(const char *script, struct jsv_str input, size_t output_max, uint64_t timeout_ms)
{
    struct stage stage = {0};
    unsigned before = open_files();
    assert_int_equal(loop_new(&stage.loop), 0);
    assert_int_equal(start(&stage, script, input, output_max, timeout_ms), 0);
    assert_int_equal(loop_run(stage.loop), 0);
    assert_int_equal(stage.ends, 1);
    loop_free(stage.loop);
    assert_int_equal(open_files(), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    return stage;
}

#define RUN(script) run(script, JSV_STR(""), 1 << 20, 20000)

/* ---- what it is given ---- */

static void test_input_and_output(void **state)
{
    (void)state;
    struct stage stage = run("cat; echo said >&2", JSV_STR("{\"a\":1}"), 1 << 20, 20000);
    assert_int_equal(stage.end.cut, LOOP_COLLECTOR_NOT_CUT);
    assert_int_equal(stage.end.exit_code, 0);
    assert_int_equal(stage.end.signal, 0);
    assert_string_equal(stage.output, "{\"a\":1}");
    assert_string_equal(stage.error, "said\n");
}

static void test_large_input(void **state)
{
    (void)state;
    static char bytes[3 << 20];
    memset(bytes, 'x', sizeof(bytes));
    struct stage stage = run("wc -c", (struct jsv_str){bytes, sizeof(bytes)}, 100, 20000);
    assert_string_equal(stage.output, "3145728\n");
    stage = run("exit 0", (struct jsv_str){bytes, sizeof(bytes)}, 100, 20000);
    assert_int_equal(stage.end.exit_code, 0);
}

static void test_surroundings(void **state)
{
    (void)state;
    struct stage stage = RUN("pwd; echo $COLOUR; env | wc -l; ls /proc/self/fd | wc -l");
    assert_non_null(strstr(stage.output, "/usr\nblue\n"));
    stage = RUN("test \"$(cut -d' ' -f5 /proc/$$/stat)\" = $$");
    assert_int_equal(stage.end.exit_code, 0); /* it leads a group of its own */
    assert_int_equal(RUN("exec grep -q '^SigBlk:.0*$' /proc/self/status").end.exit_code, 0);
    assert_int_equal(RUN("kill -PIPE $$").end.signal, SIGPIPE); /* which we ignore ourselves */
}

static void test_no_other_descriptors(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(os_pipe(fds), 0);
    char script[128];
    snprintf(script, sizeof(script), "test ! -e /proc/$$/fd/%d", fds[0]);
    assert_int_equal(RUN(script).end.exit_code, 0);
    os_close(fds[0]);
    os_close(fds[1]);
}

/* Nor those that our parent forgot to close. */
static void test_no_inherited_descriptors(void **state)
{
    (void)state;
    int fd = open("/dev/null", O_RDONLY); /* without O_CLOEXEC */
    assert_true(fd > 2);
    char script[128];
    snprintf(script, sizeof(script), "test ! -e /proc/$$/fd/%d", fd);
    assert_int_equal(RUN(script).end.exit_code, 0);
    close(fd);
}

/* ---- how it ends ---- */

static void test_exit_codes_and_signals(void **state)
{
    (void)state;
    assert_int_equal(RUN("exit 42").end.exit_code, 42);
    struct stage stage = RUN("echo half; kill -KILL $$");
    assert_int_equal(stage.end.signal, SIGKILL);
    assert_int_equal(stage.end.cut, LOOP_COLLECTOR_NOT_CUT);
    assert_string_equal(stage.output, "half\n");
}

static void test_timeout(void **state)
{
    (void)state;
    struct stage stage = run("echo begun; sleep 60", JSV_STR(""), 100, 100);
    assert_int_equal(stage.end.cut, LOOP_COLLECTOR_TIMEOUT);
    assert_int_equal(stage.end.signal, SIGTERM);
    assert_string_equal(stage.output, "begun\n");
}

static void test_deaf_to_term(void **state)
{
    (void)state;
    struct stage stage = run("trap '' TERM; while :; do sleep 1; done", JSV_STR(""), 100, 100);
    assert_int_equal(stage.end.cut, LOOP_COLLECTOR_TIMEOUT);
    assert_int_equal(stage.end.signal, SIGKILL);
}

static void test_too_much_output(void **state)
{
    (void)state;
    struct stage stage = run("yes", JSV_STR(""), 10, 20000);
    assert_int_equal(stage.end.cut, LOOP_COLLECTOR_OUTPUT_MAX);
    assert_int_equal(stage.end.output.size, 10);
    assert_string_equal(stage.output, "y\ny\ny\ny\ny\n");
    assert_int_equal(
        run("printf 1234567890", JSV_STR(""), 10, 20000).end.cut, LOOP_COLLECTOR_NOT_CUT);
}

static void test_too_much_error_is_thrown_away(void **state)
{
    (void)state;
    struct stage stage = RUN("yes | head -c 1000000 >&2; echo ok");
    assert_int_equal(stage.end.cut, LOOP_COLLECTOR_NOT_CUT);
    assert_int_equal(stage.end.error.size, 100);
    assert_string_equal(stage.output, "ok\n");
}

/* What it leaves behind neither lives on nor is waited for. */
static void test_left_behind(void **state)
{
    (void)state;
    uint64_t began = os_now_ms();
    struct stage stage = RUN("sleep 60 & echo $!");
    assert_true(os_now_ms() - began < 10000);
    pid_t child = (pid_t)strtol(stage.output, NULL, 10);
    assert_true(child > 1);
    for (unsigned i = 0; i < 200 && kill(child, 0) == 0; i++) {
        char path[64];
        char line[256] = "";
        snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
        FILE *file = fopen(path, "r");
        if (file) {
            line[fread(line, 1, sizeof(line) - 1, file)] = 0;
            fclose(file);
        }
        if (strstr(line, ") Z ")) { /* init has not looked yet */
            return;
        }
        usleep(10000);
    }
    assert_int_equal(kill(child, 0), -1);
}

/* ---- giving it up ---- */

static void test_stop(void **state)
{
    (void)state;
    struct stage stage = {0};
    assert_int_equal(loop_new(&stage.loop), 0);
    assert_int_equal(start(&stage, "sleep 60", JSV_STR(""), 100, 0), 0);
    loop_collector_stop(stage.collector);
    assert_int_equal(loop_run(stage.loop), 0);
    assert_int_equal(stage.end.cut, LOOP_COLLECTOR_STOPPED);
    assert_int_equal(stage.end.signal, SIGTERM);
    loop_free(stage.loop);
}

static void stop_loop(void *owner)
{
    loop_stop(owner);
}

static void test_close(void **state)
{
    (void)state;
    struct stage stage = {0};
    struct loop_timer *timer;
    unsigned before = open_files();
    assert_int_equal(loop_new(&stage.loop), 0);
    assert_int_equal(loop_timer_new(stage.loop, stop_loop, stage.loop, &timer), 0);
    assert_int_equal(start(&stage, "sleep 60", JSV_STR(""), 100, 0), 0);
    loop_collector_close(stage.collector);
    loop_collector_close(NULL);
    for (unsigned i = 0; i < 100 && waitpid(-1, NULL, WNOHANG | WNOWAIT) == 0; i++) {
        loop_timer_start(timer, 20);
        assert_int_equal(loop_run(stage.loop), 0);
    }
    assert_int_equal(stage.ends, 0);
    loop_free(stage.loop);
    assert_int_equal(open_files(), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* ---- not starting ---- */

static int start_path(struct loop *loop, const char *path)
{
    char *arguments[] = {(char[]){"x"}, NULL};
    const struct os_spawn program = {
        .path = path, .arguments = arguments, .environment = environment};
    const struct loop_collector_options options = options_of(&program, JSV_STR(""));
    struct loop_collector *collector;
    return loop_collector_start(loop, &options, ended, NULL, &collector);
}

static void test_no_such_program(void **state)
{
    (void)state;
    struct loop *loop;
    unsigned before = open_files();
    assert_int_equal(loop_new(&loop), 0);
    assert_int_equal(start_path(loop, "/no/such/program"), -ENOENT);
    assert_int_equal(start_path(loop, "/etc/passwd"), -EACCES);
    loop_free(loop);
    assert_int_equal(open_files(), before);
}

/* Each call that can fail does, once; nothing is left, not even a collector. */
static void test_faults(void **state)
{
    (void)state;
    static const struct fault_case faults[] = {
        {FAULT_PIPE, EMFILE},
        {FAULT_SPAWN, EAGAIN},
        {FAULT_PIDFD_OPEN, EMFILE},
        {FAULT_FSTAT, EIO},
        {FAULT_RESIZE, ENOMEM},
    };
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        for (unsigned at = 1;; at++) {
            struct stage stage = {0};
            assert_int_equal(loop_new(&stage.loop), 0);
            fault_arm(faults[i].call, at, faults[i].error);
            int r = start(&stage, "sleep 60", JSV_STR("x"), 100, 0);
            bool hit = fault.hit;
            fault_disarm();
            assert_true(r == 0 || r == -faults[i].error);
            loop_collector_close(stage.collector);
            loop_free(stage.loop);
            assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
            if (!hit) {
                assert_int_equal(r, 0);
                break;
            }
        }
    }
}

/* ---- many loops ---- */

static void *run_many(void *loop)
{
    struct stage stage = {.loop = loop};
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(start(&stage, "cat", JSV_STR("hello"), 100, 20000), 0);
        assert_int_equal(loop_run(stage.loop), 0);
        assert_string_equal(stage.output, "hello");
    }
    assert_int_equal(stage.ends, 20);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[4];
    struct loop *loops[4];
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(loop_new(&loops[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(os_thread_start(&threads[i], run_many, loops[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    for (size_t i = 0; i < 4; i++) {
        loop_free(loops[i]);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* The first loop of a collector opens what all of them share. */
static int warm_up(void **state)
{
    (void)state;
    struct loop *loop;
    int r = loop_new(&loop);
    loop_free(loop);
    return r;
}

int main(void)
{
    os_ignore_sigpipe();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_input_and_output),
        cmocka_unit_test(test_large_input),
        cmocka_unit_test(test_surroundings),
        cmocka_unit_test(test_no_other_descriptors),
        cmocka_unit_test(test_no_inherited_descriptors),
        cmocka_unit_test(test_exit_codes_and_signals),
        cmocka_unit_test(test_timeout),
        cmocka_unit_test(test_deaf_to_term),
        cmocka_unit_test(test_too_much_output),
        cmocka_unit_test(test_too_much_error_is_thrown_away),
        cmocka_unit_test(test_left_behind),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_close),
        cmocka_unit_test(test_no_such_program),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, warm_up, NULL);
}
