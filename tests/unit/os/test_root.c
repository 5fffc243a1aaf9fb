/*
 * Everything is tried both ways: as the kernel resolves paths, and as the walk
 * does when openat2() is missing (ENOSYS), forbidden (EPERM) or disturbed each
 * time (EAGAIN).
 */
#define _GNU_SOURCE /* renameat2() */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "os/root.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

#define SECRET "SECRET"

static const int ways[] = {0, ENOSYS, EPERM, EAGAIN};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static struct tmpdir dir; /* holds the root, and files outside it */
static int root_fd;

/* From now on resolve this way. */
static void resolve(int no_openat2)
{
    fault_watch();
    fault.no_openat2 = no_openat2;
}

static bool kernel_has_openat2(void)
{
    fault_disarm();
    const struct jsv_str name = JSV_STR("file");
    resolve(0);
    int fd = os_root_open_file(root_fd, name);
    bool has = fault.calls[FAULT_OPENAT] == 0;
    os_close(fd);
    return has;
}

static int read_text(struct jsv_str name, char text[static 64])
{
    struct jsv_buf out;
    jsv_buf_init(&out, os_allocator(), 63);
    int r = os_root_read_file(root_fd, name, &out);
    assert_true(out.size < 64);
    memcpy(text, out.size > 0 ? out.data : "", out.size);
    text[out.size] = '\0';
    jsv_buf_done(&out);
    return r;
}

/* ---- the tree ---- */

static void make_links(void)
{
    static const char *const links[][2] = {
        {"file", "root/in"},
        {"a/file", "root/in_a"},
        {"../file", "root/a/up"},
        {"../../a/file", "root/a/b/up_up"},
        {"..", "root/a/to_root"},
        {".", "root/here"},
        {"a", "root/dir"},
        {"a/b", "root/deep_dir"},
        {"dir/b/../file", "root/through_links"},
        {"deep_dir/../file", "root/parent_of_target"}, /* a/file: not what the text suggests */
        {"chain2", "root/chain1"},
        {"here/chain3", "root/chain2"},
        {"a/up", "root/chain3"},
        {"a//./b///deep", "root/many_slashes"},
        {"nothing", "root/dangling"},
        {"nothing/at/all", "root/dangling_deep"},
        {"loop", "root/loop"},
        {"loop_b", "root/loop_a"},
        {"a/../loop_a", "root/loop_b"},
        {"loop_dir/x", "root/loop_dir"},
        {"../outside/secret", "root/out"},
        {"../outside", "root/out_dir"},
        {"../../outside/secret", "root/a/out"},
        {"out_dir/secret", "root/out_by_two"},
        {"..", "root/above"},
        {"../root/file", "root/out_and_in"},
        {"a/../../root/file", "root/out_and_in_later"},
        {"/etc/passwd", "root/absolute"},
        {"fifo", "root/to_fifo"},
    };
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        tmpdir_link(&dir, links[i][0], links[i][1]);
    }
    tmpdir_link(&dir, tmpdir_path(&dir, "root/file"), "root/absolute_inside");
}

