/*
 * The scan kernels against a plain scan, byte by byte: same offsets, same
 * faults, same state at the end of each window. Every text lies in memory of
 * just its size, every list in one of just the size the kernels are promised.
 */
#include <stdlib.h>
#include <string.h>

#include "jsv/base/utf8.h"
#include "support/count_of.h"
#include "support/random.h"
#include "support/reading.h"

struct listing {
    uint32_t *offsets;
    size_t count;
    size_t fault;
    enum jsv_error_code fault_code;
    struct jsv_scan windows[16]; /* the state behind each window that has no fault */
    size_t window_count;
};

struct bench {
    struct listing expected;
    struct listing actual;
    uint32_t *window;
    size_t capacity;
};

static int bench_setup(void **state)
{
    struct bench *bench = calloc(1, sizeof(*bench));
    assert_non_null(bench);
    bench->capacity = 10 * JSV_SCAN_WINDOW;
    bench->expected.offsets = malloc(bench->capacity * sizeof(uint32_t));
    bench->actual.offsets = malloc(bench->capacity * sizeof(uint32_t));
    bench->window = malloc(JSV_SCAN_INDEX_MAX * sizeof(uint32_t));
    assert_non_null(bench->expected.offsets);
    assert_non_null(bench->actual.offsets);
    assert_non_null(bench->window);
    *state = bench;
    return 0;
}

static int bench_teardown(void **state)
{
    struct bench *bench = *state;
    free(bench->expected.offsets);
    free(bench->actual.offsets);
    free(bench->window);
    free(bench);
    return 0;
}

#define SCAN_TEST(test) cmocka_unit_test_setup_teardown(test, bench_setup, bench_teardown)

static void note_window(struct listing *listing, const struct jsv_scan *scan)
{
    assert_true(listing->window_count < COUNT_OF(listing->windows));
    listing->windows[listing->window_count++] = *scan;
}

/* What a scan is meant to do, without any haste. */
static void scan_plainly(struct jsv_str text, struct listing *listing)
{
    struct jsv_scan at = {0};
    listing->count = 0;
    listing->window_count = 0;
    listing->fault = SIZE_MAX;
    while (at.position < text.size) {
        struct jsv_str rest = {text.data + at.position, text.size - at.position};
        unsigned char byte = (unsigned char)rest.data[0];
        size_t size = jsv_utf8_sequence(rest);
        if (size == 0 || (at.inside && byte < 0x20)) {
            listing->fault = at.position;
            listing->fault_code = size ? JSV_ERROR_CONTROL_CHARACTER : JSV_ERROR_INVALID_UTF8;
            return;
        }
        bool escaped = at.escaped;
        at.escaped = byte == '\\' && !escaped;
        bool quote = byte == '"' && !escaped;
        at.inside ^= quote;
        if (quote || at.escaped) {
            listing->offsets[listing->count++] = (uint32_t)at.position;
        }
        size_t border = (at.position / JSV_SCAN_WINDOW + 1) * JSV_SCAN_WINDOW;
        at.position += size;
        if (at.position >= border && border < text.size) {
            note_window(listing, &at);
        }
    }
}

static void scan_with(struct bench *bench, jsv_scan_kernel *kernel, struct jsv_str text)
{
    struct listing *listing = &bench->actual;
    struct jsv_scan scan;
    listing->count = 0;
    listing->window_count = 0;
    jsv_scan_start(&scan, text);
    while (scan.position < text.size && scan.fault == SIZE_MAX) {
        size_t before = scan.position;
        size_t count = jsv_scan_next(&scan, kernel, bench->window);
        assert_in_range(count, 0, JSV_SCAN_WINDOW);
        assert_true(listing->count + count <= bench->capacity);
        memcpy(listing->offsets + listing->count, bench->window, count * sizeof(uint32_t));
        listing->count += count;
        if (text.size - before > JSV_SCAN_WINDOW) {
            assert_int_equal(scan.position, before + JSV_SCAN_WINDOW);
            note_window(listing, &scan);
        } else {
            assert_int_equal(scan.position, text.size);
        }
    }
    listing->fault = scan.fault;
    listing->fault_code = scan.fault_code;
    /* there is no more, ever */
    size_t position = scan.position;
    assert_int_equal(jsv_scan_next(&scan, kernel, bench->window), 0);
    assert_int_equal(scan.position, position);
}

