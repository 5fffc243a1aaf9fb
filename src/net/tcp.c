/*
 * A name may have several addresses, of both families: the first one that can be
 * listened on is used.
 */
#include "net/tcp.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "os/sys.h"

/* Connections the kernel queues until they are accepted; it has a limit of its own. */
#define BACKLOG 1024

/* A name and a port. */
#define ADDRESS_SIZE 512

/* Split "[::1]:80". @return 0 or -EINVAL. */
static int split(char *address, const char **ret_host, const char **ret_port)
{
    char *colon = strrchr(address, ':');
    if (!colon) {
        return -EINVAL;
    }
    *colon = '\0';
    *ret_port = colon + 1;
    if (**ret_port == '\0') {
        return -EINVAL;
    }
    *ret_host = address;
    size_t size = strlen(address);
    if (size >= 2 && address[0] == '[' && address[size - 1] == ']') {
        address[size - 1] = '\0';
        *ret_host = address + 1;
    }
    return 0;
}

static int look_up(const char *address, struct addrinfo **ret_found)
{
    static const struct addrinfo hints = {
        .ai_family = AF_UNSPEC,
        .ai_socktype = SOCK_STREAM,
        .ai_flags = AI_NUMERICSERV | AI_PASSIVE,
    };
    char copy[ADDRESS_SIZE];
    const char *host;
    const char *port;
    int size = snprintf(copy, sizeof(copy), "%s", address);
    if (size >= (int)sizeof(copy)) {
        return -ENAMETOOLONG;
    }
    int r = split(copy, &host, &port);
    if (r < 0) {
        return r;
    }
    return getaddrinfo(host, port, &hints, ret_found) == 0 ? 0 : -EADDRNOTAVAIL;
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)address;
        return ntohl(four->sin_addr.s_addr) >> 24 == 127;
    }
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)address;
    return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

/* With SO_REUSEADDR a restart can bind at once; the address of a live server stays taken. */
static int bind_and_listen(const struct addrinfo *found)
{
    int fd = os_socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        return fd;
    }
    int r = os_set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    /* Each answer is one write, so waiting for more gains nothing; connections inherit it. */
    r = r < 0 ? r : os_set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    r = r < 0 ? r : os_bind(fd, found->ai_addr, found->ai_addrlen);
    r = r < 0 ? r : os_listen(fd, BACKLOG);
    if (r < 0) {
        os_close(fd);
        return r;
    }
    return fd;
}

int net_tcp_listen(const char *address, bool *ret_is_loopback)
{
    struct addrinfo *found;
    int r = look_up(address, &found);
    if (r < 0) {
        return r;
    }
    int fd = -EADDRNOTAVAIL;
    for (const struct addrinfo *one = found; one && fd < 0; one = one->ai_next) {
        fd = bind_and_listen(one);
        *ret_is_loopback = fd >= 0 && is_loopback(one->ai_addr);
        if (fd == -EADDRINUSE) {
            break; /* do not serve some addresses of a name that another server has */
        }
    }
    freeaddrinfo(found);
    return fd;
}