static void make_special_files(void)
{
    assert_int_equal(mkfifoat(dir.fd, "root/fifo", 0644), 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/root/socket", dir.path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
}

static int set_up(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    tmpdir_mkdir(&dir, "root");
    tmpdir_mkdir(&dir, "root/a");
    tmpdir_mkdir(&dir, "root/a/b");
    tmpdir_mkdir(&dir, "outside");
    tmpdir_write(&dir, "outside/secret", SECRET);
    tmpdir_write(&dir, "secret", SECRET);
    tmpdir_write(&dir, "root/file", "file");
    tmpdir_write(&dir, "root/a/file", "a/file");
    tmpdir_write(&dir, "root/a/b/deep", "deep");
    tmpdir_write(&dir, "root/%2e%2e", "percent");
    tmpdir_write(&dir, "root/..file", "dots");
    tmpdir_write(&dir, "root/back\\slash", "backslash");
    make_links();
    make_special_files();
    root_fd = os_root_open(tmpdir_path(&dir, "root"));
    assert_true(root_fd >= 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    os_close(root_fd);
    tmpdir_remove(&dir);
    return 0;
}

/* ---- one table, all ways ---- */

struct root_case {
    const char *name;
    int expected;
    const char *text;
};

static const struct root_case cases[] = {
    {"file", 0, "file"},
    {"a/file", 0, "a/file"},
    {"a//file", 0, "a/file"},
    {"./a/./file", 0, "a/file"},
    {"a/b/deep", 0, "deep"},
    {"%2e%2e", 0, "percent"},
    {"..file", 0, "dots"},
    {"back\\slash", 0, "backslash"},

    {"", -EINVAL, NULL},
    {"/", -EINVAL, NULL},
    {"/file", -EINVAL, NULL},
    {"/etc/passwd", -EINVAL, NULL},
    {"..", -EINVAL, NULL},
    {"../secret", -EINVAL, NULL},
    {"a/../../secret", -EINVAL, NULL},
    {"a/../file", -EINVAL, NULL},
    {"a/..", -EINVAL, NULL},
    {"a//..//file", -EINVAL, NULL},
    {"missing/../file", -EINVAL, NULL},
    {"../", -EINVAL, NULL},

    {"missing", -ENOENT, NULL},
    {"missing/file", -ENOENT, NULL},
    {"%2e%2e/secret", -ENOTDIR, NULL},
    {"...", -ENOENT, NULL},
    {"file/", -ENOTDIR, NULL},
    {"file/x", -ENOTDIR, NULL},
    {"file/.", -ENOTDIR, NULL},

    {".", -EISDIR, NULL},
    {"./", -EISDIR, NULL},
    {"a", -EISDIR, NULL},
    {"a/", -EISDIR, NULL},
    {"a/.", -EISDIR, NULL},
    {"fifo", -EBADFD, NULL},
    {"to_fifo", -EBADFD, NULL},
    {"socket", -EBADFD, NULL},

    {"in", 0, "file"},
    {"in_a", 0, "a/file"},
    {"a/up", 0, "file"},
    {"a/b/up_up", 0, "a/file"},
    {"a/to_root/file", 0, "file"},
    {"a/to_root/a/to_root/in_a", 0, "a/file"},
    {"here/file", 0, "file"},
    {"here/here/here/a/up", 0, "file"},
    {"dir/file", 0, "a/file"},
    {"dir/b/deep", 0, "deep"},
    {"deep_dir/deep", 0, "deep"},
    {"through_links", 0, "a/file"},
    {"parent_of_target", 0, "a/file"},
    {"chain1", 0, "file"},
    {"many_slashes", 0, "deep"},
    {"here", -EISDIR, NULL},
    {"dir", -EISDIR, NULL},
    {"dir/", -EISDIR, NULL},
    {"a/to_root", -EISDIR, NULL},
    {"in/", -ENOTDIR, NULL},
    {"in/x", -ENOTDIR, NULL},
    {"dangling", -ENOENT, NULL},
    {"dangling/x", -ENOENT, NULL},
    {"dangling_deep", -ENOENT, NULL},

    {"loop", -EXDEV, NULL},
    {"loop_a", -EXDEV, NULL},
    {"loop_dir", -EXDEV, NULL},
    {"loop/x", -EXDEV, NULL},
    {"out", -EXDEV, NULL},
    {"out_dir", -EXDEV, NULL},
    {"out_dir/secret", -EXDEV, NULL},
    {"out_dir/missing", -EXDEV, NULL},
    {"a/out", -EXDEV, NULL},
    {"dir/out", -EXDEV, NULL},
    {"out_by_two", -EXDEV, NULL},
    {"above", -EXDEV, NULL},
    {"above/secret", -EXDEV, NULL},
    {"out_and_in", -EXDEV, NULL},
    {"out_and_in_later", -EXDEV, NULL},
    {"absolute", -EXDEV, NULL},
    {"absolute_inside", -EXDEV, NULL},
};

static void check_case(const struct root_case *one, int way)
{
    char text[64];
    resolve(way);
    int r = read_text(jsv_str_from(one->name), text);
    if (r != one->expected) {
        fail_msg("\"%s\" (way %d): %d instead of %d", one->name, way, r, one->expected);
    }
    assert_string_equal(text, one->text ? one->text : "");
    assert_int_equal(fault.open_fds, 0);
    assert_true(r == 0 || fault.calls[FAULT_READ] == 0);
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t way = 0; way < WAYS; way++) {
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            check_case(&cases[i], ways[way]);
        }
    }
}

