#define _GNU_SOURCE /* pipe2() */
#include <linux/openat2.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <jsv/jsv.h>

#include "os/sys.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

static int disarm(void **state)
{
    (void)state;
    fault_disarm();
    return 0;
}

/* ---- results and errors of the real calls ---- */

static void test_errors_are_negative_errno(void **state)
{
    (void)state;
    struct stat stat;
    const struct open_how how = {.flags = O_RDONLY};
    char byte = 0;
    assert_int_equal(os_openat(AT_FDCWD, "/nowhere/at/all", O_RDONLY), -ENOENT);
    int r = os_openat2(AT_FDCWD, "/nowhere/at/all", &how);
    assert_true(r == -ENOENT || r == -ENOSYS || r == -EPERM);
    assert_int_equal(os_readlinkat(AT_FDCWD, "/nowhere", &byte, 1), -ENOENT);
    assert_int_equal(os_readlinkat(AT_FDCWD, "/", &byte, 1), -EINVAL);
    assert_int_equal(os_fstat(-1, &stat), -EBADF);
    assert_int_equal(os_fstatat(AT_FDCWD, "/nowhere", &stat, 0), -ENOENT);
    assert_int_equal(os_getdents(-1, &byte, 1), -EBADF);
    assert_int_equal(os_getcwd(&byte, 1), -ERANGE);
    assert_int_equal(os_sys_real.thread_sigmask(-1, &(sigset_t){0}, NULL), -EINVAL);
    assert_int_equal(os_read(-1, &byte, 1), -EBADF);
    assert_int_equal(os_write_all(-1, &byte, 1), -EBADF);
    assert_int_equal(os_close(INT_MAX), -EBADF);
    assert_int_equal(os_sys_real.sigaction(SIGKILL, &(struct sigaction){0}, NULL), -EINVAL);
    assert_false(os_isatty(-1));
}

static void test_making_and_moving_files(void **state)
{
    (void)state;
    struct tmpdir dir;
    struct stat stat;
    char from[PATH_MAX];
    char to[PATH_MAX];
    tmpdir_make(&dir);
    snprintf(from, sizeof(from), "%s/from", dir.path);
    snprintf(to, sizeof(to), "%s/to", dir.path);
    int fd = os_create(dir.fd, "from", O_WRONLY | O_EXCL, 0640);
    assert_true(fd >= 0);
    assert_int_equal(os_fstat(fd, &stat), 0);
    assert_int_equal(stat.st_mode & 0777 & ~0640u, 0);
    os_close(fd);
    assert_int_equal(os_create(dir.fd, "from", O_WRONLY | O_EXCL, 0640), -EEXIST);
    assert_int_equal(os_rename(from, to), 0);
    assert_int_equal(os_rename(from, to), -ENOENT);
    assert_int_equal(os_unlinkat(dir.fd, "to"), 0);
    assert_int_equal(os_unlinkat(dir.fd, "to"), -ENOENT);
    tmpdir_remove(&dir);
}

