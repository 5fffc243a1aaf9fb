/*
 * A listening socket handed over by whoever started us (systemd's socket
 * activation: LISTEN_PID, LISTEN_FDS, descriptors from 3 on).
 */
#pragma once

#include <sys/un.h>

struct app_activation {
    int fd;                                                     /* -1: nothing was handed over */
    char path[sizeof(((struct sockaddr_un *)0)->sun_path) + 1]; /* may be empty: it has no name */
};

/**
 * Look for a socket.
 *
 * @return 0, also when none was handed over; -EINVAL when the variables make no sense;
 *         -E2BIG when there are several sockets; -ENOTSOCK when it is no Unix socket; -errno.
 */
int app_activation_find(struct app_activation *ret_activation);
