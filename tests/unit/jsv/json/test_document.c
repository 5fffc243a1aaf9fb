#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/json/reader.h"
#include "support/reading.h"
#include "support/torture.h"

static void empty_document(void **state)
{
    (void)state;
    struct jsv_document *document = jsv_document_new(NULL);
    assert_non_null(document);
    struct jsv_value root = jsv_document_root(document);
    assert_int_equal(jsv_value_type(root), JSV_TYPE_NONE);
    assert_ptr_equal(root.document, document);
    jsv_document_free(document);
    jsv_document_free(NULL);
}

static void new_says_when_memory_runs_out(void **state)
{
    (void)state;
    struct torture torture;
    torture_init(&torture, 1);
    assert_null(jsv_document_new(&torture.allocator));
    assert_int_equal(jsv_document_memory(NULL), 0);
    torture_done(&torture);
}

/* An array whose elements are numbers and strings with and without escapes, in turn. */
static void append_mixed(struct jsv_buf *text, size_t count)
{
    static const char *const quotes[][2] = {{"", ""}, {"\"", "\""}, {"\"\\n", "\""}};
    for (size_t i = 0; i < count; i++) {
        char element[64];
        const char *const *quote = quotes[i % 3];
        int size = snprintf(element, sizeof(element), "%s%zu%s,", quote[0], i, quote[1]);
        jsv_buf_append(text, element, (size_t)size);
    }
}

static void expect_mixed(struct jsv_value array, size_t count)
{
    assert_int_equal(jsv_value_count(array), count);
    struct jsv_iter iter = jsv_value_iter(array);
    for (size_t i = 0; jsv_iter_next(&iter); i++) {
        char expected[64];
        int size = snprintf(expected, sizeof(expected), "%s%zu", i % 3 == 2 ? "\n" : "", i);
        struct jsv_str text = i % 3 == 0 ? jsv_value_span(iter.value) : jsv_value_text(iter.value);
        assert_int_equal(text.size, size);
        assert_memory_equal(text.data, expected, text.size);
    }
}

/* Nodes from below and decoded strings from above stay whole, however often the block moves. */
static void block_grows_with_its_contents(void **state)
{
    (void)state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    for (size_t count = 1; count < 100000; count = count * 5 / 3 + 1) {
        jsv_buf_reset(&text);
        jsv_buf_append_byte(&text, '[');
        append_mixed(&text, count);
        text.data[text.size - 1] = ']';

        struct torture torture;
        torture_init(&torture, 0);
        struct jsv_document *document = jsv_document_new(&torture.allocator);
        struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
        assert_int_equal(jsv_read(reader, document, jsv_buf_str(&text), 0, NULL), 0);
        expect_mixed(jsv_document_root(document), count);
        assert_int_equal(jsv_document_memory(document), torture.live_bytes);
        /* each block is at least twice as large as the one before */
        assert_true(torture.calls < 40);
        assert_int_equal(document->block_size % sizeof(struct jsv_node), 0);
        /* and no larger than twice what is needed */
        size_t needed = (document->node_count + 2) * sizeof(struct jsv_node) + reader->decoded_size;
        assert_true(document->block_size < 2 * needed + sizeof(struct jsv_node));
        jsv_reader_free(reader);
        jsv_document_free(document);
        torture_done(&torture);
    }
    jsv_buf_done(&text);
}

static void grow_does_what_is_needed_and_no_more(void **state)
{
    struct reading *reading = *state;
    reading_root(reading, JSV_STR("[1]"), 0);
    struct jsv_reader *reader = reading->reader;
    struct jsv_document *document = reading->document;
    size_t nodes = document->block_size / sizeof(struct jsv_node);
    const char *block = document->block;
    assert_int_equal(jsv_document_grow(reader, nodes - 2, 0), 0);
    assert_ptr_equal(document->block, block);
    assert_int_equal(jsv_document_grow(reader, nodes - 3, sizeof(struct jsv_node)), 0);
    assert_ptr_equal(document->block, block);
    assert_int_equal(jsv_document_grow(reader, nodes - 2, 1), 0);
    assert_true(document->block_size / sizeof(struct jsv_node) > nodes);
}

static void memory_limit(void **state)
{
    (void)state;
    /* one number: its node, and space for one more */
    for (size_t memory_max = 1; memory_max < 100; memory_max++) {
        struct jsv_limits limits = {.memory_max = memory_max};
        struct reading reading;
        reading_init(&reading, &limits);
        int r = reading_read(&reading, JSV_STR("1"), 0);
        assert_int_equal(r, memory_max < 32 ? -ENOMEM : 0);
        if (r < 0) {
            reading_expect(&reading, JSV_ERROR_MEMORY, 0, "");
        }
        assert_true(reading.document->block_size <= memory_max);
        reading_done(&reading);
    }
}