static void expect_same(const struct bench *bench, const char *kernel, struct jsv_str text)
{
    const struct listing *expected = &bench->expected;
    const struct listing *actual = &bench->actual;
    bool same = actual->fault == expected->fault && actual->count == expected->count &&
                memcmp(actual->offsets, expected->offsets, actual->count * sizeof(uint32_t)) == 0;
    if (!same) {
        size_t at = 0;
        while (at < actual->count && at < expected->count &&
               actual->offsets[at] == expected->offsets[at]) {
            at++;
        }
        fail_msg(
            "%s: fault %zd, expected %zd; %zu offsets, expected %zu; offset %zu differs; text of "
            "%zu",
            kernel,
            actual->fault,
            expected->fault,
            actual->count,
            expected->count,
            at,
            text.size);
    }
    if (expected->fault != SIZE_MAX) {
        assert_int_equal(actual->fault_code, expected->fault_code);
    }
    for (size_t i = 0; i < expected->window_count && i < actual->window_count; i++) {
        const struct jsv_scan *state = &actual->windows[i];
        bool goes_on = expected->windows[i].position > state->position;
        assert_int_equal(state->inside, expected->windows[i].inside ? UINT64_MAX : 0);
        assert_int_equal(state->escaped, expected->windows[i].escaped);
        assert_int_equal(state->incomplete, goes_on);
    }
}

/* Scan with all kernels, compare each with the plain scan. */
static void check(struct bench *bench, struct jsv_str text)
{
    struct jsv_str copy = {malloc(text.size), text.size};
    assert_true(copy.data || text.size == 0);
    char *data = (char *)(uintptr_t)copy.data;
    if (text.size > 0) {
        memcpy(data, text.data, text.size);
    }
    scan_plainly(copy, &bench->expected);
    for (const struct reading_kernel *kernel = reading_kernels(); kernel->name; kernel++) {
        scan_with(bench, kernel->scan, copy);
        expect_same(bench, kernel->name, copy);
    }
    free(data);
}

/* ---- places ---- */

/* Where things change for a kernel: the borders of words, vectors, blocks and windows. */
static const size_t borders[] = {0, 8, 16, 32, 64, 128, 192, 8192, 16384};

/*
 * Put the piece so that it begins `before` bytes before a border, into text
 * that goes on for `behind` bytes.
 */
static void
check_at(struct bench *bench, size_t border, size_t before, struct jsv_str piece, size_t behind)
{
    static char text[20000];
    if (border < before) {
        return;
    }
    size_t start = border - before;
    size_t size = start + piece.size + behind;
    assert_true(size <= sizeof(text));
    memset(text, 'a', size);
    memcpy(text + start, piece.data, piece.size);
    for (int inside = 0; inside < (start > 0 ? 2 : 1); inside++) {
        if (start > 0) {
            text[0] = inside ? '"' : ' ';
        }
        check(bench, (struct jsv_str){text, size});
    }
}

static void check_everywhere(struct bench *bench, struct jsv_str piece)
{
    static const size_t behinds[] = {0, 1, 64, 2, 31, 63, 65, 200};
    for (size_t i = 0; i < COUNT_OF(borders); i++) {
        /* long texts take their time: fewer of them */
        size_t behind_count = borders[i] < JSV_SCAN_WINDOW ? COUNT_OF(behinds) : 3;
        for (size_t before = 0; before <= piece.size; before++) {
            for (size_t j = 0; j < behind_count; j++) {
                check_at(bench, borders[i], before, piece, behinds[j]);
            }
        }
    }
}

