#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "net/http/reader.h"
#include "support/http_cases.h"
#include "support/http_trace.h"
#include "support/random.h"
#include "support/torture.h"

#define BODY_MAX  1048576
#define TRACE_MAX ((size_t)1 << 22)
/* Above this a case is cut at some places instead of all. */
#define ALL_CUTS_MAX 4096

struct fixture {
    struct net_http_reader reader;
    struct jsv_buf trace;
    struct jsv_buf other;
};

static int setup(void **state)
{
    static struct fixture fixture;
    net_http_reader_init(&fixture.reader, NULL, BODY_MAX);
    jsv_buf_init(&fixture.trace, NULL, TRACE_MAX);
    jsv_buf_init(&fixture.other, NULL, TRACE_MAX);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    net_http_reader_done(&fixture->reader);
    jsv_buf_done(&fixture->trace);
    jsv_buf_done(&fixture->other);
    return 0;
}

/* ---- ways to cut ---- */

static size_t cut_nowhere(void *data)
{
    (void)data;
    return SIZE_MAX;
}

static size_t cut_everywhere(void *data)
{
    (void)data;
    return 1;
}

/* Once, behind as many bytes as *data says. */
static size_t cut_once(void *data)
{
    size_t *size = data;
    size_t first = *size;
    *size = SIZE_MAX;
    return first;
}

static size_t cut_at_random(void *data)
{
    return 1 + random_below(data, 1u << random_below(data, 8));
}

/* ---- traces ---- */

static void
expect_same(struct fixture *fixture, struct jsv_str bytes, http_trace_cut *cut, void *data)
{
    jsv_buf_reset(&fixture->other);
    http_trace(&fixture->reader, bytes, cut, data, &fixture->other);
    assert_int_equal(fixture->other.error, 0);
    if (!jsv_str_equal(jsv_buf_str(&fixture->trace), jsv_buf_str(&fixture->other))) {
        fail_msg(
            "in one piece:\n%.*s\nin several:\n%.*s",
            (int)fixture->trace.size,
            fixture->trace.data,
            (int)fixture->other.size,
            fixture->other.data);
    }
}

/* Trace the bytes in one piece, and assert that all other pieces make no difference. */
static void trace(struct fixture *fixture, struct jsv_str bytes)
{
    jsv_buf_reset(&fixture->trace);
    http_trace(&fixture->reader, bytes, cut_nowhere, NULL, &fixture->trace);
    assert_int_equal(fixture->trace.error, 0);
    expect_same(fixture, bytes, cut_everywhere, NULL);
    size_t step = bytes.size > ALL_CUTS_MAX ? 97 : 1;
    for (size_t i = 1; i < bytes.size; i += step) {
        size_t cut = i;
        expect_same(fixture, bytes, cut_once, &cut);
    }
    uint64_t random = bytes.size;
    for (size_t i = 0; i < 20; i++) {
        expect_same(fixture, bytes, cut_at_random, &random);
    }
}

static void expect(struct fixture *fixture, const char *bytes, const char *expected)
{
    trace(fixture, jsv_str_from(bytes));
    jsv_buf_append_byte(&fixture->trace, '\0');
    assert_string_equal(fixture->trace.data, expected);
}

/* ---- the table ---- */

/* "200 400 close" of a trace. */
static void summarise(struct jsv_buf *trace, char out[static 64])
{
    size_t size = 0;
    const char *end = "more";
    jsv_buf_append_byte(trace, '\0');
    for (char *line = trace->data; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "COMPLETE", 8) == 0) {
            size += (size_t)snprintf(out + size, 64 - size, "200 ");
            const char *line_end = strchr(line, '\n');
            const char *keep = strstr(line, " keep");
            end = keep && keep < line_end ? "keep" : "close";
        } else if (strncmp(line, "REFUSED", 7) == 0) {
            const char *status = strchr(line + 8, ' ') + 1;
            size += (size_t)snprintf(out + size, 64 - size, "%.3s ", status);
            end = "close";
        } else if (strncmp(line, "MORE", 4) == 0 && !strstr(line, " 0\n")) {
            end = "more";
        }
    }
    snprintf(out + size, 64 - size, "%s", end);
}

