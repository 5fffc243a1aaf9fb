/*
 * Which process is it? Only for messages to people: of other users' processes
 * little can be seen, and then the answer is "unknown".
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/** The process that listens on a TCP port. @return 0 when it is not known. */
pid_t os_process_on_port(unsigned port);

/** The process that listens on a Unix socket; it is connected to. @return 0: not known. */
pid_t os_process_on_socket(const char *path);

/** Whether a process runs and has our program's name. False for ourselves. */
bool os_process_is_like_us(pid_t pid);
