/*
 * The HTTP listener as configured: address, allowed hosts and origins, token.
 */
#pragma once

#include "net/http/http.h"

struct app_config;

struct app_http_listener {
    struct net_http_settings settings; /* used by net, so it must outlive it */
    struct jsv_arena arena;            /* its texts */
    int fd;                            /* listening; -1: not open */
};

/* Room for an error text. */
#define APP_HTTP_WHY_SIZE 256

/**
 * Read the settings and start to listen.
 * @param reterr_why At most APP_HTTP_WHY_SIZE bytes with the terminator.
 * @return 0 or -errno; app_http_listener_done() may be called either way.
 */
int app_http_listener_open(
    struct app_http_listener *listener, const struct app_config *config, char *reterr_why);
/** Does not close the descriptor, which net owns. */
void app_http_listener_done(struct app_http_listener *listener);
