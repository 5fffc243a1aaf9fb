/*
 * The Unix socket's place in the file system.
 */
#pragma once

#include <sys/types.h>

/* A socket of ours: which file it is, so that only that one is removed. */
struct net_unix_address {
    const char *path;
    int pin_fd; /* the file itself; while it is held no other file can get its number */
};

/**
 * Bind and listen.
 *
 * The file never has wider permissions than asked, at no instant. A socket
 * file that nobody listens on is replaced; one of a live server is not, nor is
 * anything else that stands there. Of servers that start at the same instant
 * one gets the place. Before other threads run: the umask changes meanwhile.
 *
 * @param path        Borrowed by ret_address.
 * @param ret_address Given back with net_unix_remove().
 * @return a descriptor; -EADDRINUSE when a live server has it; -EEXIST when something else
 *         has the name; -ENAMETOOLONG; -EBUSY when another process keeps the lock file, which is
 *         "<path>.lock"; -ENOLCK when what has that name is not a lock file of ours; -errno.
 */
int net_unix_listen(const char *path, mode_t mode, struct net_unix_address *ret_address);
/** Remove the socket's file, if it is still ours. */
void net_unix_remove(const struct net_unix_address *address);
