#define _GNU_SOURCE /* nftw() */
#include <stdbool.h>

#include "cli/validate/source.h"
#include "os/interrupt.h"
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

static void test_files_that_may_block(void **state)
{
    (void)state;
    assert_int_equal(mkfifoat(dir.fd, "fifo", 0600), 0);
    list(false, tmpdir_path(&dir, "fifo"), "-");
    assert_true(at(0)->may_block);
    assert_true(at(1)->may_block);
    assert_true(files.size_unknown);
    /* No such file: opening it reports that. */
    list(false, tmpdir_path(&dir, "none"), NULL);
    assert_false(at(0)->may_block);
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

static void test_many_files(void **state)
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

static void test_errors_are_listed(void **state)
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
            /* An error of fstatat() on an operand shows only when it is opened. */
            assert_true(has_error(-EIO) || calls[i] == FAULT_FSTATAT);
        }
        assert_true(at_call > 2);
        assert_int_equal(files.count, 2);
    }
}

static void test_file_disappears_during_listing(void **state)
{
    (void)state;
    tmpdir_write(&dir, "a.json", "");
    char *operands[1] = {dir.path};
    fault_arm(FAULT_FSTATAT, 2, ENOENT);
    assert_int_equal(validate_files_list(operands, 1, false, &files), 0);
    assert_true(fault.hit);
    assert_int_equal(at(0)->error, -ENODATA);
}

static void test_listing_without_memory(void **state)
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

static struct validate_source source;
static struct validate_piece piece;

static int set_up_source(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    validate_piece_init(&piece);
    return 0;
}

static int tear_down_source(void **state)
{
    (void)state;
    fault_disarm();
    validate_source_done(&source);
    validate_files_done(&files);
    validate_piece_done(&piece);
    os_interrupt_unwatch();
    tmpdir_remove(&dir);
    return 0;
}

/* Begin with up to two operands. */
static void begin(bool ndjson, const char *one, const char *other, int in_fd)
{
    char *operands[2] = {(char *)(uintptr_t)one, (char *)(uintptr_t)other};
    assert_int_equal(validate_files_list(operands, other ? 2 : 1, ndjson, &files), 0);
    validate_source_init(&source, &files, in_fd);
}

static int next(void)
{
    validate_piece_reset(&piece);
    return validate_source_next(&source, &piece);
}

static void assert_piece(enum validate_kind kind, size_t line, const char *text)
{
    assert_int_equal(next(), 1);
    assert_int_equal(piece.kind, kind);
    assert_int_equal(piece.line, line);
    assert_int_equal(piece.text.size, strlen(text));
    assert_memory_equal(piece.text.data ? piece.text.data : "", text, piece.text.size);
}

static void assert_unread(const char *below, int error)
{
    assert_int_equal(next(), 1);
    assert_int_equal(piece.kind, VALIDATE_UNREAD);
    assert_int_equal(piece.error, error);
    assert_int_equal(piece.text.size, 0);
    assert_non_null(strstr(piece.file->name, below));
}

/* ---- whole files ---- */

static void test_whole_files(void **state)
{
    (void)state;
    tmpdir_write(&dir, "a", "{\n}\n");
    tmpdir_write(&dir, "b", "");
    begin(false, tmpdir_path(&dir, "a"), tmpdir_path(&dir, "b"), -1);
    assert_piece(VALIDATE_WHOLE, 1, "{\n}\n");
    assert_int_equal(piece.size, 4);
    assert_ptr_equal(piece.file, validate_files_at(&files, 0));
    assert_piece(VALIDATE_WHOLE, 1, "");
    assert_int_equal(next(), 0);
    assert_int_equal(next(), 0);
}

static void test_unread_files(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "d");
    tmpdir_mkdir(&dir, "d/dir");
    tmpdir_write(&dir, "d/a.json", "1");
    tmpdir_write(&dir, "d/z.json", "2");
    tmpdir_write(&dir, "out.json", "3");
    tmpdir_link(&dir, "../out.json", "d/b.json");
    tmpdir_link(&dir, "dir", "d/c.json");
    begin(false, tmpdir_path(&dir, "none"), tmpdir_path(&dir, "d"), -1);
    assert_unread("/none", -ENOENT);
    assert_piece(VALIDATE_WHOLE, 1, "1");
    assert_unread("/d/b.json", -EXDEV);
    assert_unread("/d/c.json", -EISDIR);
    assert_piece(VALIDATE_WHOLE, 1, "2");
    assert_int_equal(next(), 0);
}

static void test_standard_input(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    assert_int_equal(write(fds[1], "[1,\n2]", 6), 6);
    close(fds[1]);
    begin(false, "-", NULL, fds[0]);
    assert_piece(VALIDATE_WHOLE, 1, "[1,\n2]");
    assert_int_equal(next(), 0);
    assert_int_equal(fcntl(fds[0], F_GETFD), -1);
}

