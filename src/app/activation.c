#include "app/activation.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "os/sys.h"

/* The first descriptor that is handed over; those before are the standard ones. */
#define ACTIVATION_FIRST_FD 3

/* Whether the sockets are meant for this process and not for one that started it. */
static bool is_for_us(void)
{
    char pid[24];
    const char *named = os_getenv("LISTEN_PID");
    snprintf(pid, sizeof(pid), "%ld", (long)os_getpid());
    return named && strcmp(named, pid) == 0;
}

/* The path of a Unix socket; empty when it has none. */
static int find_path(int fd, char *out)
{
    struct sockaddr_un address = {0};
    socklen_t size = sizeof(address);
    int r = os_getsockname(fd, (struct sockaddr *)&address, &size);
    if (r < 0) {
        return r;
    }
    if (address.sun_family != AF_UNIX) {
        return -ENOTSOCK;
    }
    memcpy(out, address.sun_path, sizeof(address.sun_path));
    out[sizeof(address.sun_path)] = '\0';
    return 0;
}

int app_activation_find(struct app_activation *ret_activation)
{
    struct app_activation activation = {.fd = -1};
    const char *count = os_getenv("LISTEN_FDS");
    if (!count || !is_for_us()) {
        *ret_activation = activation;
        return 0;
    }
    if (count[0] < '1' || count[0] > '9') {
        return -EINVAL;
    }
    if (strcmp(count, "1") != 0) {
        return -E2BIG;
    }
    activation.fd = ACTIVATION_FIRST_FD;
    int r = os_set_cloexec(activation.fd);
    if (r == 0) {
        r = find_path(activation.fd, activation.path);
    }
    if (r == 0) {
        *ret_activation = activation;
    }
    return r;
}
