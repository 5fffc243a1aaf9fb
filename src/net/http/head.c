#include "net/http/head.h"

#include <string.h>

#include "jsv/base/ascii.h"
#include "jsv/base/hint.h"
#include "jsv/base/text.h"
#include "net/http/chars.h"

static const struct {
    unsigned status;
    const char *text;
} refusals[] = {
    [NET_HTTP_FINE] = {200, ""},
#define REFUSAL(constant, status, text) [NET_HTTP_REFUSAL_##constant] = {status, text},
#include "net/http/refusals.def"
#undef REFUSAL
};

unsigned net_http_refusal_status(enum net_http_refusal refusal)
{
    return refusals[refusal].status;
}

const char *net_http_refusal_text(enum net_http_refusal refusal)
{
    return refusals[refusal].text;
}

void net_http_head_reset(struct net_http_head *head)
{
    memset(head, 0, offsetof(struct net_http_head, fields));
}

/* ---- names ---- */

/*
 * Size and first letter are the slot of a name in a table, so that one name is left to compare
 * with. The compiler refuses two names in one slot (a member initialised twice).
 */
#define SLOTS             64
#define SLOT(first, size) (((first) + 24 * (size)) % SLOTS)

static const struct jsv_str names[NET_HTTP_NAME_COUNT] = {
#define NAME(constant, first, text) [NET_HTTP_NAME_##constant] = {text, sizeof(text) - 1},
#include "net/http/names.def"
#undef NAME
};

static const unsigned char slots[SLOTS] = {
#define NAME(constant, first, text) [SLOT(first, sizeof(text) - 1)] = NET_HTTP_NAME_##constant,
#include "net/http/names.def"
#undef NAME
};

/* Bytes of the shortest name, and of three words, which hold the longest. */
#define NAME_SIZE_MIN 4
#define NAME_SIZE_MAX (3 * sizeof(uint64_t))

_Static_assert(
#define NAME(constant, first, text)                                                                \
    sizeof(text) - 1 >= NAME_SIZE_MIN && sizeof(text) - 1 <= NAME_SIZE_MAX &&
#include "net/http/names.def"
#undef NAME
    true, "is_name() compares all of a name");

/* The beginning and the end of a text shorter than a word. */
static uint64_t short_word(const char *data, size_t size)
{
    uint32_t halves[2];
    memcpy(&halves[0], data, sizeof(halves[0]));
    memcpy(&halves[1], data + size - sizeof(halves[1]), sizeof(halves[1]));
    return (uint64_t)halves[1] << 32 | halves[0];
}

/*
 * Compare ignoring case. Names of the table are of lower-case letters and hyphens. Only letters
 * have the bit 0x40; where it is set, the bit 0x20 may differ.
 */
static bool is_same(uint64_t text, uint64_t name)
{
    return ((text ^ name) & ~(name >> 1 & UINT64_C(0x2020202020202020))) == 0;
}

static bool is_same_at(const char *text, const char *name, size_t at)
{
    return is_same(jsv_load_word(text + at), jsv_load_word(name + at));
}

/* Overlapping words cover a name of any size. */
static bool is_name(const char *text, const char *name, size_t size)
{
    if (size < sizeof(uint64_t)) {
        return is_same(short_word(text, size), short_word(name, size));
    }
    return is_same_at(text, name, 0) && is_same_at(text, name, size - sizeof(uint64_t)) &&
           (size <= 2 * sizeof(uint64_t) || is_same_at(text, name, sizeof(uint64_t)));
}

enum net_http_name net_http_name_of(struct jsv_str text)
{
    if (text.size < NAME_SIZE_MIN) {
        return NET_HTTP_NAME_OTHER;
    }
    /* Makes letters lower case; other bytes become some that the comparison finds out. */
    size_t first = (unsigned char)text.data[0] | 0x20;
    enum net_http_name candidate = (enum net_http_name)slots[SLOT(first, text.size)];
    struct jsv_str name = names[candidate];
    bool is_same_name = text.size == name.size && is_name(text.data, name.data, name.size);
    return is_same_name ? candidate : NET_HTTP_NAME_OTHER;
}

struct jsv_str net_http_name_text(enum net_http_name name)
{
    return names[name];
}

/* ---- the first line ---- */

/* Methods, unlike almost everything else, are case-sensitive. */
static enum net_http_method method_of(struct jsv_str text)
{
    static const struct {
        struct jsv_str text;
        enum net_http_method method;
    } methods[] = {
        {JSV_STR("POST"), NET_HTTP_POST},
        {JSV_STR("GET"), NET_HTTP_GET},
        {JSV_STR("HEAD"), NET_HTTP_HEAD},
        {JSV_STR("DELETE"), NET_HTTP_DELETE},
        {JSV_STR("OPTIONS"), NET_HTTP_OPTIONS},
    };
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (jsv_str_equal(text, methods[i].text)) {
            return methods[i].method;
        }
    }
    return NET_HTTP_OTHER;
}

