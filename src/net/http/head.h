/*
 * The head of a request: its first line and its headers, read line by line.
 *
 * A request on its way passes programs that read it differently; who knows how
 * can hide one request inside another. So whatever two readers could
 * understand in two ways is refused here, even where a standard asks to be
 * generous (docs/http.md lists it all).
 *
 * Texts are borrowed from the lines, which must stay where they are for as
 * long as the head is used.
 */
#pragma once

#include <limits.h>

#include <jsv/jsv.h>

#include "net/http/name.h"

/** Headers of a request; a browser sends about 20. */
#define NET_HTTP_FIELDS_MAX 100
/** Bytes of a target; our longest path has 300, the rest is room for queries. */
#define NET_HTTP_TARGET_MAX 8192
/** Bytes of a method; the longest anybody registered has 17. */
#define NET_HTTP_METHOD_MAX 32
/** Bytes of a first line: the above, two spaces, "HTTP/1.1", CR LF. */
#define NET_HTTP_REQUEST_LINE_MAX (NET_HTTP_METHOD_MAX + NET_HTTP_TARGET_MAX + 12)

_Static_assert(
    NET_HTTP_FIELDS_MAX <= UCHAR_MAX && NET_HTTP_NAME_COUNT <= 32,
    "the places of headers are bytes, and bits stand for names");

enum net_http_refusal {
    NET_HTTP_FINE,
#define REFUSAL(constant, status, text) NET_HTTP_REFUSAL_##constant,
#include "net/http/refusals.def"
#undef REFUSAL
};

/** The status to answer with, 400 to 505. */
unsigned net_http_refusal_status(enum net_http_refusal refusal);
/** What is wrong, for people. */
const char *net_http_refusal_text(enum net_http_refusal refusal);

/* Bits, so that sets of them can be made. */
enum net_http_method {
    NET_HTTP_GET = 1,
    NET_HTTP_HEAD = 2,
    NET_HTTP_POST = 4,
    NET_HTTP_DELETE = 8,
    NET_HTTP_OPTIONS = 16, /* no route has it; browsers ask with it whether they may */
    NET_HTTP_OTHER = 32,   /* any other; no route has it */
};

struct net_http_field {
    struct jsv_str name;
    struct jsv_str value; /* trimmed */
};

struct net_http_head {
    enum net_http_method method;
    struct jsv_str method_text;
    struct jsv_str target;    /* as it was sent */
    struct jsv_str path;      /* begins with "/", still percent-encoded; or "*" */
    struct jsv_str query;     /* without "?"; data NULL when there is none */
    struct jsv_str host;      /* as in Host; empty only in HTTP/1.0 */
    struct jsv_str host_name; /* the same without the port */
    unsigned minor;           /* of the version: 0 or 1 */
    bool keep_alive;          /* the client would send more requests */
    bool expect_continue;     /* the client waits for a 100 before it sends the body */
    bool chunked;
    uint64_t content_length; /* 0 when chunked; UINT64_MAX stands for more, too */
    size_t field_count;
    /* What the lines seen so far say; for finishing the head. */
    struct jsv_str authority;
    unsigned host_count;
    unsigned length_count;
    unsigned coding_count;
    bool says_close;
    bool says_keep_alive;
    bool expects_more; /* than 100-continue */
    /* Where the header of a name is: 1 for the first field; 0 when it did not come. */
    unsigned char places[NET_HTTP_NAME_COUNT];
    uint32_t repeated; /* one bit per name: came more than once */
    /* Last, since only the first field_count mean anything. */
    struct net_http_field fields[NET_HTTP_FIELDS_MAX];
};

/** Make ready for the first line. */
void net_http_head_reset(struct net_http_head *head);
/** The first line, without its CR LF. */
enum net_http_refusal net_http_head_request_line(struct net_http_head *head, struct jsv_str line);
/** A header line, not empty, without its CR LF. */
enum net_http_refusal net_http_head_field(struct net_http_head *head, struct jsv_str line);
/** All lines are there: decide about host, length and connection. */
enum net_http_refusal net_http_head_finish(struct net_http_head *head);

/** A line behind a chunked body: must be a header, but not one that decides how to read. */
enum net_http_refusal net_http_trailer_check(struct jsv_str line);

enum net_http_found {
    NET_HTTP_ABSENT,
    NET_HTTP_FOUND,
    NET_HTTP_CONFLICT, /* several times, with different values */
};

/** Look a header up. @param ret_value Written when found. */
enum net_http_found net_http_head_get(
    const struct net_http_head *head, enum net_http_name name, struct jsv_str *ret_value);
/** The same for any name, ignoring case. */
enum net_http_found net_http_head_find(
    const struct net_http_head *head, struct jsv_str name, struct jsv_str *ret_value);

/**
 * The lines of a header that may have several, in order.
 * @param position 0 at first.
 * @return the next one; NULL when there is none.
 */
const struct net_http_field *
net_http_head_next(const struct net_http_head *head, struct jsv_str name, size_t *position);
