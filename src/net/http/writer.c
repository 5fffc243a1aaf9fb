#include "net/http/writer.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "jsv/base/ascii.h"
#include "jsv/base/text.h"
#include "net/http/chars.h"

/* Digits of a chunk's size: a fixed number, so that they can be filled in afterwards. */
#define CHUNK_DIGITS 8

/* ---- small parts ---- */

static void write_number(struct jsv_buf *out, uint64_t number)
{
    char digits[20];
    size_t start = sizeof(digits);
    do {
        digits[--start] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    jsv_put(out, digits + start, sizeof(digits) - start);
}

static void write_two_digits(char *out, int number)
{
    out[0] = (char)('0' + number / 10 % 10);
    out[1] = (char)('0' + number % 10);
}

void net_http_date_format(int64_t unix_seconds, struct net_http_date *ret_date)
{
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    time_t time = (time_t)unix_seconds;
    struct tm parts = {0};
    gmtime_r(&time, &parts);

    memcpy(ret_date->line, "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n", sizeof(ret_date->line));
    char *out = ret_date->line + strlen("Date: ");
    memcpy(out, days + 3 * parts.tm_wday, 3);
    write_two_digits(out + 5, parts.tm_mday);
    memcpy(out + 8, months + 3 * parts.tm_mon, 3);
    write_two_digits(out + 12, (parts.tm_year + 1900) / 100);
    write_two_digits(out + 14, parts.tm_year % 100);
    write_two_digits(out + 17, parts.tm_hour);
    write_two_digits(out + 20, parts.tm_min);
    write_two_digits(out + 23, parts.tm_sec);
}

struct jsv_str net_http_status_line(unsigned status)
{
    switch (status) {
#define STATUS(code, name)                                                                         \
    case code:                                                                                     \
        return JSV_STR("HTTP/1.1 " #code " " name "\r\n");
#include "net/http/statuses.def"
#undef STATUS
    default:
        return (struct jsv_str){NULL, 0};
    }
}

/* ---- heads ---- */

static void refuse(struct jsv_buf *out)
{
    out->error = out->error ? out->error : -EINVAL;
}

/* @param name Is valid. */
static void write_named(struct jsv_buf *out, struct jsv_str name, struct jsv_str value)
{
    if (!net_http_is_value(value)) {
        refuse(out);
        return;
    }
    jsv_put(out, name.data, name.size);
    JSV_PUT(out, ": ");
    jsv_put(out, value.data, value.size);
    JSV_PUT(out, "\r\n");
}

void net_http_write_field(struct jsv_buf *out, struct jsv_str name, struct jsv_str value)
{
    if (net_http_span(name, NET_HTTP_CHAR_TOKEN) < name.size) {
        refuse(out);
    } else {
        write_named(out, name, value);
    }
}

static void write_status_line(struct jsv_buf *out, unsigned status)
{
    struct jsv_str line = net_http_status_line(status);
    if (line.data) {
        jsv_put(out, line.data, line.size);
    } else {
        JSV_PUT(out, "HTTP/1.1 ");
        write_number(out, status);
        JSV_PUT(out, " Unknown\r\n");
    }
}

static void write_framing(struct jsv_buf *out, const struct net_http_answer *answer)
{
    if (answer->framing == NET_HTTP_FRAMING_LENGTH) {
        JSV_PUT(out, "Content-Length: ");
        write_number(out, answer->content_length);
        JSV_PUT(out, "\r\n");
    } else if (answer->framing == NET_HTTP_FRAMING_CHUNKED) {
        JSV_PUT(out, "Transfer-Encoding: chunked\r\n");
    }
    if (answer->close || answer->framing == NET_HTTP_FRAMING_CLOSE) {
        JSV_PUT(out, "Connection: close\r\n");
    } else if (answer->keep_alive_said) {
        JSV_PUT(out, "Connection: keep-alive\r\n");
    }
}

void net_http_write_head(struct jsv_buf *out, const struct net_http_answer *answer)
{
    write_status_line(out, answer->status);
    if (answer->date) {
        jsv_put(out, answer->date->line, sizeof(answer->date->line));
    }
    if (answer->content_type.size > 0) {
        write_named(out, JSV_STR("Content-Type"), answer->content_type);
    }
    write_framing(out, answer);
}

void net_http_write_end(struct jsv_buf *out)
{
    jsv_buf_append_str(out, JSV_STR("\r\n"));
}

void net_http_write_stream_head(struct jsv_buf *out, const struct net_http_date *date, bool chunked)
{
    const struct net_http_answer answer = {
        .status = 200,
        .framing = chunked ? NET_HTTP_FRAMING_CHUNKED : NET_HTTP_FRAMING_CLOSE,
        .content_type = JSV_STR("text/event-stream"),
        .date = date,
    };
    net_http_write_head(out, &answer);
    /* Proxies must not hold events back. */
    jsv_buf_append_str(out, JSV_STR("Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\n"));
}

void net_http_write_continue(struct jsv_buf *out)
{
    write_status_line(out, 100);
    net_http_write_end(out);
}

/* ---- chunks ---- */

size_t net_http_chunk_begin(struct jsv_buf *out)
{
    jsv_buf_append_str(out, JSV_STR("00000000\r\n"));
    return out->size;
}

void net_http_chunk_end(struct jsv_buf *out, size_t begin)
{
    if (out->error) {
        return;
    }
    size_t size = out->size - begin;
    assert(size > 0 && size <= UINT32_MAX);
    char *digits = out->data + begin - 2 - CHUNK_DIGITS;
    for (size_t i = CHUNK_DIGITS; i > 0; i--) {
        digits[i - 1] = jsv_hex_digit((unsigned)size);
        size >>= 4;
    }
    jsv_buf_append_str(out, JSV_STR("\r\n"));
}

void net_http_chunk_last(struct jsv_buf *out)
{
    jsv_buf_append_str(out, JSV_STR("0\r\n\r\n"));
}

/* ---- server-sent events ---- */

/* Bytes before the first CR or LF. */
static size_t line_size(struct jsv_str text)
{
    const char *feed = memchr(text.data, '\n', text.size);
    size_t size = feed ? (size_t)(feed - text.data) : text.size;
    const char *carriage_return = memchr(text.data, '\r', size);
    return carriage_return ? (size_t)(carriage_return - text.data) : size;
}

static void write_sse_data(struct jsv_buf *out, struct jsv_str data)
{
    while (data.size > 0) {
        size_t size = line_size(data);
        jsv_buf_append_str(out, JSV_STR("data: "));
        jsv_buf_append(out, data.data, size);
        jsv_buf_append_byte(out, '\n');
        if (size == data.size) {
            return;
        }
        data = net_http_skip(data, size + 1);
    }
    jsv_buf_append_str(out, JSV_STR("data:\n"));
}

void net_http_sse_write(struct jsv_buf *out, struct jsv_str message)
{
    if (message.data) {
        write_sse_data(out, message);
    } else {
        jsv_buf_append_str(out, JSV_STR(":\n"));
    }
    jsv_buf_append_byte(out, '\n');
}