/* Or else the table would have been run four times the same way. */
static void test_ways_differ(void **state)
{
    (void)state;
    if (!kernel_has_openat2()) {
        print_message("this kernel has no openat2()\n");
        skip();
    }
    char text[64];
    for (size_t way = 0; way < WAYS; way++) {
        resolve(ways[way]);
        assert_int_equal(read_text(JSV_STR("file"), text), 0);
        assert_int_equal(fault.calls[FAULT_OPENAT], ways[way] ? 1 : 0);
    }
}

/* A disturbed openat2() is tried again before the walk takes over. */
static void test_openat2_is_tried_again(void **state)
{
    (void)state;
    if (!kernel_has_openat2()) {
        print_message("this kernel has no openat2()\n");
        skip();
    }
    char text[64];
    fault_arm(FAULT_OPENAT2, 1, EAGAIN);
    assert_int_equal(read_text(JSV_STR("file"), text), 0);
    assert_int_equal(fault.calls[FAULT_OPENAT2], 2);
    assert_int_equal(fault.calls[FAULT_OPENAT], 0);
}

/* ---- names ---- */

static void test_nul_bytes(void **state)
{
    (void)state;
    char text[64];
    resolve(0);
    assert_int_equal(read_text(JSV_STR("file\0"), text), -EINVAL);
    assert_int_equal(read_text(JSV_STR("file\0.json"), text), -EINVAL);
    assert_int_equal(read_text(JSV_STR("\0"), text), -EINVAL);
    assert_int_equal(fault.calls[FAULT_OPENAT2], 0);
    /* A name that does not end with a NUL byte is not read past its end. */
    assert_int_equal(read_text((struct jsv_str){"file.json", 4}, text), 0);
}

static void test_long_names(void **state)
{
    (void)state;
    char name[PATH_MAX + 1];
    char text[64];
    for (size_t way = 0; way < WAYS; way++) {
        resolve(ways[way]);
        memset(name, 'n', sizeof(name));
        assert_int_equal(read_text((struct jsv_str){name, 256}, text), -ENAMETOOLONG);
        assert_int_equal(read_text((struct jsv_str){name, PATH_MAX}, text), -ENAMETOOLONG);
        assert_int_equal(read_text((struct jsv_str){name, PATH_MAX + 1}, text), -ENAMETOOLONG);
        memset(name, '/', sizeof(name));
        memcpy(name, "a", 1);
        memcpy(name + PATH_MAX - 1 - 4, "file", 4);
        assert_int_equal(read_text((struct jsv_str){name, PATH_MAX - 1}, text), 0);
        assert_string_equal(text, "a/file");
    }
}

/* Directories d/d/d/…, this many, with a file in the innermost. */
static void make_levels(char *name, size_t size, unsigned levels)
{
    size_t used = (size_t)snprintf(name, size, "root");
    for (unsigned i = 0; i < levels; i++) {
        used += (size_t)snprintf(name + used, size - used, "/d");
        tmpdir_mkdir(&dir, name);
    }
    snprintf(name + used, size - used, "/f");
    tmpdir_write(&dir, name, "deepest");
}

