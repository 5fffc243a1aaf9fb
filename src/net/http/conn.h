/*
 * The inside of an HTTP connection, for the files it is made of: http.c has
 * the bytes, http_clock.c the time limits, http_request.c decides about a
 * request, http_answer.c takes what the corridor says, http_response.c writes.
 */
#pragma once

#include "net/http/http.h"
#include "net/http/reader.h"
#include "net/http/route.h"

enum net_http_state {
    NET_HTTP_READING, /* a request, or for one */
    NET_HTTP_ASKED,   /* the corridor has it */
    NET_HTTP_STREAM,  /* events go out as they come */
    NET_HTTP_LAST,    /* the last response is written: nothing more is read */
    NET_HTTP_LINGER,  /* it is sent: what still comes is thrown away, until the peer has it */
    NET_HTTP_LOST,    /* nobody is there any more, but what was asked for is finished */
};

/* What a connection is at, and how long that may take. */
enum net_http_waiting {
    NET_HTTP_FOR_NOTHING, /* the corridor has its own limits */
    NET_HTTP_FOR_REQUEST,
    NET_HTTP_FOR_HEAD,
    NET_HTTP_FOR_BODY,
    NET_HTTP_FOR_EVENTS, /* a stream: something is to be sent now and then */
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

/** Begin to count when something else is waited for than before, or anew. */
void net_http_clock_set(struct net_http *http, bool anew);
/** The timer has fired. */
void net_http_clock_fired(struct net_http *http);

/** The client cannot be reached: close when the requests that survive a hang-up are finished. */
void net_http_lose(struct net_http *http);

/* ---- requests ---- */

/** The head is there: refuse, or let the body come. */
void net_http_on_head(struct net_http *http);
/** The request is there: answer it, or hand it on. */
void net_http_on_request(struct net_http *http);
/** Its body is longer than we take. */
void net_http_on_too_large(struct net_http *http);

/* ---- answers ---- */

/** What the corridor calls. */
extern const struct core_conn_ops net_http_conn_ops;

/* ---- responses; each is the last of its request ---- */

/** @param text Of the body; data NULL: none, as for 202 and 204. */
void net_http_respond(
    struct net_http *http, unsigned status, struct jsv_str type, struct jsv_str text);
/** What the reader, or we, have against a request; {"error":{…}}. */
void net_http_respond_refusal(struct net_http *http, unsigned status, const char *why);
/** 405, with the methods the route has. */
void net_http_respond_not_allowed(struct net_http *http);
/** The same, and why. */
void net_http_respond_method(struct net_http *http, const char *why);
/** 302, to another path of ours. */
void net_http_respond_redirect(struct net_http *http, struct jsv_str path);
/** 204: what a page of a listed origin may send. */
void net_http_respond_preflight(struct net_http *http);
/** 401, with what to do about it. */
void net_http_respond_unauthorized(struct net_http *http, enum net_http_auth auth);
/** 413, in the words of the tools. */
void net_http_respond_too_large(struct net_http *http);
/** A file of the page for people; 304 to who has it. */
void net_http_respond_page(struct net_http *http, const struct net_page_file *file);
/** RFC 9728: where tokens come from. */
void net_http_respond_metadata(struct net_http *http);

/** Begin a stream of events. @param session Id of one that has just begun; NULL: none has. */
void net_http_stream_begin(struct net_http *http, const char *session);
void net_http_stream_comment(struct net_http *http);
/** End it, and with it the request. */
void net_http_stream_end(struct net_http *http);

/** The request is over: the next one may come, unless this was the last. */
void net_http_request_over(struct net_http *http);
