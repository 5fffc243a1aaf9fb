#define _GNU_SOURCE /* nftw() */
#include <stdbool.h>

#include "cli/validate/files.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

static struct tmpdir dir;
static struct validate_files files;

static int set_up(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    files = (struct validate_files){0};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    validate_files_done(&files);
    tmpdir_remove(&dir);
    return 0;
}

static void list(bool ndjson, const char *one, const char *other)
{
    char *operands[2] = {(char *)(uintptr_t)one, (char *)(uintptr_t)other};
    validate_files_done(&files);
    assert_int_equal(validate_files_list(operands, other ? 2 : 1, ndjson, &files), 0);
}

static const struct validate_file *at(size_t index)
{
    assert_true(index < files.count);
    return validate_files_at(&files, index);
}

static void test_files(void **state)
{
    (void)state;
    tmpdir_write(&dir, "b", "12345");
    tmpdir_write(&dir, "a.ndjson", "1\n");
    const char *b = tmpdir_path(&dir, "b");
    list(false, b, tmpdir_path(&dir, "a.ndjson"));
    assert_int_equal(files.count, 2);
    assert_string_equal(at(0)->name, b);
    assert_null(at(0)->directory);
    assert_int_equal(at(0)->size, 5);
    assert_false(at(0)->ndjson);
    assert_true(at(1)->ndjson);
    assert_int_equal(files.size, 7);
    assert_false(files.size_unknown);
}

static void test_ndjson_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool ndjson;
    } cases[] = {
        {"x.ndjson", true},
        {"x.jsonl", true},
        {"x.json", false},
        {"ndjson", false},
        {"x.ndjson.json", false},
        {".jsonl", false},
        {"-", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        list(false, cases[i].name, NULL);
        assert_int_equal(at(0)->ndjson, cases[i].ndjson);
        list(true, cases[i].name, NULL);
        assert_true(at(0)->ndjson);
    }
}

static void test_what_may_wait(void **state)
{
    (void)state;
    assert_int_equal(mkfifoat(dir.fd, "fifo", 0600), 0);
    list(false, tmpdir_path(&dir, "fifo"), "-");
    assert_true(at(0)->waits);
    assert_true(at(1)->waits);
    assert_true(files.size_unknown);
    /* Nothing there: whoever opens it will see. */
    list(false, tmpdir_path(&dir, "none"), NULL);
    assert_false(at(0)->waits);
    assert_int_equal(at(0)->error, 0);
}

static void test_directory(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "sub");
    tmpdir_mkdir(&dir, "sub/deep.json");
    tmpdir_mkdir(&dir, "outside");
    tmpdir_write(&dir, "sub/z.json", "1");
    tmpdir_write(&dir, "sub/a-b.json", "22");
    tmpdir_write(&dir, "sub/note.txt", "");
    tmpdir_write(&dir, "sub/.json", "");
    tmpdir_write(&dir, "sub/x.ndjson", "");
    tmpdir_write(&dir, "sub/deep.json/Z.json", "");
    tmpdir_write(&dir, "outside/o.json", "");
    tmpdir_link(&dir, "z.json", "sub/link.json");
    tmpdir_link(&dir, "../outside", "sub/linked");
    tmpdir_link(&dir, "nowhere", "sub/dangling");
    assert_int_equal(mkfifoat(dir.fd, "sub/fifo.json", 0600), 0);
    const char *sub = tmpdir_path(&dir, "sub");
    list(false, sub, NULL);
    static const char *const expected[] = {
        "a-b.json", "deep.json/Z.json", "fifo.json", "link.json", "z.json"};
    assert_int_equal(files.count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(at(i)->below, expected[i]);
        assert_ptr_equal(at(i)->directory, sub);
        assert_memory_equal(at(i)->name, sub, strlen(sub));
        assert_string_equal(at(i)->name + strlen(sub) + 1, expected[i]);
        assert_false(at(i)->ndjson);
        assert_int_equal(at(i)->error, i == 2 ? -EBADFD : 0);
    }
    assert_int_equal(at(0)->size, 2);
    /* No second slash; and what --ndjson says holds for all. */
    list(true, tmpdir_path(&dir, "sub/"), NULL);
    assert_null(strstr(at(0)->name, "//"));
    assert_true(at(0)->ndjson);
}

