#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "app/lifecycle.h"
#include "unit/app/settings.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

static char pid[64];

/* The passed socket is descriptor 3, which is restored afterwards. */
static int saved = -1;

static int setup(void **state)
{
    settings_setup(state);
    snprintf(pid, sizeof(pid), "LISTEN_PID=%ld", (long)getpid());
    saved = fcntl(3, F_DUPFD_CLOEXEC, 100);
    close(3);
    return 0;
}

static int teardown(void **state)
{
    close(3);
    if (saved >= 0) {
        dup2(saved, 3);
        close(saved);
    }
    return settings_teardown(state);
}

static void hand_over(int fd)
{
    if (fd != 3) {
        assert_int_equal(dup2(fd, 3), 3);
        close(fd);
    }
}

static void bind_to(int fd, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(fd, 1), 0);
}

static void test_no_socket_passed(void **state)
{
    (void)state;
    struct app_activation activation;
    assert_int_equal(app_activation_find(&activation), 0);
    assert_int_equal(activation.fd, -1);
    settings_environment[0] = "LISTEN_FDS=1"; /* without LISTEN_PID */
    assert_int_equal(app_activation_find(&activation), 0);
    assert_int_equal(activation.fd, -1);
    settings_environment[1] = "LISTEN_PID=1"; /* for the process that started us */
    assert_int_equal(app_activation_find(&activation), 0);
    assert_int_equal(activation.fd, -1);
}