/* CONNECT would turn the connection into a tunnel. */
static bool is_refused_method(struct jsv_str text, enum net_http_method method)
{
    return method == NET_HTTP_OTHER &&
           (text.size > NET_HTTP_METHOD_MAX || jsv_str_equal(text, JSV_STR("CONNECT")));
}

static enum net_http_refusal read_version(struct net_http_head *head, struct jsv_str text)
{
    static const struct jsv_str form = {"HTTP/d.d", 8};
    if (text.size != form.size || memcmp(text.data, form.data, 5) != 0 ||
        !jsv_is_digit(text.data[5]) || text.data[6] != '.' || !jsv_is_digit(text.data[7])) {
        return NET_HTTP_REFUSAL_REQUEST_LINE;
    }
    head->minor = (unsigned)(text.data[7] - '0');
    return text.data[5] == '1' && head->minor <= 1 ? NET_HTTP_FINE : NET_HTTP_REFUSAL_VERSION;
}

/* Only allowed characters, and two digits after each "%". */
static bool is_path_and_query(struct jsv_str text)
{
    if (net_http_span(text, NET_HTTP_CHAR_TARGET) < text.size) {
        return false;
    }
    const char *end = text.data + text.size;
    const char *percent = memchr(text.data, '%', text.size);
    while (percent) {
        if (end - percent < 3 || jsv_hex_value(percent[1]) < 0 || jsv_hex_value(percent[2]) < 0) {
            return false;
        }
        percent = memchr(percent + 3, '%', (size_t)(end - percent - 3));
    }
    return true;
}

static struct jsv_str without_query(struct jsv_str text)
{
    const char *mark = memchr(text.data, '?', text.size);
    return (struct jsv_str){text.data, mark ? (size_t)(mark - text.data) : text.size};
}

/* http://host/path: the form for proxies, allowed for servers, too. */
static enum net_http_refusal read_absolute(struct net_http_head *head, struct jsv_str rest)
{
    size_t size = 0;
    while (size < rest.size && rest.data[size] != '/' && rest.data[size] != '?') {
        size++;
    }
    head->authority = (struct jsv_str){rest.data, size};
    rest = net_http_skip(rest, size);
    struct net_http_authority authority;
    if (!net_http_authority_parse(head->authority, &authority) || !is_path_and_query(rest)) {
        return NET_HTTP_REFUSAL_TARGET;
    }
    head->path = without_query(rest);
    if (head->path.size == 0) {
        head->path = JSV_STR("/");
    }
    return NET_HTTP_FINE;
}

static enum net_http_refusal read_target(struct net_http_head *head)
{
    static const struct jsv_str scheme = {"http://", 7};
    struct jsv_str target = head->target;
    if (target.size > NET_HTTP_TARGET_MAX) {
        return NET_HTTP_REFUSAL_TARGET_SIZE;
    }
    if (target.size > 0 && target.data[0] == '/') {
        if (net_http_span(target, NET_HTTP_CHAR_PLAIN) == target.size) {
            head->path = target;
            return NET_HTTP_FINE;
        }
        head->path = without_query(target);
        return is_path_and_query(target) ? NET_HTTP_FINE : NET_HTTP_REFUSAL_TARGET;
    }
    if (net_http_begins(target, scheme)) {
        return read_absolute(head, net_http_skip(target, scheme.size));
    }
    head->path = target;
    bool is_whole_server = jsv_str_equal(target, JSV_STR("*")) && head->method == NET_HTTP_OPTIONS;
    return is_whole_server ? NET_HTTP_FINE : NET_HTTP_REFUSAL_TARGET;
}

enum net_http_refusal net_http_head_request_line(struct net_http_head *head, struct jsv_str line)
{
    size_t method_size = net_http_span(line, NET_HTTP_CHAR_TOKEN);
    if (method_size == 0 || method_size == line.size || line.data[method_size] != ' ') {
        return NET_HTTP_REFUSAL_REQUEST_LINE;
    }
    struct jsv_str method = {line.data, method_size};
    struct jsv_str rest = net_http_skip(line, method_size + 1);
    const char *space = memchr(rest.data, ' ', rest.size);
    if (!space) {
        return NET_HTTP_REFUSAL_REQUEST_LINE;
    }
    head->target = (struct jsv_str){rest.data, (size_t)(space - rest.data)};
    enum net_http_refusal refusal = read_version(head, net_http_skip(rest, head->target.size + 1));
    if (refusal != NET_HTTP_FINE) {
        return refusal;
    }
    head->method = method_of(method);
    return is_refused_method(method, head->method) ? NET_HTTP_REFUSAL_METHOD : read_target(head);
}

