/*
 * Two implementations with the same results.
 *
 * openat2() with RESOLVE_BENEATH lets the kernel resolve the whole path and
 * refuse any step that would leave the root, races included.
 *
 * Where a kernel or sandbox has no openat2(), the path is walked one segment at
 * a time, and the kernel never follows a link. Each directory is opened
 * relative to the descriptor of its parent, so renames cannot move the walk.
 * When a segment is a link, its target is put in front of the rest:
 *
 *     walked    to do
 *     a/b       link/file       link -> ../c
 *     a/b       ../c/file
 *
 * ".." then steps back to the previous descriptor, which is below the root
 * whatever has been renamed meanwhile; at the root itself the walk fails.
 */
#define _GNU_SOURCE /* O_PATH */
#include "os/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>

#include "os/file.h"
#include "os/sys.h"

/*
 * O_NONBLOCK and O_NOCTTY: the file may be a FIFO, which must not block, or a
 * terminal, which must not become our controlling terminal.
 */
#define FILE_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
#define DIR_FLAGS  (O_PATH | O_DIRECTORY | O_CLOEXEC)
/* To list a directory. */
#define LIST_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

/* The kernel's own limit on links in one path. */
#define LINKS_MAX 40

/* The kernel returns -EAGAIN when a rename races with a ".."; a retry usually succeeds. */
#define TRIES_MAX 8

int os_root_open(const char *directory)
{
    return os_openat(AT_FDCWD, directory, DIR_FLAGS);
}

/* ---- names ---- */

static bool is_parent(const char *segment, size_t size)
{
    return size == 2 && segment[0] == '.' && segment[1] == '.';
}

/* No segment may be "..", and there may not be too many. */
static int check_segments(const char *path)
{
    unsigned count = 0;
    for (const char *segment = path; *segment != '\0';) {
        size_t size = strcspn(segment, "/");
        if (is_parent(segment, size)) {
            return -EINVAL;
        }
        if (++count > OS_ROOT_LEVELS_MAX + 1) {
            return -ENAMETOOLONG;
        }
        segment += size;
        segment += strspn(segment, "/");
    }
    return 0;
}

static int name_to_path(struct jsv_str name, char path[static PATH_MAX])
{
    if (name.size == 0 || name.data[0] == '/' || memchr(name.data, '\0', name.size) != NULL) {
        return -EINVAL;
    }
    if (name.size >= PATH_MAX) {
        return -ENAMETOOLONG;
    }
    memcpy(path, name.data, name.size);
    path[name.size] = '\0';
    return check_segments(path);
}

/* ---- walking ---- */

struct walk {
    int dirs[OS_ROOT_LEVELS_MAX + 1]; /* the path so far; the first is the root, borrowed */
    unsigned depth;                   /* index of the directory we are in */
    unsigned links;                   /* followed so far */
    int flags;                        /* to open the last segment with */
    char path[PATH_MAX];
    char *todo; /* in path: the rest */
};

/* walk_step() made a step; there are more. */
#define WALK_ON INT_MIN

static void walk_back(struct walk *walk)
{
    os_close(walk->dirs[walk->depth]);
    walk->depth--;
}

/* Cut the next segment off the path; empty when there is none. A trailing slash is not last. */
static const char *walk_cut(struct walk *walk, bool *ret_last)
{
    char *segment = walk->todo + strspn(walk->todo, "/");
    char *end = segment + strcspn(segment, "/");
    *ret_last = *end == '\0';
    walk->todo = *ret_last ? end : end + 1;
    *end = '\0';
    return segment;
}

/* Put a link's target in front of the rest. */
static int walk_prepend(struct walk *walk, const char *target, size_t size, bool last)
{
    size_t rest = last ? 0 : strlen(walk->todo) + 1;
    if (size + 1 + rest > sizeof(walk->path)) {
        return -ENAMETOOLONG;
    }
    memmove(walk->path + size + 1, walk->todo, rest);
    memcpy(walk->path, target, size);
    walk->path[size] = last ? '\0' : '/';
    walk->todo = walk->path;
    return WALK_ON;
}

/*
 * A segment could not be opened because it is, or may be, a link.
 *
 * @param error Of opening it: -ELOOP for a link, -ENOTDIR where a
 *              directory was asked for and there was a link or a file.
 */
