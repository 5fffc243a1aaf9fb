/*
 * Who may ask: decisions on a request's head, without side effects.
 *
 * A browser on this machine talks to this server on behalf of any page it
 * shows. Two headers that pages cannot forge tell them apart: Host, which
 * betrays a foreign name made to point here (DNS rebinding), and Origin, which
 * names the page. A token, where there is one, keeps out everybody else.
 */
#pragma once

#include <jsv/jsv.h>

struct net_http_head;

struct net_http_guard {
    const struct jsv_str *hosts; /* besides the local ones: "name", any port, or "name:port" */
    size_t host_count;
    const struct jsv_str *origins; /* besides those of allowed hosts: "https://name[:port]" */
    size_t origin_count;
    struct jsv_str token; /* empty: nobody needs one */
};

/** localhost, 127.0.0.1, [::1], with any port, or a configured host. None at all is not. */
bool net_http_guard_host(const struct net_http_guard *guard, const struct net_http_head *head);

/** No Origin, that of an allowed host, or a configured one; "null" is nobody's. */
bool net_http_guard_origin(const struct net_http_guard *guard, const struct net_http_head *head);

/** Whether the Origin is one the operator lists: its pages may read our answers (CORS). */
bool net_http_guard_is_listed_origin(
    const struct net_http_guard *guard, const struct net_http_head *head);

/**
 * Whether a browser asks what a page of another origin may send (CORS): OPTIONS with
 * Access-Control-Request-Method.
 */
bool net_http_is_preflight(const struct net_http_head *head);

enum net_http_auth {
    NET_HTTP_AUTH_OK,
    NET_HTTP_AUTH_MISSING, /* no bearer token was sent */
    NET_HTTP_AUTH_INVALID, /* one was, but not ours */
    NET_HTTP_AUTH_SCOPE,   /* ours, but not good for this; never said by net_http_guard_auth() */
};

/** Compare the bearer token; how long it takes tells nothing about ours. */
enum net_http_auth
net_http_guard_auth(const struct net_http_guard *guard, const struct net_http_head *head);

/**
 * Append the value of WWW-Authenticate.
 * @param auth   Anything but NET_HTTP_AUTH_OK.
 * @param origin Of this server as the client knows it, "http://127.0.0.1:8787"; empty: it has no
 *               metadata to point to.
 * @param scope  What would be needed, for NET_HTTP_AUTH_SCOPE.
 */
void net_http_guard_challenge(
    struct jsv_buf *out, enum net_http_auth auth, struct jsv_str origin, struct jsv_str scope);

/** Whether Content-Type is application/json, with any parameters. */
bool net_http_is_json(const struct net_http_head *head);

/** Whether Accept names text/html and no stream: a browser that shows a page. */
bool net_http_wants_page(const struct net_http_head *head);

enum net_http_accept {
    NET_HTTP_ACCEPT_JSON = 1,
    NET_HTTP_ACCEPT_STREAM = 2,
    NET_HTTP_ACCEPT_ANY = 3,
};

/** Which of the two kinds of answer the client takes, as bits; both when it does not say. */
unsigned net_http_accepts(const struct net_http_head *head);
