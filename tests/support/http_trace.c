#include "support/http_trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print(struct jsv_buf *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void print(struct jsv_buf *out, const char *format, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    jsv_buf_append(out, text, (size_t)size);
}

static void print_head(const struct net_http_head *head, struct jsv_buf *out)
{
    print(out, " method %d ", (int)head->method);
    jsv_buf_append_str(out, head->target);
    jsv_buf_append_byte(out, ' ');
    jsv_buf_append_str(out, head->path);
    print(out, " 1.%u %s", head->minor, head->keep_alive ? "keep" : "close");
    print(out, "%s\n", head->expect_continue ? " continue" : "");
    for (size_t i = 0; i < head->field_count; i++) {
        print(out, "  ");
        jsv_buf_append_str(out, head->fields[i].name);
        print(out, ": ");
        jsv_buf_append_str(out, head->fields[i].value);
        print(out, "\n");
    }
}

static void print_event(const struct net_http_reader *reader, int event, struct jsv_buf *out)
{
    if (event == NET_HTTP_EVENT_COMPLETE) {
        print_head(&reader->head, out);
        print(out, "  body %zu ", reader->body.size);
        jsv_buf_append_str(out, reader->body);
    } else if (event == NET_HTTP_EVENT_REFUSED) {
        unsigned status = net_http_refusal_status(reader->refusal);
        print(out, " %u %s", status, net_http_refusal_text(reader->refusal));
    } else if (event == NET_HTTP_EVENT_MORE) {
        print(out, " %d", (int)reader->phase);
    }
    print(out, "\n");
}

/* Feed a piece to its end, or until it is refused. @return the last event. */
static int
feed_piece(struct net_http_reader *reader, struct jsv_str piece, size_t offset, struct jsv_buf *out)
{
    static const char *const names[] = {"MORE", "HEAD", "COMPLETE", "REFUSED"};
    struct jsv_str input = piece;
    int event;
    while ((event = net_http_reader_feed(reader, &input)) > NET_HTTP_EVENT_MORE) {
        print(out, "%s %zu", names[event], offset + piece.size - input.size);
        print_event(reader, event, out);
        if (event == NET_HTTP_EVENT_REFUSED) {
            return event;
        }
        if (event == NET_HTTP_EVENT_COMPLETE) {
            net_http_reader_next(reader);
        }
    }
    return event;
}

void http_trace(
    struct net_http_reader *reader,
    struct jsv_str bytes,
    http_trace_cut *cut,
    void *data,
    struct jsv_buf *out)
{
    net_http_reader_next(reader);
    int event = NET_HTTP_EVENT_MORE;
    for (size_t offset = 0; offset < bytes.size && event == NET_HTTP_EVENT_MORE;) {
        size_t size = cut(data);
        if (size > bytes.size - offset) {
            size = bytes.size - offset;
        }
        char *copy = malloc(size);
        if (!copy) {
            abort();
        }
        memcpy(copy, bytes.data + offset, size);
        event = feed_piece(reader, (struct jsv_str){copy, size}, offset, out);
        free(copy);
        offset += size;
    }
    if (event == NET_HTTP_EVENT_MORE) {
        print(out, "MORE %zu", bytes.size);
        print_event(reader, event, out);
    }
}