static void test_levels(void **state)
{
    (void)state;
    char name[1024];
    char text[64];
    make_levels(name, sizeof(name), OS_ROOT_LEVELS_MAX + 1);
    const char *too_deep = name + strlen("root/");
    const char *deepest = too_deep + strlen("d/");
    tmpdir_link(&dir, "d", "root/e");
    tmpdir_write(&dir, "root/d/f", "high");
    tmpdir_link(&dir, too_deep, "root/by_link");
    for (size_t way = 0; way < WAYS; way++) {
        resolve(ways[way]);
        assert_int_equal(read_text(jsv_str_from(too_deep), text), -ENAMETOOLONG);
        /* One level less, from the first directory on. */
        int outer = root_fd;
        root_fd = os_openat(outer, "d", O_PATH | O_CLOEXEC);
        assert_int_equal(read_text(jsv_str_from(deepest), text), 0);
        assert_string_equal(text, "deepest");
        os_close(root_fd);
        root_fd = outer;
        assert_int_equal(fault.open_fds, 0);
    }
    /* Links can still lead deeper; the walk has a descriptor for each level, but not more. */
    resolve(ENOSYS);
    assert_int_equal(read_text(JSV_STR("by_link"), text), -ENAMETOOLONG);
    assert_int_equal(fault.open_fds, 0);
}

/* ---- links ---- */

/* l1 -> l2 -> … -> file, this many links. */
static void make_chain(unsigned links)
{
    for (unsigned i = 1; i <= links; i++) {
        char name[32];
        char target[32];
        snprintf(name, sizeof(name), "root/l%u", i);
        snprintf(target, sizeof(target), i == links ? "file" : "l%u", i + 1);
        tmpdir_link(&dir, target, name);
    }
}

static void test_number_of_links(void **state)
{
    (void)state;
    char text[64];
    make_chain(41);
    for (size_t way = 0; way < WAYS; way++) {
        resolve(ways[way]);
        assert_int_equal(read_text(JSV_STR("l2"), text), 0);
        assert_int_equal(read_text(JSV_STR("l1"), text), -EXDEV);
    }
}

static ssize_t readlinkat_cut(int dir_fd, const char *path, char *out, size_t size)
{
    (void)dir_fd;
    (void)path;
    memset(out, 'x', size);
    return (ssize_t)size;
}

/* "a/////…", so long that just one character fits behind its slash. */
static void test_long_targets(void **state)
{
    (void)state;
    char target[PATH_MAX];
    char text[64];
    memset(target, '/', sizeof(target));
    target[0] = 'a';
    target[PATH_MAX - 3] = '\0';
    tmpdir_link(&dir, target, "root/long");
    target[PATH_MAX - 3] = '/';
    target[PATH_MAX - 1] = '\0';
    tmpdir_link(&dir, target, "root/longest");
    resolve(ENOSYS);
    assert_int_equal(read_text(JSV_STR("long/b"), text), -EISDIR);
    assert_int_equal(read_text(JSV_STR("long/up"), text), -ENAMETOOLONG);
    assert_int_equal(read_text(JSV_STR("longest"), text), -EISDIR);
    assert_int_equal(read_text(JSV_STR("longest/b"), text), -ENAMETOOLONG);
    assert_int_equal(fault.open_fds, 0);
    /* A target that fills the buffer may have been cut. */
    struct os_sys cut = *os_sys;
    cut.readlinkat = readlinkat_cut;
    os_sys = &cut;
    assert_int_equal(read_text(JSV_STR("in"), text), -ENAMETOOLONG);
    fault_disarm();
}

/* The link is replaced by a file between opening and reading it: look again. */
static void test_link_that_vanishes(void **state)
{
    (void)state;
    char text[64];
    fault_arm(FAULT_READLINKAT, 1, EINVAL);
    fault.no_openat2 = ENOSYS;
    assert_int_equal(read_text(JSV_STR("in"), text), 0);
    assert_string_equal(text, "file");
    assert_int_equal(fault.calls[FAULT_READLINKAT], 2);
    /* Not for ever. */
    fault_arm(FAULT_READLINKAT, 0, EINVAL);
    fault.no_openat2 = ENOSYS;
    assert_int_equal(read_text(JSV_STR("in"), text), -EXDEV);
    assert_int_equal(fault.open_fds, 0);
}

/* ---- special files, permissions ---- */