/* What is expected of reading alone: "200/405 keep" without what an answer would be. */
static void leave_answers_out(struct jsv_str expected, char out[static 64])
{
    size_t size = 0;
    bool is_answer = false;
    assert_true(expected.size < 64);
    for (size_t i = 0; i < expected.size; i++) {
        is_answer = expected.data[i] == '/' || (is_answer && expected.data[i] != ' ');
        out[size] = expected.data[i];
        size += is_answer ? 0 : 1;
    }
    out[size] = '\0';
}

static void run_case(const struct http_case *http_case, void *data)
{
    struct fixture *fixture = data;
    char summary[64];
    char expected[64];
    trace(fixture, http_case->bytes);
    summarise(&fixture->trace, summary);
    leave_answers_out(http_case->expected, expected);
    if (strcmp(summary, expected) != 0) {
        fail_msg(
            "%.*s: %s instead of %s\n%s",
            (int)http_case->name.size,
            http_case->name.data,
            summary,
            expected,
            fixture->trace.data);
    }
}

static void smuggling(void **state)
{
    size_t count = http_cases_each("tests/cases/http_smuggling.txt", run_case, *state);
    assert_true(count >= 190);
}

/* ---- what is read ---- */

static void reads_requests(void **state)
{
    expect(
        *state,
        "POST /rpc?a=b?c HTTP/1.1\r\nHost: localhost\r\nX-Y: \t a b \t\r\nContent-Length: 5\r\n"
        "\r\nhelloGET http://localhost HTTP/1.1\r\nhost:localhost\r\nConnection: close\r\n\r\n",
        "HEAD 78\n"
        "COMPLETE 83 method 4 /rpc?a=b?c /rpc 1.1 keep\n"
        "  Host: localhost\n"
        "  X-Y: a b\n"
        "  Content-Length: 5\n"
        "  body 5 hello\n"
        "HEAD 151\n"
        "COMPLETE 151 method 1 http://localhost / 1.1 close\n"
        "  host: localhost\n"
        "  Connection: close\n"
        "  body 0 \n"
        "MORE 151 0\n");
}

static void reads_chunks(void **state)
{
    expect(
        *state,
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
        "5\r\nhello\r\n1;x=\"y\"\r\n \r\nA\r\n0123456789\r\n0\r\nT: u\r\n\r\nG",
        "HEAD 78\n"
        "COMPLETE 126 method 4 / / 1.1 keep continue\n"
        "  Host: a\n"
        "  Transfer-Encoding: chunked\n"
        "  Expect: 100-continue\n"
        "  body 16 hello 0123456789\n"
        "MORE 127 1\n");
}

static void says_what_is_wrong(void **state)
{
    expect(*state, "GET / HTTP/1.1\n", "REFUSED 15 400 a line does not end in CR LF\n");
    expect(
        *state,
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n{",
        "HEAD 53\nREFUSED 53 413 body too large\n");
    expect(*state, "\x16\x03", "REFUSED 0 400 malformed request line\n");
}

/* A refusal is for ever, and so is the end of a message until it was taken. */
static void stays_where_it_is(void **state)
{
    struct fixture *fixture = *state;
    struct jsv_str input = JSV_STR("GET / HTTP/1.0\r\n\r\nmore");
    assert_int_equal(net_http_reader_feed(&fixture->reader, &input), NET_HTTP_EVENT_HEAD);
    assert_int_equal(net_http_reader_feed(&fixture->reader, &input), NET_HTTP_EVENT_COMPLETE);
    assert_int_equal(net_http_reader_feed(&fixture->reader, &input), NET_HTTP_EVENT_COMPLETE);
    assert_true(jsv_str_equal(input, JSV_STR("more")));
    net_http_reader_next(&fixture->reader);
    input = JSV_STR("{");
    net_http_reader_feed(&fixture->reader, &input);
    input = JSV_STR("GET / HTTP/1.0\r\n\r\n");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(net_http_reader_feed(&fixture->reader, &input), NET_HTTP_EVENT_REFUSED);
        input = JSV_STR("GET / HTTP/1.0\r\n\r\n");
        assert_int_equal(fixture->reader.phase, NET_HTTP_PHASE_REFUSED);
        assert_int_equal(fixture->reader.refusal, NET_HTTP_REFUSAL_REQUEST_LINE);
    }
}

