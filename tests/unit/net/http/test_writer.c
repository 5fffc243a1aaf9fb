#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "net/http/writer.h"

static struct jsv_buf out;

static int setup(void **state)
{
    (void)state;
    jsv_buf_init(&out, NULL, 4096);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    jsv_buf_done(&out);
    return 0;
}

static void expect(const char *expected)
{
    assert_int_equal(out.error, 0);
    jsv_buf_append_byte(&out, '\0');
    assert_string_equal(out.data, expected);
    jsv_buf_reset(&out);
}

static void dates(void **state)
{
    (void)state;
    static const struct {
        int64_t seconds;
        const char *text;
    } cases[] = {
        {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
        {784111777, "Sun, 06 Nov 1994 08:49:37 GMT"},
        {951827696, "Tue, 29 Feb 2000 12:34:56 GMT"},
        {4102444799, "Thu, 31 Dec 2099 23:59:59 GMT"},
        {253402300799, "Fri, 31 Dec 9999 23:59:59 GMT"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct net_http_date date;
        char expected[64];
        int size = snprintf(expected, sizeof(expected), "Date: %s\r\n", cases[i].text);
        net_http_date_format(cases[i].seconds, &date);
        assert_int_equal(sizeof(date.line), size);
        assert_memory_equal(date.line, expected, (size_t)size);
    }
}

static void status_lines(void **state)
{
    (void)state;
    assert_true(jsv_str_equal(net_http_status_line(200), JSV_STR("HTTP/1.1 200 OK\r\n")));
    static const unsigned statuses[] = {
#define STATUS(code, name) code,
#include "net/http/statuses.def"
#undef STATUS
    };
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        struct jsv_str line = net_http_status_line(statuses[i]);
        char number[16];
        snprintf(number, sizeof(number), "%u", statuses[i]);
        assert_memory_equal(line.data, "HTTP/1.1 ", 9);
        assert_memory_equal(line.data + 9, number, 3);
        assert_int_equal(line.data[12], ' ');
        assert_memory_equal(line.data + line.size - 2, "\r\n", 2);
    }
    assert_null(net_http_status_line(299).data);
}

static void heads(void **state)
{
    (void)state;
    struct net_http_date date;
    net_http_date_format(784111777, &date);
    struct net_http_answer answer = {
        .status = 200,
        .content_length = 1234567890,
        .content_type = JSV_STR("application/json"),
        .date = &date,
    };
    net_http_write_head(&out, &answer);
    net_http_write_field(&out, JSV_STR("Allow"), JSV_STR("GET, HEAD"));
    net_http_write_end(&out);
    expect("HTTP/1.1 200 OK\r\n"
           "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
           "Content-Type: application/json\r\n"
           "Content-Length: 1234567890\r\n"
           "Allow: GET, HEAD\r\n"
           "\r\n");

    answer = (struct net_http_answer){.status = 202, .close = true};
    net_http_write_head(&out, &answer);
    expect("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n");

    answer = (struct net_http_answer){.status = 204, .framing = NET_HTTP_FRAMING_NONE};
    net_http_write_head(&out, &answer);
    expect("HTTP/1.1 204 No Content\r\n");

    answer = (struct net_http_answer){.status = 200, .keep_alive_said = true};
    net_http_write_head(&out, &answer);
    expect("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n");

    /* Closing is the stronger word. */
    answer.close = true;
    net_http_write_head(&out, &answer);
    expect("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n");

    answer = (struct net_http_answer){.status = 299, .framing = NET_HTTP_FRAMING_NONE};
    net_http_write_head(&out, &answer);
    expect("HTTP/1.1 299 Unknown\r\n");

    net_http_write_continue(&out);
    expect("HTTP/1.1 100 Continue\r\n\r\n");
}

/* A header's value cannot add a header or a response. */
static void no_splitting(void **state)
{
    (void)state;
    static const struct jsv_str values[] = {
        {"a\r\nSet-Cookie: b", 16}, {"a\nb", 3}, {"a\rb", 3}, {"a\0b", 3}};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        net_http_write_field(&out, JSV_STR("X"), values[i]);
        assert_int_equal(out.error, -EINVAL);
        assert_int_equal(out.size, 0);
        jsv_buf_reset(&out);
        net_http_write_field(&out, values[i], JSV_STR("x"));
        assert_int_equal(out.error, -EINVAL);
        jsv_buf_reset(&out);
    }
    /* The first error is the one that is kept. */
    out.error = -ENOMEM;
    net_http_write_field(&out, JSV_STR("X"), JSV_STR("\n"));
    assert_int_equal(out.error, -ENOMEM);
}