static void nothing_to_scan(void **state)
{
    struct bench *bench = *state;
    check(bench, JSV_STR(""));
    assert_int_equal(bench->actual.count, 0);
    for (const struct reading_kernel *kernel = reading_kernels(); kernel->name; kernel++) {
        struct jsv_scan scan;
        jsv_scan_start(&scan, JSV_STR(""));
        assert_int_equal(jsv_scan_next(&scan, kernel->scan, bench->window), 0);
    }
}

static void best_kernel_is_one_of_ours(void **state)
{
    (void)state;
    bool found = false;
    for (const struct reading_kernel *kernel = reading_kernels(); kernel->name; kernel++) {
        found |= kernel->scan == jsv_scan_kernel_best();
    }
    assert_true(found);
}

static void plain_scan_is_right(void **state)
{
    struct bench *bench = *state;
    /*                    0 12 3 4 5 6 78 9 0         1   2   3 */
    scan_plainly(JSV_STR("[\"a\\\"\\\\n\",\"\xC3\xA9\xE2\",1"), &bench->expected);
    assert_int_equal(bench->expected.fault, 13);
    assert_int_equal(bench->expected.fault_code, JSV_ERROR_INVALID_UTF8);
    static const uint32_t expected[] = {1, 3, 5, 8, 10};
    assert_int_equal(bench->expected.count, COUNT_OF(expected));
    assert_memory_equal(bench->expected.offsets, expected, sizeof(expected));
}

static void quotes_and_backslashes_at_borders(void **state)
{
    static const char *const pieces[] = {
        "\"",
        "\"\"",
        "\"a\"",
        "\\",
        "\\\"",
        "\\\\\"",
        "\"\\\"\"",
        "\"\\\\\"",
        "\"\\\\\\\"\"",
        "\\u0041",
        "\\ud83d\\ude00",
        "\"\\\\\\\\\\\\\\\"\\\\\"\"\\\"",
    };
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        check_everywhere(*state, jsv_str_from(pieces[i]));
    }
}

/* Runs of backslashes that begin and end at every place of two blocks, across two windows too. */
static void runs_of_backslashes(void **state)
{
    static const size_t starts[] = {0, JSV_SCAN_WINDOW - 64};
    static char text[JSV_SCAN_WINDOW + 512];
    for (size_t i = 0; i < COUNT_OF(starts); i++) {
        for (size_t start = starts[i]; start < starts[i] + 66; start++) {
            size_t step = start < JSV_SCAN_WINDOW / 2 ? 1 : 7;
            for (size_t length = 1; length < 140; length += step) {
                size_t size = start + length + 70;
                memset(text, '"', size);
                memset(text + start, '\\', length);
                check(*state, (struct jsv_str){text, size});
            }
        }
    }
}

static void nothing_but_one_byte(void **state)
{
    static char text[3 * JSV_SCAN_WINDOW];
    static const char bytes[] = "\"\\a\n\x80";
    static const size_t sizes[] = {
        1, 63, 64, 65, 127, 128, 8191, 8192, 8193, 8192 + 63, 16384, 3 * JSV_SCAN_WINDOW};
    for (size_t i = 0; i < sizeof(bytes); i++) {
        memset(text, bytes[i], sizeof(text));
        for (size_t j = 0; j < COUNT_OF(sizes); j++) {
            check(*state, (struct jsv_str){text, sizes[j]});
        }
    }
}

static void control_characters_at_borders(void **state)
{
    for (int c = 0; c < 0x20; c++) {
        const char pieces[][4] = {
            {(char)c, 'a', 'a', 'a'},
            {'"', (char)c, '"', 'a'},
            {'\\', (char)c, '"', (char)c},
            {'\\', '"', (char)c, '"'},
        };
        for (size_t i = 0; i < COUNT_OF(pieces); i++) {
            check_everywhere(*state, (struct jsv_str){pieces[i], sizeof(pieces[i])});
        }
    }
}

