/*
 * Starting programs.
 *
 * A program gets exactly what is written down for it: its arguments, its
 * environment, three descriptors and a working directory. It leads a process
 * group of its own, so that it can be ended together with what it started, and
 * begins with no signal blocked or ignored, whatever the thread that starts it
 * has done with signals.
 */
#pragma once

#include <sys/types.h>

struct os_spawn {
    const char *path;         /* absolute, or relative to the directory: no look-up */
    char *const *arguments;   /* with the name first; ended by NULL */
    char *const *environment; /* NAME=value; ended by NULL */
    const char *directory;    /* to work in; NULL: ours */
    int fds[3];               /* what becomes standard input, output and error; above 2 */
};

/**
 * Start a program; it leads a process group of its own number.
 *
 * @return 0; -ENOENT, -EACCES, -ENOEXEC … when there is no such program or it cannot be run;
 *         -EAGAIN, -ENOMEM.
 */
int os_spawn(const struct os_spawn *program, pid_t *ret_pid);
