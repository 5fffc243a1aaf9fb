/*
 * The Unix socket and its file.
 */
#pragma once

#include <sys/types.h>

/* Identifies the file of our socket, so that no other is removed. */
struct net_unix_address {
    const char *path;
    int pin_fd; /* the file; while it is open no other file can get its inode number */
};

/**
 * Bind and listen.
 *
 * The file never has wider permissions than asked, not even for an instant. A
 * socket file without a listening server is replaced; one of a live server is
 * not, nor is a file of another kind. Of servers that start at the same time one
 * gets the path. Before other threads run, because the umask changes meanwhile.
 *
 * @param path        Borrowed by ret_address.
 * @param ret_address Given back with net_unix_remove().
 * @return a descriptor; -EADDRINUSE when a live server has it; -EEXIST when another kind of
 *         file has the name; -ENAMETOOLONG; -EBUSY when another process keeps the lock file, which
 * is
 *         "<path>.lock"; -ENOLCK when the file of that name is not a lock file of ours; -errno.
 */
int net_unix_listen(const char *path, mode_t mode, struct net_unix_address *ret_address);
/** Remove the socket's file, if it is still ours. */
void net_unix_remove(const struct net_unix_address *address);
