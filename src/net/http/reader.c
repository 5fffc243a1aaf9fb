/*
 * Most requests come in one piece and are valid; such a request is read in
 * place. That is tried once, when its first byte is read. Incomplete requests,
 * chunks and errors are left to the steps, which copy what they read.
 *
 * There is one step for each phase. Everything but the body comes in lines, and
 * a line is read only when it is complete or too long. That is why the pieces
 * the bytes come in make no difference.
 *
 * A step returns STEP_AGAIN when the phase has changed and more may follow, or
 * the event to report.
 */
#include "net/http/reader.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "jsv/base/ascii.h"
#include "jsv/base/hint.h"
#include "net/http/chars.h"

/* A chunk's size with its extensions, which are ignored. */
#define CHUNK_LINE_MAX 256
/* Digits of a chunk's size: enough for any body within the limit. */
#define CHUNK_DIGITS_MAX 8
/* Extensions of all chunks: they do not count for the limit of the body. */
#define EXTENSIONS_MAX 4096
/* All trailers together. */
#define TRAILERS_MAX 4096

_Static_assert(
    NET_HTTP_REQUEST_LINE_MAX <= NET_HTTP_HEAD_MAX && CHUNK_LINE_MAX <= TRAILERS_MAX,
    "a line fits into its buffer");

/* Neither an event nor an errno value. */
enum {
    STEP_AGAIN = NET_HTTP_EVENT_REFUSED + 1,
};

void net_http_reader_init(
    struct net_http_reader *reader, const struct jsv_allocator *allocator, size_t body_max)
{
    jsv_buf_init(&reader->data, allocator, body_max);
    jsv_buf_init(&reader->text, allocator, NET_HTTP_HEAD_MAX);
    jsv_buf_init(&reader->line, allocator, TRAILERS_MAX);
    net_http_reader_next(reader);
}

void net_http_reader_done(struct net_http_reader *reader)
{
    if (!reader) {
        return;
    }
    jsv_buf_done(&reader->data);
    jsv_buf_done(&reader->text);
    jsv_buf_done(&reader->line);
    reader->in_place = false;
}

void net_http_reader_forget_body(struct net_http_reader *reader)
{
    reader->body = (struct jsv_str){NULL, 0};
    jsv_buf_done(&reader->data);
}

void net_http_reader_next(struct net_http_reader *reader)
{
    reader->phase = NET_HTTP_PHASE_IDLE;
    reader->refusal = NET_HTTP_FINE;
    net_http_head_reset(&reader->head);
    reader->body = (struct jsv_str){NULL, 0};
    reader->in_place = false;
    jsv_buf_reset(&reader->data);
    jsv_buf_reset(&reader->text);
    jsv_buf_reset(&reader->line);
    reader->line_start = 0;
    reader->rest = 0;
    reader->end_size = 0;
    reader->extension_size = 0;
    reader->trailer_size = 0;
    reader->skipped_line = false;
}

static int refuse(struct net_http_reader *reader, enum net_http_refusal refusal)
{
    reader->phase = NET_HTTP_PHASE_REFUSED;
    reader->refusal = refusal;
    return NET_HTTP_EVENT_REFUSED;
}

static int enter(struct net_http_reader *reader, enum net_http_phase phase)
{
    reader->phase = phase;
    return STEP_AGAIN;
}

/* ---- lines ---- */

/* Results of take_line(); errors are negative. */
enum line {
    LINE_PART,
    LINE_COMPLETE,
    LINE_TOO_LONG,
    LINE_BAD_END,
};

/*
 * Move bytes from the input to the end of a buffer, through the first line feed.
 *
 * @param start    Where the line begins in the buffer.
 * @param size_max Of the line with its end.
 * @param ret_line Without its end.
 */