static void utf8_at_borders(void **state)
{
    static const char *const pieces[] = {
        "\xC2\x80",
        "\xDF\xBF",
        "\xE0\xA0\x80",
        "\xED\x9F\xBF",
        "\xEF\xBF\xBF",
        "\xF0\x90\x80\x80",
        "\xF4\x8F\xBF\xBF",
        "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
        "\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80",
        /* broken */
        "\x80",
        "\xBF\xBF",
        "\xC0\x80",
        "\xC1\xBF",
        "\xC2",
        "\xC2\"",
        "\xC2\xC2\x80",
        "\xE0\x9F\xBF",
        "\xE2\x82",
        "\xE2\x82\"",
        "\xE2\x28\xA1",
        "\xE2\x82\xAC\x80",
        "\xED\xA0\x80",
        "\xF0\x8F\xBF\xBF",
        "\xF0\x9F",
        "\xF0\x9F\x98",
        "\xF0\x9F\x98\"",
        "\xF0\x9F\"\x80",
        "\xF0\"\x98\x80",
        "\xF0\x9F\x98\x80\x80",
        "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80",
        "\xF8\x88\x80\x80\x80",
        "\xFE",
        "\xFF",
        "\xC3\xA9\xC3",
        "\xFC\x80\x80\x80\x80\x80",
    };
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        check_everywhere(*state, jsv_str_from(pieces[i]));
    }
}

/* ---- UTF-8 in all its forms ---- */

/* Whether the kernel takes the text, of at most a window, for faulty. */
static bool is_bad(jsv_scan_kernel *kernel, struct jsv_str text)
{
    static uint32_t window[JSV_SCAN_INDEX_MAX];
    struct jsv_scan scan;
    jsv_scan_start(&scan, text);
    kernel(&scan, window);
    return scan.bad;
}

static bool is_control_in_string(const unsigned char *bytes)
{
    return bytes[0] == '"' && bytes[1] < 0x20;
}

/* Bytes among ASCII, at a place in two blocks. */
static void expect_verdict(
    const struct reading_kernel *kernel,
    char *text,
    size_t at,
    const unsigned char *bytes,
    size_t size)
{
    struct jsv_str whole = {text, 2 * JSV_SCAN_BLOCK};
    memcpy(text + at, bytes, size);
    bool expected = jsv_utf8_valid_prefix((struct jsv_str){text + at, size}) != size ||
                    is_control_in_string(bytes);
    bool actual = is_bad(kernel->scan, whole);
    memset(text + at, 'a', size);
    if (actual != expected) {
        fail_msg(
            "%s: %02x %02x %02x %02x at %zu",
            kernel->name,
            bytes[0],
            bytes[1],
            size > 2 ? bytes[2] : 'a',
            size > 3 ? bytes[3] : 'a',
            at);
    }
}

static void all_pairs_of_bytes(void **state)
{
    (void)state;
    static const size_t places[] = {0, 15, 31, 62, 63, 64, 126};
    char text[2 * JSV_SCAN_BLOCK];
    memset(text, 'a', sizeof(text));
    for (const struct reading_kernel *kernel = reading_kernels(); kernel->name; kernel++) {
        for (unsigned pair = 0; pair < 0x10000; pair++) {
            unsigned char bytes[] = {(unsigned char)(pair >> 8), (unsigned char)pair};
            for (size_t i = 0; i < COUNT_OF(places); i++) {
                expect_verdict(kernel, text, places[i], bytes, 2);
            }
        }
    }
}

/*
 * Kernels without a check of UTF-8 of their own use base/utf8, whose test goes
 * through all there is; from them a sample will do.
 */
static unsigned stride_of(const struct reading_kernel *kernel)
{
#if defined(__x86_64__)
    if (kernel->scan == jsv_scan_avx2) {
        return 1;
    }
#endif
    (void)kernel;
    return 17;
}