/* What a document holds already counts, even if another reader with other limits filled it. */
static void document_of_another_reader(void **state)
{
    struct reading *reading = *state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    jsv_buf_append_str(&text, JSV_STR("[0"));
    for (size_t i = 0; i < 1000; i++) {
        jsv_buf_append_str(&text, JSV_STR(",0"));
    }
    jsv_buf_append_byte(&text, ']');
    reading_root(reading, jsv_buf_str(&text), 0);
    assert_true(reading->document->block_size > 10000);

    struct jsv_limits limits = {.memory_max = 10000};
    struct jsv_reader *small = jsv_reader_new(NULL, &limits);
    assert_non_null(small);
    assert_int_equal(jsv_read(small, reading->document, JSV_STR("[1,2]"), 0, NULL), 0);
    /* nothing may be added to it: neither a decoding buffer nor a table for many names */
    assert_int_equal(jsv_read(small, reading->document, JSV_STR("[\"\\n\"]"), 0, NULL), -ENOMEM);
    jsv_buf_reset(&text);
    jsv_buf_append_str(&text, JSV_STR("{\"0\":0"));
    for (size_t i = 0; i < 300; i++) {
        jsv_buf_append_str(&text, JSV_STR(",\"0\":0"));
    }
    jsv_buf_append_byte(&text, '}');
    assert_int_equal(
        jsv_read(small, reading->document, jsv_buf_str(&text), JSV_READ_LAST_WINS, NULL), -ENOMEM);
    jsv_reader_free(small);
    reading_root(reading, JSV_STR("[\"\\n\"]"), 0);
    jsv_buf_done(&text);
}

static void reader_with_many_documents(void **state)
{
    struct reading *reading = *state;
    struct jsv_document *documents[8];
    static const char *const texts[] = {
        "[1,\"\\n\"]", "{\"a\":\"\\t\"}", "1", "\"\\u0041\"", "[[[]]]", "{}", "null", "[\"a\"]"};
    for (size_t i = 0; i < 8; i++) {
        documents[i] = jsv_document_new(NULL);
        assert_non_null(documents[i]);
        assert_int_equal(
            jsv_read(reading->reader, documents[i], jsv_str_from(texts[i]), 0, NULL), 0);
    }
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, SIZE_MAX);
    for (size_t i = 0; i < 8; i++) {
        jsv_buf_reset(&out);
        struct jsv_writer writer = jsv_writer_on(&out);
        jsv_write_value(&writer, jsv_document_root(documents[i]));
        assert_true(jsv_str_equal(jsv_buf_str(&out), jsv_str_from(texts[i])));
        jsv_document_free(documents[i]);
    }
    jsv_buf_done(&out);
}

/* A copied text may change or go: the document has its own, which it uses again. */
static void copied_texts(void **state)
{
    (void)state;
    struct torture torture;
    torture_init(&torture, 0);
    struct jsv_reader *reader = jsv_reader_new(&torture.allocator, NULL);
    struct jsv_document *document = jsv_document_new(&torture.allocator);
    char text[] = "[\"abc\",12345678901234567890]";
    for (unsigned round = 0; round < 2; round++) {
        char copy[sizeof(text)];
        memcpy(copy, text, sizeof(text));
        size_t calls = torture.calls;
        struct jsv_str str = {copy, sizeof(copy) - 1};
        assert_int_equal(jsv_read(reader, document, str, JSV_READ_COPY, NULL), 0);
        assert_true(round == 0 || torture.calls == calls);
        memset(copy, 'x', sizeof(copy));
        struct jsv_str span = jsv_value_span(jsv_document_root(document));
        assert_int_equal(span.size, sizeof(text) - 1);
        assert_memory_equal(span.data, text, span.size);
    }
    assert_true(jsv_document_memory(document) > sizeof(text));
    struct jsv_str part = {jsv_value_span(jsv_document_root(document)).data + 1, 5};
    assert_int_equal(jsv_read(reader, document, part, JSV_READ_COPY, NULL), 0);
    assert_memory_equal(jsv_value_text(jsv_document_root(document)).data, "abc", 3);
    jsv_document_free(document);
    jsv_reader_free(reader);
    torture_done(&torture);
}

static int read_copy(const struct jsv_allocator *allocator, void *state)
{
    (void)state;
    struct jsv_reader *reader = jsv_reader_new(allocator, NULL);
    struct jsv_document *document = jsv_document_new(allocator);
    int r = reader && document ? jsv_read(reader, document, JSV_STR("[1]"), JSV_READ_COPY, NULL)
                               : -ENOMEM;
    jsv_document_free(document);
    jsv_reader_free(reader);
    return r;
}

static void copies_count_as_memory(void **state)
{
    (void)state;
    assert_true(torture_run(read_copy, NULL) >= 4);
    struct jsv_limits limits = {.memory_max = 1000};
    struct jsv_reader *reader = jsv_reader_new(NULL, &limits);
    struct jsv_document *document = jsv_document_new(NULL);
    char text[1500];
    memset(text, ' ', sizeof(text));
    text[0] = '[';
    text[sizeof(text) - 1] = ']';
    struct jsv_str str = {text, sizeof(text)};
    assert_int_equal(jsv_read(reader, document, str, 0, NULL), 0);
    assert_int_equal(jsv_read(reader, document, str, JSV_READ_COPY, NULL), -ENOMEM);
    jsv_document_free(document);
    jsv_reader_free(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_document),
        cmocka_unit_test(new_says_when_memory_runs_out),
        cmocka_unit_test(block_grows_with_its_contents),
        READING_TEST(grow_does_what_is_needed_and_no_more),
        cmocka_unit_test(memory_limit),
        READING_TEST(document_of_another_reader),
        READING_TEST(reader_with_many_documents),
        cmocka_unit_test(copied_texts),
        cmocka_unit_test(copies_count_as_memory),
    };
    return cmocka_run_group_tests_name("json/document", tests, NULL, NULL);
}
