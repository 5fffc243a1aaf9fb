/*
 * The ready file: "<pid> <time>\n", there while the server is ready, for
 * whoever waits for it.
 *
 * It stands in a directory others may write to, so nothing there is trusted:
 * links are not followed, what is no plain file is left alone, and the file
 * appears whole or not at all.
 */
#pragma once

#include <sys/types.h>

/** Another process of this program that runs and is named in the file; 0: there is none. */
pid_t app_ready_other(const char *path);

/**
 * Write the file, over one that a process before us left there.
 * @param timestamp As in the ready line.
 * @return 0; -EEXIST when something other than a plain file stands there; -ENAMETOOLONG; -errno.
 */
int app_ready_write(const char *path, const char *timestamp);

/** Remove the file if it still holds our process's number. */
void app_ready_remove(const char *path);