static void test_order_of_operands(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "d");
    tmpdir_write(&dir, "d/b.json", "");
    tmpdir_write(&dir, "d/a.json", "");
    tmpdir_write(&dir, "z", "");
    const char *z = tmpdir_path(&dir, "z");
    list(false, z, tmpdir_path(&dir, "d"));
    assert_string_equal(at(0)->name, z);
    assert_string_equal(at(1)->below, "a.json");
    assert_string_equal(at(2)->below, "b.json");
}

static void test_empty_directory(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "d");
    tmpdir_mkdir(&dir, "d/e");
    list(false, tmpdir_path(&dir, "d"), NULL);
    assert_int_equal(files.count, 1);
    assert_int_equal(at(0)->error, -ENODATA);
}

static void test_many(void **state)
{
    (void)state;
    enum {
        COUNT = 3000
    };
    char name[32];
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof(name), "%04d.json", (i * 7) % COUNT);
        tmpdir_write(&dir, name, "");
    }
    list(false, dir.path, NULL);
    assert_int_equal(files.count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(name, sizeof(name), "%04zu.json", i);
        assert_string_equal(at(i)->below, name);
    }
}

/* ---- trouble ---- */

static bool has_error(int error)
{
    for (size_t i = 0; i < files.count; i++) {
        if (at(i)->error == error) {
            return true;
        }
    }
    return false;
}

static void test_trouble_is_listed(void **state)
{
    (void)state;
    static const enum fault_call calls[] = {FAULT_OPENAT, FAULT_GETDENTS, FAULT_FSTATAT};
    tmpdir_mkdir(&dir, "d");
    tmpdir_mkdir(&dir, "d/e");
    tmpdir_write(&dir, "d/a.json", "");
    tmpdir_write(&dir, "d/e/b.json", "");
    char *operands[1] = {tmpdir_path(&dir, "d")};
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        unsigned at_call = 0;
        for (;;) {
            validate_files_done(&files);
            fault_arm(calls[i], ++at_call, EIO);
            assert_int_equal(validate_files_list(operands, 1, false, &files), 0);
            assert_int_equal(fault.open_fds, 0);
            if (!fault.hit) {
                break;
            }
            /* Looking at what was named itself, or at a directory's name, tells nothing yet. */
            assert_true(has_error(-EIO) || calls[i] == FAULT_FSTATAT);
        }
        assert_true(at_call > 2);
        assert_int_equal(files.count, 2);
    }
}

static void test_gone_meanwhile(void **state)
{
    (void)state;
    tmpdir_write(&dir, "a.json", "");
    char *operands[1] = {dir.path};
    fault_arm(FAULT_FSTATAT, 2, ENOENT);
    assert_int_equal(validate_files_list(operands, 1, false, &files), 0);
    assert_true(fault.hit);
    assert_int_equal(at(0)->error, -ENODATA);
}

static void test_no_memory(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "d");
    tmpdir_write(&dir, "d/a.json", "");
    tmpdir_write(&dir, "b.json", "");
    char *operands[2] = {dir.path, dir.path};
    unsigned at_call = 0;
    int r;
    do {
        validate_files_done(&files);
        files = (struct validate_files){0};
        fault_arm(FAULT_RESIZE, ++at_call, ENOMEM);
        r = validate_files_list(operands, 2, false, &files);
        assert_int_equal(r, fault.hit ? -ENOMEM : 0);
        assert_int_equal(fault.open_fds, 0);
        assert_true(r == 0 || fault.live_blocks == 0);
    } while (r < 0);
    assert_true(at_call > 2);
}

#define FILES_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILES_TEST(test_files),
        FILES_TEST(test_ndjson_by_name),
        FILES_TEST(test_what_may_wait),
        FILES_TEST(test_directory),
        FILES_TEST(test_order_of_operands),
        FILES_TEST(test_empty_directory),
        FILES_TEST(test_many),
        FILES_TEST(test_trouble_is_listed),
        FILES_TEST(test_gone_meanwhile),
        FILES_TEST(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
