#include "os/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <jsv/jsv.h>

#include "os/file.h"
#include "os/sys.h"

/* The kernel's tables of sockets, on a busy machine. */
#define TABLE_SIZE_MAX ((size_t)8 << 20)

/* "/proc/4194304/fd", "socket:[18446744073709551615]" */
#define NAME_SIZE 64

/* ---- from an inode to a process ---- */

static bool has_socket(const char *pid, const char *link)
{
    char path[NAME_SIZE];
    const char *name;
    bool found = false;
    int size = snprintf(path, sizeof(path), "/proc/%s/fd", pid);
    if (size < 0 || (size_t)size >= sizeof(path)) {
        return false;
    }
    struct os_dir dir = {
        .fd = os_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
    };
    if (dir.fd < 0) {
        return false;
    }
    while (!found && os_dir_next(&dir, &name) > 0) {
        char target[NAME_SIZE];
        ssize_t length = os_readlinkat(dir.fd, name, target, sizeof(target));
        found = length == (ssize_t)strlen(link) && memcmp(target, link, (size_t)length) == 0;
    }
    os_close(dir.fd);
    return found;
}

static pid_t process_with_socket(unsigned long inode)
{
    char link[NAME_SIZE];
    const char *name;
    pid_t pid = 0;
    snprintf(link, sizeof(link), "socket:[%lu]", inode);
    struct os_dir dir = {
        .fd = os_openat(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
    };
    if (dir.fd < 0) {
        return 0;
    }
    while (pid == 0 && os_dir_next(&dir, &name) > 0) {
        bool is_number = name[strspn(name, "0123456789")] == '\0';
        if (is_number && has_socket(name, link)) {
            pid = (pid_t)strtol(name, NULL, 10);
        }
    }
    os_close(dir.fd);
    return pid;
}

/* ---- from a port to an inode ---- */

/* The words of a line after the first `count`; NULL when there are fewer. */
static const char *words_behind(const char *line, size_t count)
{
    line += strspn(line, " ");
    for (size_t i = 0; i < count && *line != '\0'; i++) {
        line += strcspn(line, " ");
        line += strspn(line, " ");
    }
    return *line != '\0' ? line : NULL;
}

/* "  1: 0100007F:2253 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 81234 …" */
static unsigned long listening_inode(const char *line, unsigned port)
{
    const char *local = words_behind(line, 1);
    const char *colon = local ? strchr(local, ':') : NULL;
    const char *state = words_behind(line, 3);
    const char *inode = words_behind(line, 9);
    bool listens = state && strncmp(state, "0A ", 3) == 0;
    bool is_it = listens && colon && inode && strtoul(colon + 1, NULL, 16) == port;
    return is_it ? strtoul(inode, NULL, 10) : 0;
}

/* The inode of the socket that listens on a port, in one of the kernel's tables; 0: none. */
static unsigned long find_inode(const char *table, unsigned port)
{
    struct jsv_buf text;
    unsigned long inode = 0;
    jsv_buf_init(&text, os_allocator(), TABLE_SIZE_MAX);
    if (os_file_read_path(table, &text) == 0 && jsv_buf_append_byte(&text, '\0') == 0) {
        char *rest = text.data;
        char *line;
        while (inode == 0 && (line = strsep(&rest, "\n")) != NULL) {
            inode = listening_inode(line, port);
        }
    }
    jsv_buf_done(&text);
    return inode;
}

pid_t os_process_on_port(unsigned port)
{
    unsigned long inode = find_inode("/proc/net/tcp", port);
    inode = inode ? inode : find_inode("/proc/net/tcp6", port);
    return inode ? process_with_socket(inode) : 0;
}

pid_t os_process_on_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t size = strlen(path);
    if (size >= sizeof(address.sun_path)) {
        return 0;
    }
    memcpy(address.sun_path, path, size);
    int fd = os_socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    int r = os_connect(fd, (const struct sockaddr *)&address, sizeof(address));
    pid_t pid = r == 0 ? os_peer_pid(fd) : 0;
    os_close(fd);
    return pid > 0 ? pid : 0;
}

/* ---- names ---- */

/* @return whether it runs */
static bool read_name(pid_t pid, char out[static NAME_SIZE])
{
    char path[NAME_SIZE];
    snprintf(path, sizeof(path), "/proc/%ld/comm", (long)pid);
    int fd = os_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t size = os_read(fd, out, NAME_SIZE - 1);
    os_close(fd);
    out[size > 0 ? size : 0] = '\0';
    return size > 0;
}

bool os_process_is_like_us(pid_t pid)
{
    char theirs[NAME_SIZE];
    char ours[NAME_SIZE];
    return pid > 0 && pid != os_getpid() && read_name(pid, theirs) &&
           read_name(os_getpid(), ours) && strcmp(theirs, ours) == 0;
}
