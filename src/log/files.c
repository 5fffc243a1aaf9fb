/*
 * Files are opened by path, not below an open directory, so that a directory
 * that was removed and made again is found. Names begin with the time, so they
 * sort by age.
 *
 * A file only ever holds whole lines: after a short write it is truncated to
 * its size before.
 */
#define _GNU_SOURCE
#include "log/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "jsv/base/ascii.h"
#include "log/event.h"
#include "log/text.h"
#include "os/file.h"
#include "os/sys.h"

/* Logs hold private data: only the owner and the group may read them. */
#define FILE_MODE      0640
#define DIRECTORY_MODE 0750

#define NAME_ENDING ".jsonl"

#define NAME_SIZE LOG_FILE_NAME_SIZE

/* Attempts to find a free name; the first succeeds unless the clock was set back. */
#define NAME_TRIES 10

/* Old files removed at once; the rest is removed next time. */
#define NAMES_MAX 64

static const char *const directories[] = {"mcp_server", "envelope_validation"};

void log_files_init(struct log_files *files, const char *root, uint64_t size_max)
{
    *files = (struct log_files){.root = root, .size_max = size_max, .fd = -1};
    jsv_buf_init(&files->directory, os_allocator(), PATH_MAX);
}

static void close_file(struct log_files *files)
{
    os_close(files->fd);
    files->fd = -1;
}

void log_files_done(struct log_files *files)
{
    close_file(files);
    jsv_buf_done(&files->directory);
}

/* ---- paths ---- */

static int make_directory(struct jsv_buf *path)
{
    jsv_buf_append_byte(path, '\0');
    if (path->error < 0) {
        return path->error;
    }
    int r = os_mkdir(path->data, DIRECTORY_MODE);
    path->size--;
    return r == -EEXIST ? 0 : r;
}

/* Make each directory above the log dir. */
static int make_parents(struct jsv_buf *path, const char *root)
{
    int r = 0;
    for (const char *slash = strchr(root + 1, '/'); r == 0 && slash;
         slash = strchr(slash + 1, '/')) {
        jsv_buf_reset(path);
        jsv_buf_append(path, root, (size_t)(slash - root));
        r = make_directory(path);
    }
    return r;
}

static int make_directories(struct log_files *files)
{
    struct jsv_buf *path = &files->directory;
    int r = make_parents(path, files->root);
    jsv_buf_reset(path);
    jsv_buf_append_str(path, jsv_str_from(files->root));
    if (r == 0) {
        r = make_directory(path);
    }
    for (size_t i = 0; r == 0 && i < sizeof(directories) / sizeof(directories[0]); i++) {
        jsv_buf_append_byte(path, '/');
        jsv_buf_append_str(path, jsv_str_from(directories[i]));
        r = make_directory(path);
    }
    return r;
}