static int walk_link(struct walk *walk, const char *segment, bool last, int error)
{
    if (++walk->links > LINKS_MAX) {
        return -ELOOP;
    }
    char target[PATH_MAX];
    ssize_t size = os_readlinkat(walk->dirs[walk->depth], segment, target, sizeof(target));
    if (size == -EINVAL && error == -ELOOP) {
        /* It was a link a moment ago and was replaced. Try again, counted as a link. */
        size = (ssize_t)strlen(segment);
        memcpy(target, segment, (size_t)size);
    }
    if (size < 0) {
        return size == -EINVAL ? error : (int)size;
    }
    if (size == sizeof(target)) {
        return -ENAMETOOLONG;
    }
    if (target[0] == '/') {
        return -EXDEV;
    }
    return walk_prepend(walk, target, (size_t)size, last);
}

static int walk_into(struct walk *walk, int dir_fd)
{
    if (walk->depth == OS_ROOT_LEVELS_MAX) {
        os_close(dir_fd);
        return -ENAMETOOLONG;
    }
    walk->dirs[++walk->depth] = dir_fd;
    return WALK_ON;
}

/* @return WALK_ON, the descriptor of the file at the end, or an error. */
static int walk_step(struct walk *walk)
{
    bool last;
    const char *segment = walk_cut(walk, &last);
    if (segment[0] == '\0') {
        /* the path ended at a directory */
        return walk->flags & O_DIRECTORY ? os_openat(walk->dirs[walk->depth], ".", walk->flags)
                                         : -EISDIR;
    }
    if (strcmp(segment, ".") == 0) {
        return WALK_ON;
    }
    if (strcmp(segment, "..") == 0) {
        if (walk->depth == 0) {
            return -EXDEV;
        }
        walk_back(walk);
        return WALK_ON;
    }
    int fd =
        os_openat(walk->dirs[walk->depth], segment, (last ? walk->flags : DIR_FLAGS) | O_NOFOLLOW);
    if (fd == -ELOOP || fd == -ENOTDIR) {
        return walk_link(walk, segment, last, fd);
    }
    return fd < 0 || last ? fd : walk_into(walk, fd);
}

static int open_walking(int root_fd, const char *path, int flags)
{
    struct walk walk;
    walk.dirs[0] = root_fd;
    walk.depth = 0;
    walk.links = 0;
    walk.flags = flags;
    memcpy(walk.path, path, strlen(path) + 1);
    walk.todo = walk.path;
    int fd;
    do {
        fd = walk_step(&walk);
    } while (fd == WALK_ON);
    while (walk.depth > 0) {
        walk_back(&walk);
    }
    return fd;
}

/* ---- openat2() ---- */

static int open_beneath(int root_fd, const char *path, int flags)
{
    const struct open_how how = {
        .flags = (unsigned)flags,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    int fd = -EAGAIN;
    for (unsigned tries = 0; tries < TRIES_MAX && fd == -EAGAIN; tries++) {
        fd = os_openat2(root_fd, path, &how);
    }
    return fd;
}

/* No such call, forbidden by a sandbox, or lost the race each time. */
static bool needs_walking(int error)
{
    return error == -ENOSYS || error == -EPERM || error == -EAGAIN;
}

/* ---- results ---- */

/* The documented errors. */
static int as_root_error(int error)
{
    switch (error) {
    case -ELOOP:
        return -EXDEV;
    case -ENXIO: /* a socket, or a device without a driver behind it */
    case -ENODEV:
        return -EBADFD;
    default:
        return error;
    }
}

static int check_regular(int fd)
{
    struct stat stat;
    int r = os_fstat(fd, &stat);
    if (r < 0) {
        return r;
    }
    if (S_ISDIR(stat.st_mode)) {
        return -EISDIR;
    }
    return S_ISREG(stat.st_mode) ? 0 : -EBADFD;
}

static int open_below(int root_fd, struct jsv_str name, int flags)
{
    char path[PATH_MAX];
    int r = name_to_path(name, path);
    if (r < 0) {
        return r;
    }
    int fd = open_beneath(root_fd, path, flags);
    if (needs_walking(fd)) {
        fd = open_walking(root_fd, path, flags);
    }
    return as_root_error(fd);
}

int os_root_open_dir(int root_fd, struct jsv_str name)
{
    return open_below(root_fd, name, LIST_FLAGS);
}

int os_root_open_file(int root_fd, struct jsv_str name)
{
    int fd = open_below(root_fd, name, FILE_FLAGS);
    if (fd < 0) {
        return fd;
    }
    int r = check_regular(fd);
    if (r < 0) {
        os_close(fd);
        return r;
    }
    return fd;
}

int os_root_read_file(int root_fd, struct jsv_str name, struct jsv_buf *out)
{
    int fd = os_root_open_file(root_fd, name);
    if (fd < 0) {
        return fd;
    }
    int r = os_file_read(fd, out);
    os_close(fd);
    return r;
}