/* All that begin like a sequence: behind any other first byte there is but a pair. */
static void all_triples_of_bytes(void **state)
{
    (void)state;
    char text[2 * JSV_SCAN_BLOCK];
    memset(text, 'a', sizeof(text));
    for (const struct reading_kernel *kernel = reading_kernels(); kernel->name; kernel++) {
        for (unsigned triple = 0xC00000; triple <= 0xFFFFFF; triple += stride_of(kernel)) {
            unsigned char bytes[] = {
                (unsigned char)(triple >> 16), (unsigned char)(triple >> 8), (unsigned char)triple};
            expect_verdict(kernel, text, 61 + (triple ^ triple >> 8) % 4, bytes, 3);
        }
    }
}

static void quadruples_of_bytes(void **state)
{
    (void)state;
    static const unsigned char last[] = {
        0x00, 0x22, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xE0, 0xF0, 0xFF};
    char text[2 * JSV_SCAN_BLOCK];
    memset(text, 'a', sizeof(text));
    unsigned place = 0;
    for (const struct reading_kernel *kernel = reading_kernels(); kernel->name; kernel++) {
        for (unsigned pair = 0xE000; pair < 0x10000; pair += stride_of(kernel)) {
            for (size_t i = 0; i < COUNT_OF(last) * COUNT_OF(last); i++) {
                unsigned char bytes[] = {
                    (unsigned char)(pair >> 8),
                    (unsigned char)pair,
                    last[i / COUNT_OF(last)],
                    last[i % COUNT_OF(last)]};
                expect_verdict(kernel, text, 60 + place++ % 5, bytes, 4);
            }
        }
    }
}

/* ---- chance ---- */

static const char *const pieces[] = {
    "\"",
    "\"",
    "\\",
    "\\\\",
    "\\\"",
    "a",
    "bc",
    " ",
    "\n",
    "12345678",
    "\xC3\xA9",
    "\xE2\x82\xAC",
    "\xF0\x9F\x98\x80",
    "key",
    "\\u0041",
    ":",
    ",",
    "{",
    "}",
    "a longer run of text without anything in it that matters, past a block or so",
};

static void random_texts(void **state)
{
    struct bench *bench = *state;
    static char text[5 * JSV_SCAN_WINDOW];
    uint64_t seed = 3;
    for (size_t round = 0; round < 1500; round++) {
        size_t limit = round % 3 == 0 ? sizeof(text) : 300;
        size_t size_max = random_below(&seed, limit);
        /* few kinds of pieces make long stretches of one sort */
        size_t kinds = 1 + random_below(&seed, COUNT_OF(pieces));
        size_t size = 0;
        for (;;) {
            const char *piece = pieces[random_below(&seed, kinds)];
            if (size + strlen(piece) > size_max) {
                break;
            }
            memcpy(text + size, piece, strlen(piece));
            size += strlen(piece);
        }
        check(bench, (struct jsv_str){text, size});
        if (size > 0) {
            text[random_below(&seed, size)] = (char)random_next(&seed);
            check(bench, (struct jsv_str){text, size});
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCAN_TEST(nothing_to_scan),
        SCAN_TEST(best_kernel_is_one_of_ours),
        SCAN_TEST(plain_scan_is_right),
        SCAN_TEST(quotes_and_backslashes_at_borders),
        SCAN_TEST(runs_of_backslashes),
        SCAN_TEST(nothing_but_one_byte),
        SCAN_TEST(control_characters_at_borders),
        SCAN_TEST(utf8_at_borders),
        SCAN_TEST(all_pairs_of_bytes),
        SCAN_TEST(all_triples_of_bytes),
        SCAN_TEST(quadruples_of_bytes),
        SCAN_TEST(random_texts),
    };
    return cmocka_run_group_tests_name("json/scan", tests, NULL, NULL);
}
