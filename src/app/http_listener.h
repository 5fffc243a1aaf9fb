/*
 * HTTP as the operator wants it: where, for whom, with which token.
 */
#pragma once

#include "net/http/http.h"

struct app_config;

struct app_http_listener {
    struct net_http_settings settings; /* for the net; must outlive it */
    struct jsv_arena arena;            /* its texts */
    int fd;                            /* listening; -1: not open */
};

/* What is wrong, for people. */
#define APP_HTTP_WHY_SIZE 256

/**
 * Read the settings and begin to listen.
 * @param reterr_why At most APP_HTTP_WHY_SIZE bytes with the terminator.
 * @return 0 or -errno; app_http_listener_done() is safe also then.
 */
int app_http_listener_open(
    struct app_http_listener *listener, const struct app_config *config, char *reterr_why);
/** Does not close the descriptor, which the net has taken. */
void app_http_listener_done(struct app_http_listener *listener);
