/*
 * Runs the command line inside the test program, with files in memory for
 * standard input, output and error. Needs _GNU_SOURCE, for memfd_create().
 */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/cli.h"

#define RUN_TEXT_MAX ((size_t)1 << 20)

struct run {
    int status;
    char out[RUN_TEXT_MAX];
    char err[RUN_TEXT_MAX];
};

static struct run run;

static inline unsigned run_count_fds(void)
{
    unsigned count = 0;
    DIR *fds = opendir("/proc/self/fd");
    assert_non_null(fds);
    while (readdir(fds)) {
        count++;
    }
    closedir(fds);
    return count;
}

/* A file in memory that holds a text, at its beginning. */
static inline int run_memfd(const char *text)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

/* Take a file's contents and close it. */
static inline void run_take(int fd, char text[static RUN_TEXT_MAX])
{
    ssize_t size = pread(fd, text, RUN_TEXT_MAX - 1, 0);
    assert_true(size >= 0);
    text[size] = '\0';
    close(fd);
}

static inline void run_close_if_open(int fd)
{
    if (fcntl(fd, F_GETFD) >= 0) {
        close(fd);
    }
}

/* A message about trouble: begins with the program's name, ends with a newline. */
static inline bool run_is_message(const char *text)
{
    size_t size = strlen(text);
    return strncmp(text, "mcpgate: ", 9) == 0 && text[size - 1] == '\n';
}

static inline bool run_is_one_line(const char *text)
{
    return run_is_message(text) && strchr(text, '\n') == text + strlen(text) - 1;
}

/*
 * Run "mcpgate" with the words given, up to NULL; the result is in `run`.
 * Asserts that no descriptor is left open.
 *
 * @param in The text on standard input.
 */
static inline void run_words(const char *in, char **words)
{
    char name[] = "mcpgate";
    char *argv[16] = {name};
    int argc = 1;
    while (words[argc - 1]) {
        assert_true(argc < 15);
        argv[argc] = words[argc - 1];
        argc++;
    }
    unsigned fds_before = run_count_fds();
    int out_fd = run_memfd("");
    struct cli cli = {
        .in_fd = run_memfd(in),
        .out_fd = dup(out_fd),
        .err_fd = run_memfd(""),
    };
    int fds[2] = {cli.in_fd, cli.out_fd};
    run.status = (int)cli_run(&cli, argc, argv);
    run_close_if_open(fds[0]);
    run_close_if_open(fds[1]);
    run_take(out_fd, run.out);
    run_take(cli.err_fd, run.err);
    assert_int_equal(run_count_fds(), fds_before);
}

/* run_cli("stdin", "digest", "--text", "-") */
#define run_cli(in, ...) run_words(in, (char **)(uintptr_t)(const char *const[]){__VA_ARGS__, NULL})
