/*
 * What an HTTP reader makes of some bytes, as a text: the same bytes must give
 * the same text whatever the pieces they come in.
 *
 *     HEAD 57                             an event, and how many bytes were used up to it
 *     COMPLETE 61 method 4 /rpc?a /rpc 1.1 keep    method, target, path, version, connection
 *       host: localhost                   its headers
 *       body 4 {"a"                       size and bytes of the body
 *     REFUSED 80 400 CHUNK_END …          status and reason
 *     MORE 80 4                           all bytes are used; the phase
 */
#pragma once

#include "net/http/reader.h"

/* The size of the next piece, 1 or more; larger than what is left is all of it. */
typedef size_t http_trace_cut(void *data);

/*
 * Feed the bytes, each piece in memory of just its size that is gone before the
 * next one comes, and append the trace. The reader is made ready first.
 */
void http_trace(
    struct net_http_reader *reader,
    struct jsv_str bytes,
    http_trace_cut *cut,
    void *data,
    struct jsv_buf *out);
