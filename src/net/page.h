/*
 * The page: a few static files that are part of the program. They get all their
 * data over the same endpoints as any client, with the token that the user
 * enters; the files themselves are public.
 */
#pragma once

#include <jsv/jsv.h>

#include "jsv/base/embedded.h"

/** The files of src/net/page/. */
extern const struct jsv_embedded_bytes net_page_embedded[];

struct net_page_file {
    struct jsv_str type; /* Content-Type */
    struct jsv_str bytes;
    struct jsv_str digest;
};

/** Find the file of a path: "/", or "/page/…". @return whether there is one. */
bool net_page_find(struct jsv_str path, struct net_page_file *ret_file);

/** Whether the value of If-None-Match names the current file. */
bool net_page_is_known(const struct net_page_file *file, struct jsv_str tags);

/** Append the headers of a file, besides those of every response. */
void net_page_write_headers(struct jsv_buf *out, const struct net_page_file *file);