static void test_socket_passed(void **state)
{
    (void)state;
    struct tmpdir dir;
    struct app_activation activation;
    tmpdir_make(&dir);
    settings_environment[0] = "LISTEN_FDS=1";
    settings_environment[1] = pid;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    bind_to(fd, tmpdir_path(&dir, "s"));
    hand_over(fd);
    assert_int_equal(app_activation_find(&activation), 0);
    assert_int_equal(activation.fd, 3);
    assert_string_equal(activation.path, tmpdir_path(&dir, "s"));
    assert_int_equal(fcntl(3, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    tmpdir_remove(&dir);
}

/* All of sun_path may be used, without a terminator. */
static void test_longest_path(void **state)
{
    (void)state;
    struct app_activation activation;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memset(address.sun_path, 'x', sizeof(address.sun_path));
    memcpy(address.sun_path, "/tmp/", 5);
    snprintf(address.sun_path + 5, 32, "%ld", (long)getpid());
    *strchr(address.sun_path, '\0') = 'x';
    hand_over(socket(AF_UNIX, SOCK_STREAM, 0));
    assert_int_equal(bind(3, (const struct sockaddr *)&address, sizeof(address)), 0);
    settings_environment[0] = "LISTEN_FDS=1";
    settings_environment[1] = pid;
    assert_int_equal(app_activation_find(&activation), 0);
    assert_int_equal(strlen(activation.path), sizeof(address.sun_path));
    assert_int_equal(unlink(activation.path), 0);
}

static void test_wrong_variables(void **state)
{
    (void)state;
    struct app_activation activation;
    settings_environment[0] = pid;
    settings_environment[1] = "LISTEN_FDS=2";
    assert_int_equal(app_activation_find(&activation), -E2BIG);
    static const char *const wrong[] = {"LISTEN_FDS=", "LISTEN_FDS=0", "LISTEN_FDS=x"};
    for (size_t i = 0; i < 3; i++) {
        settings_environment[1] = wrong[i];
        assert_int_equal(app_activation_find(&activation), -EINVAL);
    }
}

static void test_wrong_descriptors(void **state)
{
    (void)state;
    struct app_activation activation;
    settings_environment[0] = pid;
    settings_environment[1] = "LISTEN_FDS=1";
    assert_int_equal(app_activation_find(&activation), -EBADF);
    hand_over(open("/", O_RDONLY));
    assert_int_equal(app_activation_find(&activation), -ENOTSOCK);
    close(3);
    hand_over(socket(AF_INET, SOCK_STREAM, 0));
    assert_int_equal(app_activation_find(&activation), -ENOTSOCK);
}

#define ACTIVATION_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#define TIME "2026-01-02T03:04:05Z"

static struct tmpdir dir;

static int set_up_ready(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    return 0;
}

static int tear_down_ready(void **state)
{
    (void)state;
    fault_disarm();
    tmpdir_remove(&dir);
    return 0;
}

static bool exists(const char *name)
{
    struct stat stat;
    return fstatat(dir.fd, name, &stat, AT_SYMLINK_NOFOLLOW) == 0;
}

static void assert_file(const char *name, const char *expected)
{
    char text[256];
    int fd = openat(dir.fd, name, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    ssize_t size = read(fd, text, sizeof(text) - 1);
    assert_true(size >= 0);
    text[size] = '\0';
    close(fd);
    assert_string_equal(text, expected);
}

/* Only the ready file, or nothing, may be left. */
static void assert_no_leftovers(void)
{
    char beside[64];
    snprintf(beside, sizeof(beside), "ready.%ld", (long)getpid());
    assert_false(exists(beside));
}

static void assert_ours(void)
{
    char expected[64];
    snprintf(expected, sizeof(expected), "%ld " TIME "\n", (long)getpid());
    assert_file("ready", expected);
    assert_no_leftovers();
}

static void test_written_and_removed(void **state)
{
    (void)state;
    struct stat stat;
    assert_int_equal(app_ready_write(tmpdir_path(&dir, "ready"), TIME), 0);
    assert_ours();
    assert_int_equal(fstatat(dir.fd, "ready", &stat, 0), 0);
    assert_int_equal(stat.st_mode & 0022, 0);
    app_ready_remove(tmpdir_path(&dir, "ready"));
    assert_false(exists("ready"));
    app_ready_remove(tmpdir_path(&dir, "ready"));
}

static void test_stale_file_is_replaced(void **state)
{
    (void)state;
    tmpdir_write(&dir, "ready", "1 2020-01-01T00:00:00Z and much more than a ready file has\n");
    assert_int_equal(app_ready_write(tmpdir_path(&dir, "ready"), TIME), 0);
    assert_ours();
}

static void test_file_of_another_process_is_kept(void **state)
{
    (void)state;
    static const char *const others[] = {"1 " TIME "\n", "", "x", "9999999999 " TIME "\n"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        tmpdir_write(&dir, "ready", others[i]);
        app_ready_remove(tmpdir_path(&dir, "ready"));
        assert_file("ready", others[i]);
    }
    /* Our pid is a prefix of another one. */
    char longer[64];
    snprintf(longer, sizeof(longer), "%ld1 " TIME "\n", (long)getpid());
    tmpdir_write(&dir, "ready", longer);
    app_ready_remove(tmpdir_path(&dir, "ready"));
    assert_file("ready", longer);
}

static void test_links_are_not_followed(void **state)
{
    (void)state;
    char ours[64];
    snprintf(ours, sizeof(ours), "%ld " TIME "\n", (long)getpid());
    tmpdir_write(&dir, "victim", ours);
    tmpdir_link(&dir, "victim", "ready");
    assert_int_equal(app_ready_write(tmpdir_path(&dir, "ready"), "now"), -EEXIST);
    assert_file("victim", ours);
    app_ready_remove(tmpdir_path(&dir, "ready"));
    assert_true(exists("ready"));
    tmpdir_link(&dir, "nowhere", "dangling");
    assert_int_equal(app_ready_write(tmpdir_path(&dir, "dangling"), TIME), -EEXIST);
    assert_false(exists("nowhere"));
}

/* A link or file put where the new file is made is neither followed nor removed. */
static void test_temporary_name_is_taken(void **state)
{
    (void)state;
    char beside[64];
    snprintf(beside, sizeof(beside), "ready.%ld", (long)getpid());
    tmpdir_write(&dir, "victim", "precious");
    tmpdir_link(&dir, "victim", beside);
    assert_int_equal(app_ready_write(tmpdir_path(&dir, "ready"), TIME), -EEXIST);
    assert_file("victim", "precious");
    assert_true(exists(beside));
    assert_false(exists("ready"));
}

static void test_other_than_regular_files_are_left_alone(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "directory");
    assert_int_equal(mkfifoat(dir.fd, "fifo", 0600), 0);
    static const char *const names[] = {"directory", "fifo"};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(app_ready_write(tmpdir_path(&dir, names[i]), TIME), -EEXIST);
        app_ready_remove(tmpdir_path(&dir, names[i])); /* does not wait for a writer, either */
        assert_true(exists(names[i]));
    }
}

static void test_paths_that_cannot_be_written(void **state)
{
    (void)state;
    static char name[PATH_MAX + 10];
    memset(name, 'x', sizeof(name) - 1);
    assert_int_equal(app_ready_write(tmpdir_path(&dir, "no/where"), TIME), -ENOENT);
    assert_int_equal(app_ready_write(name, TIME), -ENAMETOOLONG);
    name[0] = '/';
    for (size_t i = 100; i < PATH_MAX; i += 100) {
        name[i] = '/';
    }
    name[PATH_MAX - 2] = '\0';
    assert_true(app_ready_write(name, TIME) < 0);
}

static void test_injected_faults(void **state)
{
    (void)state;
    static const enum fault_call calls[] = {
        FAULT_FSTATAT, FAULT_CREATE, FAULT_WRITE, FAULT_CLOSE, FAULT_RENAME};
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        fault_arm(calls[i], 1, EIO);
        assert_int_equal(app_ready_write(tmpdir_path(&dir, "ready"), TIME), -EIO);
        assert_true(fault.hit);
        assert_int_equal(fault.open_fds, 0);
        fault_disarm();
        assert_false(exists("ready"));
        assert_no_leftovers();
    }
    assert_int_equal(app_ready_write(tmpdir_path(&dir, "ready"), TIME), 0);
    static const enum fault_call removing[] = {
        FAULT_OPENAT, FAULT_FSTAT, FAULT_READ, FAULT_UNLINKAT};
    for (size_t i = 0; i < sizeof(removing) / sizeof(removing[0]); i++) {
        fault_arm(removing[i], 1, EIO);
        app_ready_remove(tmpdir_path(&dir, "ready"));
        assert_true(fault.hit);
        assert_int_equal(fault.open_fds, 0);
        fault_disarm();
        assert_true(exists("ready"));
    }
}