/* An empty input has no effect, also with data NULL. */
static void takes_nothing(void **state)
{
    struct fixture *fixture = *state;
    struct jsv_str nothing = {NULL, 0};
    assert_int_equal(net_http_reader_feed(&fixture->reader, &nothing), NET_HTTP_EVENT_MORE);
    assert_int_equal(fixture->reader.phase, NET_HTTP_PHASE_IDLE);
    struct jsv_str input = JSV_STR("POST / HTTP/1.1\r\nHost: a\r\nTransfer-");
    assert_int_equal(net_http_reader_feed(&fixture->reader, &input), NET_HTTP_EVENT_MORE);
    assert_int_equal(net_http_reader_feed(&fixture->reader, &nothing), NET_HTTP_EVENT_MORE);
    input = JSV_STR("Encoding: chunked\r\n\r\n");
    assert_int_equal(net_http_reader_feed(&fixture->reader, &input), NET_HTTP_EVENT_HEAD);
    static const char *const pieces[] = {"3", "\r\nab", "c", "\r", "\n0\r\n"};
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        input = jsv_str_from(pieces[i]);
        assert_int_equal(net_http_reader_feed(&fixture->reader, &input), NET_HTTP_EVENT_MORE);
        assert_int_equal(net_http_reader_feed(&fixture->reader, &nothing), NET_HTTP_EVENT_MORE);
    }
    input = JSV_STR("\r\n");
    assert_int_equal(net_http_reader_feed(&fixture->reader, &input), NET_HTTP_EVENT_COMPLETE);
    assert_true(jsv_str_equal(fixture->reader.body, JSV_STR("abc")));
}

/* A request in one piece is not copied; any other is. */
static void reads_in_place(void **state)
{
    struct fixture *fixture = *state;
    struct net_http_reader *reader = &fixture->reader;
    const struct jsv_str whole =
        JSV_STR("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nabGET");
    struct jsv_str input = whole;
    assert_int_equal(net_http_reader_feed(reader, &input), NET_HTTP_EVENT_HEAD);
    assert_true(reader->in_place);
    assert_ptr_equal(reader->head.target.data, whole.data + 5);
    assert_int_equal(net_http_reader_feed(reader, &input), NET_HTTP_EVENT_COMPLETE);
    assert_ptr_equal(reader->body.data, whole.data + whole.size - 5);
    assert_true(jsv_str_equal(reader->body, JSV_STR("ab")));
    assert_true(jsv_str_equal(input, JSV_STR("GET")));
    assert_null(reader->text.data);
    assert_null(reader->data.data);

    net_http_reader_next(reader);
    assert_false(reader->in_place);
    input = (struct jsv_str){whole.data, whole.size - 4};
    assert_int_equal(net_http_reader_feed(reader, &input), NET_HTTP_EVENT_HEAD);
    assert_false(reader->in_place);
    assert_ptr_equal(reader->head.target.data, reader->text.data + 5);
}

/* The body may come in other memory when the head stays in place. */
static void body_of_a_kept_head(void **state)
{
    struct fixture *fixture = *state;
    struct net_http_reader *reader = &fixture->reader;
    struct jsv_str input = JSV_STR("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab");
    assert_int_equal(net_http_reader_feed(reader, &input), NET_HTTP_EVENT_HEAD);
    reader->in_place = false;
    input = JSV_STR("x");
    assert_int_equal(net_http_reader_feed(reader, &input), NET_HTTP_EVENT_MORE);
    input = JSV_STR("yz");
    assert_int_equal(net_http_reader_feed(reader, &input), NET_HTTP_EVENT_COMPLETE);
    assert_true(jsv_str_equal(reader->body, JSV_STR("xy")));
    assert_true(jsv_str_equal(reader->head.host, JSV_STR("a")));
    assert_true(jsv_str_equal(input, JSV_STR("z")));
}

