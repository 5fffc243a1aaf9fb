/*
 * Decisions on a request's head, without side effects: may the client send it,
 * and which kinds of answer does it accept.
 *
 * A browser on this machine sends requests to this server for any page it
 * shows. Two headers that pages cannot forge tell them apart: Host, which shows
 * a foreign name that was made to point here (DNS rebinding), and Origin, which
 * names the page. A token, if one is configured, keeps out all other clients.
 */
#pragma once

#include <jsv/jsv.h>

struct net_http_head;

struct net_http_guard {
    const struct jsv_str *hosts; /* besides the local ones: "name", any port, or "name:port" */
    size_t host_count;
    const struct jsv_str *origins; /* besides those of allowed hosts: "https://name[:port]" */
    size_t origin_count;
    struct jsv_str token; /* empty: none is needed */
};

/** Whether Host is localhost, 127.0.0.1 or [::1] with any port, or a configured host. */
bool net_http_guard_host(const struct net_http_guard *guard, const struct net_http_head *head);

/** Whether Origin is absent, that of an allowed host, or a configured one; "null" is not. */
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
    NET_HTTP_AUTH_INVALID, /* another token was sent */
};

/** Compare the bearer token, in a time that does not depend on the configured one. */
enum net_http_auth
net_http_guard_auth(const struct net_http_guard *guard, const struct net_http_head *head);

/**
 * Append the value of WWW-Authenticate.
 * @param origin Of this server as the client knows it, "http://127.0.0.1:8787"; empty: there is no
 *               metadata to point to.
 */
void net_http_guard_challenge(struct jsv_buf *out, enum net_http_auth auth, struct jsv_str origin);

/** Whether Content-Type is application/json, with any parameters. */
bool net_http_is_json(const struct net_http_head *head);

enum net_http_accept {
    NET_HTTP_ACCEPT_JSON = 1,
    NET_HTTP_ACCEPT_STREAM = 2,
    NET_HTTP_ACCEPT_ANY = 3,
    NET_HTTP_ACCEPT_PAGE = 4, /* names text/html and not text/event-stream: a browser */
};

/** The kinds of answer that Accept allows, as bits; NET_HTTP_ACCEPT_ANY without Accept. */
unsigned net_http_accepts(const struct net_http_head *head);
