#include "json_fixture.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct json_fixture_text {
    struct json_fixture_text *older;
    struct jsv_document *document;
    char *text;
    struct jsv_buf buf;
};

int json_fixture_setup(void **state)
{
    struct json_fixture *fixture = calloc(1, sizeof(*fixture));
    assert_non_null(fixture);
    struct jsv_limits limits = {.depth_max = JSON_FIXTURE_DEPTH_MAX};
    fixture->reader = jsv_reader_new(NULL, &limits);
    assert_non_null(fixture->reader);
    jsv_arena_init(&fixture->scratch, NULL, SIZE_MAX);
    jsv_buf_init(&fixture->out, NULL, SIZE_MAX);
    *state = fixture;
    return 0;
}

int json_fixture_teardown(void **state)
{
    struct json_fixture *fixture = *state;
    while (fixture->texts) {
        struct json_fixture_text *text = fixture->texts;
        fixture->texts = text->older;
        jsv_document_free(text->document);
        jsv_buf_done(&text->buf);
        free(text->text);
        free(text);
    }
    jsv_reader_free(fixture->reader);
    jsv_arena_done(&fixture->scratch);
    jsv_buf_done(&fixture->out);
    free(fixture);
    return 0;
}

static struct json_fixture_text *add_text(struct json_fixture *fixture)
{
    struct json_fixture_text *text = calloc(1, sizeof(*text));
    assert_non_null(text);
    jsv_buf_init(&text->buf, NULL, SIZE_MAX);
    text->older = fixture->texts;
    fixture->texts = text;
    return text;
}

struct jsv_buf *json_fixture_buf(struct json_fixture *fixture)
{
    return &add_text(fixture)->buf;
}

struct jsv_value
json_fixture_read_str(struct json_fixture *fixture, struct jsv_str text, unsigned flags)
{
    struct json_fixture_text *kept = add_text(fixture);
    kept->document = jsv_document_new(NULL);
    kept->text = malloc(text.size);
    assert_non_null(kept->document);
    assert_non_null(kept->text);
    memcpy(kept->text, text.data, text.size);
    struct jsv_error error = {0};
    struct jsv_str own = {kept->text, text.size};
    int r = jsv_read(fixture->reader, kept->document, own, flags, &error);
    if (r < 0) {
        size_t shown = text.size < 200 ? text.size : 200;
        fail_msg("%s at %zu in %.*s", error.message.data, error.offset, (int)shown, text.data);
    }
    return jsv_document_root(kept->document);
}

struct jsv_value json_fixture_read(struct json_fixture *fixture, const char *text)
{
    return json_fixture_read_str(fixture, jsv_str_from(text), 0);
}

void json_fixture_expect(struct json_fixture *fixture, const char *text)
{
    struct jsv_buf *out = &fixture->out;
    assert_int_equal(out->error, 0);
    assert_int_equal(jsv_buf_append_byte(out, '\0'), 0);
    assert_string_equal(out->data, text);
    assert_int_equal(out->size, strlen(text) + 1);
    jsv_buf_reset(out);
}

void json_fixture_print(struct jsv_buf *buf, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    assert_in_range(size, 0, sizeof(text) - 1);
    assert_int_equal(jsv_buf_append(buf, text, (size_t)size), 0);
}

int json_fixture_starve(struct json_fixture *fixture, json_fixture_work *work, void *data)
{
    for (size_t budget = 0;; budget += 16) {
        struct jsv_arena scratch;
        jsv_arena_init(&scratch, NULL, budget);
        jsv_buf_reset(&fixture->out);
        int r = work(fixture, &scratch, data);
        jsv_arena_done(&scratch);
        if (r != -ENOMEM) {
            assert_true(budget > 0);
            return r;
        }
        assert_true(budget < 1 << 20);
    }
}

/* As small as the stacks of some C libraries' threads. */
#define SMALL_STACK_SIZE (128 * 1024)

struct small_stack_call {
    struct json_fixture *fixture;
    json_fixture_work *work;
    void *data;
    int result;
};

static void *call_work(void *argument)
{
    struct small_stack_call *call = argument;
    call->result = call->work(call->fixture, &call->fixture->scratch, call->data);
    return NULL;
}

int json_fixture_on_small_stack(struct json_fixture *fixture, json_fixture_work *work, void *data)
{
    struct small_stack_call call = {fixture, work, data, 0};
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, SMALL_STACK_SIZE), 0);
    assert_int_equal(pthread_create(&thread, &attributes, call_work, &call), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    return call.result;
}

struct jsv_value json_fixture_read_nested(
    struct json_fixture *fixture, const char *open, const char *inner, const char *close)
{
    struct jsv_buf *text = json_fixture_buf(fixture);
    for (size_t i = 0; i < JSON_FIXTURE_DEPTH_MAX; i++) {
        jsv_buf_append_str(text, jsv_str_from(open));
    }
    jsv_buf_append_str(text, jsv_str_from(inner));
    for (size_t i = 0; i < JSON_FIXTURE_DEPTH_MAX; i++) {
        jsv_buf_append_str(text, jsv_str_from(close));
    }
    return json_fixture_read_str(fixture, jsv_buf_str(text), 0);
}
