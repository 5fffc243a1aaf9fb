/*
 * Finding the process that uses a port or socket, for messages to people. Of
 * other users' processes little can be seen: then the result is 0.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/** The process that listens on a TCP port. @return 0: unknown. */
pid_t os_process_on_port(unsigned port);

/** The process that listens on a Unix socket; connects to it. @return 0: unknown. */
pid_t os_process_on_socket(const char *path);

/** Whether a process runs and has our program's name. False for ourselves. */
bool os_process_is_like_us(pid_t pid);
