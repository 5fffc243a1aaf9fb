#define _GNU_SOURCE /* nftw() */
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "net/unix.h"
#include "os/sys.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

struct place {
    struct tmpdir dir;
    char path[128];
    struct net_unix_address address;
};

static int setup(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    tmpdir_make(&place->dir);
    snprintf(place->path, sizeof(place->path), "%s/socket", place->dir.path);
    *state = place;
    return 0;
}

static int teardown(void **state)
{
    struct place *place = *state;
    fault_disarm();
    tmpdir_remove(&place->dir);
    free(place);
    return 0;
}

#define PLACE_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static mode_t mode_of(const char *path)
{
    struct stat stat;
    assert_int_equal(lstat(path, &stat), 0);
    return stat.st_mode & 07777;
}

static bool exists(const char *path)
{
    struct stat stat;
    return lstat(path, &stat) == 0;
}

static struct sockaddr_un address_of(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    assert_true(strlen(path) < sizeof(address.sun_path));
    memcpy(address.sun_path, path, strlen(path));
    return address;
}

static int knock(const char *path)
{
    struct sockaddr_un address = address_of(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int r = connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
    close(fd);
    return r;
}

/* A socket file of the given kind, bound and not listening. */
static int bind_only(const char *path, int type)
{
    struct sockaddr_un address = address_of(path);
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

/* ---- the good case ---- */

static void test_listens_and_goes(void **state)
{
    struct place *place = *state;
    int fd = net_unix_listen(place->path, 0600, &place->address);
    assert_true(fd >= 0);
    assert_int_equal(mode_of(place->path), 0600);
    assert_int_equal(knock(place->path), 0);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
    assert_true(exists(place->path));
    net_unix_remove(&place->address);
    assert_false(exists(place->path));
}

static void test_mode_is_exact_whatever_the_umask(void **state)
{
    struct place *place = *state;
    static const mode_t umasks[] = {0, 022, 077, 0777};
    static const mode_t modes[] = {0600, 0660, 0666, 0777, 0};
    for (size_t i = 0; i < sizeof(umasks) / sizeof(umasks[0]); i++) {
        for (size_t j = 0; j < sizeof(modes) / sizeof(modes[0]); j++) {
            mode_t before = umask(umasks[i]);
            int fd = net_unix_listen(place->path, modes[j], &place->address);
            assert_int_equal(umask(before), umasks[i]);
            assert_true(fd >= 0);
            assert_int_equal(mode_of(place->path), modes[j]);
            close(fd);
            net_unix_remove(&place->address);
        }
    }
}

static void test_relative_name(void **state)
{
    struct place *place = *state;
    char before[PATH_MAX];
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(fchdir(place->dir.fd), 0);
    int fd = net_unix_listen("here", 0600, &place->address);
    assert_true(fd >= 0);
    assert_true(exists("here"));
    close(fd);
    net_unix_remove(&place->address);
    assert_int_equal(chdir(before), 0);
}

/* ---- names that will not do ---- */

static void test_bad_names(void **state)
{
    struct place *place = *state;
    char longest[200];
    int head = snprintf(longest, sizeof(longest), "%s/", place->dir.path);
    memset(longest + head, 'x', sizeof(longest) - (size_t)head);
    longest[108] = '\0';
    assert_int_equal(net_unix_listen(longest, 0600, &place->address), -ENAMETOOLONG);
    assert_int_equal(net_unix_listen("", 0600, &place->address), -ENOENT);
    assert_int_equal(net_unix_listen("/nowhere/at/all", 0600, &place->address), -ENOENT);
    assert_true(net_unix_listen("/", 0600, &place->address) < 0);

    longest[107] = '\0';
    int fd = net_unix_listen(longest, 0600, &place->address);
    assert_true(fd >= 0);
    assert_int_equal(knock(longest), 0);
    close(fd);
    net_unix_remove(&place->address);
}

/* ---- existing files ---- */

static void test_live_server_keeps_its_socket(void **state)
{
    struct place *place = *state;
    int fd = net_unix_listen(place->path, 0600, &place->address);
    struct net_unix_address second;
    assert_int_equal(net_unix_listen(place->path, 0600, &second), -EADDRINUSE);
    assert_int_equal(knock(place->path), 0);
    close(fd);
    net_unix_remove(&place->address);
}

static void test_stale_socket_is_replaced(void **state)
{
    struct place *place = *state;
    close(bind_only(place->path, SOCK_STREAM));
    int fd = net_unix_listen(place->path, 0640, &place->address);
    assert_true(fd >= 0);
    assert_int_equal(mode_of(place->path), 0640);
    assert_int_equal(knock(place->path), 0);
    close(fd);
    net_unix_remove(&place->address);
}

static void test_full_backlog_is_alive(void **state)
{
    struct place *place = *state;
    int fd = bind_only(place->path, SOCK_STREAM);
    assert_int_equal(listen(fd, 0), 0);
    struct sockaddr_un address = address_of(place->path);
    int waiting[4];
    for (size_t i = 0; i < 4; i++) {
        waiting[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(waiting[i], (struct sockaddr *)&address, sizeof(address));
    }
    assert_int_equal(net_unix_listen(place->path, 0600, &place->address), -EADDRINUSE);
    for (size_t i = 0; i < 4; i++) {
        close(waiting[i]);
    }
    close(fd);
}

static void test_other_things_are_left_alone(void **state)
{
    struct place *place = *state;
    tmpdir_write(&place->dir, "file", "precious");
    tmpdir_mkdir(&place->dir, "folder");
    tmpdir_link(&place->dir, "file", "link");
    tmpdir_link(&place->dir, "gone", "dangling");
    int datagram = bind_only(tmpdir_path(&place->dir, "datagram"), SOCK_DGRAM);
    static const char *const names[] = {"file", "folder", "link", "dangling", "datagram"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char *path = tmpdir_path(&place->dir, names[i]);
        assert_int_equal(net_unix_listen(path, 0600, &place->address), -EEXIST);
        assert_true(exists(path));
    }
    close(datagram);
}

/* A link to a live or stale socket is not ours to replace. */
static void test_links_to_sockets_are_not_followed(void **state)
{
    struct place *place = *state;
    close(bind_only(place->path, SOCK_STREAM));
    tmpdir_link(&place->dir, "socket", "link");
    char *link = tmpdir_path(&place->dir, "link");
    assert_int_equal(net_unix_listen(link, 0600, &place->address), -EEXIST);
    assert_true(exists(place->path));
}

/* ---- going ---- */

static void test_only_our_own_file_is_removed(void **state)
{
    struct place *place = *state;
    int fd = net_unix_listen(place->path, 0600, &place->address);
    close(fd);
    struct net_unix_address second;
    int second_fd = net_unix_listen(place->path, 0600, &second);
    assert_true(second_fd >= 0);
    net_unix_remove(&place->address);
    assert_int_equal(knock(place->path), 0);
    close(second_fd);
    net_unix_remove(&second);
    assert_false(exists(place->path));
}

static void test_removing_what_is_gone(void **state)
{
    struct place *place = *state;
    int fd = net_unix_listen(place->path, 0600, &place->address);
    close(fd);
    assert_int_equal(unlink(place->path), 0);
    net_unix_remove(&place->address);
    assert_false(exists(place->path));
}

/* ---- the lock file ---- */

static const char *lock_path(const struct place *place)
{
    static char path[160];
    snprintf(path, sizeof(path), "%s.lock", place->path);
    return path;
}

static void expect_to_listen(struct place *place)
{
    int fd = net_unix_listen(place->path, 0600, &place->address);
    assert_true(fd >= 0);
    close(fd);
    assert_false(exists(lock_path(place)));
    net_unix_remove(&place->address);
    assert_false(exists(lock_path(place)));
}

/* Every user who may read the directory can lock it. */
static void test_locked_directory_is_not_in_the_way(void **state)
{
    struct place *place = *state;
    assert_int_equal(flock(place->dir.fd, LOCK_EX), 0);
    expect_to_listen(place);
}

static void test_lock_file_that_is_held(void **state)
{
    struct place *place = *state;
    int lock = open(lock_path(place), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    assert_int_equal(net_unix_listen(place->path, 0600, &place->address), -EBUSY);
    assert_false(exists(place->path));
    close(lock);
    expect_to_listen(place); /* what a killed server left is used, and removed */
}

/* Others could hold the lock, or we would follow where they want us to. */
static void test_lock_file_that_is_not_ours(void **state)
{
    struct place *place = *state;
    const char *path = lock_path(place);
    for (int kind = 0; kind < 5; kind++) {
        switch (kind) {
        case 0:
            close(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
            assert_int_equal(chmod(path, 0644), 0);
            break;
        case 1:
            assert_int_equal(mkdir(path, 0700), 0);
            break;
        case 2:
            assert_int_equal(mkfifo(path, 0600), 0);
            break;
        case 3:
            assert_int_equal(symlink("elsewhere", path), 0);
            break;
        default:
            close(bind_only(path, SOCK_STREAM));
            break;
        }
        assert_int_equal(net_unix_listen(place->path, 0600, &place->address), -ENOLCK);
        assert_false(exists(place->path));
        assert_true(exists(path));
        assert_false(exists(tmpdir_path(&place->dir, "elsewhere")));
        assert_int_equal(remove(path), 0);
    }
    expect_to_listen(place);
}

static void test_lock_file_of_another_user(void **state)
{
    struct place *place = *state;
    close(open(lock_path(place), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    fault_arm(FAULT_CREATE, 0, EACCES);
    assert_int_equal(net_unix_listen(place->path, 0600, &place->address), -ENOLCK);
    fault_disarm();
    expect_to_listen(place);
}

/* ---- failing calls ---- */

/* Each call of listening fails once, with each plausible error: nothing is left behind. */
static void test_failing_calls(void **state)
{
    struct place *place = *state;
    static const struct {
        enum fault_call call;
        unsigned at;
        int error;
        int expected;
    } cases[] = {
        {FAULT_CREATE, 1, EACCES, -EACCES},
        {FAULT_CREATE, 1, EMFILE, -EMFILE},
        {FAULT_OPENAT, 1, ENFILE, -ENFILE},
        {FAULT_FLOCK, 1, EIO, -EIO},
        {FAULT_FSTAT, 1, EIO, -EIO},
        {FAULT_FSTATAT, 1, EACCES, -EACCES},
        {FAULT_FSTATAT, 2, EACCES, -EACCES},
        {FAULT_FSTATAT, 2, ELOOP, -ELOOP},
        {FAULT_SOCKET, 1, EMFILE, -EMFILE},
        {FAULT_SOCKET, 2, ENFILE, -ENFILE},
        {FAULT_SOCKET, 2, ENOMEM, -ENOMEM},
        {FAULT_CONNECT, 1, EACCES, -EADDRINUSE},
        {FAULT_CONNECT, 1, EPERM, -EADDRINUSE},
        {FAULT_CONNECT, 1, EAGAIN, -EADDRINUSE},
        {FAULT_CONNECT, 1, EPROTOTYPE, -EEXIST},
        {FAULT_CONNECT, 1, ENOMEM, -ENOMEM},
        {FAULT_UNLINKAT, 1, EACCES, -EACCES},
        {FAULT_UNLINKAT, 1, EROFS, -EROFS},
        {FAULT_FCHMOD, 1, EPERM, -EPERM},
        {FAULT_BIND, 1, EADDRINUSE, -EADDRINUSE},
        {FAULT_BIND, 1, ENOSPC, -ENOSPC},
        {FAULT_LISTEN, 1, ENOBUFS, -ENOBUFS},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        close(bind_only(place->path, SOCK_STREAM));
        fault_arm(cases[i].call, cases[i].at, cases[i].error);
        assert_int_equal(net_unix_listen(place->path, 0600, &place->address), cases[i].expected);
        assert_true(fault.hit);
        assert_int_equal(fault.open_fds, 0);
        fault_disarm();
        (void)unlink(place->path);
    }
}

/* A file that is gone before it is removed was to be gone. */
static void test_stale_file_removed_by_others(void **state)
{
    struct place *place = *state;
    close(bind_only(place->path, SOCK_STREAM));
    fault_arm(FAULT_CONNECT, 1, ENOENT);
    int fd = net_unix_listen(place->path, 0600, &place->address);
    assert_true(fd >= 0);
    close(fd);
    net_unix_remove(&place->address);
}

static void test_failing_removal(void **state)
{
    struct place *place = *state;
    static const enum fault_call calls[] = {
        FAULT_CREATE, FAULT_FLOCK, FAULT_FSTAT, FAULT_FSTATAT, FAULT_UNLINKAT};
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        int fd = net_unix_listen(place->path, 0600, &place->address);
        assert_true(fd >= 0);
        close(fd);
        fault_arm(calls[i], 1, EIO);
        fault.open_fds = 1; /* the pin */
        net_unix_remove(&place->address);
        assert_true(fault.hit);
        assert_int_equal(fault.open_fds, 0);
        fault_disarm();
        assert_true(exists(place->path));
    }
}

/* ---- races ---- */

struct watcher {
    const char *path;
    mode_t allowed;
    bool stop;
    unsigned long looks;
    unsigned long seen;
    bool wider;
};

static void *watch(void *argument)
{
    struct watcher *watcher = argument;
    while (!__atomic_load_n(&watcher->stop, __ATOMIC_RELAXED)) {
        struct stat stat;
        watcher->looks++;
        if (lstat(watcher->path, &stat) == 0) {
            watcher->seen++;
            watcher->wider |= (stat.st_mode & 0777 & ~watcher->allowed) != 0;
        }
    }
    return NULL;
}

/* Another thread watches the file's mode while it is made, with an umask of 0. */
static void test_never_wider_than_asked(void **state)
{
    struct place *place = *state;
    struct watcher watcher = {.path = place->path, .allowed = 0600};
    pthread_t thread;
    mode_t before = umask(0);
    assert_int_equal(pthread_create(&thread, NULL, watch, &watcher), 0);
    int rounds = getenv("SOAK") ? 200000 : 3000;
    for (int i = 0; i < rounds; i++) {
        int fd = net_unix_listen(place->path, 0600, &place->address);
        assert_true(fd >= 0);
        close(fd);
        net_unix_remove(&place->address);
    }
    __atomic_store_n(&watcher.stop, true, __ATOMIC_RELAXED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    umask(before);
    assert_true(watcher.seen > 0);
    assert_false(watcher.wider);
}

/* A server that starts at the same instant as others. Exit status 0: it got the place. */
static int contend(const char *path, int start_fd, int end_fd)
{
    char byte;
    struct net_unix_address address;
    if (read(start_fd, &byte, 1) < 0) {
        return 9;
    }
    int fd = net_unix_listen(path, 0600, &address);
    if (fd == -EADDRINUSE) {
        return 1;
    }
    if (fd < 0) {
        return 2;
    }
    return read(end_fd, &byte, 1) == 0 ? 0 : 9; /* alive until all have tried */
}

enum {
    CONTENDERS = 6
};

/* Left over or not, of servers that start together just one gets the place. */
static void test_starting_together(void **state)
{
    struct place *place = *state;
    int rounds = getenv("SOAK") ? 1000 : 30;
    for (int round = 0; round < rounds; round++) {
        int start[2];
        int end[2];
        assert_int_equal(pipe(start), 0);
        assert_int_equal(pipe(end), 0);
        pid_t pids[CONTENDERS];
        for (size_t i = 0; i < CONTENDERS; i++) {
            pids[i] = fork();
            if (pids[i] == 0) {
                close(start[1]);
                close(end[1]);
                _exit(contend(place->path, start[0], end[0]));
            }
        }
        close(start[1]);
        int refused = 0;
        int lost = 0;
        while (refused + lost < CONTENDERS - 1) {
            int status;
            assert_true(waitpid(-1, &status, 0) > 0);
            refused += WIFEXITED(status) && WEXITSTATUS(status) == 1;
            lost += !WIFEXITED(status) || WEXITSTATUS(status) != 1;
        }
        assert_int_equal(lost, 0);
        assert_int_equal(knock(place->path), 0); /* the winner's socket is the one that is there */
        close(end[1]);                           /* it dies and leaves its file behind */
        int status;
        assert_true(waitpid(-1, &status, 0) > 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        close(start[0]);
        close(end[0]);
        assert_int_equal(knock(place->path), -ECONNREFUSED);
    }
}

/* Killed at any moment, a server leaves nothing that keeps the next one from starting. */
static void test_killed_at_any_moment(void **state)
{
    struct place *place = *state;
    int rounds = getenv("SOAK") ? 1000 : 50;
    for (int round = 0; round < rounds; round++) {
        pid_t pid = fork();
        if (pid == 0) {
            for (;;) {
                struct net_unix_address address;
                int fd = net_unix_listen(place->path, 0600, &address);
                close(fd);
                net_unix_remove(&address);
            }
        }
        usleep((useconds_t)(round * 37 % 2000));
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        int fd = net_unix_listen(place->path, 0600, &place->address);
        assert_true(fd >= 0);
        assert_int_equal(knock(place->path), 0);
        close(fd);
        net_unix_remove(&place->address);
        assert_false(exists(place->path));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_listens_and_goes),
        PLACE_TEST(test_mode_is_exact_whatever_the_umask),
        PLACE_TEST(test_relative_name),
        PLACE_TEST(test_bad_names),
        PLACE_TEST(test_live_server_keeps_its_socket),
        PLACE_TEST(test_stale_socket_is_replaced),
        PLACE_TEST(test_full_backlog_is_alive),
        PLACE_TEST(test_other_things_are_left_alone),
        PLACE_TEST(test_links_to_sockets_are_not_followed),
        PLACE_TEST(test_only_our_own_file_is_removed),
        PLACE_TEST(test_removing_what_is_gone),
        PLACE_TEST(test_locked_directory_is_not_in_the_way),
        PLACE_TEST(test_lock_file_that_is_held),
        PLACE_TEST(test_lock_file_that_is_not_ours),
        PLACE_TEST(test_lock_file_of_another_user),
        PLACE_TEST(test_failing_calls),
        PLACE_TEST(test_stale_file_removed_by_others),
        PLACE_TEST(test_failing_removal),
        PLACE_TEST(test_never_wider_than_asked),
        PLACE_TEST(test_starting_together),
        PLACE_TEST(test_killed_at_any_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
