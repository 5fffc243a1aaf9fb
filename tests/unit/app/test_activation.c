#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "app/activation.h"
#include "unit/app/settings.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

static char pid[64];

/* Descriptor 3 is what is handed over; whatever it was before comes back afterwards. */
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

static void test_nothing(void **state)
{
    (void)state;
    struct app_activation activation;
    assert_int_equal(app_activation_find(&activation), 0);
    assert_int_equal(activation.fd, -1);
    settings_environment[0] = "LISTEN_FDS=1"; /* for whom? */
    assert_int_equal(app_activation_find(&activation), 0);
    assert_int_equal(activation.fd, -1);
    settings_environment[1] = "LISTEN_PID=1"; /* for the process that started us */
    assert_int_equal(app_activation_find(&activation), 0);
    assert_int_equal(activation.fd, -1);
}

static void test_a_socket(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        ACTIVATION_TEST(test_nothing),
        ACTIVATION_TEST(test_a_socket),
        ACTIVATION_TEST(test_longest_path),
        ACTIVATION_TEST(test_wrong_variables),
        ACTIVATION_TEST(test_wrong_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
