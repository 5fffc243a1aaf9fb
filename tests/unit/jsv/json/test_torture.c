/*
 * Reading and memory: every allocation fails once, every limit is tried, and
 * once warm there are no allocations at all.
 */
#include <errno.h>
#include <stdio.h>

#include "jsv/json/reader.h"
#include "support/json_random.h"
#include "support/reading.h"
#include "support/texts.h"
#include "support/torture.h"

/* ---- texts that take memory in every way there is ---- */

static void append_members(struct jsv_buf *text, size_t count, size_t names)
{
    jsv_buf_append_byte(text, '{');
    for (size_t i = 0; i < count; i++) {
        char member[32];
        int size = snprintf(member, sizeof(member), "%s\"%zu\":0", i ? "," : "", i % names);
        jsv_buf_append(text, member, (size_t)size);
    }
    jsv_buf_append_byte(text, '}');
}

/* Text number i; false when there is none. */
static bool make_text(struct jsv_buf *text, size_t i)
{
    jsv_buf_reset(text);
    switch (i) {
    case 0:
        append_repeated(text, "1", 1);
        return true;
    case 1: /* many nodes */
        append_repeated(text, "[", 1);
        append_repeated(text, "1,", 3000);
        append_repeated(text, "2]", 1);
        return true;
    case 2: /* many decoded strings, as names and values */
        append_repeated(text, "[", 1);
        append_repeated(text, "{\"\\n\":\"a\\u20acb\"},\"\\t\",", 1000);
        append_repeated(text, "[]]", 1);
        return true;
    case 3: /* a decoded string that grows from window to window */
        append_repeated(text, "{\"a\":[\"", 1);
        append_repeated(text, "\\n some text \\u0041", 5000);
        append_repeated(text, "\"]}", 1);
        return true;
    case 4: /* a table of names, none of them twice */
        append_members(text, 3000, 3000);
        return true;
    case 5: /* one of them twice */
        append_members(text, 3000, 2999);
        return true;
    case 6: /* all of them twice, in a few */
        append_members(text, 8, 4);
        return true;
    case 7: /* an error with a long pointer */
        for (size_t depth = 0; depth < 100; depth++) {
            append_repeated(text, "{\"", 1);
            append_repeated(text, "long name ", depth);
            append_repeated(text, "\":", 1);
        }
        return true;
    case 8: /* an error in a string with escapes */
        append_repeated(text, "[[\"", 1);
        append_repeated(text, "\\n some text \\u0041", 2000);
        append_repeated(text, "\\q\"]]", 1);
        return true;
    case 9: /* too deep */
        append_repeated(text, "[", 513);
        return true;
    case 10: /* a table that has to grow */
        append_repeated(text, "[", 1);
        append_members(text, 300, 300);
        append_repeated(text, ",", 1);
        append_members(text, 3000, 3000);
        append_repeated(text, "]", 1);
        return true;
    default:
        return false;
    }
}

/* ---- what a read came to, to be compared ---- */

static int read_and_write(
    struct jsv_reader *reader,
    struct jsv_document *document,
    struct jsv_str text,
    unsigned flags,
    struct jsv_error *error,
    struct jsv_buf *out)
{
    jsv_buf_reset(out);
    int r = jsv_read(reader, document, text, flags, error);
    if (r == 0) {
        struct jsv_writer writer = jsv_writer_on(out);
        jsv_write_value(&writer, jsv_document_root(document));
    } else {
        assert_int_equal(jsv_value_type(jsv_document_root(document)), JSV_TYPE_NONE);
        jsv_buf_append_str(out, error->pointer);
    }
    return r;
}

/* ---- each allocation fails once ---- */

struct scene {
    struct jsv_str text;
    unsigned flags;
    int expected;
    struct jsv_buf expected_out;
    struct jsv_buf out;
};