/* The path of a name in the directory. @return 0 or -ENAMETOOLONG. */
static int path_of(const struct log_files *files, const char *name, char ret_path[static PATH_MAX])
{
    struct jsv_str directory = jsv_buf_str(&files->directory);
    int size = snprintf(ret_path, PATH_MAX, "%.*s/%s", (int)directory.size, directory.data, name);
    return size < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* ---- .latest and old files ---- */

#define LATEST ".latest"

/* A directory of that name is moved aside, because it may hold files. */
static int replace_latest(const struct log_files *files, const char *link, const char *latest)
{
    char aside_name[NAME_SIZE + 16];
    char aside[PATH_MAX];
    int r = os_rename(link, latest);
    if (r != -EISDIR) {
        return r;
    }
    snprintf(aside_name, sizeof(aside_name), LATEST ".%s.moved", files->name);
    r = path_of(files, aside_name, aside);
    r = r < 0 ? r : os_rename(latest, aside);
    return r < 0 ? r : os_rename(link, latest);
}

/* The link is replaced atomically, so that a reader finds the old one or the new one. */
static int point_latest(const struct log_files *files)
{
    char temporary_name[NAME_SIZE];
    char temporary[PATH_MAX];
    char latest[PATH_MAX];
    snprintf(temporary_name, sizeof(temporary_name), LATEST ".%d", (int)os_getpid());
    int r = path_of(files, temporary_name, temporary);
    r = r < 0 ? r : path_of(files, LATEST, latest);
    if (r < 0) {
        return r;
    }
    (void)os_unlinkat(AT_FDCWD, temporary);
    r = os_symlink(files->name, temporary);
    if (r == 0) {
        r = replace_latest(files, temporary, latest);
    }
    if (r < 0) {
        (void)os_unlinkat(AT_FDCWD, temporary);
    }
    return r;
}

/* Point .latest to the current file. Warns on the first failure. */
static void update_latest(struct log_files *files)
{
    int before = files->latest_error;
    files->latest_error = point_latest(files);
    if (files->latest_error < 0 && before == 0) {
        char detail[PATH_MAX + 64];
        struct jsv_str directory = jsv_buf_str(&files->directory);
        snprintf(
            detail,
            sizeof(detail),
            "%.*s/" LATEST ": %s",
            (int)directory.size,
            directory.data,
            strerror(-files->latest_error));
        log_text_warning("log_link", "detail", jsv_str_from(detail));
    }
}

/* Whether a name is one of ours: other files are not touched. */
static bool is_run(const char *name)
{
    size_t size = strlen(name);
    size_t ending = sizeof(NAME_ENDING) - 1;
    return size < NAME_SIZE && size > 20 + ending && jsv_is_digit(name[0]) && name[8] == 'T' &&
           name[19] == 'Z' && strcmp(name + size - ending, NAME_ENDING) == 0;
}

/* Files that are kept besides the one that is written. */
#define OTHERS_KEPT (LOG_FILES_KEPT - 1)

struct names {
    char newest[OTHERS_KEPT][NAME_SIZE]; /* in order, the newest first */
    char old[NAMES_MAX][NAME_SIZE];
    size_t newest_count;
    size_t old_count;
};

static void add_old(struct names *names, const char *name)
{
    if (names->old_count < NAMES_MAX) {
        snprintf(names->old[names->old_count++], NAME_SIZE, "%s", name);
    }
}

static void sort_in(struct names *names, const char *name)
{
    size_t at = names->newest_count;
    while (at > 0 && strcmp(name, names->newest[at - 1]) > 0) {
        at--;
    }
    if (at == OTHERS_KEPT) {
        add_old(names, name);
        return;
    }
    if (names->newest_count == OTHERS_KEPT) {
        add_old(names, names->newest[OTHERS_KEPT - 1]);
        names->newest_count--;
    }
    memmove(names->newest[at + 1], names->newest[at], (names->newest_count - at) * NAME_SIZE);
    snprintf(names->newest[at], NAME_SIZE, "%s", name);
    names->newest_count++;
}

/*
 * Errors are ignored: a file too many must not keep lines from being written.
 * The current file is kept whatever its name: after a clock was set back, it
 * looks older than all others.
 */
static void remove_old(const struct log_files *files, const char *written)
{
    char path[PATH_MAX];
    struct names names = {.newest_count = 0};
    int fd = path_of(files, ".", path) < 0
                 ? -ENAMETOOLONG
                 : os_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    struct os_dir dir = {.fd = fd};
    const char *name;
    while (os_dir_next(&dir, &name) > 0) {
        if (is_run(name) && strcmp(name, written) != 0) {
            sort_in(&names, name);
        }
    }
    os_close(fd);
    for (size_t i = 0; i < names.old_count; i++) {
        if (path_of(files, names.old[i], path) == 0) {
            (void)os_unlinkat(AT_FDCWD, path);
        }
    }
}

/* ---- writing ---- */

/* The number distinguishes files of one millisecond and keeps them in order. */
static void make_name(unsigned number, char ret_name[static NAME_SIZE])
{
    char time[LOG_TIME_SIZE];
    log_time_format(os_wall_ms(), time);
    snprintf(
        ret_name,
        NAME_SIZE,
        "%.4s%.2s%.3s%.2s%.2s%.7s-%d-%06u" NAME_ENDING,
        time,
        time + 5,
        time + 8,
        time + 11,
        time + 14,
        time + 17,
        (int)os_getpid(),
        number % 1000000);
}

static int create(struct log_files *files, char ret_name[static NAME_SIZE])
{
    int fd = -EEXIST;
    for (unsigned try = 0; fd == -EEXIST && try < NAME_TRIES; try++) {
        char path[PATH_MAX];
        make_name(++files->number, ret_name);
        fd = path_of(files, ret_name, path);
        if (fd == 0) {
            fd = os_create(
                AT_FDCWD, path, O_WRONLY | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
        }
    }
    return fd;
}

int log_files_open(struct log_files *files)
{
    if (files->fd >= 0) {
        return 0;
    }
    int fd = make_directories(files);
    fd = fd < 0 ? fd : create(files, files->name);
    if (fd < 0) {
        return fd;
    }
    files->fd = fd;
    files->size = 0;
    update_latest(files);
    remove_old(files, files->name);
    return 0;
}

/* Whether the current file was deleted. */
static bool was_removed(const struct log_files *files)
{
    struct stat status;
    return os_fstat(files->fd, &status) == 0 && status.st_nlink == 0;
}

/* As many lines as fit into the file; at least one when it is empty. */
static struct jsv_str lines_that_fit(const struct log_files *files, struct jsv_str lines)
{
    uint64_t room = files->size < files->size_max ? files->size_max - files->size : 0;
    if (lines.size <= room) {
        return lines;
    }
    const char *end = room > 0 ? memrchr(lines.data, '\n', (size_t)room) : NULL;
    if (!end && files->size == 0) {
        end = memchr(lines.data, '\n', lines.size);
    }
    return (struct jsv_str){lines.data, end ? (size_t)(end - lines.data) + 1 : 0};
}

static int append(struct log_files *files, struct jsv_str lines)
{
    int r = os_write_all(files->fd, lines.data, lines.size);
    if (r == 0) {
        files->size += lines.size;
    } else if (os_truncate(files->fd, (off_t)files->size) < 0) {
        close_file(files); /* it ends in half a line: append nothing more */
    }
    return r;
}

int log_files_write(struct log_files *files, struct jsv_str lines, size_t *ret_written)
{
    int r = 0;
    *ret_written = 0;
    if (files->fd >= 0 && was_removed(files)) {
        close_file(files);
    }
    if (files->fd >= 0 && files->latest_error < 0) {
        update_latest(files);
    }
    while (r == 0 && *ret_written < lines.size) {
        r = log_files_open(files);
        if (r < 0) {
            break;
        }
        struct jsv_str rest = {lines.data + *ret_written, lines.size - *ret_written};
        struct jsv_str some = lines_that_fit(files, rest);
        if (some.size == 0) {
            close_file(files);
            continue;
        }
        r = append(files, some);
        *ret_written += r == 0 ? some.size : 0;
    }
    return r;
}
