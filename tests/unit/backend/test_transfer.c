/* What an exchange is set up from, and what its outcome means. No network. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/transfer.h"

static struct backend_target target;

static int set_up(void **state)
{
    (void)state;
    if (backend_curl_load() < 0) {
        return -1;
    }
    return backend_curl->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    backend_target_done(&target);
    backend_curl->global_cleanup();
    return 0;
}

static void test_urls_are_joined(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"http://h", "/a/", "http://h/a/"},
        {"http://h/", "/a/", "http://h/a/"},
        {"http://h/b", "a", "http://h/b/a"},
        {"http://h/b/", "a?q=1", "http://h/b/a?q=1"},
        {"https://h:1", NULL, "https://h:1/"},
        {"http://[::1]:8", "", "http://[::1]:8/"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct backend_options options = {.url = cases[i][0], .path = cases[i][1]};
        assert_int_equal(backend_target_init(&target, &options), 0);
        assert_string_equal(target.url, cases[i][2]);
        backend_target_done(&target);
    }
}

static int error_of(CURLcode code)
{
    const struct backend_transfer transfer = {0};
    return backend_transfer_reply(&transfer, code).error;
}

static void test_errors(void **state)
{
    (void)state;
    assert_int_equal(error_of(CURLE_OUT_OF_MEMORY), -ENOMEM);
    assert_int_equal(error_of(CURLE_COULDNT_CONNECT), -ECONNREFUSED);
    assert_int_equal(error_of(CURLE_COULDNT_RESOLVE_HOST), -EHOSTUNREACH);
    assert_int_equal(error_of(CURLE_GOT_NOTHING), -ECONNRESET);
    assert_int_equal(error_of(CURLE_PARTIAL_FILE), -ECONNRESET);
    assert_int_equal(error_of(CURLE_RECV_ERROR), -ECONNRESET);
    assert_int_equal(error_of(CURLE_SEND_ERROR), -ECONNRESET);
    assert_int_equal(error_of(CURLE_SSL_CONNECT_ERROR), -EPROTO);
    assert_int_equal(error_of(CURLE_WRITE_ERROR), -EPROTO); /* of the head */
}

/* Lack of memory while the reply was taken is not the backend's fault. */
static void test_reply_without_memory(void **state)
{
    (void)state;
    const struct backend_transfer transfer = {.reply = {.error = -ENOMEM}};
    assert_int_equal(backend_transfer_reply(&transfer, CURLE_WRITE_ERROR).error, -ENOMEM);
}

static void test_reply_that_was_cut(void **state)
{
    (void)state;
    struct backend_transfer transfer;
    const struct backend_options options = {.url = "http://h", .reply_size_max = 10};
    const struct backend_message message = {.body = JSV_STR("{}")};
    assert_int_equal(backend_target_init(&target, &options), 0);
    assert_int_equal(backend_transfer_init(&transfer, &target, &message, NULL), 0);
    assert_int_equal(jsv_buf_append_str(&transfer.reply, JSV_STR("0123456789")), 0);
    transfer.cut = true;
    struct backend_reply reply = backend_transfer_reply(&transfer, CURLE_WRITE_ERROR);
    assert_int_equal(reply.error, 0);
    assert_int_equal(reply.body.size, 10);
    backend_transfer_done(&transfer);
}

/* The trace header precedes the headers of all exchanges, which are unchanged. */
static void test_headers_of_a_trace(void **state)
{
    (void)state;
    struct backend_transfer transfer;
    static char parent[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    static char vendors[LOG_TRACE_STATE_MAX + 1];
    memset(vendors, 'v', LOG_TRACE_STATE_MAX);
    const struct backend_options options = {.url = "http://h", .reply_size_max = 10};
    const struct backend_message message = {
        .body = JSV_STR("{}"),
        .trace = {.parent = jsv_str_from(parent), .state = jsv_str_from(vendors)},
    };
    assert_int_equal(backend_target_init(&target, &options), 0);
    assert_int_equal(backend_transfer_init(&transfer, &target, &message, NULL), 0);
    const struct curl_slist *item = &transfer.trace[1].item;
    assert_string_equal(
        item->data, "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    item = item->next;
    assert_memory_equal(item->data, "tracestate: v", 13);
    assert_int_equal(strlen(item->data), 12 + LOG_TRACE_STATE_MAX);
    assert_ptr_equal(item->next, target.headers);
    backend_transfer_done(&transfer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_urls_are_joined, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reply_without_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reply_that_was_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_headers_of_a_trace, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