/* Read with one allocation failing, then again with none. @return whether one failed. */
static bool read_starved(struct scene *scene, size_t fail_at)
{
    struct torture torture;
    torture_init(&torture, fail_at);
    struct jsv_reader *reader = jsv_reader_new(&torture.allocator, NULL);
    struct jsv_document *document = jsv_document_new(&torture.allocator);
    assert_true((reader && document) || torture_has_failed(&torture));
    if (reader && document) {
        struct jsv_error error = {0};
        int r = read_and_write(reader, document, scene->text, scene->flags, &error, &scene->out);
        if (r == -ENOMEM) {
            assert_true(torture_has_failed(&torture));
            assert_int_equal(error.code, JSV_ERROR_MEMORY);
            assert_true(error.offset <= scene->text.size);
        } else {
            /* at most the pointer of an error may have suffered */
            assert_int_equal(r, scene->expected);
            assert_true(scene->out.size <= scene->expected_out.size);
            assert_true(r < 0 || scene->out.size == scene->expected_out.size);
        }
        r = read_and_write(reader, document, scene->text, scene->flags, &error, &scene->out);
        assert_int_equal(r, scene->expected);
        assert_true(jsv_str_equal(jsv_buf_str(&scene->out), jsv_buf_str(&scene->expected_out)));
    }
    bool failed = torture_has_failed(&torture);
    jsv_reader_free(reader);
    jsv_document_free(document);
    torture_done(&torture);
    return failed;
}

static void every_allocation_fails_once(void **state)
{
    struct reading *reading = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    size_t total = 0;
    for (size_t i = 0; make_text(&text, i); i++) {
        for (unsigned flags = 0; flags <= JSV_READ_LAST_WINS; flags++) {
            struct scene scene = {.text = jsv_buf_str(&text), .flags = flags};
            jsv_buf_init(&scene.out, NULL, SIZE_MAX);
            jsv_buf_init(&scene.expected_out, NULL, SIZE_MAX);
            scene.expected = read_and_write(
                reading->reader,
                reading->document,
                scene.text,
                flags,
                &reading->error,
                &scene.expected_out);
            assert_int_not_equal(scene.expected, -ENOMEM);
            size_t fail_at = 1;
            while (read_starved(&scene, fail_at)) {
                fail_at++;
            }
            total += fail_at - 1;
            jsv_buf_done(&scene.out);
            jsv_buf_done(&scene.expected_out);
        }
    }
    /* reader, frames, document, and for most texts several more */
    assert_true(total > 100);
    jsv_buf_done(&text);
}

/* ---- limits ---- */

/* What reader and document hold besides what the limit counts. */
static size_t held_besides(const struct torture *torture, const struct jsv_reader *reader)
{
    return torture->live_bytes - reader->document->block_size - reader->decoding.capacity -
           reader->large_table_size;
}

static int read_limited(struct jsv_str text, unsigned flags, size_t memory_max)
{
    struct torture torture;
    torture_init(&torture, 0);
    struct jsv_limits limits = {.memory_max = memory_max};
    struct jsv_reader *reader = jsv_reader_new(&torture.allocator, &limits);
    struct jsv_document *document = jsv_document_new(&torture.allocator);
    assert_non_null(reader);
    assert_non_null(document);
    size_t fixed = torture.live_bytes;
    struct jsv_error error = {0};
    int r = jsv_read(reader, document, text, flags, &error);
    assert_int_equal(r == -ENOMEM, error.code == JSV_ERROR_MEMORY);
    assert_int_equal(held_besides(&torture, reader), fixed + reader->pointer.capacity);
    assert_true(torture.live_bytes <= fixed + reader->pointer.capacity + memory_max);
    /* what grows is held twice for a moment */
    assert_true(torture.peak_bytes <= fixed + 2 * (reader->pointer.capacity + memory_max));
    if (memory_max >= 1024) {
        assert_int_equal(jsv_read(reader, document, JSV_STR("[1]"), flags, NULL), 0);
    }
    jsv_reader_free(reader);
    jsv_document_free(document);
    torture_done(&torture);
    return r;
}