static int take_line(
    struct jsv_buf *out,
    struct jsv_str *input,
    size_t start,
    size_t size_max,
    struct jsv_str *ret_line)
{
    size_t room = size_max - (out->size - start);
    size_t size = input->size < room ? input->size : room;
    const char *feed = size > 0 ? memchr(input->data, '\n', size) : NULL;
    if (feed) {
        size = (size_t)(feed - input->data) + 1;
    }
    int r = jsv_buf_append(out, input->data, size);
    if (r < 0) {
        return r;
    }
    *input = net_http_skip(*input, size);
    if (!feed) {
        return size == room ? LINE_TOO_LONG : LINE_PART;
    }
    size_t line_size = out->size - start;
    if (line_size < 2 || out->data[out->size - 2] != '\r') {
        return LINE_BAD_END;
    }
    *ret_line = (struct jsv_str){out->data + start, line_size - 2};
    return LINE_COMPLETE;
}

/* The event of a line that is not complete. */
static int line_event(struct net_http_reader *reader, int line, enum net_http_refusal when_too_long)
{
    if (line == LINE_TOO_LONG) {
        return refuse(reader, when_too_long);
    }
    if (line == LINE_BAD_END) {
        return refuse(reader, NET_HTTP_REFUSAL_LINE_END);
    }
    return line < 0 ? line : NET_HTTP_EVENT_MORE;
}

/* ---- in place ---- */

/* Take the next line off a text. @return whether it is complete and ends in CR LF. */
ALWAYS_INLINE bool next_line(struct jsv_str *text, size_t size_max, struct jsv_str *ret_line)
{
    const char *feed = memchr(text->data, '\n', text->size < size_max ? text->size : size_max);
    if (!feed || feed == text->data || feed[-1] != '\r') {
        return false;
    }
    *ret_line = (struct jsv_str){text->data, (size_t)(feed - 1 - text->data)};
    *text = net_http_skip(*text, (size_t)(feed + 1 - text->data));
    return true;
}

/* @return the size of the head; 0 when it is incomplete or invalid. */
static size_t read_head(struct net_http_head *head, struct jsv_str input)
{
    size_t size = input.size < NET_HTTP_HEAD_MAX ? input.size : NET_HTTP_HEAD_MAX;
    struct jsv_str rest = {input.data, size};
    struct jsv_str line;
    if (!next_line(&rest, NET_HTTP_REQUEST_LINE_MAX, &line) ||
        net_http_head_request_line(head, line) != NET_HTTP_FINE) {
        return 0;
    }
    while (next_line(&rest, rest.size, &line)) {
        if (line.size == 0) {
            return net_http_head_finish(head) == NET_HTTP_FINE ? size - rest.size : 0;
        }
        if (net_http_head_field(head, line) != NET_HTTP_FINE) {
            return 0;
        }
    }
    return 0;
}

/* @return whether the request is complete; then its head has been read. */
static bool read_in_place(struct net_http_reader *reader, struct jsv_str *input)
{
    struct net_http_head *head = &reader->head;
    size_t head_size = read_head(head, *input);
    reader->in_place = head_size > 0 && !head->chunked &&
                       head->content_length <= input->size - head_size &&
                       head->content_length <= reader->data.size_max;
    if (reader->in_place) {
        *input = net_http_skip(*input, head_size);
    } else {
        net_http_head_reset(head);
    }
    return reader->in_place;
}

/* ---- the head ---- */

static int step_idle(struct net_http_reader *reader, struct jsv_str *input)
{
    if (input->size == 0) {
        return NET_HTTP_EVENT_MORE;
    }
    /* A client of another protocol, such as TLS, gets its error before there is a line. */
    char first = input->data[0];
    if (first != '\r' && !net_http_char_is(first, NET_HTTP_CHAR_TOKEN)) {
        return refuse(reader, NET_HTTP_REFUSAL_REQUEST_LINE);
    }
    if (read_in_place(reader, input)) {
        reader->phase = NET_HTTP_PHASE_BODY;
        return NET_HTTP_EVENT_HEAD;
    }
    int r = jsv_buf_reserve(&reader->text, NET_HTTP_HEAD_MAX);
    return r < 0 ? r : enter(reader, NET_HTTP_PHASE_REQUEST_LINE);
}

