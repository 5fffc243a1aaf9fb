/*
 * The TCP address HTTP is served at.
 */
#pragma once

#include <stdbool.h>

/**
 * Bind and listen.
 *
 * @param address         "HOST:PORT" or "[::1]:PORT"; names are looked up.
 * @param ret_is_loopback Whether only this machine can reach it.
 * @return a descriptor; -EINVAL without a port; -EADDRINUSE when another process listens there;
 *         -EADDRNOTAVAIL when the name cannot be resolved; -errno.
 */
int net_tcp_listen(const char *address, bool *ret_is_loopback);
