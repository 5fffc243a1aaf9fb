/*
 * A table for os_sys that does the real calls, counts them, and lets one fail.
 *
 *     fault_arm(FAULT_READ, 2, EIO);    the second read from now on fails with EIO
 *     … call what is tested …
 *     assert_true(fault.hit);
 *     fault_disarm();                   the real table again
 *
 * Threads may call; arming and looking at the counts is for one of them, alone.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/sys.h"

enum fault_call {
#define CALL(test_name, ...) FAULT_##test_name,
#define RETRY                CALL
#define OPEN                 CALL
#define TABLE                CALL
#define VALUE                CALL
#include "os/sys.def"
    FAULT_CALLS,
    FAULT_NONE = FAULT_CALLS,
#undef CALL
#undef OPEN
#undef VALUE
};

/* A call, and what it fails with: for tables. */
struct fault_case {
    enum fault_call call;
    int error;
};

struct fault {
    enum fault_call call; /* which call fails … */
    unsigned at;          /* … when it is made for the at-th time, from 1; 0: each time … */
    int error;            /* … with this errno */
    bool hit;             /* it has failed */
    unsigned calls[FAULT_CALLS];
    int open_fds;      /* opened and not closed */
    long live_blocks;  /* allocated and not freed */
    size_t write_most; /* bytes one write takes; 0: all */
    int no_openat2;    /* openat2 always fails with this errno; 0: it does not */
};

static struct fault fault;

static inline bool fault_now(enum fault_call call)
{
    unsigned count = __atomic_add_fetch(&fault.calls[call], 1, __ATOMIC_RELAXED);
    if (fault.call != call || (fault.at != 0 && fault.at != count)) {
        return false;
    }
    __atomic_store_n(&fault.hit, true, __ATOMIC_RELAXED);
    return true;
}

static inline int fault_opened(int fd)
{
    __atomic_add_fetch(&fault.open_fds, fd >= 0, __ATOMIC_RELAXED);
    return fd;
}

#define CALL(test_name, type, name, parameters, arguments, real)                                   \
    static inline type fault_##name parameters                                                     \
    {                                                                                              \
        return fault_now(FAULT_##test_name) ? -fault.error : os_sys_real.name arguments;           \
    }
#define OPEN(test_name, type, name, parameters, arguments, real)                                   \
    static inline type fault_##name parameters                                                     \
    {                                                                                              \
        return fault_now(FAULT_##test_name) ? -fault.error                                         \
                                            : fault_opened(os_sys_real.name arguments);            \
    }
#define VALUE(test_name, type, name, parameters, arguments, real)                                  \
    static inline type fault_##name parameters                                                     \
    {                                                                                              \
        return os_sys_real.name arguments;                                                         \
    }
#include "os/sys.def"

static inline int fault_openat2_or_none(int dir_fd, const char *path, const struct open_how *how)
{
    if (!fault.no_openat2) {
        return fault_openat2(dir_fd, path, how);
    }
    return fault_now(FAULT_OPENAT2) ? -fault.error : -fault.no_openat2;
}

static inline size_t fault_size_taken(size_t size)
{
    return fault.write_most != 0 && size > fault.write_most ? fault.write_most : size;
}

static inline ssize_t fault_short_write(int fd, const void *data, size_t size)
{
    return fault_write(fd, data, fault_size_taken(size));
}

/* Sockets count as the files they are: FAULT_READ and FAULT_WRITE. */
static inline ssize_t fault_socket_read(int fd, void *out, size_t size)
{
    return fault_now(FAULT_READ) ? -fault.error : os_sys_real.receive(fd, out, size);
}

static inline ssize_t fault_socket_write(int fd, const void *data, size_t size)
{
    size = fault_size_taken(size);
    return fault_now(FAULT_WRITE) ? -fault.error : os_sys_real.send(fd, data, size);
}

/* As on Linux, the descriptor is closed even when close() fails. */
static inline int fault_counted_close(int fd)
{
    __atomic_sub_fetch(&fault.open_fds, 1, __ATOMIC_RELAXED);
    int r = os_sys_real.close(fd);
    return fault_now(FAULT_CLOSE) ? -fault.error : r;
}

static inline int fault_counted_pipe(int ret_fds[static 2])
{
    int r = fault_pipe(ret_fds);
    __atomic_add_fetch(&fault.open_fds, r == 0 ? 2 : 0, __ATOMIC_RELAXED);
    return r;
}

/* Freeing is not a call. */
static inline void *fault_counted_resize(void *memory, size_t size)
{
    if (size == 0) {
        __atomic_sub_fetch(&fault.live_blocks, memory != NULL, __ATOMIC_RELAXED);
        return os_sys_real.resize(memory, 0);
    }
    if (fault_now(FAULT_RESIZE)) {
        return NULL;
    }
    void *resized = os_sys_real.resize(memory, size);
    __atomic_add_fetch(&fault.live_blocks, memory == NULL && resized != NULL, __ATOMIC_RELAXED);
    return resized;
}

static struct os_sys fault_sys = {
#undef CALL
#undef OPEN
#undef VALUE
#define CALL(test_name, type, name, parameters, arguments, real) .name = fault_##name,
#define OPEN                                                     CALL
#define VALUE                                                    CALL
#include "os/sys.def"
#undef CALL
#undef RETRY
#undef OPEN
#undef TABLE
#undef VALUE
};

static inline void fault_arm(enum fault_call call, unsigned at, int error)
{
    fault = (struct fault){.call = call, .at = at, .error = error};
    fault_sys.openat2 = fault_openat2_or_none;
    fault_sys.write = fault_short_write;
    fault_sys.receive = fault_socket_read;
    fault_sys.send = fault_socket_write;
    fault_sys.close = fault_counted_close;
    fault_sys.pipe = fault_counted_pipe;
    fault_sys.resize = fault_counted_resize;
    os_sys = &fault_sys;
}

/* Count only. */
static inline void fault_watch(void)
{
    fault_arm(FAULT_NONE, 0, 0);
}

static inline void fault_disarm(void)
{
    os_sys = &os_sys_real;
}
