/* Good files, bad ones, special ones, and a racer that swaps them. */
#define _GNU_SOURCE /* nftw() */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "catalog/files.h"
#include "jsv/base/utf8.h"
#include "unit/catalog/fixture.h"

/* The value of an example, on one line; "none" when there is no such example. */
static void expect_example(const char *path, const char *expected)
{
    const struct catalog_example *example;
    int r = catalog_example_find(fixture.catalog, jsv_str_from(path), &example);
    if (r == -ENOENT) {
        assert_string_equal("none", expected);
        return;
    }
    assert_int_equal(r, 0);
    char *quoted = fixture_quoted(expected);
    fixture_expect_str(example->text, quoted);
    free(quoted);
}

static void test_bad_files(void **state)
{
    (void)state;
    fixture_write("examples/good.json", "{'a': 1}");
    fixture_write("examples/dup.json", "{'a': 1,\n 'b': {'x': 1,\n 'x': 2}}");
    fixture_write("examples/trail.json", "{} x");
    fixture_write("examples/empty.json", "");
    tmpdir_write(&fixture.dir, "examples/bytes.json", "\"\xff\"");
    tmpdir_link(&fixture.dir, "../../etc/passwd", "examples/out.json");
    tmpdir_link(&fixture.dir, "nowhere", "examples/gone.json");
    tmpdir_link(&fixture.dir, "good.json", "examples/link.json");
    fixture_load("examples/bytes.json: invalid UTF-8 (line 1)\n"
                 "examples/dup.json: duplicate member name at /b/x (line 3)\n"
                 "examples/empty.json: expected a JSON value, found nothing (line 1)\n"
                 "examples/gone.json: a broken link, or a file that was just removed\n"
                 "examples/out.json: a link that leaves the directory, or a cycle of links\n"
                 "examples/trail.json: unexpected text after the value (line 1)\n");
    assert_int_equal(catalog_example_count(fixture.catalog), 2);
    expect_example("good.json", "{'a': 1}");
    expect_example("link.json", "{'a': 1}");
    expect_example("dup.json", "none");
}

/* Where a long pointer is cut, no character is. */
static void test_long_pointer(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < 2; shift++) {
        char text[2048];
        size_t size = (size_t)snprintf(text, sizeof(text), "{'%s", shift ? "aa" : "a");
        for (size_t i = 0; i < 300; i++) {
            memcpy(text + size, "\xC3\xA9", 2);
            size += 2;
        }
        snprintf(text + size, sizeof(text) - size, "': [}");
        fixture_write("examples/a.json", text);
        assert_int_equal(fixture_try_load(), 0);
        struct jsv_str warning = jsv_str_from(fixture.warnings);
        assert_int_equal(jsv_utf8_valid_prefix(warning), warning.size);
        assert_non_null(strstr(fixture.warnings, "\xC3\xA9 (line 1)\n"));
    }
}

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
}

/* None of them is waited for, and the large one costs no memory. */
static void test_special_files(void **state)
{
    (void)state;
    assert_int_equal(mkfifoat(fixture.dir.fd, "examples/fifo.json", 0666), 0);
    make_socket(tmpdir_path(&fixture.dir, "examples/socket.json"));
    int fd = openat(fixture.dir.fd, "examples/sparse.json", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_int_equal(ftruncate(fd, (off_t)10 << 30), 0);
    close(fd);
    tmpdir_link(&fixture.dir, "/dev/zero", "examples/zero.json");
    bool device =
        mknod(tmpdir_path(&fixture.dir, "examples/null.json"), S_IFCHR | 0666, 0x103) == 0;
    fixture_write("examples/good.json", "1");
    struct timespec before;
    struct timespec after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    assert_int_equal(fixture_try_load(), 0);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    assert_true(after.tv_sec - before.tv_sec < 2);
    assert_int_equal(catalog_example_count(fixture.catalog), 1);
    assert_non_null(strstr(fixture.warnings, "fifo.json: a FIFO, a socket or a device\n"));
    assert_non_null(strstr(fixture.warnings, "socket.json: a FIFO, a socket or a device\n"));
    assert_non_null(strstr(fixture.warnings, "sparse.json: larger than 4 MiB\n"));
    assert_non_null(strstr(fixture.warnings, "zero.json: a link that leaves"));
    assert_true(!device || strstr(fixture.warnings, "null.json: a FIFO, a socket or a device\n"));
}

static void write_large(const char *name, size_t size)
{
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, ' ', size);
    text[0] = '1';
    text[size] = '\0';
    tmpdir_write(&fixture.dir, name, text);
    free(text);
}

static void test_sizes(void **state)
{
    (void)state;
    write_large("examples/a.json", CATALOG_FILE_SIZE_MAX);
    write_large("examples/b.json", CATALOG_FILE_SIZE_MAX + 1);
    fixture_load("examples/b.json: larger than 4 MiB\n");
    assert_int_equal(catalog_example_count(fixture.catalog), 1);
}

