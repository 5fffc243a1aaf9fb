#include "cli/log_trail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "jsv/base/ascii.h"
#include "os/dir.h"
#include "os/sys.h"

#define NAME_SIZE (NAME_MAX + 1)

/* Names begin with the time. */
static bool is_log(const char *name)
{
    const char *ending = strrchr(name, '.');
    return jsv_is_digit(name[0]) && ending && strcmp(ending, ".jsonl") == 0;
}

/* A name in the directory of a path. */
static int open_beside(const char *path, const char *name, int flags)
{
    char full[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int directory = slash ? (int)(slash + 1 - path) : 0;
    int size = snprintf(full, sizeof(full), "%.*s%s", directory, path, name);
    return size < PATH_MAX ? os_openat(AT_FDCWD, full, flags | O_RDONLY | O_CLOEXEC)
                           : -ENAMETOOLONG;
}

/* The name a link has for a file beside it; empty when it is no such link. */
static void read_link(const char *path, char ret_name[static NAME_SIZE])
{
    ssize_t size = os_readlinkat(AT_FDCWD, path, ret_name, NAME_SIZE);
    bool is_link = size > 0 && size < NAME_SIZE;
    ret_name[is_link ? size : 0] = '\0';
    if (strchr(ret_name, '/')) {
        ret_name[0] = '\0';
    }
}

/* The first file behind one; empty when there is none, as after a clock was set back. */
static void find_next(const char *path, const char *name, char ret_next[static NAME_SIZE])
{
    struct os_dir dir = {.fd = open_beside(path, ".", O_DIRECTORY)};
    const char *found;
    ret_next[0] = '\0';
    while (dir.fd >= 0 && os_dir_next(&dir, &found) > 0) {
        bool is_nearer = ret_next[0] == '\0' || strcmp(found, ret_next) < 0;
        if (is_log(found) && strcmp(found, name) > 0 && is_nearer) {
            snprintf(ret_next, NAME_SIZE, "%s", found);
        }
    }
    os_close(dir.fd);
}

static int open_named(const char *path, const char *name)
{
    return name[0] != '\0' ? open_beside(path, name, 0)
                           : os_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

int app_log_trail_open(struct app_log_trail *trail, const char *path)
{
    *trail = (struct app_log_trail){.path = path};
    read_link(path, trail->name);
    trail->fd = open_named(path, trail->name);
    return trail->fd < 0 ? trail->fd : 0;
}

void app_log_trail_close(struct app_log_trail *trail)
{
    os_close(trail->fd);
}

bool app_log_trail_has_more(const struct app_log_trail *trail)
{
    struct stat here;
    struct stat there;
    return os_fstat(trail->fd, &here) == 0 && os_fstatat(AT_FDCWD, trail->path, &there, 0) == 0 &&
           (here.st_ino != there.st_ino || here.st_dev != there.st_dev);
}

int app_log_trail_next(struct app_log_trail *trail)
{
    char name[NAME_SIZE] = "";
    if (trail->name[0] != '\0') {
        find_next(trail->path, trail->name, name);
    }
    if (name[0] == '\0') {
        read_link(trail->path, name);
    }
    int fd = open_named(trail->path, name);
    if (fd < 0) {
        return fd == -ENOENT ? 0 : fd;
    }
    os_close(trail->fd);
    trail->fd = fd;
    memcpy(trail->name, name, sizeof(name));
    return 1;
}
