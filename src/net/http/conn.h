/*
 * The inside of an HTTP connection, for the files it is made of: http.c moves
 * the bytes, clock.c has the time limits, request.c checks requests and hands
 * them to the pipeline, response.c writes.
 */
#pragma once

#include "net/http/http.h"
#include "net/http/reader.h"
#include "net/http/route.h"

enum net_http_state {
    NET_HTTP_READING, /* a request, or waiting for one */
    NET_HTTP_ASKED,   /* the pipeline has the request */
    NET_HTTP_STREAM,  /* events are sent as they come */
    NET_HTTP_LAST,    /* the last response is written, and nothing more is read */
    NET_HTTP_LINGER,  /* it is sent; input is dropped until the client has read it */
    NET_HTTP_LOST,    /* the client is gone, but its request is finished all the same */
};

/* What a connection waits for; each has its own time limit. */
enum net_http_waiting {
    NET_HTTP_FOR_NOTHING, /* the pipeline has its own limits */
    NET_HTTP_FOR_REQUEST,
    NET_HTTP_FOR_HEAD,
    NET_HTTP_FOR_BODY,
    NET_HTTP_FOR_EVENTS, /* of a stream; when none comes a comment is sent */
    NET_HTTP_FOR_WRITING,
    NET_HTTP_FOR_GOODBYE,
};

struct net_page_file;

struct net_http {
    struct net_peer peer;
    struct rpc_http view; /* of the request, for the pipeline */
    const struct net_http_settings *settings;
    struct net_http_reader reader;
    struct net_http_match match;
    struct jsv_buf input; /* read and not used up */
    size_t input_used;
    struct loop_timer *timer;
    uint64_t timer_ms;    /* when it fires; 0: it does not run */
    uint64_t deadline_ms; /* of waiting_for */
    enum net_http_waiting waiting_for;
    uint64_t taken_then; /* bytes the kernel had taken when a stall was last looked for */
    enum net_http_state state;
    bool ended;     /* no more bytes will come */
    bool finishing; /* no more requests are taken */
    bool more;      /* a request that was read waits for earlier responses, or the next round */
    bool lingers;   /* the last response leaves bytes unread: see NET_HTTP_LINGER */
    size_t thrown_away;
    bool is_cross_origin; /* the request is of a page whose origin the operator lists */
    unsigned accepts;     /* kinds of answer the client of this request takes */
    struct rpc_chunk
        body_owner; /* the body is the connection's; last: it has no bytes of its own */
};

/* ---- time ---- */

/** Start the time limit when the connection waits for something else than before, or anew. */
void net_http_clock_set(struct net_http *http, bool anew);
/** The timer has fired. */
void net_http_clock_fired(struct net_http *http);

/** The client cannot be reached: close when the requests that survive a hang-up are finished. */
void net_http_lose(struct net_http *http);

/* ---- requests ---- */

/** The head is complete: refuse the request, or read its body. */
void net_http_on_head(struct net_http *http);
/** The request is complete: answer it, or hand it to the pipeline. */
void net_http_on_request(struct net_http *http);
/** The body exceeds the limit. */
void net_http_on_too_large(struct net_http *http);

/* ---- answers ---- */

/** What the pipeline calls. */
extern const struct core_conn_ops net_http_conn_ops;

/* ---- responses; each is the last of its request ---- */

/** @param text Of the body; data NULL: none, as for 202 and 204. */
void net_http_respond(
    struct net_http *http, unsigned status, struct jsv_str type, struct jsv_str text);
/** An error of HTTP: {"error":{…}}. */
void net_http_respond_refusal(struct net_http *http, unsigned status, const char *why);
/** 405, with the methods the route has. */
void net_http_respond_not_allowed(struct net_http *http);
/** The same with another message. */
void net_http_respond_method(struct net_http *http, const char *why);
/** 302, to another path of ours. */
void net_http_respond_redirect(struct net_http *http, struct jsv_str path);
/** 204, with what a page of a listed origin may send. */
void net_http_respond_preflight(struct net_http *http);
/** 401, with a challenge. */
void net_http_respond_unauthorized(struct net_http *http, enum net_http_auth auth);
/** 413, in the form of the tools' errors. */
void net_http_respond_too_large(struct net_http *http);
/** A file of the page; 304 when the client has it already. */
void net_http_respond_page(struct net_http *http, const struct net_page_file *file);
/** RFC 9728: the servers that issue tokens. */
void net_http_respond_metadata(struct net_http *http);

/** Begin a stream of events. @param session Id of one that has just begun; NULL: none has. */
void net_http_stream_begin(struct net_http *http, const char *session);
void net_http_stream_comment(struct net_http *http);
/** End the stream, and with it the request. */
void net_http_stream_end(struct net_http *http);

/** The request is answered: the next one may come, unless this was the last. */
void net_http_request_over(struct net_http *http);
