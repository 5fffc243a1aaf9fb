/*
 * Appends responses to a buffer: heads, chunks, server-sent events.
 *
 * The buffer keeps its first error, and the caller checks it once. A header with
 * a line end inside, which could be used to inject headers or responses, is such
 * an error (-EINVAL).
 */
#pragma once

#include <jsv/jsv.h>

/** A header that is valid for a second: "Date: Sun, 06 Nov 1994 08:49:37 GMT", CR LF. */
struct net_http_date {
    char line[37];
};

void net_http_date_format(int64_t unix_seconds, struct net_http_date *ret_date);

/** "HTTP/1.1 200 OK", CR LF; data NULL for a status that is not in statuses.def. */
struct jsv_str net_http_status_line(unsigned status);

/* How the client finds the end of the body. */
enum net_http_framing {
    NET_HTTP_FRAMING_LENGTH,  /* Content-Length */
    NET_HTTP_FRAMING_CHUNKED, /* HTTP/1.1 only */
    NET_HTTP_FRAMING_CLOSE,   /* the end of the connection; implies close */
    NET_HTTP_FRAMING_NONE,    /* 204 and 304, which never have a body */
};

struct net_http_answer {
    unsigned status;
    enum net_http_framing framing;
    uint64_t content_length;
    struct jsv_str content_type;      /* empty: none */
    const struct net_http_date *date; /* NULL: none */
    bool close;                       /* after this response */
    bool keep_alive_said;             /* HTTP/1.0: tell the client that the connection stays open */
};

/** The first line and the headers of every response; net_http_write_end() ends the head. */
void net_http_write_head(struct jsv_buf *out, const struct net_http_answer *answer);
/** One more header. */
void net_http_write_field(struct jsv_buf *out, struct jsv_str name, struct jsv_str value);
/** The empty line. */
void net_http_write_end(struct jsv_buf *out);

/** The head of an event stream. @param chunked false: it ends with the connection. */
void net_http_write_stream_head(
    struct jsv_buf *out, const struct net_http_date *date, bool chunked);

/** "100 Continue". */
void net_http_write_continue(struct jsv_buf *out);

/** Begin a chunk. @return the argument of net_http_chunk_end(). */
size_t net_http_chunk_begin(struct jsv_buf *out);
/** End a chunk, which must not be empty. */
void net_http_chunk_end(struct jsv_buf *out, size_t begin);
/** The last chunk, which is empty. */
void net_http_chunk_last(struct jsv_buf *out);

/**
 * Append a server-sent event.
 * @param message Line ends in it become line feeds, which JSON takes for white space. data NULL: a
 *                comment, which means nothing and keeps the connection alive.
 */
void net_http_sse_write(struct jsv_buf *out, struct jsv_str message);