/* As much as is allowed fits, in both ways to send it. */
static void takes_the_largest_body(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n012345678\r\n1\r\n9"
        "\r\n0\r\n\r\n",
    };
    struct net_http_reader reader;
    for (size_t i = 0; i < 2; i++) {
        for (size_t body_max = 9; body_max <= 10; body_max++) {
            net_http_reader_init(&reader, NULL, body_max);
            struct jsv_str input = jsv_str_from(heads[i]);
            assert_int_equal(net_http_reader_feed(&reader, &input), NET_HTTP_EVENT_HEAD);
            int event = net_http_reader_feed(&reader, &input);
            if (body_max == 10) {
                assert_int_equal(event, NET_HTTP_EVENT_COMPLETE);
                assert_true(jsv_str_equal(reader.body, JSV_STR("0123456789")));
            } else {
                assert_int_equal(event, NET_HTTP_EVENT_REFUSED);
                assert_int_equal(reader.refusal, NET_HTTP_REFUSAL_BODY_SIZE);
            }
            net_http_reader_done(&reader);
        }
    }
}

/* ---- memory ---- */

static const char every_phase[] = "\r\nPOST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
                                  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
                                  "chunked\r\n\r\n5\r\nhello\r\n0\r\nT: u\r\n\r\n";

static int read_all(struct net_http_reader *reader, size_t piece_size)
{
    size_t size = sizeof(every_phase) - 1;
    int event = NET_HTTP_EVENT_MORE;
    for (size_t offset = 0; offset < size; offset += piece_size) {
        size_t left = size - offset;
        struct jsv_str input = {every_phase + offset, left < piece_size ? left : piece_size};
        while ((event = net_http_reader_feed(reader, &input)) > NET_HTTP_EVENT_MORE) {
            if (event == NET_HTTP_EVENT_COMPLETE) {
                net_http_reader_next(reader);
            }
        }
        if (event < 0) {
            /* It stays so. */
            assert_int_equal(net_http_reader_feed(reader, &input), event);
            return event;
        }
    }
    return event;
}

static int scenario(const struct jsv_allocator *allocator, void *state)
{
    const size_t *piece_size = state;
    struct net_http_reader reader;
    net_http_reader_init(&reader, allocator, BODY_MAX);
    int r = read_all(&reader, *piece_size);
    net_http_reader_done(&reader);
    return r;
}

static void survives_without_memory(void **state)
{
    (void)state;
    for (size_t piece_size = 1; piece_size <= 200; piece_size += 199) {
        assert_int_equal(torture_run(scenario, &piece_size), 3);
    }
}

static void allocates_only_at_first(void **state)
{
    (void)state;
    struct torture torture;
    torture_init(&torture, 0);
    struct net_http_reader reader;
    net_http_reader_init(&reader, &torture.allocator, BODY_MAX);
    assert_int_equal(torture.calls, 0);
    assert_int_equal(read_all(&reader, 7), 0);
    size_t calls = torture.calls;
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(read_all(&reader, 1 + i), 0);
    }
    assert_int_equal(torture.calls, calls);
    net_http_reader_done(&reader);
    assert_int_equal(torture.live_bytes, 0);
    net_http_reader_done(NULL);
    torture_done(&torture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(smuggling, setup, teardown),
        cmocka_unit_test_setup_teardown(reads_requests, setup, teardown),
        cmocka_unit_test_setup_teardown(reads_chunks, setup, teardown),
        cmocka_unit_test_setup_teardown(says_what_is_wrong, setup, teardown),
        cmocka_unit_test_setup_teardown(stays_where_it_is, setup, teardown),
        cmocka_unit_test_setup_teardown(takes_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(reads_in_place, setup, teardown),
        cmocka_unit_test_setup_teardown(body_of_a_kept_head, setup, teardown),
        cmocka_unit_test(takes_the_largest_body),
        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(allocates_only_at_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