static void test_sockets_and_watches(void **state)
{
    (void)state;
    struct sockaddr_storage address;
    socklen_t size = sizeof(address);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(os_set_cloexec(fd), 0);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(os_getsockname(fd, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(address.ss_family, AF_UNIX);
    close(fd);
    assert_int_equal(os_set_cloexec(-1), -EBADF);
    assert_int_equal(os_getsockname(-1, (struct sockaddr *)&address, &size), -EBADF);
    int watch = os_inotify_init();
    assert_true(watch >= 0);
    assert_true(os_inotify_add(watch, "/", 1) >= 0);
    assert_int_equal(os_inotify_add(watch, "/nowhere/at/all", 1), -ENOENT);
    close(watch);
    assert_int_equal(os_getpid(), getpid());
    assert_true(os_wall_seconds() > 1700000000);
}

/* What would have to wait is not written, also when the descriptor would wait. */
static void test_writing_now(void **state)
{
    (void)state;
    static char block[PIPE_BUF];
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    ssize_t written = sizeof(block);
    while (written > 0) {
        written = os_write_now(fds[1], block, sizeof(block));
    }
    assert_int_equal(written, -EAGAIN);
    assert_int_equal(read(fds[0], block, sizeof(block)), sizeof(block));
    assert_int_equal(os_write_now(fds[1], block, 7), 7);
    fault_arm(FAULT_POLL, 1, EINTR);
    assert_int_equal(os_write_now(fds[1], block, 1), -EAGAIN);
    fault_arm(FAULT_POLL, 1, ENOMEM);
    assert_int_equal(os_write_now(fds[1], block, 1), -ENOMEM);
    fault_disarm();
    close(fds[0]);
    close(fds[1]);
}

static void test_poll_error(void **state)
{
    (void)state;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = limit.rlim_max};
    struct pollfd one = {.fd = -1};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    int r = os_sys_real.poll(&one, 1, 0, NULL);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(r, -EINVAL);
}

static void test_a_file_and_its_link(void **state)
{
    (void)state;
    struct tmpdir dir;
    tmpdir_make(&dir);
    tmpdir_write(&dir, "file", "hello");
    tmpdir_link(&dir, "file", "link");

    int fd = os_openat(dir.fd, "link", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    struct stat stat;
    assert_int_equal(os_fstat(fd, &stat), 0);
    assert_int_equal(stat.st_size, 5);
    char text[16];
    assert_int_equal(os_read(fd, text, sizeof(text)), 5);
    assert_memory_equal(text, "hello", 5);
    assert_int_equal(os_read(fd, text, sizeof(text)), 0);
    assert_int_equal(os_close(fd), 0);
    assert_int_equal(os_fstatat(dir.fd, "link", &stat, 0), 0);
    assert_true(S_ISREG(stat.st_mode));
    assert_int_equal(os_fstatat(dir.fd, "link", &stat, AT_SYMLINK_NOFOLLOW), 0);
    assert_true(S_ISLNK(stat.st_mode));
    assert_int_equal(os_readlinkat(dir.fd, "link", text, sizeof(text)), 4);
    assert_memory_equal(text, "file", 4);
    tmpdir_remove(&dir);
}

/* ---- sockets, locks, modes ---- */

static void test_socket_errors_are_negative_errno(void **state)
{
    (void)state;
    const struct sockaddr_un nowhere = {.sun_family = AF_UNIX, .sun_path = "/nowhere/at/all"};
    const struct sockaddr *address = (const struct sockaddr *)&nowhere;
    int fd = os_socket(AF_UNIX, SOCK_STREAM);
    assert_true(fd >= 0);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(os_bind(fd, address, sizeof(nowhere)), -ENOENT);
    assert_int_equal(os_connect(fd, address, sizeof(nowhere)), -ENOENT);
    assert_int_equal(os_listen(fd, 1), -EINVAL);
    assert_int_equal(os_accept(fd), -EINVAL);
    assert_int_equal(os_close(fd), 0);
    assert_int_equal(os_socket(-1, SOCK_STREAM), -EAFNOSUPPORT);
    assert_int_equal(os_fchmod(-1, 0600), -EBADF);
    assert_int_equal(os_flock(-1, LOCK_EX | LOCK_NB), -EBADF);
    assert_int_equal(os_get_flags(-1), -EBADF);
    assert_int_equal(os_set_flags(-1, 0), -EBADF);
}

static void test_connection(void **state)
{
    (void)state;
    struct tmpdir dir;
    tmpdir_make(&dir);
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof(name.sun_path), "%s/socket", dir.path);
    const struct sockaddr *address = (const struct sockaddr *)&name;
    int listener = os_socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK);
    int peer = os_socket(AF_UNIX, SOCK_STREAM);
    assert_int_equal(os_fchmod(listener, 0600), 0);
    assert_int_equal(os_bind(listener, address, sizeof(name)), 0);
    assert_int_equal(os_listen(listener, 1), 0);
    assert_int_equal(os_accept(listener), -EAGAIN);
    assert_int_equal(os_connect(peer, address, sizeof(name)), 0);
    fault_arm(FAULT_ACCEPT, 1, EINTR);
    int fd = os_accept(listener);
    assert_true(fd >= 0);
    fault_disarm();
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    assert_true(os_get_flags(fd) & O_NONBLOCK);

    char byte = 'x';
    assert_int_equal(os_read_once(fd, &byte, 1), -EAGAIN);
    assert_int_equal(os_poll_now(fd, POLLIN), 0);
    fault_arm(FAULT_WRITE, 1, EINTR);
    assert_int_equal(os_write_once(peer, &byte, 1), 1);
    assert_int_equal(os_poll_now(fd, POLLIN), POLLIN);
    fault_arm(FAULT_READ, 1, EINTR);
    assert_int_equal(os_read_once(fd, &byte, 1), 1);
    assert_int_equal(os_receive(fd, &byte, 1), -EAGAIN);
    fault_arm(FAULT_WRITE, 1, EINTR);
    assert_int_equal(os_send(peer, &byte, 1), 1);
    fault_arm(FAULT_READ, 1, EINTR);
    assert_int_equal(os_receive(fd, &byte, 1), 1);
    fault_arm(FAULT_POLL, 1, ENOMEM);
    assert_int_equal(os_poll_now(fd, POLLIN), -ENOMEM);
    fault_disarm();
    assert_int_equal(os_set_flags(fd, 0), 0);
    assert_false(os_get_flags(fd) & O_NONBLOCK);
    os_close(peer);
    assert_true(os_poll_now(fd, POLLIN) & POLLHUP);
    assert_int_equal(os_receive(fd, &byte, 1), 0);
    assert_int_equal(os_send(fd, &byte, 1), -EPIPE); /* and no signal */
    os_close(fd);
    os_close(listener);
    tmpdir_remove(&dir);
}