static void every_memory_limit(void **state)
{
    struct reading *reading = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (size_t i = 0; make_text(&text, i); i++) {
        for (unsigned flags = 0; flags <= JSV_READ_LAST_WINS; flags++) {
            int expected = reading_read(reading, jsv_buf_str(&text), flags);
            bool fails = false;
            bool succeeds = false;
            for (size_t memory_max = 1; memory_max < 1 << 24; memory_max += 1 + memory_max / 4) {
                int r = read_limited(jsv_buf_str(&text), flags, memory_max);
                assert_true(r == -ENOMEM || r == expected);
                fails |= r == -ENOMEM;
                succeeds |= r == expected;
            }
            assert_true(fails);
            assert_true(succeeds);
        }
    }
    jsv_buf_done(&text);
}

/* The promise of docs/json.md: 22 bytes per byte of text and 1 KiB are always enough. */
static size_t enough_for(size_t size)
{
    return 22 * size + 1024;
}

static void promised_memory_is_enough(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "1,",
        "\"\",",
        "[],",
        "{},",
        "\"\\n\",",
        "\"\\\\\\\\\",",
        "{\"\":1},",
        "{\"\\n\":\"\\n\"},",
        "{\"\":[1,1]},"};
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (size_t count = 1; count < 20000; count = count * 7 / 4 + 1) {
        for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
            jsv_buf_reset(&text);
            append_repeated(&text, "[", 1);
            append_repeated(&text, pieces[i], count);
            text.data[text.size - 1] = ']';
            assert_int_equal(read_limited(jsv_buf_str(&text), 0, enough_for(text.size)), 0);
        }
        jsv_buf_reset(&text);
        append_members(&text, count, count);
        assert_int_equal(read_limited(jsv_buf_str(&text), 0, enough_for(text.size)), 0);
        jsv_buf_reset(&text);
        jsv_buf_append_byte(&text, '{');
        append_repeated(&text, "\"\":1,", count);
        text.data[text.size - 1] = '}';
        assert_int_equal(
            read_limited(jsv_buf_str(&text), JSV_READ_LAST_WINS, enough_for(text.size)), 0);
        jsv_buf_reset(&text);
        append_repeated(&text, "\"\\n", 1);
        append_repeated(&text, "abcdefg", count);
        append_repeated(&text, "\"", 1);
        assert_int_equal(read_limited(jsv_buf_str(&text), 0, enough_for(text.size)), 0);
    }
    jsv_buf_done(&text);
}

/* ---- once warm ---- */

#define WARM_COUNT 10000

/* Document number i of a round: random ones, broken ones, and now and then a large one. */
static void make_mixed(struct jsv_buf *text, size_t i, uint64_t *random)
{
    if (i % 500 == 499) {
        make_text(text, i / 500 % 11);
        return;
    }
    jsv_buf_reset(text);
    json_random_text(text, random);
    if (i % 3 == 0) {
        json_random_mutate(text, random);
    }
}

static void nothing_is_allocated_once_warm(void **state)
{
    (void)state;
    struct torture torture;
    struct jsv_buf text;
    torture_init(&torture, 0);
    jsv_buf_init(&text, NULL, SIZE_MAX);
    struct jsv_reader *reader = jsv_reader_new(&torture.allocator, NULL);
    struct jsv_document *document = jsv_document_new(&torture.allocator);
    size_t calls = 0;
    for (unsigned round = 0; round < 2; round++) {
        uint64_t random = 99;
        size_t refused = 0;
        calls = torture.calls;
        for (size_t i = 0; i < WARM_COUNT; i++) {
            make_mixed(&text, i, &random);
            struct jsv_error error;
            unsigned flags = i % 2 ? JSV_READ_LAST_WINS : 0;
            refused += jsv_read(reader, document, jsv_buf_str(&text), flags, &error) < 0;
        }
        assert_in_range(refused, WARM_COUNT / 10, WARM_COUNT / 2);
    }
    assert_int_equal(torture.calls, calls);
    assert_true(calls > 10);
    jsv_reader_free(reader);
    jsv_document_free(document);
    jsv_buf_done(&text);
    torture_done(&torture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        READING_TEST(every_allocation_fails_once),
        READING_TEST(every_memory_limit),
        cmocka_unit_test(promised_memory_is_enough),
        cmocka_unit_test(nothing_is_allocated_once_warm),
    };
    return cmocka_run_group_tests_name("json/torture", tests, NULL, NULL);
}