static void test_device(void **state)
{
    (void)state;
    char text[64];
    if (mknodat(dir.fd, "root/zero", S_IFCHR | 0666, makedev(1, 5)) < 0) {
        print_message("no right to make devices\n");
        skip();
    }
    assert_int_equal(mknodat(dir.fd, "root/none", S_IFCHR | 0666, makedev(511, 200)), 0);
    for (size_t way = 0; way < WAYS; way++) {
        resolve(ways[way]);
        int r = read_text(JSV_STR("zero"), text);
        /* A file system mounted nodev refuses by itself. */
        assert_true(r == -EBADFD || r == -EACCES);
        r = read_text(JSV_STR("none"), text);
        assert_true(r == -EBADFD || r == -EACCES);
        assert_int_equal(fault.calls[FAULT_READ], 0);
        assert_int_equal(fault.open_fds, 0);
    }
}

static void test_permissions(void **state)
{
    (void)state;
    char text[64];
    tmpdir_write(&dir, "root/locked", "no");
    tmpdir_mkdir(&dir, "root/locked_dir");
    tmpdir_write(&dir, "root/locked_dir/file", "no");
    assert_int_equal(fchmodat(dir.fd, "root/locked", 0, 0), 0);
    assert_int_equal(fchmodat(dir.fd, "root/locked_dir", 0, 0), 0);
    bool privileged = geteuid() == 0;
    if (privileged) {
        assert_int_equal(chmod(dir.path, 0755), 0);
        assert_int_equal(seteuid(65534), 0);
    }
    int results[WAYS][2];
    for (size_t way = 0; way < WAYS; way++) {
        resolve(ways[way]);
        results[way][0] = read_text(JSV_STR("locked"), text);
        results[way][1] = read_text(JSV_STR("locked_dir/file"), text);
    }
    if (privileged) {
        assert_int_equal(seteuid(0), 0);
    }
    assert_int_equal(fchmodat(dir.fd, "root/locked_dir", 0755, 0), 0);
    for (size_t way = 0; way < WAYS; way++) {
        assert_int_equal(results[way][0], -EACCES);
        assert_int_equal(results[way][1], -EACCES);
    }
}

static void test_root_must_be_a_directory(void **state)
{
    (void)state;
    assert_int_equal(os_root_open(tmpdir_path(&dir, "nowhere")), -ENOENT);
    assert_int_equal(os_root_open(tmpdir_path(&dir, "root/file")), -ENOTDIR);
}

static void test_ceiling(void **state)
{
    (void)state;
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 5);
    assert_int_equal(os_root_read_file(root_fd, JSV_STR("a/file"), &out), -EFBIG);
    assert_int_equal(os_root_read_file(root_fd, JSV_STR("file"), &out), 0);
    assert_int_equal(out.size, 4);
    jsv_buf_done(&out);
}

/* ---- failing calls ---- */

static void check_fault(enum fault_call call, unsigned at, int error, int way)
{
    char text[64];
    fault_arm(call, at, error);
    fault.no_openat2 = way;
    int r = read_text(JSV_STR("dir/b/up_up"), text);
    assert_true(fault.hit);
    assert_int_equal(r, call == FAULT_CLOSE ? 0 : -error);
    assert_int_equal(fault.open_fds, 0);
    assert_int_equal(fault.live_blocks, 0);
}

static void test_each_call_fails(void **state)
{
    (void)state;
    static const enum fault_call calls[] = {
        FAULT_OPENAT, FAULT_READLINKAT, FAULT_FSTAT, FAULT_READ, FAULT_CLOSE, FAULT_RESIZE};
    char text[64];
    for (size_t way = 0; way < WAYS; way++) {
        resolve(ways[way]);
        assert_int_equal(read_text(JSV_STR("dir/b/up_up"), text), 0);
        const struct fault good = fault;
        for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
            for (unsigned at = 1; at <= good.calls[calls[i]]; at++) {
                int error = calls[i] == FAULT_RESIZE ? ENOMEM : EIO;
                check_fault(calls[i], at, error, ways[way]);
            }
        }
    }
    if (kernel_has_openat2()) {
        check_fault(FAULT_OPENAT2, 1, EMFILE, 0);
    }
}

/* ---- races ---- */

#define READS 100000

static atomic_bool racing;

/* Swap root/<first> with root/<second> as fast as it goes. */
static void *swap(void *names)
{
    char **pair = names;
    while (atomic_load(&racing)) {
        renameat2(dir.fd, pair[0], dir.fd, pair[1], RENAME_EXCHANGE);
    }
    return NULL;
}

