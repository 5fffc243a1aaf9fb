/*
 * posix_spawn() borrows our memory until the program runs, so starting one
 * costs the same however large we are, and what goes wrong on the way, the
 * look for the program included, is its result.
 */
#define _GNU_SOURCE /* posix_spawn_file_actions_addchdir_np() */
#include "os/spawn.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>

#include "os/sys.h"

/* @return 0 or an errno, as the calls of this family have it. */
static int set_files(posix_spawn_file_actions_t *actions, const struct os_spawn *program)
{
    int error = 0;
    for (int i = 0; i < 3 && error == 0; i++) {
        /* A low one, of a process begun without its own three, would overwrite another. */
        error = program->fds[i] <= 2
                    ? EBADF
                    : posix_spawn_file_actions_adddup2(actions, program->fds[i], i);
    }
    if (error == 0 && program->directory) {
        error = posix_spawn_file_actions_addchdir_np(actions, program->directory);
    }
    return error;
}

static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    (void)posix_spawnattr_setsigmask(attributes, &none);
    (void)posix_spawnattr_setsigdefault(attributes, &all);
    (void)posix_spawnattr_setpgroup(attributes, 0);
    return posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

int os_spawn_real(const struct os_spawn *program, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return -error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = set_files(&actions, program);
        error = error ? error : set_attributes(&attributes);
        error = error ? error
                      : posix_spawn(
                            ret_pid,
                            program->path,
                            &actions,
                            &attributes,
                            program->arguments,
                            program->environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return -error;
}

int os_spawn(const struct os_spawn *program, pid_t *ret_pid)
{
    return os_sys->spawn(program, ret_pid);
}