/* The directory is opened once for all of its files. */
static void test_directory_is_opened_once(void **state)
{
    (void)state;
    tmpdir_mkdir(&dir, "d");
    tmpdir_mkdir(&dir, "e");
    tmpdir_write(&dir, "d/a.json", "1");
    tmpdir_write(&dir, "d/b.json", "2");
    tmpdir_write(&dir, "e/c.json", "3");
    begin(false, tmpdir_path(&dir, "d"), tmpdir_path(&dir, "e"), -1);
    fault_watch();
    assert_piece(VALIDATE_WHOLE, 1, "1");
    unsigned opened = fault.calls[FAULT_OPENAT];
    assert_piece(VALIDATE_WHOLE, 1, "2");
    assert_true(fault.calls[FAULT_OPENAT] == opened || fault.calls[FAULT_OPENAT2] == 0);
    assert_piece(VALIDATE_WHOLE, 1, "3");
    assert_int_equal(fault.open_fds, 1);
    assert_int_equal(next(), 0);
}

/* ---- lines ---- */

static void test_lines(void **state)
{
    (void)state;
    tmpdir_write(&dir, "a.ndjson", "1\n\n[2]\r\n3");
    tmpdir_write(&dir, "b.ndjson", "");
    begin(false, tmpdir_path(&dir, "b.ndjson"), tmpdir_path(&dir, "a.ndjson"), -1);
    assert_piece(VALIDATE_LINES, 1, "1\n\n[2]\r\n3");
    assert_int_equal(piece.size, 9);
    assert_int_equal(next(), 0);
}

