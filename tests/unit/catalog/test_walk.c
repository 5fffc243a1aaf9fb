#define _GNU_SOURCE /* nftw() */
#include <dirent.h>

#include "catalog/walk.h"
#include "os/root.h"
#include "support/random.h"
#include "support/torture.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

static struct tmpdir dir;
static struct jsv_arena arena;
static struct catalog_entries entries;

static int set_up(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    jsv_arena_init(&arena, os_allocator(), 64 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    jsv_arena_done(&arena);
    tmpdir_remove(&dir);
    return 0;
}

static int walk(bool recursive)
{
    const struct catalog_walk_options options = {{".json", 5}, recursive};
    int root_fd = os_root_open(dir.path);
    assert_true(root_fd >= 0);
    int r = catalog_walk(root_fd, &options, &arena, &entries);
    os_close(root_fd);
    return r;
}

/* Lines of path, and the error where there is one. */
static void expect(bool recursive, const char *expected)
{
    char text[2048] = "";
    size_t size = 0;
    assert_int_equal(walk(recursive), 0);
    for (size_t i = 0; i < entries.count; i++) {
        const struct catalog_entry *entry = entries.items[i];
        size += (size_t)snprintf(
            text + size, sizeof(text) - size, "%.*s", (int)entry->path.size, entry->path.data);
        if (entry->error) {
            size += (size_t)snprintf(
                text + size, sizeof(text) - size, " %s", strerrorname_np(-entry->error));
        }
        size += (size_t)snprintf(text + size, sizeof(text) - size, "\n");
    }
    assert_string_equal(text, expected);
}

static void test_empty(void **state)
{
    (void)state;
    expect(true, "");
}

static void test_sorted_by_path(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "d");
    tmpdir_mkdir(&dir, "d/e");
    tmpdir_mkdir(&dir, "dir.json");
    tmpdir_write(&dir, "z.json", "");
    tmpdir_write(&dir, "a.json", "");
    tmpdir_write(&dir, "a.jsonl", "");
    tmpdir_write(&dir, "d/e/x.json", "");
    tmpdir_write(&dir, "d/b.json", "");
    tmpdir_write(&dir, "d-b.json", "");
    tmpdir_write(&dir, "dir.json/in.json", "");
    expect(true, "a.json\nd-b.json\nd/b.json\nd/e/x.json\ndir.json/in.json\nz.json\n");
    expect(false, "a.json\nd-b.json\ndir.json\nz.json\n");
}

static void test_links(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "d");
    tmpdir_mkdir(&dir, "e");
    tmpdir_write(&dir, "d/x.json", "");
    tmpdir_link(&dir, "d", "inside");
    tmpdir_link(&dir, "..", "outside");
    tmpdir_link(&dir, "/tmp", "absolute");
    tmpdir_link(&dir, "self", "self");
    tmpdir_link(&dir, "nowhere", "gone");
    tmpdir_link(&dir, "nowhere", "gone.json");
    tmpdir_link(&dir, "..", "d/round");
    tmpdir_link(&dir, "../d", "e/to_d");
    expect(
        true,
        "absolute EXDEV\nd/round ELOOP\nd/x.json\ne/to_d/round ELOOP\ne/to_d/x.json\n"
        "gone.json\ninside/round ELOOP\ninside/x.json\noutside EXDEV\nself EXDEV\n");
}

/* The way without openat2() finds the same. */
static void test_links_without_openat2(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "d");
    tmpdir_write(&dir, "d/x.json", "");
    tmpdir_link(&dir, "d", "inside");
    tmpdir_link(&dir, "..", "outside");
    tmpdir_link(&dir, "..", "d/round");
    fault_watch();
    fault.no_openat2 = ENOSYS;
    expect(true, "d/round ELOOP\nd/x.json\ninside/round ELOOP\ninside/x.json\noutside EXDEV\n");
    assert_int_equal(fault.open_fds, 0);
}

static void test_name_that_is_not_utf8(void **state)
{
    (void)state;
    tmpdir_write(&dir, "\xff.json", "");
    tmpdir_write(&dir, "\xff.txt", "");
    expect(true, "\xff.json EILSEQ\n");
}

static void test_too_deep(void **state)
{
    (void)state;
    char path[4 * (OS_ROOT_LEVELS_MAX + 2)] = "";
    for (size_t i = 0; i < OS_ROOT_LEVELS_MAX + 1; i++) {
        size_t size = strlen(path);
        snprintf(path + size, sizeof(path) - size, "%sd", i ? "/" : "");
        tmpdir_mkdir(&dir, path);
    }
    assert_int_equal(walk(true), 0);
    assert_int_equal(entries.count, 0); /* nothing below, and the last one could be opened */
    size_t size = strlen(path);
    snprintf(path + size, sizeof(path) - size, "/d");
    tmpdir_mkdir(&dir, path);
    assert_int_equal(walk(true), 0);
    assert_int_equal(entries.count, 1);
    assert_int_equal(entries.items[0]->error, -ENAMETOOLONG);
}

/* ---- an order of our own making ---- */

static unsigned shuffle_seed;