static int step_request_line(struct net_http_reader *reader, struct jsv_str *input)
{
    struct jsv_str line = {0};
    int found = take_line(&reader->text, input, 0, NET_HTTP_REQUEST_LINE_MAX, &line);
    if (found != LINE_COMPLETE) {
        return line_event(reader, found, NET_HTTP_REFUSAL_TARGET_SIZE);
    }
    /* Old clients send an empty line behind a body, that is, before the next request. */
    if (line.size == 0 && !reader->skipped_line) {
        reader->skipped_line = true;
        jsv_buf_reset(&reader->text);
        return enter(reader, NET_HTTP_PHASE_IDLE);
    }
    reader->line_start = reader->text.size;
    enum net_http_refusal refusal = net_http_head_request_line(&reader->head, line);
    return refusal == NET_HTTP_FINE ? enter(reader, NET_HTTP_PHASE_FIELDS)
                                    : refuse(reader, refusal);
}

static int finish_head(struct net_http_reader *reader)
{
    enum net_http_refusal refusal = net_http_head_finish(&reader->head);
    if (refusal != NET_HTTP_FINE) {
        return refuse(reader, refusal);
    }
    reader->phase = NET_HTTP_PHASE_BODY;
    return NET_HTTP_EVENT_HEAD;
}

static int step_fields(struct net_http_reader *reader, struct jsv_str *input)
{
    struct jsv_str line = {0};
    size_t size_max = NET_HTTP_HEAD_MAX - reader->line_start;
    int found = take_line(&reader->text, input, reader->line_start, size_max, &line);
    if (found != LINE_COMPLETE) {
        return line_event(reader, found, NET_HTTP_REFUSAL_HEAD_SIZE);
    }
    if (line.size == 0) {
        return finish_head(reader);
    }
    enum net_http_refusal refusal = net_http_head_field(&reader->head, line);
    reader->line_start = reader->text.size;
    return refusal == NET_HTTP_FINE ? STEP_AGAIN : refuse(reader, refusal);
}

/* ---- the body ---- */

static int step_body(struct net_http_reader *reader, struct jsv_str *input)
{
    if (reader->in_place) {
        assert(reader->head.content_length <= input->size);
        reader->body = (struct jsv_str){input->data, (size_t)reader->head.content_length};
        *input = net_http_skip(*input, reader->body.size);
        return enter(reader, NET_HTTP_PHASE_COMPLETE);
    }
    if (reader->head.chunked) {
        return enter(reader, NET_HTTP_PHASE_CHUNK_SIZE);
    }
    if (reader->head.content_length > reader->data.size_max) {
        return refuse(reader, NET_HTTP_REFUSAL_BODY_SIZE);
    }
    reader->rest = reader->head.content_length;
    return enter(reader, NET_HTTP_PHASE_LENGTH);
}

/* Move bytes to the body until there is no rest. */
static int
take_data(struct net_http_reader *reader, struct jsv_str *input, enum net_http_phase next)
{
    size_t size = input->size < reader->rest ? input->size : (size_t)reader->rest;
    int r = jsv_buf_append(&reader->data, input->data, size);
    if (r < 0) {
        return r;
    }
    *input = net_http_skip(*input, size);
    reader->rest -= size;
    return reader->rest > 0 ? NET_HTTP_EVENT_MORE : enter(reader, next);
}

static int step_length(struct net_http_reader *reader, struct jsv_str *input)
{
    return take_data(reader, input, NET_HTTP_PHASE_COMPLETE);
}

static int step_chunk_data(struct net_http_reader *reader, struct jsv_str *input)
{
    return take_data(reader, input, NET_HTTP_PHASE_CHUNK_END);
}

/* Hexadecimal digits. @return how many; 0 also when there are too many. */
static size_t read_chunk_size(struct jsv_str line, uint64_t *ret_size)
{
    uint64_t size = 0;
    size_t digits = 0;
    while (digits < line.size && jsv_hex_value(line.data[digits]) >= 0) {
        if (digits == CHUNK_DIGITS_MAX) {
            return 0;
        }
        size = size << 4 | (unsigned)jsv_hex_value(line.data[digits++]);
    }
    *ret_size = size;
    return digits;
}

/* The rest of a line after a chunk's size: empty, or ";" and any value. */
static bool is_extension(struct jsv_str text)
{
    return text.size == 0 || (text.data[0] == ';' && net_http_is_value(text));
}

