#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/request.h"
#include "core/trace.h"

#define PARENT "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
#define OTHER  "00-11111111111111111111111111111111-2222222222222222-00"

/* ---- a request with headers ---- */

static const char *header_parent;
static const char *header_state;

static enum rpc_header
header(const struct rpc_http *http, struct jsv_str name, struct jsv_str *ret_value)
{
    (void)http;
    const char *value = jsv_str_equal(name, JSV_STR("traceparent")) ? header_parent : header_state;
    if (!value) {
        return RPC_HEADER_ABSENT;
    }
    *ret_value = jsv_str_from(value);
    return RPC_HEADER_FOUND;
}

static const struct rpc_http http = {.header = header};

static struct jsv_reader *reader;
static struct jsv_document *document;

static int set_up(void **state)
{
    (void)state;
    reader = jsv_reader_new(NULL, NULL);
    document = jsv_document_new(NULL);
    return reader && document ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    jsv_document_free(document);
    jsv_reader_free(reader);
    return 0;
}

static bool is_text(struct jsv_str text, const char *expected)
{
    return expected ? jsv_str_equal(text, jsv_str_from(expected)) : !text.data;
}

/* What is found of a message's _meta and these headers. */
static void
assert_trace(const struct rpc_http *door, const char *meta, const char *parent, const char *vendors)
{
    static struct core_request request;
    request.asked.http = door;
    assert_int_equal(jsv_read(reader, document, jsv_str_from(meta), 0, NULL), 0);
    struct log_trace_context trace = core_trace_of(&request, jsv_document_root(document));
    assert_true(is_text(trace.parent, parent));
    assert_true(is_text(trace.state, vendors));
}

static void test_in_a_line(void **state)
{
    (void)state;
    assert_trace(NULL, "{}", NULL, NULL);
    assert_trace(NULL, "7", NULL, NULL);
    assert_trace(NULL, "{\"traceparent\":7}", NULL, NULL);
    assert_trace(NULL, "{\"traceparent\":\"" PARENT "\"}", PARENT, NULL);
    assert_trace(NULL, "{\"traceparent\":\"" PARENT "\",\"tracestate\":\"a=1\"}", PARENT, "a=1");
    assert_trace(NULL, "{\"tracestate\":\"a=1\"}", NULL, NULL);
}

static void test_in_headers(void **state)
{
    (void)state;
    header_parent = PARENT;
    header_state = NULL;
    assert_trace(&http, "{}", PARENT, NULL);
    header_state = "a=1";
    assert_trace(&http, "{}", PARENT, "a=1");
    assert_trace(NULL, "{}", NULL, NULL);
    header_parent = "nonsense";
    assert_trace(&http, "{}", NULL, NULL);
    header_parent = NULL;
    assert_trace(&http, "{}", NULL, NULL);
}

/* Never one of one place and one of the other. */
static void test_in_both(void **state)
{
    (void)state;
    header_parent = OTHER;
    header_state = "b=2";
    assert_trace(&http, "{\"traceparent\":\"" PARENT "\"}", PARENT, NULL);
    assert_trace(&http, "{\"traceparent\":\"nonsense\",\"tracestate\":\"a=1\"}", OTHER, "b=2");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_in_a_line),
        TEST(test_in_headers),
        TEST(test_in_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