/* ---- headers ---- */

/* The refusal of a line that does not begin with a name and a colon. */
static enum net_http_refusal refuse_name(struct jsv_str line)
{
    return net_http_is_blank(line.data[0]) ? NET_HTTP_REFUSAL_FIELD_FOLD
                                           : NET_HTTP_REFUSAL_FIELD_NAME;
}

/* @param ret_text The name as it was sent. */
ALWAYS_INLINE enum net_http_refusal
check_field(struct jsv_str line, struct jsv_str *ret_text, enum net_http_name *ret_name)
{
    const char *colon = memchr(line.data, ':', line.size);
    if (!colon) {
        return refuse_name(line);
    }
    *ret_text = (struct jsv_str){line.data, (size_t)(colon - line.data)};
    *ret_name = net_http_name_of(*ret_text);
    if (*ret_name == NET_HTTP_NAME_OTHER &&
        (ret_text->size == 0 || net_http_span(*ret_text, NET_HTTP_CHAR_TOKEN) < ret_text->size)) {
        return refuse_name(line);
    }
    /* Name and colon are allowed in a value, so the whole line is checked at once. */
    return net_http_is_value(line) ? NET_HTTP_FINE : NET_HTTP_REFUSAL_FIELD_VALUE;
}

/* Digits only. A leading zero is refused as well, because some readers take it for octal. */
static enum net_http_refusal read_length(struct net_http_head *head, struct jsv_str value)
{
    if (head->length_count++ > 0 || value.size == 0 || (value.size > 1 && value.data[0] == '0')) {
        return NET_HTTP_REFUSAL_CONTENT_LENGTH;
    }
    uint64_t length = 0;
    for (size_t i = 0; i < value.size; i++) {
        if (!jsv_is_digit(value.data[i])) {
            return NET_HTTP_REFUSAL_CONTENT_LENGTH;
        }
        uint64_t digit = (uint64_t)(value.data[i] - '0');
        length = length > (UINT64_MAX - digit) / 10 ? UINT64_MAX : length * 10 + digit;
    }
    head->content_length = length;
    return NET_HTTP_FINE;
}

static enum net_http_refusal read_coding(struct net_http_head *head, struct jsv_str value)
{
    head->chunked = net_http_equal(value, JSV_STR("chunked"));
    return head->coding_count++ == 0 && head->chunked ? NET_HTTP_FINE
                                                      : NET_HTTP_REFUSAL_TRANSFER_ENCODING;
}

static enum net_http_refusal read_host(struct net_http_head *head, struct jsv_str value)
{
    struct net_http_authority authority;
    if (head->host_count++ > 0 || !net_http_authority_parse(value, &authority)) {
        return NET_HTTP_REFUSAL_HOST;
    }
    head->host = value;
    head->host_name = authority.host;
    return NET_HTTP_FINE;
}

static enum net_http_refusal read_connection(struct net_http_head *head, struct jsv_str value)
{
    struct jsv_str option;
    while (net_http_list_next(&value, &option)) {
        head->says_close |= net_http_equal(option, JSV_STR("close"));
        head->says_keep_alive |= net_http_equal(option, JSV_STR("keep-alive"));
    }
    return NET_HTTP_FINE;
}

static enum net_http_refusal read_expect(struct net_http_head *head, struct jsv_str value)
{
    bool is_continue = net_http_equal(value, JSV_STR("100-continue"));
    head->expect_continue |= is_continue;
    head->expects_more |= !is_continue;
    return NET_HTTP_FINE;
}

/* The headers that decide how a request is read. */
static enum net_http_refusal (*const deciding[NET_HTTP_NAME_COUNT])(
    struct net_http_head *head, struct jsv_str value) = {
    [NET_HTTP_NAME_HOST] = read_host,
    [NET_HTTP_NAME_CONNECTION] = read_connection,
    [NET_HTTP_NAME_CONTENT_LENGTH] = read_length,
    [NET_HTTP_NAME_TRANSFER_ENCODING] = read_coding,
    [NET_HTTP_NAME_EXPECT] = read_expect,
};

static void note_place(struct net_http_head *head, enum net_http_name name)
{
    if (head->places[name] == 0) {
        head->places[name] = (unsigned char)head->field_count;
    } else {
        head->repeated |= UINT32_C(1) << name;
    }
}