#define READY_TEST(test) cmocka_unit_test_setup_teardown(test, set_up_ready, tear_down_ready)

static void test_pid_of_another_mcpgate(void **state)
{
    (void)state;
    char text[64];
    const char *path = tmpdir_path(&dir, "ready");
    assert_int_equal(app_ready_other(path), 0);
    assert_int_equal(app_ready_write(path, TIME), 0);
    assert_int_equal(app_ready_other(path), 0); /* that is us */
    static const char *const others[] = {
        "", ("1 " TIME), "x", "99999999999999999999 ", "-1 ", "12x "};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        tmpdir_write(&dir, "ready", others[i]);
        assert_int_equal(app_ready_other(path), 0);
    }
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    snprintf(text, sizeof(text), "%ld " TIME "\n", (long)child);
    tmpdir_write(&dir, "ready", text);
    assert_int_equal(app_ready_other(path), child);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(app_ready_other(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ACTIVATION_TEST(test_no_socket_passed),
        ACTIVATION_TEST(test_socket_passed),
        ACTIVATION_TEST(test_longest_path),
        ACTIVATION_TEST(test_wrong_variables),
        ACTIVATION_TEST(test_wrong_descriptors),
        READY_TEST(test_pid_of_another_mcpgate),
        READY_TEST(test_written_and_removed),
        READY_TEST(test_stale_file_is_replaced),
        READY_TEST(test_file_of_another_process_is_kept),
        READY_TEST(test_links_are_not_followed),
        READY_TEST(test_temporary_name_is_taken),
        READY_TEST(test_other_than_regular_files_are_left_alone),
        READY_TEST(test_paths_that_cannot_be_written),
        READY_TEST(test_injected_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
