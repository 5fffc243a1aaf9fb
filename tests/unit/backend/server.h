/*
 * A backend for tests, on a thread of its own and a port of its own: it reads
 * a request, remembers it, and answers as badly as it is told to. Assertions
 * are cmocka's and belong to the test's thread; the server makes none.
 */
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum server_manner {
    SERVER_REPLIES, /* as server.reply says, byte for byte, and closes */
    SERVER_HANGS,   /* says nothing until the client goes */
    SERVER_DRIPS,   /* a byte of the reply now and then */
    SERVER_RESETS,  /* answers with a reset */
    SERVER_FLOODS,  /* the reply, and then 1 GiB */
};

struct server {
    int fd;
    unsigned port;
    pthread_t thread;
    enum server_manner manner;
    const char *reply;
    atomic_size_t sent; /* bytes of the flood */
    atomic_uint connections;
    size_t request_size;
    char request[65536]; /* the last one; to be looked at after server_stop() */
};

static struct server server;

/* The whole request is there: its head, and as much body as that says. */
static inline bool server_request_is_whole(void)
{
    server.request[server.request_size] = '\0';
    const char *body = strstr(server.request, "\r\n\r\n");
    const char *length = strcasestr(server.request, "Content-Length:");
    unsigned size = 0;
    if (!body || !length || length > body) {
        return false;
    }
    for (length += 15; *length == ' '; length++) {
    }
    for (; *length >= '0' && *length <= '9'; length++) {
        size = size * 10 + (unsigned)(*length - '0');
    }
    return server.request_size >= (size_t)(body + 4 - server.request) + size;
}

static inline bool server_read_request(int fd)
{
    server.request_size = 0;
    while (!server_request_is_whole()) {
        size_t room = sizeof(server.request) - 1 - server.request_size;
        ssize_t size = recv(fd, server.request + server.request_size, room, 0);
        if (size <= 0) {
            return false;
        }
        server.request_size += (size_t)size;
    }
    return true;
}

static inline void server_flood(int fd)
{
    static const char block[65536];
    for (size_t sent = 0; sent < (size_t)1 << 30; sent += sizeof(block)) {
        if (send(fd, block, sizeof(block), MSG_NOSIGNAL) <= 0) {
            return;
        }
        atomic_fetch_add(&server.sent, sizeof(block));
    }
}

static inline void server_drip(int fd)
{
    for (const char *at = server.reply; *at && send(fd, at, 1, MSG_NOSIGNAL) == 1; at++) {
        poll(NULL, 0, 20);
    }
}

static inline void server_answer(int fd)
{
    char byte;
    struct linger now = {1, 0};
    switch (server.manner) {
    case SERVER_REPLIES:
        (void)send(fd, server.reply, strlen(server.reply), MSG_NOSIGNAL);
        break;
    case SERVER_HANGS:
        (void)recv(fd, &byte, 1, 0);
        break;
    case SERVER_DRIPS:
        server_drip(fd);
        break;
    case SERVER_RESETS:
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
        break;
    case SERVER_FLOODS:
        (void)send(fd, server.reply, strlen(server.reply), MSG_NOSIGNAL);
        server_flood(fd);
        break;
    }
}

/* Until the listening socket is shut down. */
static inline void *server_serve(void *unused)
{
    (void)unused;
    int fd;
    while ((fd = accept(server.fd, NULL, NULL)) >= 0) {
        atomic_fetch_add(&server.connections, 1);
        if (server_read_request(fd)) {
            server_answer(fd);
        }
        close(fd);
    }
    return NULL;
}

static inline void server_start(enum server_manner manner, const char *reply)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    memset(&server, 0, sizeof(server));
    server.manner = manner;
    server.reply = reply;
    server.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(server.fd >= 0);
    assert_int_equal(bind(server.fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(server.fd, 16), 0);
    assert_int_equal(getsockname(server.fd, (struct sockaddr *)&address, &size), 0);
    server.port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&server.thread, NULL, server_serve, NULL), 0);
}

/* Safe when it has not been started, or stopped already. */
static inline void server_stop(void)
{
    if (server.port != 0) {
        shutdown(server.fd, SHUT_RDWR);
        pthread_join(server.thread, NULL);
        close(server.fd);
        server.port = 0;
    }
}
