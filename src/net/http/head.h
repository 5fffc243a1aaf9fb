/*
 * The head of a request: its first line and its headers, read line by line.
 *
 * Programs that a request passes on its way may read it differently, and an
 * attacker who knows how can hide one request inside another. So everything that
 * two readers could understand in two ways is refused here, even where a
 * standard asks to be lenient (docs/http.md has the list).
 *
 * Texts are borrowed from the lines, which must stay in place for as long as the
 * head is used.
 */
#pragma once

#include <limits.h>

#include <jsv/jsv.h>

/*
 * Headers that are looked up, as numbers: a name is recognised once, when its
 * line is read, and from then on the header is an index into a table.
 */
enum net_http_name {
    NET_HTTP_NAME_OTHER,
#define NAME(constant, first, text) NET_HTTP_NAME_##constant,
#include "net/http/names.def"
#undef NAME
    NET_HTTP_NAME_COUNT,
};

/** Recognise a name, ignoring case. @return NET_HTTP_NAME_OTHER when it is not in the table. */
enum net_http_name net_http_name_of(struct jsv_str text);
/** The name in lower case. @param name Not NET_HTTP_NAME_OTHER. */
struct jsv_str net_http_name_text(enum net_http_name name);

/** Headers of a request; a browser sends about 20. */
#define NET_HTTP_FIELDS_MAX 100
/** Bytes of a target; our longest path has 300, the rest is room for queries. */
#define NET_HTTP_TARGET_MAX 8192
/** Bytes of a method; the longest registered one has 17. */
#define NET_HTTP_METHOD_MAX 32
/** Bytes of a first line: the above, two spaces, "HTTP/1.1", CR LF. */
#define NET_HTTP_REQUEST_LINE_MAX (NET_HTTP_METHOD_MAX + NET_HTTP_TARGET_MAX + 12)

_Static_assert(
    NET_HTTP_FIELDS_MAX <= UCHAR_MAX && NET_HTTP_NAME_COUNT <= 32,
    "indexes of headers are bytes, and each name is a bit");

enum net_http_refusal {
    NET_HTTP_FINE,
#define REFUSAL(constant, status, text) NET_HTTP_REFUSAL_##constant,
#include "net/http/refusals.def"
#undef REFUSAL
};

/** The status of the response, 400 to 505. */
unsigned net_http_refusal_status(enum net_http_refusal refusal);
/** The text of the error. */
const char *net_http_refusal_text(enum net_http_refusal refusal);

/* Bits, so that a route can have several. */
enum net_http_method {
    NET_HTTP_GET = 1,
    NET_HTTP_HEAD = 2,
    NET_HTTP_POST = 4,
    NET_HTTP_DELETE = 8,
    NET_HTTP_OPTIONS = 16, /* of no route; browsers send it as a preflight */
    NET_HTTP_OTHER = 32,   /* of no route */
};

struct net_http_field {
    struct jsv_str name;
    struct jsv_str value; /* trimmed */
};

struct net_http_head {
    enum net_http_method method;
    struct jsv_str target; /* as it was sent */
    struct jsv_str path;   /* begins with "/", still percent-encoded; or "*"; without the query */
    struct jsv_str host;   /* of Host; empty only in HTTP/1.0 */
    struct jsv_str host_name; /* the same without the port */
    unsigned minor;           /* of the version: 0 or 1 */
    bool keep_alive;          /* the client may send more requests */
    bool expect_continue;     /* the client waits for a 100 before it sends the body */
    bool chunked;
    uint64_t content_length; /* 0 when chunked; UINT64_MAX: at least that */
    size_t field_count;
    /* Of the lines read so far; for net_http_head_finish(). */
    struct jsv_str authority;
    unsigned host_count;
    unsigned length_count;
    unsigned coding_count;
    bool says_close;
    bool says_keep_alive;
    bool expects_more;                         /* than 100-continue */
    unsigned char places[NET_HTTP_NAME_COUNT]; /* of each name: index of its field + 1; 0: none */
    uint32_t repeated;                         /* a bit for each name that came more than once */
    /* Last, because only the first field_count are initialised. */
    struct net_http_field fields[NET_HTTP_FIELDS_MAX];
};

/** Prepare for the first line. */
void net_http_head_reset(struct net_http_head *head);
/** The first line, without its CR LF. */
enum net_http_refusal net_http_head_request_line(struct net_http_head *head, struct jsv_str line);
/** A header line, not empty, without its CR LF. */
enum net_http_refusal net_http_head_field(struct net_http_head *head, struct jsv_str line);
/** After the last line: check host, length and connection. */
enum net_http_refusal net_http_head_finish(struct net_http_head *head);

/** Check a line after a chunked body: a header, but not one that decides how a request is read. */
enum net_http_refusal net_http_trailer_check(struct jsv_str line);

enum net_http_found {
    NET_HTTP_ABSENT,
    NET_HTTP_FOUND,
    NET_HTTP_CONFLICT, /* repeated with different values */
};

/** Look a header up. @param ret_value Written when found. */
enum net_http_found net_http_head_get(
    const struct net_http_head *head, enum net_http_name name, struct jsv_str *ret_value);
/** The same for any name, ignoring case. */
enum net_http_found net_http_head_find(
    const struct net_http_head *head, struct jsv_str name, struct jsv_str *ret_value);

/** Go through all fields of a name, in order. @param position 0 at first. @return NULL at the end.
 */
const struct net_http_field *
net_http_head_next(const struct net_http_head *head, struct jsv_str name, size_t *position);