/* All names at once, in another order each time. */
static ssize_t shuffled_getdents(int fd, void *out, size_t size)
{
    char block[4096];
    struct dirent64 *found[64];
    size_t count = 0;
    ssize_t length = os_sys_real.getdents(fd, block, sizeof(block) < size ? sizeof(block) : size);
    for (ssize_t at = 0; at < length; at += found[count++]->d_reclen) {
        found[count] = (struct dirent64 *)(void *)(block + at);
    }
    uint64_t random = shuffle_seed;
    char *to = out;
    while (count > 0) {
        size_t pick = (size_t)random_below(&random, count);
        memcpy(to, found[pick], found[pick]->d_reclen);
        to += found[pick]->d_reclen;
        found[pick] = found[--count];
    }
    return length;
}

static void test_shuffled(void **state)
{
    (void)state;
    static struct os_sys shuffled;
    shuffled = os_sys_real;
    shuffled.getdents = shuffled_getdents;
    tmpdir_mkdir(&dir, "d");
    for (char name[] = "a.json"; name[0] <= 'j'; name[0]++) {
        char inside[16];
        snprintf(inside, sizeof(inside), "d/%s", name);
        tmpdir_write(&dir, name, "");
        tmpdir_write(&dir, inside, "");
    }
    os_sys = &shuffled;
    for (shuffle_seed = 1; shuffle_seed < 20; shuffle_seed++) {
        expect(
            true,
            "a.json\nb.json\nc.json\nd.json\nd/a.json\nd/b.json\nd/c.json\nd/d.json\nd/e.json\n"
            "d/f.json\nd/g.json\nd/h.json\nd/i.json\nd/j.json\ne.json\nf.json\ng.json\nh.json\n"
            "i.json\nj.json\n");
    }
}

/* ---- limits ---- */

static size_t names_left;

/* A directory with as many names as a test likes, none of which exists. */
static ssize_t endless_getdents(int fd, void *out, size_t size)
{
    (void)fd;
    size_t used = 0;
    while (names_left > 0 && used + 64 <= size) {
        struct dirent64 entry = {.d_reclen = 64, .d_type = DT_REG};
        snprintf(entry.d_name, sizeof(entry.d_name), "%zu.txt", names_left--);
        memcpy((char *)out + used, &entry, 64);
        used += 64;
    }
    return (ssize_t)used;
}

static void test_too_many_names(void **state)
{
    (void)state;
    static struct os_sys endless;
    endless = os_sys_real;
    endless.getdents = endless_getdents;
    os_sys = &endless;
    names_left = CATALOG_NAMES_MAX;
    assert_int_equal(walk(false), 0);
    names_left = CATALOG_NAMES_MAX + 1;
    assert_int_equal(walk(false), -EOVERFLOW);
}

/* ---- failures ---- */

static void test_calls_fail(void **state)
{
    (void)state;
    static const enum fault_call calls[] = {
        FAULT_OPENAT2, FAULT_FSTAT, FAULT_GETDENTS, FAULT_RESIZE};
    tmpdir_mkdir(&dir, "d");
    tmpdir_write(&dir, "d/x.json", "");
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
        bool hit = true;
        for (unsigned n = 1; hit; n++) {
            jsv_arena_done(&arena);
            int root_fd = os_root_open(dir.path);
            const struct catalog_walk_options options = {{".json", 5}, true};
            fault_arm(calls[i], n, EIO);
            int r = catalog_walk(root_fd, &options, &arena, &entries);
            hit = fault.hit;
            assert_int_equal(fault.open_fds, 0);
            fault_disarm();
            os_close(root_fd);
            if (calls[i] == FAULT_RESIZE) {
                assert_int_equal(r, hit ? -ENOMEM : 0);
            } else if (r == 0 && hit) {
                assert_int_equal(entries.count, 1); /* the directory or the file */
            } else {
                assert_int_equal(r, hit ? -EIO : 0);
            }
        }
    }
}

/* ---- sorting ---- */

static int compare_first(const void *context, const void *a, const void *b)
{
    assert_null(context);
    return *(const char *)a - *(const char *)b;
}

static void test_sorting_is_stable(void **state)
{
    (void)state;
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, NULL, 1 << 16);
    const char *words[] = {"b1", "a1", "c1", "a2", "b2", "a3"};
    assert_int_equal(catalog_order(&scratch, (const void **)words, 6, compare_first), 0);
    const char *expected[] = {"a1", "a2", "a3", "b1", "b2", "c1"};
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(words[i], expected[i]);
    }
    assert_int_equal(catalog_order(&scratch, (const void **)words, 0, compare_first), 0);
    jsv_arena_done(&scratch);
}

static int order_some(const struct jsv_allocator *allocator, void *state)
{
    (void)state;
    struct jsv_arena scratch;
    const char *words[] = {"b", "a"};
    jsv_arena_init(&scratch, allocator, 1 << 16);
    int r = catalog_order(&scratch, (const void **)words, 2, compare_first);
    jsv_arena_done(&scratch);
    return r;
}

static void test_sorting_out_of_memory(void **state)
{
    (void)state;
    assert_int_equal(torture_run(order_some, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorting_is_stable),
        cmocka_unit_test(test_sorting_out_of_memory),
        cmocka_unit_test_setup_teardown(test_empty, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sorted_by_path, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_links, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_links_without_openat2, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_name_that_is_not_utf8, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_too_deep, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shuffled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_too_many_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_calls_fail, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
