#include "reading.h"

#include <stdlib.h>
#include <string.h>

#include "jsv/json/reader.h"

void reading_init(struct reading *reading, const struct jsv_limits *limits)
{
    *reading = (struct reading){
        .reader = jsv_reader_new(NULL, limits),
        .document = jsv_document_new(NULL),
    };
    assert_non_null(reading->reader);
    assert_non_null(reading->document);
}

void reading_done(struct reading *reading)
{
    jsv_reader_free(reading->reader);
    jsv_document_free(reading->document);
    free(reading->text);
}

int reading_setup(void **state)
{
    struct reading *reading = malloc(sizeof(*reading));
    assert_non_null(reading);
    reading_init(reading, NULL);
    *state = reading;
    return 0;
}

int reading_teardown(void **state)
{
    reading_done(*state);
    free(*state);
    return 0;
}

int reading_read(struct reading *reading, struct jsv_str text, unsigned flags)
{
    free(reading->text);
    reading->text = malloc(text.size);
    if (text.size > 0) {
        assert_non_null(reading->text);
        memcpy(reading->text, text.data, text.size);
    }
    memset(&reading->error, 0xA5, sizeof(reading->error));
    struct jsv_str own = {reading->text, text.size};
    return jsv_read(reading->reader, reading->document, own, flags, &reading->error);
}

struct jsv_value reading_root(struct reading *reading, struct jsv_str text, unsigned flags)
{
    if (reading_read(reading, text, flags) < 0) {
        size_t shown = text.size < 200 ? text.size : 200;
        fail_msg(
            "%s at %zu in %.*s",
            reading->error.message.data,
            reading->error.offset,
            (int)shown,
            text.data);
    }
    return jsv_document_root(reading->document);
}

void reading_expect_compact(struct reading *reading, struct jsv_str text, const char *compact)
{
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, SIZE_MAX);
    struct jsv_writer writer = jsv_writer_on(&out);
    jsv_write_value(&writer, reading_root(reading, text, 0));
    assert_int_equal(jsv_buf_append_byte(&out, '\0'), 0);
    assert_string_equal(out.data, compact);
    jsv_buf_done(&out);
}

void reading_expect(
    const struct reading *reading, enum jsv_error_code code, size_t offset, const char *pointer)
{
    const struct jsv_error *error = &reading->error;
    assert_string_equal(jsv_error_name(error->code), jsv_error_name(code));
    assert_int_equal(error->offset, offset);
    if (pointer) {
        assert_int_equal(error->pointer.size, strlen(pointer));
        assert_memory_equal(error->pointer.data, pointer, error->pointer.size);
    }
    assert_int_equal(jsv_value_type(jsv_document_root(reading->document)), JSV_TYPE_NONE);
}

const struct reading_kernel *reading_kernels(void)
{
    static const struct reading_kernel all[] = {
#if defined(__x86_64__)
        {"avx2", jsv_scan_avx2},
        {"sse2", jsv_scan_sse2},
#endif
        {"portable", jsv_scan_portable},
        {NULL, NULL},
    };
#if defined(__x86_64__)
    return jsv_scan_kernel_best() == jsv_scan_avx2 ? all : all + 1;
#else
    return all;
#endif
}

void reading_use(struct reading *reading, const struct reading_kernel *kernel)
{
    reading->reader->kernel = kernel->scan;
}

void reading_fill(struct jsv_buf *text, char byte, size_t count)
{
    assert_int_equal(jsv_buf_reserve(text, count), 0);
    memset(text->data + text->size, byte, count);
    text->size += count;
}