static void race(const char *first, const char *second, const char *name, int way)
{
    const char *pair[] = {first, second};
    pthread_t racer;
    unsigned good = 0;
    unsigned refused = 0;
    atomic_store(&racing, true);
    assert_int_equal(pthread_create(&racer, NULL, swap, pair), 0);
    resolve(way);
    for (unsigned i = 0; i < READS / 2; i++) {
        char text[64];
        int r = read_text(jsv_str_from(name), text);
        good += r == 0;
        refused += r == -EXDEV;
        if (strcmp(text, SECRET) == 0 || (r == 0 && strcmp(text, "a/file") != 0)) {
            atomic_store(&racing, false);
            fail_msg("read \"%s\" from outside", text);
        }
    }
    atomic_store(&racing, false);
    pthread_join(racer, NULL);
    assert_int_equal(fault.open_fds, 0);
    /* Both have been seen, so there was a race. */
    assert_true(good > 0);
    assert_true(refused > 0);
}

/* 100,000 reads each way: half while the file, half while its directory becomes a link outwards. */
static void test_races(void **state)
{
    (void)state;
    tmpdir_write(&dir, "outside/file", SECRET);
    tmpdir_link(&dir, "../outside/secret", "root/evil_file");
    tmpdir_link(&dir, "../outside", "root/evil_dir");
    tmpdir_write(&dir, "root/good_file", "a/file");
    for (size_t way = 0; way < 2; way++) {
        race("root/good_file", "root/evil_file", "good_file", ways[way]);
        race("root/a", "root/evil_dir", "a/file", ways[way]);
    }
}

/* ---- directories ---- */

static bool same_directory(int fd, const char *name)
{
    struct stat a;
    struct stat b;
    assert_int_equal(fstat(fd, &a), 0);
    assert_int_equal(fstatat(dir.fd, name, &b, 0), 0);
    return a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static void test_directories(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *is; /* the same directory, or NULL */
        int error;
    } directories[] = {
        {".", "root", 0},
        {"a", "root/a", 0},
        {"a/b", "root/a/b", 0},
        {"dir", "root/a", 0},
        {"deep_dir", "root/a/b", 0},
        {"a/to_root", "root", 0},
        {"here", "root", 0},
        {"file", NULL, -ENOTDIR},
        {"in", NULL, -ENOTDIR},
        {"fifo", NULL, -ENOTDIR},
        {"none", NULL, -ENOENT},
        {"dangling", NULL, -ENOENT},
        {"loop", NULL, -EXDEV},
        {"above", NULL, -EXDEV},
        {"out_dir", NULL, -EXDEV},
        {"..", NULL, -EINVAL},
        {"/", NULL, -EINVAL},
        {"", NULL, -EINVAL},
    };
    for (size_t way = 0; way < WAYS; way++) {
        for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
            resolve(ways[way]);
            int fd = os_root_open_dir(root_fd, jsv_str_from(directories[i].name));
            if (directories[i].error ? fd != directories[i].error
                                     : fd < 0 || !same_directory(fd, directories[i].is)) {
                fail_msg("%s: %d (way %zu)", directories[i].name, fd, way);
            }
            os_close(fd);
            assert_int_equal(fault.open_fds, 0);
        }
    }
}

#define ROOT_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOT_TEST(test_cases),
        ROOT_TEST(test_ways_differ),
        ROOT_TEST(test_openat2_is_tried_again),
        ROOT_TEST(test_nul_bytes),
        ROOT_TEST(test_long_names),
        ROOT_TEST(test_levels),
        ROOT_TEST(test_number_of_links),
        ROOT_TEST(test_long_targets),
        ROOT_TEST(test_link_that_vanishes),
        ROOT_TEST(test_device),
        ROOT_TEST(test_permissions),
        ROOT_TEST(test_root_must_be_a_directory),
        ROOT_TEST(test_ceiling),
        ROOT_TEST(test_each_call_fails),
        ROOT_TEST(test_races),
        ROOT_TEST(test_directories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