/* All of a large file, in pieces of whole lines whose numbers fit together. */
static void test_large_file(void **state)
{
    (void)state;
    enum {
        LINES = 40000
    };
    int fd = openat(dir.fd, "a.ndjson", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    FILE *file = fdopen(fd, "w");
    for (int i = 1; i <= LINES; i++) {
        fprintf(file, "{\"line\": %d}\n", i);
    }
    assert_int_equal(fclose(file), 0);
    begin(false, tmpdir_path(&dir, "a.ndjson"), NULL, -1);
    size_t line = 1;
    size_t pieces = 0;
    uint64_t size = 0;
    while (next() == 1) {
        assert_int_equal(piece.kind, VALIDATE_LINES);
        assert_int_equal(piece.line, line);
        assert_int_equal(piece.text.data[piece.text.size - 1], '\n');
        char first[32];
        int length = snprintf(first, sizeof(first), "{\"line\": %zu}\n", line);
        assert_memory_equal(piece.text.data, first, (size_t)length);
        for (size_t i = 0; i < piece.text.size; i++) {
            line += piece.text.data[i] == '\n';
        }
        size += piece.size;
        pieces++;
        assert_true(piece.text.capacity < (size_t)1 << 20);
    }
    assert_int_equal(line, LINES + 1);
    assert_int_equal(size, files.size);
    assert_true(pieces > 5);
}

/* Complete lines are returned as soon as they are written. */
static void test_pipe(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    begin(true, "-", NULL, fds[0]);
    assert_false(validate_source_is_ready(&source));
    assert_int_equal(write(fds[1], "1\n2", 3), 3);
    assert_piece(VALIDATE_LINES, 1, "1\n");
    assert_false(validate_source_is_ready(&source));
    assert_int_equal(write(fds[1], "2\n33\n4", 6), 6);
    assert_true(validate_source_is_ready(&source));
    assert_piece(VALIDATE_LINES, 2, "22\n33\n");
    close(fds[1]);
    assert_true(validate_source_is_ready(&source));
    assert_piece(VALIDATE_LINES, 4, "4");
    assert_int_equal(next(), 0);
}

static void test_is_ready(void **state)
{
    (void)state;
    tmpdir_write(&dir, "a", "1");
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    begin(false, tmpdir_path(&dir, "a"), "-", fds[0]);
    assert_true(validate_source_is_ready(&source));
    assert_int_equal(next(), 1);
    /* The rest of standard input may take for ever. */
    assert_false(validate_source_is_ready(&source));
    close(fds[1]);
    assert_int_equal(next(), 1);
    assert_true(validate_source_is_ready(&source));
    assert_int_equal(next(), 0);
}

/* ---- long lines ---- */

/* A line of so many characters. */
static void put_line(FILE *file, size_t size, char fill, const char *end)
{
    for (size_t i = 0; i < size; i++) {
        fputc(fill, file);
    }
    fputs(end, file);
}

static void test_long_lines(void **state)
{
    (void)state;
    enum {
        MAX = 100000
    };
    int fd = openat(dir.fd, "a.ndjson", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    FILE *file = fdopen(fd, "w");
    put_line(file, 3, '1', "\n");
    put_line(file, MAX, '2', "\n");
    put_line(file, 1000000, '3', "\n");
    put_line(file, 3, '4', "\n");
    put_line(file, 1000000, '5', "\n");
    put_line(file, 1000000, '6', "");
    assert_int_equal(fclose(file), 0);
    begin(false, tmpdir_path(&dir, "a.ndjson"), NULL, -1);
    source.line_size_max = MAX;
    char kinds[64] = "";
    size_t at_line[64];
    size_t count = 0;
    int r;
    while ((r = next()) == 1) {
        assert_true(count < 63);
        kinds[count] = piece.kind == VALIDATE_LONG_LINE ? 'L' : piece.text.data[0];
        at_line[count++] = piece.line;
        assert_true(piece.text.capacity < 500000);
    }
    assert_int_equal(r, 0);
    /* A line at the limit is returned, alone or after another. */
    const char *rest = strchr(kinds, 'L');
    assert_non_null(rest);
    assert_string_equal(rest, "L4LL");
    size_t first = (size_t)(rest - kinds);
    assert_int_equal(at_line[first], 3);
    assert_int_equal(at_line[first + 1], 4);
    assert_int_equal(at_line[first + 2], 5);
    assert_int_equal(at_line[first + 3], 6);
}

/* ---- trouble ---- */

static void test_error_while_reading_lines(void **state)
{
    (void)state;
    tmpdir_write(&dir, "a.ndjson", "1\n2\n3");
    tmpdir_write(&dir, "b.ndjson", "4\n");
    begin(false, tmpdir_path(&dir, "a.ndjson"), tmpdir_path(&dir, "b.ndjson"), -1);
    fault_arm(FAULT_READ, 2, EIO);
    /* Lines before the error are returned, then the error, then the next file. */
    assert_piece(VALIDATE_LINES, 1, "1\n2\n");
    assert_unread("/a.ndjson", -EIO);
    assert_piece(VALIDATE_LINES, 1, "4\n");
    assert_int_equal(next(), 0);
}

static void test_injected_faults(void **state)
{
    (void)state;
    static const enum fault_call calls[] = {FAULT_OPENAT, FAULT_FSTAT, FAULT_READ, FAULT_POLL};
    tmpdir_write(&dir, "a.json", "1");
    tmpdir_write(&dir, "b.ndjson", "1\n2\n");
    begin(false, tmpdir_path(&dir, "a.json"), tmpdir_path(&dir, "b.ndjson"), -1);
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        unsigned at = 0;
        for (;;) {
            unsigned unread = 0;
            validate_source_done(&source);
            validate_source_init(&source, &files, -1);
            fault_arm(calls[i], ++at, EIO);
            int r;
            while ((r = next()) == 1) {
                unread += piece.kind == VALIDATE_UNREAD;
            }
            assert_int_equal(r, 0);
            assert_int_equal(fault.open_fds, 0);
            if (!fault.hit) {
                assert_int_equal(unread, 0);
                break;
            }
            /* A failed poll() only makes a piece smaller. */
            assert_true(unread == 1 || calls[i] == FAULT_POLL);
        }
        assert_true(at > 1);
    }
}

static void test_pieces_without_memory(void **state)
{
    (void)state;
    tmpdir_write(&dir, "a.json", "1");
    tmpdir_write(&dir, "b.ndjson", "1\n2\n3");
    begin(false, tmpdir_path(&dir, "a.json"), tmpdir_path(&dir, "b.ndjson"), -1);
    unsigned at = 0;
    int r;
    do {
        validate_source_done(&source);
        validate_piece_done(&piece);
        validate_piece_init(&piece);
        validate_source_init(&source, &files, -1);
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        while ((r = next()) == 1) {
        }
        assert_int_equal(r, fault.hit ? -ENOMEM : 0);
    } while (r < 0);
    assert_true(at > 2);
}

static void test_interrupted(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    begin(true, "-", NULL, fds[0]);
    assert_int_equal(os_interrupt_watch(), 0);
    raise(SIGINT);
    assert_int_equal(next(), -EINTR);
    close(fds[1]);
}

#define SOURCE_TEST(function)                                                                      \
    cmocka_unit_test_setup_teardown(function, set_up_source, tear_down_source)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILES_TEST(test_files),
        FILES_TEST(test_ndjson_by_name),
        FILES_TEST(test_files_that_may_block),
        FILES_TEST(test_directory),
        FILES_TEST(test_order_of_operands),
        FILES_TEST(test_empty_directory),
        FILES_TEST(test_many_files),
        FILES_TEST(test_errors_are_listed),
        FILES_TEST(test_file_disappears_during_listing),
        FILES_TEST(test_listing_without_memory),
        SOURCE_TEST(test_whole_files),
        SOURCE_TEST(test_unread_files),
        SOURCE_TEST(test_standard_input),
        SOURCE_TEST(test_directory_is_opened_once),
        SOURCE_TEST(test_lines),
        SOURCE_TEST(test_large_file),
        SOURCE_TEST(test_pipe),
        SOURCE_TEST(test_is_ready),
        SOURCE_TEST(test_long_lines),
        SOURCE_TEST(test_error_while_reading_lines),
        SOURCE_TEST(test_injected_faults),
        SOURCE_TEST(test_pieces_without_memory),
        SOURCE_TEST(test_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
