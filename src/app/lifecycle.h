/*
 * How other programs start the server and wait for it: socket activation and
 * the ready file.
 */
#pragma once

#include <sys/types.h>
#include <sys/un.h>

/** A listening socket passed by the service manager, as systemd does (LISTEN_PID, LISTEN_FDS). */
struct app_activation {
    int fd;                                                     /* -1: none */
    char path[sizeof(((struct sockaddr_un *)0)->sun_path) + 1]; /* empty: an unnamed socket */
};

/**
 * Look for a passed socket.
 *
 * @return 0, also when there is none; -EINVAL when the variables are malformed; -E2BIG when there
 *         are several sockets; -ENOTSOCK when it is not a Unix socket; -errno.
 */
int app_activation_find(struct app_activation *ret_activation);

/*
 * The ready file holds "<pid> <time>\n" and exists while the server is ready.
 *
 * Its directory may be writable by others, so nothing in it is trusted: links
 * are not followed, anything but a regular file is left alone, and the file is
 * created under another name and renamed.
 */

/** The pid in the file, if it is that of another running mcpgate; else 0. */
pid_t app_ready_other(const char *path);

/**
 * Write the file, replacing one left by an earlier process.
 * @param timestamp As in the ready line.
 * @return 0; -EEXIST when the path is not a regular file; -ENAMETOOLONG; -errno.
 */
int app_ready_write(const char *path, const char *timestamp);

/** Remove the file if it still holds our pid. */
void app_ready_remove(const char *path);
