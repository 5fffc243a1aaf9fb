/*
 * Input: 8 bytes that say where to cut, then what a client sends. However it
 * is cut, the reader reports the same; what it reports keeps what the head's
 * comments promise; and routes, guards and lists take any head.
 */
#define _GNU_SOURCE 1 /* memmem */

#include <string.h>

#include "fuzz.h"
#include "net/http/chars.h"
#include "net/http/guard.h"
#include "net/http/reader.h"
#include "net/http/route.h"
#include "support/http_trace.h"
#include "support/random.h"

/* Small, so that the limit is met. */
#define BODY_MAX 600

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

static size_t cut_at_random(void *data)
{
    return 1 + random_below(data, 1u << random_below(data, 10));
}

/* What net_http_head_find() finds, found the plain way. */
static enum net_http_found find(const struct net_http_head *head, struct jsv_str name)
{
    const struct net_http_field *first = NULL;
    bool differs = false;
    for (size_t i = 0; i < head->field_count; i++) {
        const struct net_http_field *field = &head->fields[i];
        if (net_http_equal(field->name, name)) {
            first = first ? first : field;
            differs |= !jsv_str_equal(field->value, first->value);
        }
    }
    return !first ? NET_HTTP_ABSENT : differs ? NET_HTTP_CONFLICT : NET_HTTP_FOUND;
}

static void check_names(const struct net_http_head *head)
{
    struct jsv_str value;
    for (size_t i = 0; i < head->field_count; i++) {
        struct jsv_str name = head->fields[i].name;
        FUZZ_CHECK(net_http_head_find(head, name, &value) == find(head, name));
    }
    for (int i = NET_HTTP_NAME_OTHER + 1; i < NET_HTTP_NAME_COUNT; i++) {
        enum net_http_name name = (enum net_http_name)i;
        FUZZ_CHECK(net_http_head_get(head, name, &value) == find(head, net_http_name_text(name)));
    }
}

static void check_head(const struct net_http_head *head)
{
    FUZZ_CHECK(head->minor <= 1 && head->field_count <= NET_HTTP_FIELDS_MAX);
    FUZZ_CHECK(head->path.size > 0 && (head->path.data[0] == '/' || head->path.data[0] == '*'));
    FUZZ_CHECK(!memchr(head->path.data, '?', head->path.size));
    FUZZ_CHECK(net_http_span(head->target, NET_HTTP_CHAR_VALUE) == head->target.size);
    FUZZ_CHECK(!head->chunked || (head->minor == 1 && head->content_length == 0));
    struct net_http_authority authority;
    FUZZ_CHECK(head->minor == 0 || net_http_authority_parse(head->host, &authority));
    for (size_t i = 0; i < head->field_count; i++) {
        struct jsv_str name = head->fields[i].name;
        struct jsv_str value = head->fields[i].value;
        FUZZ_CHECK(name.size > 0 && net_http_span(name, NET_HTTP_CHAR_TOKEN) == name.size);
        FUZZ_CHECK(net_http_span(value, NET_HTTP_CHAR_VALUE) == value.size);
        FUZZ_CHECK(net_http_trim(value).size == value.size);
    }
    check_names(head);
}

static void check_route(const struct net_http_head *head)
{
    struct net_http_match match;
    net_http_route_find(head->path, &match);
    FUZZ_CHECK(match.route < NET_HTTP_ROUTE_COUNT);
    struct jsv_str parameter = net_http_route_parameter(&match);
    FUZZ_CHECK(parameter.size <= NET_HTTP_PARAMETER_MAX);
    bool is_id = match.route == NET_HTTP_ROUTE_TOOL || match.route == NET_HTTP_ROUTE_PROMPT;
    FUZZ_CHECK(is_id || !memchr(parameter.data, '/', parameter.size));
    FUZZ_CHECK(!memchr(parameter.data, '\0', parameter.size));
}

static void check_guard(const struct net_http_head *head)
{
    static const struct jsv_str hosts[] = {{"example.com", 11}, {"example.net:443", 15}};
    static const struct jsv_str origins[] = {{"https://example.org", 19}};
    const struct net_http_guard guard = {hosts, 2, origins, 1, JSV_STR("secret")};
    net_http_guard_host(&guard, head);
    net_http_guard_origin(&guard, head);
    struct jsv_str value;
    if (net_http_guard_auth(&guard, head) == NET_HTTP_AUTH_OK) {
        FUZZ_CHECK(
            net_http_head_find(head, JSV_STR("Authorization"), &value) == NET_HTTP_FOUND &&
            memmem(value.data, value.size, "secret", 6));
    }
    if (net_http_is_json(head)) {
        FUZZ_CHECK(net_http_head_find(head, JSV_STR("Content-Type"), &value) == NET_HTTP_FOUND);
    }
    FUZZ_CHECK(net_http_accepts(head) <= (NET_HTTP_ACCEPT_JSON | NET_HTTP_ACCEPT_STREAM));
}

/* Read the requests once more, to look at each. */
static void check_requests(struct net_http_reader *reader, struct jsv_str input)
{
    net_http_reader_next(reader);
    int event;
    while ((event = net_http_reader_feed(reader, &input)) > NET_HTTP_EVENT_MORE &&
           event != NET_HTTP_EVENT_REFUSED) {
        check_head(&reader->head);
        check_route(&reader->head);
        check_guard(&reader->head);
        if (event == NET_HTTP_EVENT_COMPLETE) {
            FUZZ_CHECK(reader->body.size <= BODY_MAX);
            FUZZ_CHECK(reader->head.chunked || reader->body.size == reader->head.content_length);
            net_http_reader_next(reader);
        }
    }
    FUZZ_CHECK(event >= 0);
    FUZZ_CHECK(event == NET_HTTP_EVENT_REFUSED || input.size == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t seed = 0;
    if (size < sizeof(seed)) {
        return 0;
    }
    memcpy(&seed, data, sizeof(seed));
    struct jsv_str bytes = {(const char *)data + sizeof(seed), size - sizeof(seed)};
    http_trace_cut *const cuts[] = {cut_nowhere, cut_everywhere, cut_at_random, cut_at_random};
    struct net_http_reader reader;
    struct jsv_buf traces[2];
    net_http_reader_init(&reader, NULL, BODY_MAX);
    jsv_buf_init(&traces[0], NULL, SIZE_MAX);
    jsv_buf_init(&traces[1], NULL, SIZE_MAX);
    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
        struct jsv_buf *out = &traces[i > 0];
        jsv_buf_reset(out);
        http_trace(&reader, bytes, cuts[i], &seed, out);
        FUZZ_CHECK(i == 0 || jsv_str_equal(jsv_buf_str(out), jsv_buf_str(&traces[0])));
    }
    check_requests(&reader, bytes);
    jsv_buf_done(&traces[0]);
    jsv_buf_done(&traces[1]);
    net_http_reader_done(&reader);
    return 0;
}