static void test_all_sizes_together(void **state)
{
    (void)state;
    write_large("examples/00.json", CATALOG_FILE_SIZE_MAX);
    for (unsigned i = 1; i < CATALOG_FILES_SIZE_MAX / CATALOG_FILE_SIZE_MAX; i++) {
        char name[32];
        snprintf(name, sizeof(name), "examples/%02u.json", i);
        tmpdir_link(&fixture.dir, "00.json", name);
    }
    fixture_load("");
    fixture_write("examples/zz.json", "1");
    fixture_load("examples/zz.json: all files together are larger than 128 MiB\n");
}

/* ---- the snapshot before ---- */

static void test_invalid_file_stays_as_it_was(void **state)
{
    (void)state;
    tmpdir_mkdir(&fixture.dir, "examples/d");
    fixture_write("examples/a.json", "{'v': 1}");
    fixture_write("examples/b.json", "{'v': 1}");
    fixture_write("examples/c.json", "{'v': 1}");
    fixture_write("examples/d/e.json", "{'v': 1}");
    fixture_write("examples/d-e.json", "{'v': 1}");
    fixture_load("");
    fixture_write("examples/a.json", "{'v': 2}");
    fixture_write("examples/b.json", "{'v': ");
    assert_int_equal(unlinkat(fixture.dir.fd, "examples/c.json", 0), 0);
    assert_int_equal(unlinkat(fixture.dir.fd, "examples/d/e.json", 0), 0);
    assert_int_equal(unlinkat(fixture.dir.fd, "examples/d", AT_REMOVEDIR), 0);
    tmpdir_link(&fixture.dir, "..", "examples/d");
    fixture_load("examples/b.json: unexpected end of input; expected a value at /v (line 1)\n"
                 "examples/d: a link that leaves the directory, or a cycle of links\n");
    expect_example("a.json", "{'v': 2}");
    expect_example("b.json", "{'v': 1}");
    expect_example("c.json", "none");
    expect_example("d/e.json", "{'v': 1}");
    expect_example("d-e.json", "{'v': 1}");
    /* also a second time, and after that it may be good again */
    assert_int_equal(fixture_try_load(), 0);
    expect_example("b.json", "{'v': 1}");
    fixture_write("examples/b.json", "{'v': 3}");
    assert_int_equal(fixture_try_load(), 0);
    expect_example("b.json", "{'v': 3}");
}

/* ---- a racer ---- */

static atomic_bool racing;

static bool swap(const char *target, const char *name)
{
    return symlinkat(target, fixture.dir.fd, "examples/new") == 0 &&
           renameat(fixture.dir.fd, "examples/new", fixture.dir.fd, name) == 0;
}

/* A file and a directory that are now inside and now links to the outside. */
static void *race(void *ret_swapped)
{
    bool swapped = true;
    while (atomic_load(&racing) && swapped) {
        swapped = swap("good", "examples/x.json") && swap("../outside", "examples/d") &&
                  swap("../secret.json", "examples/x.json") && swap("inside", "examples/d");
    }
    *(bool *)ret_swapped = swapped;
    return NULL;
}

static void expect_nothing_from_outside(void)
{
    for (size_t i = 0; i < catalog_example_count(fixture.catalog); i++) {
        struct jsv_str text = catalog_example_at(fixture.catalog, i)->text;
        assert_null(memmem(text.data, text.size, "secret", 6));
    }
}

/* Short by default; SOAK=1 makes it 100,000 reads. */
static void test_racer(void **state)
{
    (void)state;
    unsigned loads = getenv("SOAK") ? 25000 : 500; /* of some four reads each */
    tmpdir_mkdir(&fixture.dir, "outside");
    tmpdir_mkdir(&fixture.dir, "examples/inside");
    fixture_write("secret.json", "'secret'");
    fixture_write("outside/y.json", "'secret'");
    fixture_write("examples/good", "'good'");
    fixture_write("examples/inside/y.json", "'good'");
    pthread_t thread;
    bool swapped = false;
    atomic_store(&racing, true);
    assert_int_equal(pthread_create(&thread, NULL, race, &swapped), 0);
    int r = 0;
    for (unsigned i = 0; i < loads && r == 0; i++) {
        catalog_release(fixture.catalog);
        fixture.catalog = NULL;
        r = fixture_try_load();
        if (r == 0) {
            expect_nothing_from_outside();
        }
    }
    atomic_store(&racing, false);
    pthread_join(thread, NULL);
    assert_int_equal(r, 0);
    assert_true(swapped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_bad_files),
        FIXTURE_TEST(test_long_pointer),
        FIXTURE_TEST(test_special_files),
        FIXTURE_TEST(test_sizes),
        FIXTURE_TEST(test_all_sizes_together),
        FIXTURE_TEST(test_invalid_file_stays_as_it_was),
        FIXTURE_TEST(test_racer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