enum net_http_refusal net_http_head_field(struct net_http_head *head, struct jsv_str line)
{
    struct jsv_str text = {NULL, 0};
    enum net_http_name name = NET_HTTP_NAME_OTHER;
    enum net_http_refusal refusal = check_field(line, &text, &name);
    if (refusal != NET_HTTP_FINE) {
        return refusal;
    }
    if (head->field_count == NET_HTTP_FIELDS_MAX) {
        return NET_HTTP_REFUSAL_FIELD_COUNT;
    }
    struct net_http_field *field = &head->fields[head->field_count++];
    field->name = text;
    field->value = net_http_trim(net_http_skip(line, text.size + 1));
    if (name != NET_HTTP_NAME_OTHER) {
        note_place(head, name);
    }
    return deciding[name] ? deciding[name](head, field->value) : NET_HTTP_FINE;
}

enum net_http_refusal net_http_trailer_check(struct jsv_str line)
{
    struct jsv_str text = {NULL, 0};
    enum net_http_name name = NET_HTTP_NAME_OTHER;
    enum net_http_refusal refusal = check_field(line, &text, &name);
    if (refusal != NET_HTTP_FINE) {
        return refusal;
    }
    return deciding[name] ? NET_HTTP_REFUSAL_TRAILER : NET_HTTP_FINE;
}

/* ---- all lines together ---- */

static enum net_http_refusal finish_host(const struct net_http_head *head)
{
    bool missing = head->host_count == 0 && head->minor >= 1;
    bool different = head->authority.data && !net_http_equal(head->authority, head->host);
    return missing || different ? NET_HTTP_REFUSAL_HOST : NET_HTTP_FINE;
}

static enum net_http_refusal finish_length(const struct net_http_head *head)
{
    if (head->chunked && head->length_count > 0) {
        return NET_HTTP_REFUSAL_TWO_FRAMINGS;
    }
    /* HTTP/1.0 has no chunks: such a request was changed on its way. */
    if (head->chunked && head->minor == 0) {
        return NET_HTTP_REFUSAL_TRANSFER_ENCODING;
    }
    bool has_length = head->chunked || head->length_count > 0;
    return head->method == NET_HTTP_POST && !has_length ? NET_HTTP_REFUSAL_NO_LENGTH
                                                        : NET_HTTP_FINE;
}

static enum net_http_refusal finish_expect(struct net_http_head *head)
{
    if (head->minor == 0) {
        head->expect_continue = false;
        return NET_HTTP_FINE;
    }
    return head->expects_more ? NET_HTTP_REFUSAL_EXPECT : NET_HTTP_FINE;
}

enum net_http_refusal net_http_head_finish(struct net_http_head *head)
{
    head->keep_alive = !head->says_close && (head->minor >= 1 || head->says_keep_alive);
    enum net_http_refusal refusal = finish_host(head);
    if (refusal == NET_HTTP_FINE) {
        refusal = finish_length(head);
    }
    return refusal == NET_HTTP_FINE ? finish_expect(head) : refusal;
}

/* ---- looking headers up ---- */

const struct net_http_field *
net_http_head_next(const struct net_http_head *head, struct jsv_str name, size_t *position)
{
    while (*position < head->field_count) {
        const struct net_http_field *field = &head->fields[(*position)++];
        if (net_http_equal(field->name, name)) {
            return field;
        }
    }
    return NULL;
}

static enum net_http_found
search(const struct net_http_head *head, struct jsv_str name, struct jsv_str *ret_value)
{
    size_t position = 0;
    const struct net_http_field *first = net_http_head_next(head, name, &position);
    if (!first) {
        return NET_HTTP_ABSENT;
    }
    const struct net_http_field *other;
    while ((other = net_http_head_next(head, name, &position))) {
        if (!jsv_str_equal(other->value, first->value)) {
            return NET_HTTP_CONFLICT;
        }
    }
    *ret_value = first->value;
    return NET_HTTP_FOUND;
}

enum net_http_found net_http_head_get(
    const struct net_http_head *head, enum net_http_name name, struct jsv_str *ret_value)
{
    size_t place = head->places[name];
    if (place == 0) {
        return NET_HTTP_ABSENT;
    }
    if (head->repeated & UINT32_C(1) << name) {
        return search(head, net_http_name_text(name), ret_value);
    }
    *ret_value = head->fields[place - 1].value;
    return NET_HTTP_FOUND;
}

enum net_http_found
net_http_head_find(const struct net_http_head *head, struct jsv_str name, struct jsv_str *ret_value)
{
    enum net_http_name known = net_http_name_of(name);
    return known == NET_HTTP_NAME_OTHER ? search(head, name, ret_value)
                                        : net_http_head_get(head, known, ret_value);
}