static void streams(void **state)
{
    (void)state;
    struct net_http_date date;
    net_http_date_format(0, &date);
    net_http_write_stream_head(&out, &date, true);
    net_http_write_end(&out);
    expect("HTTP/1.1 200 OK\r\n"
           "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
           "Content-Type: text/event-stream\r\n"
           "Transfer-Encoding: chunked\r\n"
           "Cache-Control: no-cache\r\n"
           "X-Accel-Buffering: no\r\n"
           "\r\n");
    net_http_write_stream_head(&out, NULL, false);
    expect("HTTP/1.1 200 OK\r\n"
           "Content-Type: text/event-stream\r\n"
           "Connection: close\r\n"
           "Cache-Control: no-cache\r\n"
           "X-Accel-Buffering: no\r\n");
}

static void events(void **state)
{
    (void)state;
    static const struct {
        struct jsv_str message;
        const char *text;
    } cases[] = {
        {{"{\"a\":1}", 7}, "data: {\"a\":1}\n\n"},
        {{"", 0}, "data:\n\n"},
        {{"{\n1\r2\r\n3}", 9}, "data: {\ndata: 1\ndata: 2\ndata: \ndata: 3}\n\n"},
        {{"1\n", 2}, "data: 1\ndata:\n\n"},
        {{"\n", 1}, "data: \ndata:\n\n"},
        {{NULL, 0}, ":\n\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        net_http_sse_write(&out, cases[i].message);
        expect(cases[i].text);
    }
}

static void chunks(void **state)
{
    (void)state;
    size_t begin = net_http_chunk_begin(&out);
    jsv_buf_append_str(&out, JSV_STR("hello"));
    net_http_chunk_end(&out, begin);
    begin = net_http_chunk_begin(&out);
    for (size_t i = 0; i < 0xabc; i++) {
        jsv_buf_append_byte(&out, 'x');
    }
    net_http_chunk_end(&out, begin);
    assert_memory_equal(out.data, "00000005\r\nhello\r\n00000abc\r\nxxx", 30);
    assert_memory_equal(out.data + out.size - 3, "x\r\n", 3);
    jsv_buf_reset(&out);
    net_http_chunk_last(&out);
    expect("0\r\n\r\n");
}

/* Whatever does not fit, nothing is written where there is no room. */
static void ceiling(void **state)
{
    (void)state;
    for (size_t size_max = 0; size_max < 40; size_max++) {
        struct jsv_buf small;
        jsv_buf_init(&small, NULL, size_max);
        size_t begin = net_http_chunk_begin(&small);
        net_http_sse_write(&small, JSV_STR("a longer text"));
        net_http_chunk_end(&small, begin);
        net_http_chunk_last(&small);
        assert_int_equal(small.error, size_max < 38 ? -ENOBUFS : 0);
        jsv_buf_done(&small);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates),
        cmocka_unit_test(status_lines),
        cmocka_unit_test_setup_teardown(heads, setup, teardown),
        cmocka_unit_test_setup_teardown(no_splitting, setup, teardown),
        cmocka_unit_test_setup_teardown(streams, setup, teardown),
        cmocka_unit_test_setup_teardown(events, setup, teardown),
        cmocka_unit_test_setup_teardown(chunks, setup, teardown),
        cmocka_unit_test(ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
