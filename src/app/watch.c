#define _GNU_SOURCE /* O_PATH */
#include "app/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/inotify.h>

#include "catalog/catalog.h"
#include "jsv/base/alloc.h"
#include "loop/loop.h"
#include "os/file.h"
#include "os/sys.h"

/* Changes closer together than this are reported once. */
#define SETTLE_MS 100
/* A directory that keeps changing is still reported after this time. */
#define SETTLE_MAX_MS 1000

/* Total size of the names of all subdirectories: room for thousands of them. */
#define PATHS_SIZE_MAX ((size_t)1 << 20)

/* Room for some dozen events; the rest is read in the next round. */
#define EVENTS_SIZE 4096

/* Everything that may create, change or remove a file. */
#define CHANGES                                                                                    \
    (IN_CREATE | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE |            \
     IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

struct app_watch {
    struct loop *loop;
    const struct catalog_options *roots;
    app_watch_changed *changed;
    void *owner;
    int fd;
    struct loop_poll *poll;
    struct loop_timer *timer;
    bool pending;
    uint64_t pending_since_ms;
};

/* ---- directories ---- */

static int watch_directory(struct app_watch *watch, const char *dir)
{
    int r = dir ? os_inotify_add(watch->fd, dir, CHANGES) : 0;
    return r < 0 ? r : 0;
}

static void append_path(struct jsv_buf *paths, const char *dir, const char *name)
{
    jsv_buf_append(paths, dir, strlen(dir));
    jsv_buf_append_byte(paths, '/');
    jsv_buf_append(paths, name, strlen(name) + 1);
}

/* Append the subdirectories of a directory, which may be gone by now. */
static void append_subdirectories(struct jsv_buf *paths, const char *dir)
{
    int fd = os_openat(AT_FDCWD, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    struct os_dir names = {.fd = fd};
    const char *name;
    while (os_dir_next(&names, &name) > 0) {
        struct stat entry;
        if (os_fstatat(fd, name, &entry, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(entry.st_mode)) {
            append_path(paths, dir, name);
        }
    }
    os_close(fd);
}

/* Uses a list of pending directories instead of recursion. */
static int watch_tree(struct app_watch *watch, const char *root)
{
    struct jsv_buf paths;
    jsv_buf_init(&paths, os_allocator(), PATHS_SIZE_MAX);
    int r = jsv_buf_append(&paths, root, strlen(root) + 1);
    for (size_t at = 0; r == 0 && at < paths.size;) {
        struct jsv_buf dir;
        jsv_buf_init(&dir, os_allocator(), PATHS_SIZE_MAX);
        size_t size = strlen(paths.data + at) + 1;
        r = jsv_buf_append(&dir, paths.data + at, size); /* a copy, since growing moves the list */
        if (r == 0) {
            r = watch_directory(watch, dir.data);
            r = r == -ENOENT && at > 0 ? 0 : r;
            append_subdirectories(&paths, dir.data);
        }
        jsv_buf_done(&dir);
        at += size;
    }
    r = r == 0 ? paths.error : r;
    jsv_buf_done(&paths);
    return r;
}

int app_watch_refresh(struct app_watch *watch)
{
    int r = watch_directory(watch, watch->roots->schemas_dir);
    if (r == 0) {
        r = watch_directory(watch, watch->roots->tools_dir);
    }
    if (r == 0 && watch->roots->examples_dir) {
        r = watch_tree(watch, watch->roots->examples_dir);
    }
    return r;
}

/* ---- events ---- */

static void settled(void *owner)
{
    struct app_watch *watch = owner;
    watch->pending = false;
    watch->changed(watch->owner);
}

static void note_change(struct app_watch *watch)
{
    uint64_t now_ms = loop_now_ms(watch->loop);
    if (!watch->pending) {
        watch->pending = true;
        watch->pending_since_ms = now_ms;
    }
    if (now_ms - watch->pending_since_ms < SETTLE_MAX_MS - SETTLE_MS) {
        loop_timer_start(watch->timer, SETTLE_MS);
    }
}

/* The kind of event does not matter: everything is read again. */
static void polled(void *owner, unsigned events, int error)
{
    struct app_watch *watch = owner;
    _Alignas(struct inotify_event) char block[EVENTS_SIZE];
    if (error < 0 || !(events & LOOP_POLL_READ)) {
        return;
    }
    if (os_read(watch->fd, block, sizeof(block)) > 0) {
        note_change(watch);
    }
}

/* ---- beginning and end ---- */

static int start(struct app_watch *watch)
{
    watch->fd = os_inotify_init();
    if (watch->fd < 0) {
        return watch->fd;
    }
    int r = loop_timer_new(watch->loop, settled, watch, &watch->timer);
    if (r == 0) {
        r = app_watch_refresh(watch);
    }
    if (r == 0) {
        r = loop_poll_new(watch->loop, watch->fd, polled, watch, &watch->poll);
    }
    return r < 0 ? r : loop_poll_set(watch->poll, LOOP_POLL_READ);
}

int app_watch_new(
    struct loop *loop,
    const struct catalog_options *roots,
    app_watch_changed *changed,
    void *owner,
    struct app_watch **ret_watch)
{
    struct app_watch *watch = jsv_alloc(os_allocator(), sizeof(*watch));
    if (!watch) {
        return -ENOMEM;
    }
    *watch = (struct app_watch){
        .loop = loop, .roots = roots, .changed = changed, .owner = owner, .fd = -1};
    int r = start(watch);
    if (r < 0) {
        app_watch_free(watch);
        return r;
    }
    *ret_watch = watch;
    return 0;
}

void app_watch_free(struct app_watch *watch)
{
    if (!watch) {
        return;
    }
    loop_poll_close(watch->poll);
    loop_timer_close(watch->timer);
    os_close(watch->fd);
    jsv_dealloc(os_allocator(), watch, sizeof(*watch));
}