static int step_chunk_size(struct net_http_reader *reader, struct jsv_str *input)
{
    struct jsv_str line = {0};
    int found = take_line(&reader->line, input, 0, CHUNK_LINE_MAX, &line);
    if (found != LINE_COMPLETE) {
        return line_event(reader, found, NET_HTTP_REFUSAL_CHUNK_EXTENSION);
    }
    size_t digits = read_chunk_size(line, &reader->rest);
    if (digits == 0) {
        return refuse(reader, NET_HTTP_REFUSAL_CHUNK_SIZE);
    }
    struct jsv_str extension = net_http_skip(line, digits);
    reader->extension_size += extension.size;
    if (!is_extension(extension) || reader->extension_size > EXTENSIONS_MAX) {
        return refuse(reader, NET_HTTP_REFUSAL_CHUNK_EXTENSION);
    }
    jsv_buf_reset(&reader->line);
    if (reader->rest > reader->data.size_max - reader->data.size) {
        return refuse(reader, NET_HTTP_REFUSAL_BODY_SIZE);
    }
    return enter(reader, reader->rest > 0 ? NET_HTTP_PHASE_CHUNK_DATA : NET_HTTP_PHASE_TRAILERS);
}

static int step_chunk_end(struct net_http_reader *reader, struct jsv_str *input)
{
    static const char end[] = "\r\n";
    while (input->size > 0 && reader->end_size < sizeof(end) - 1) {
        if (input->data[0] != end[reader->end_size]) {
            return refuse(reader, NET_HTTP_REFUSAL_CHUNK_END);
        }
        reader->end_size++;
        *input = net_http_skip(*input, 1);
    }
    if (reader->end_size < sizeof(end) - 1) {
        return NET_HTTP_EVENT_MORE;
    }
    reader->end_size = 0;
    return enter(reader, NET_HTTP_PHASE_CHUNK_SIZE);
}

/* Trailers come too late to have an effect, so they are checked and dropped. */
static int step_trailers(struct net_http_reader *reader, struct jsv_str *input)
{
    struct jsv_str line = {0};
    size_t size_max = TRAILERS_MAX - reader->trailer_size;
    int found = take_line(&reader->line, input, 0, size_max, &line);
    if (found != LINE_COMPLETE) {
        return line_event(reader, found, NET_HTTP_REFUSAL_TRAILER_SIZE);
    }
    if (line.size == 0) {
        return enter(reader, NET_HTTP_PHASE_COMPLETE);
    }
    enum net_http_refusal refusal = net_http_trailer_check(line);
    if (refusal != NET_HTTP_FINE) {
        return refuse(reader, refusal);
    }
    reader->trailer_size += reader->line.size;
    jsv_buf_reset(&reader->line);
    return STEP_AGAIN;
}

static int step_complete(struct net_http_reader *reader, struct jsv_str *input)
{
    (void)input;
    if (!reader->body.data) {
        reader->body = jsv_buf_str(&reader->data);
    }
    return NET_HTTP_EVENT_COMPLETE;
}

static int step_refused(struct net_http_reader *reader, struct jsv_str *input)
{
    (void)reader;
    (void)input;
    return NET_HTTP_EVENT_REFUSED;
}

int net_http_reader_feed(struct net_http_reader *reader, struct jsv_str *input)
{
    static int (*const steps[])(struct net_http_reader *, struct jsv_str *) = {
        [NET_HTTP_PHASE_IDLE] = step_idle,
        [NET_HTTP_PHASE_REQUEST_LINE] = step_request_line,
        [NET_HTTP_PHASE_FIELDS] = step_fields,
        [NET_HTTP_PHASE_BODY] = step_body,
        [NET_HTTP_PHASE_LENGTH] = step_length,
        [NET_HTTP_PHASE_CHUNK_SIZE] = step_chunk_size,
        [NET_HTTP_PHASE_CHUNK_DATA] = step_chunk_data,
        [NET_HTTP_PHASE_CHUNK_END] = step_chunk_end,
        [NET_HTTP_PHASE_TRAILERS] = step_trailers,
        [NET_HTTP_PHASE_COMPLETE] = step_complete,
        [NET_HTTP_PHASE_REFUSED] = step_refused,
    };
    int r;
    do {
        r = steps[reader->phase](reader, input);
    } while (r == STEP_AGAIN);
    return r;
}