static void test_lock_and_umask(void **state)
{
    (void)state;
    struct tmpdir dir;
    tmpdir_make(&dir);
    int first = os_openat(AT_FDCWD, dir.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int second = os_openat(AT_FDCWD, dir.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(os_flock(first, LOCK_SH | LOCK_NB), 0);
    assert_int_equal(os_flock(second, LOCK_EX | LOCK_NB), -EWOULDBLOCK);
    os_close(first);
    os_close(second);
    tmpdir_remove(&dir);
    mode_t before = os_umask(027);
    assert_int_equal(os_umask(before), 027);
}

static void test_close_ignores_negative_descriptors(void **state)
{
    (void)state;
    fault_watch();
    assert_int_equal(os_close(-1), 0);
    assert_int_equal(os_close(-EIO), 0);
    assert_int_equal(fault.calls[FAULT_CLOSE], 0);
}

static void test_interrupted_close_is_not_repeated(void **state)
{
    (void)state;
    fault_arm(FAULT_CLOSE, 0, EINTR);
    int fd = os_openat(AT_FDCWD, "/", O_RDONLY | O_CLOEXEC);
    assert_int_equal(os_close(fd), 0);
    assert_int_equal(fault.calls[FAULT_CLOSE], 1);
    fault_arm(FAULT_CLOSE, 1, EIO);
    fd = os_openat(AT_FDCWD, "/", O_RDONLY | O_CLOEXEC);
    assert_int_equal(os_close(fd), -EIO);
}

static void test_terminals(void **state)
{
    (void)state;
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) {
        print_message("no terminals: /dev/pts is not mounted\n");
        skip();
    }
    assert_true(os_isatty(terminal));
    close(terminal);
    int pipe_fds[2];
    assert_int_equal(pipe(pipe_fds), 0);
    assert_false(os_isatty(pipe_fds[0]));
    close(pipe_fds[0]);
    close(pipe_fds[1]);
}

/* ---- descriptors ---- */

static void test_raising_the_number_of_descriptors(void **state)
{
    (void)state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit small = {.rlim_cur = 64, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
    assert_int_equal(os_raise_open_files_max(100), 0);
    assert_int_equal(os_open_files_max(), 100);
    assert_int_equal(os_raise_open_files_max(10), 0); /* never lowers it */
    assert_int_equal(os_open_files_max(), 100);
    assert_int_equal(os_raise_open_files_max(UINT64_MAX), 0);
    assert_int_equal(os_open_files_max(), before.rlim_max);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* Nothing is asserted while they are closed: it could not be printed. */
static void test_standard_files_that_are_closed(void **state)
{
    (void)state;
    int saved[3];
    int flags[3];
    int pipes[2];
    for (int fd = 0; fd < 3; fd++) {
        saved[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 10);
        close(fd);
    }
    int piped = os_pipe(pipes);
    int opened = os_open_standard_files();
    int again = os_open_standard_files();
    for (int fd = 0; fd < 3; fd++) {
        flags[fd] = fcntl(fd, F_GETFL);
        dup2(saved[fd], fd);
        close(saved[fd]);
    }
    assert_int_equal(piped, 0);
    assert_true(pipes[0] > 2 && pipes[1] > 2);
    assert_int_equal(fcntl(pipes[0], F_GETFD), FD_CLOEXEC);
    assert_int_equal(fcntl(pipes[1], F_GETFD), FD_CLOEXEC);
    assert_int_equal(opened, 0);
    assert_int_equal(again, 0);
    assert_int_equal(flags[0] & O_ACCMODE, O_WRONLY); /* cannot be read */
    assert_int_equal(flags[1] & O_ACCMODE, O_RDONLY); /* cannot be written */
    assert_int_equal(flags[2] & O_ACCMODE, O_WRONLY);
    close(pipes[0]);
    close(pipes[1]);
}

static void test_environment(void **state)
{
    (void)state;
    assert_int_equal(setenv("MCPGATE_TEST_VARIABLE", "value", 1), 0);
    assert_string_equal(os_getenv("MCPGATE_TEST_VARIABLE"), "value");
    assert_int_equal(unsetenv("MCPGATE_TEST_VARIABLE"), 0);
    assert_null(os_getenv("MCPGATE_TEST_VARIABLE"));
}

static void test_working_directory(void **state)
{
    (void)state;
    char here[PATH_MAX];
    char there[PATH_MAX];
    assert_int_equal(os_getcwd(here, sizeof(here)), 0);
    assert_non_null(getcwd(there, sizeof(there)));
    assert_string_equal(here, there);
}

static void test_clock_and_processors(void **state)
{
    (void)state;
    uint64_t before = os_now_ms();
    usleep(20 * 1000);
    uint64_t after = os_now_ms();
    assert_true(after >= before + 19 && after < before + 60 * 1000);
    assert_true(os_cpu_count() >= 1);
    assert_true(os_cpu_count() <= (unsigned)sysconf(_SC_NPROCESSORS_CONF));
}

/* ---- threads ---- */

static void *look_at_signals(void *ret_mask)
{
    pthread_sigmask(SIG_BLOCK, NULL, ret_mask);
    return ret_mask;
}

static void test_threads_have_all_signals_blocked(void **state)
{
    (void)state;
    sigset_t mask;
    sigset_t ours;
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(os_thread_start(&thread, look_at_signals, &mask), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, &mask);
    assert_int_equal(sigismember(&mask, SIGINT), 1);
    assert_int_equal(sigismember(&mask, SIGTERM), 1);
    pthread_sigmask(SIG_BLOCK, NULL, &ours);
    assert_int_equal(sigismember(&ours, SIGINT), 0);
}

static void test_errors_of_starting_threads(void **state)
{
    (void)state;
    pthread_t thread;
    fault_arm(FAULT_THREAD_START, 1, EAGAIN);
    assert_int_equal(os_thread_start(&thread, look_at_signals, NULL), -EAGAIN);
    sigset_t ours;
    pthread_sigmask(SIG_BLOCK, NULL, &ours);
    assert_int_equal(sigismember(&ours, SIGINT), 0);
    fault_arm(FAULT_THREAD_SIGMASK, 1, EINVAL);
    assert_int_equal(os_thread_start(&thread, look_at_signals, NULL), -EINVAL);
    assert_int_equal(fault.calls[FAULT_THREAD_START], 0);
}

/* Deep enough for the deepest evaluation, whatever the user's limits are. */
static void *use_stack(void *argument)
{
    volatile char room[12 << 20];
    room[0] = 1;
    room[sizeof(room) - 1] = 1;
    return room[0] + room[sizeof(room) - 1] == 2 ? argument : NULL;
}

static void test_threads_have_a_large_stack(void **state)
{
    (void)state;
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(os_thread_start(&thread, use_stack, state), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, state);
}

/* ---- interruptions and non-blocking descriptors ---- */

static void test_interrupted_calls_are_made_again(void **state)
{
    (void)state;
    fault_arm(FAULT_OPENAT, 1, EINTR);
    int fd = os_openat(AT_FDCWD, "/dev/zero", O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0 && fault.hit);

    char byte = 1;
    fault_arm(FAULT_READ, 1, EINTR);
    assert_int_equal(os_read(fd, &byte, 1), 1);
    assert_true(fault.hit && byte == 0);

    fault_arm(FAULT_WRITE, 1, EINTR);
    assert_int_equal(os_write_all(fd, &byte, 1), 0);
    assert_true(fault.hit);
    close(fd);

    const struct open_how how = {.flags = O_RDONLY | O_CLOEXEC};
    fault_arm(FAULT_OPENAT2, 1, EINTR);
    fd = os_openat2(AT_FDCWD, "/dev/null", &how);
    assert_int_equal(fault.calls[FAULT_OPENAT2], 2);
    os_close(fd);
}

static void make_pipe(int fds[2], int flags)
{
    assert_int_equal(pipe2(fds, flags | O_CLOEXEC), 0);
}

static void *write_later(void *fd)
{
    usleep(20 * 1000);
    assert_int_equal(write(*(int *)fd, "x", 1), 1);
    return NULL;
}

static void test_read_waits_for_a_pipe_that_is_not_ready(void **state)
{
    (void)state;
    int fds[2];
    make_pipe(fds, O_NONBLOCK);
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_later, &fds[1]), 0);
    fault_arm(FAULT_POLL, 1, EINTR);
    char byte;
    assert_int_equal(os_read(fds[0], &byte, 1), 1);
    assert_int_equal(byte, 'x');
    assert_true(fault.hit && fault.calls[FAULT_POLL] >= 2);
    pthread_join(writer, NULL);
    close(fds[0]);
    close(fds[1]);
}

static void test_waiting_to_read(void **state)
{
    (void)state;
    int fds[2];
    char byte;
    make_pipe(fds, 0);
    assert_int_equal(os_wait_read(fds[0], 0), 0);
    assert_int_equal(os_wait_read(fds[0], 10), 0);
    assert_int_equal(write(fds[1], "x", 1), 1);
    assert_int_equal(os_wait_read(fds[0], -1), 1);
    fault_arm(FAULT_POLL, 1, EINTR);
    assert_int_equal(os_wait_read(fds[0], -1), 1);
    assert_int_equal(fault.calls[FAULT_POLL], 2);
    fault_arm(FAULT_POLL, 1, ENOMEM);
    assert_int_equal(os_wait_read(fds[0], -1), -ENOMEM);
    fault_arm(FAULT_THREAD_SIGMASK, 1, EINVAL);
    assert_int_equal(os_wait_read(fds[0], -1), -EINVAL);
    fault_disarm();
    assert_int_equal(read(fds[0], &byte, 1), 1);
    /* The end can be read without waiting. */
    close(fds[1]);
    assert_int_equal(os_wait_read(fds[0], -1), 1);
    close(fds[0]);
}

static void test_poll_errors_are_returned(void **state)
{
    (void)state;
    int fds[2];
    char byte = 'x';
    make_pipe(fds, O_NONBLOCK);
    fault_arm(FAULT_POLL, 1, ENOMEM);
    assert_int_equal(os_read(fds[0], &byte, 1), -ENOMEM);
    while (write(fds[1], &byte, 1) == 1) {
    }
    fault_arm(FAULT_POLL, 1, ENOMEM);
    assert_int_equal(os_write_all(fds[1], &byte, 1), -ENOMEM);
    close(fds[0]);
    close(fds[1]);
}

#define MUCH ((size_t)1 << 20)

static void *drain(void *fd)
{
    size_t *total = calloc(1, sizeof(*total));
    char block[4096];
    ssize_t size;
    usleep(5 * 1000);
    while ((size = read(*(int *)fd, block, sizeof(block))) > 0) {
        for (ssize_t i = 0; i < size; i++) {
            assert_int_equal(block[i], 'y');
        }
        *total += (size_t)size;
    }
    return total;
}

static void test_write_all_waits_for_a_pipe_that_is_full(void **state)
{
    (void)state;
    int fds[2];
    make_pipe(fds, 0);
    assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
    pthread_t reader;
    assert_int_equal(pthread_create(&reader, NULL, drain, &fds[0]), 0);
    char *data = malloc(MUCH);
    assert_non_null(data);
    memset(data, 'y', MUCH);
    fault_watch();
    assert_int_equal(os_write_all(fds[1], data, MUCH), 0);
    assert_true(fault.calls[FAULT_POLL] > 0);
    close(fds[1]);
    void *total = NULL;
    pthread_join(reader, &total);
    assert_int_equal(*(size_t *)total, MUCH);
    free(total);
    free(data);
    close(fds[0]);
}

static void test_short_writes_are_completed(void **state)
{
    (void)state;
    int fds[2];
    char text[16] = "";
    make_pipe(fds, 0);
    fault_watch();
    fault.write_most = 2;
    assert_int_equal(os_write_all(fds[1], "abcdefg", 7), 0);
    assert_int_equal(fault.calls[FAULT_WRITE], 4);
    assert_int_equal(read(fds[0], text, sizeof(text)), 7);
    assert_string_equal(text, "abcdefg");

    fault_arm(FAULT_WRITE, 2, ENOSPC);
    fault.write_most = 2;
    assert_int_equal(os_write_all(fds[1], "abcdefg", 7), -ENOSPC);
    fault_arm(FAULT_WRITE, 1, 0);
    assert_int_equal(os_write_all(fds[1], "abcdefg", 7), -EIO);
    fault_watch();
    assert_int_equal(os_write_all(fds[1], NULL, 0), 0);
    assert_int_equal(fault.calls[FAULT_WRITE], 0);
    close(fds[0]);
    close(fds[1]);
}

static void test_writing_to_a_closed_pipe_is_an_error(void **state)
{
    (void)state;
    int fds[2];
    make_pipe(fds, 0);
    close(fds[0]);
    assert_int_equal(os_ignore_sigpipe(), 0);
    assert_int_equal(os_write_all(fds[1], "x", 1), -EPIPE);
    close(fds[1]);
    signal(SIGPIPE, SIG_DFL);
    fault_arm(FAULT_SIGACTION, 1, EINVAL);
    assert_int_equal(os_ignore_sigpipe(), -EINVAL);
}

/* ---- memory ---- */

static void test_allocator(void **state)
{
    (void)state;
    const struct jsv_allocator *allocator = os_allocator();
    fault_arm(FAULT_RESIZE, 3, ENOMEM);
    char *memory = allocator->resize(allocator->context, NULL, 0, 4);
    assert_non_null(memory);
    memcpy(memory, "abc", 4);
    memory = allocator->resize(allocator->context, memory, 4, 100000);
    assert_non_null(memory);
    assert_string_equal(memory, "abc");
    assert_null(allocator->resize(allocator->context, memory, 100000, 200000));
    assert_string_equal(memory, "abc");
    assert_int_equal(fault.live_blocks, 1);
    assert_null(allocator->resize(allocator->context, memory, 100000, 0));
    assert_int_equal(fault.live_blocks, 0);
    assert_null(os_sys_real.resize(NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_socket_errors_are_negative_errno, disarm),
        cmocka_unit_test_teardown(test_connection, disarm),
        cmocka_unit_test_teardown(test_lock_and_umask, disarm),
        cmocka_unit_test(test_errors_are_negative_errno),
        cmocka_unit_test(test_making_and_moving_files),
        cmocka_unit_test(test_sockets_and_watches),
        cmocka_unit_test_teardown(test_writing_now, disarm),
        cmocka_unit_test(test_poll_error),
        cmocka_unit_test(test_a_file_and_its_link),
        cmocka_unit_test_teardown(test_close_ignores_negative_descriptors, disarm),
        cmocka_unit_test_teardown(test_interrupted_close_is_not_repeated, disarm),
        cmocka_unit_test(test_terminals),
        cmocka_unit_test(test_raising_the_number_of_descriptors),
        cmocka_unit_test(test_standard_files_that_are_closed),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_working_directory),
        cmocka_unit_test(test_clock_and_processors),
        cmocka_unit_test(test_threads_have_all_signals_blocked),
        cmocka_unit_test_teardown(test_errors_of_starting_threads, disarm),
        cmocka_unit_test(test_threads_have_a_large_stack),
        cmocka_unit_test_teardown(test_waiting_to_read, disarm),
        cmocka_unit_test_teardown(test_interrupted_calls_are_made_again, disarm),
        cmocka_unit_test_teardown(test_read_waits_for_a_pipe_that_is_not_ready, disarm),
        cmocka_unit_test_teardown(test_poll_errors_are_returned, disarm),
        cmocka_unit_test_teardown(test_write_all_waits_for_a_pipe_that_is_full, disarm),
        cmocka_unit_test_teardown(test_short_writes_are_completed, disarm),
        cmocka_unit_test_teardown(test_writing_to_a_closed_pipe_is_an_error, disarm),
        cmocka_unit_test_teardown(test_allocator, disarm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
