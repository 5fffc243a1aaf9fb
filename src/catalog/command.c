#define _GNU_SOURCE /* strchrnul() */
#include "catalog/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "os/sys.h"

#define USUAL_PATH "/usr/local/bin:/usr/bin:/bin"

/* A sentence with a path in it, and the command's name; longer ones are cut. */
#define MESSAGE_SIZE 512

char *
catalog_command_join(struct jsv_arena *arena, struct jsv_str a, struct jsv_str b, struct jsv_str c)
{
    char *text = jsv_arena_alloc(arena, a.size + b.size + c.size + 1);
    if (text) {
        char *at = text;
        const struct jsv_str parts[] = {a, b, c};
        for (size_t i = 0; i < 3; i++) {
            if (parts[i].size > 0) {
                memcpy(at, parts[i].data, parts[i].size);
                at += parts[i].size;
            }
        }
        *at = 0;
    }
    return text;
}

static struct jsv_str name_of(const struct catalog_tool *tool)
{
    struct jsv_value command = jsv_value_get(tool->value, JSV_STR("command"));
    return jsv_value_text(jsv_value_at(command, 0));
}

/* A name below the tools directory, unless it is absolute. NULL when memory ran out. */
static char *
make_path(const struct catalog_tool *tool, struct jsv_arena *arena, struct jsv_str name)
{
    bool is_absolute = name.size > 0 && name.data[0] == '/';
    return catalog_command_join(
        arena,
        is_absolute ? JSV_STR("") : tool->directory,
        is_absolute ? JSV_STR("") : JSV_STR("/"),
        name);
}

static bool is_file(const char *path)
{
    struct stat there;
    return os_fstatat(AT_FDCWD, path, &there, 0) == 0 && S_ISREG(there.st_mode);
}

/* A bare name in the directories of PATH; *ret_path NULL when there is none. */
static int search_path(struct jsv_arena *arena, struct jsv_str name, const char **ret_path)
{
    const char *rest = os_getenv("PATH");
    rest = rest && rest[0] ? rest : USUAL_PATH;
    *ret_path = NULL;
    while (rest) {
        const char *end = strchrnul(rest, ':');
        struct jsv_str directory = {rest, (size_t)(end - rest)};
        char *path = catalog_command_join(arena, directory, JSV_STR("/"), name);
        if (!path) {
            return -ENOMEM;
        }
        if (rest[0] == '/' && is_file(path)) { /* empty and relative entries are unsafe */
            *ret_path = path;
            return 0;
        }
        rest = *end ? end + 1 : NULL;
    }
    return 0;
}

const char *catalog_command_directory(const struct catalog_tool *tool, struct jsv_arena *arena)
{
    struct jsv_value named = jsv_value_get(tool->value, JSV_STR("working_directory"));
    return make_path(tool, arena, jsv_value_text(named));
}

int catalog_command_find(
    const struct catalog_tool *tool, struct jsv_arena *arena, const char **ret_path)
{
    struct jsv_str name = name_of(tool);
    char *path = make_path(tool, arena, name);
    if (!path) {
        return -ENOMEM;
    }
    *ret_path = path;
    bool is_bare = !memchr(name.data, '/', name.size);
    return is_bare && !is_file(path) ? search_path(arena, name, ret_path) : 0;
}

/* ---- whether it can be run ---- */

struct fault {
    const char *text;
    bool names_path; /* the path follows the text */
};

/* @param path NULL: there is none. */
static struct fault find_fault(const char *path)
{
    struct stat there;
    if (!path) {
        return (struct fault){
            "is neither in the tools directory nor in PATH; install it, or correct \"command\"",
            false};
    }
    if (os_fstatat(AT_FDCWD, path, &there, 0) < 0) {
        return (struct fault){"does not exist; correct \"command\", or create ", true};
    }
    if (!S_ISREG(there.st_mode)) {
        return (struct fault){"is not a file; correct \"command\"", false};
    }
    /* The kernel decides whether this user may run it. */
    if (!(there.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH))) {
        return (struct fault){"is not executable; run chmod +x ", true};
    }
    return (struct fault){0};
}

static bool is_directory(const char *path)
{
    struct stat there;
    return os_fstatat(AT_FDCWD, path, &there, 0) == 0 && S_ISDIR(there.st_mode);
}

static int write_fault(
    struct jsv_arena *arena,
    struct jsv_str name,
    struct fault fault,
    const char *path,
    const char **ret_wrong)
{
    char text[MESSAGE_SIZE];
    int size = (int)name.size;
    snprintf(
        text, sizeof(text), "%.*s %s%s", size, name.data, fault.text, fault.names_path ? path : "");
    *ret_wrong = catalog_command_join(arena, jsv_str_from(text), JSV_STR(""), JSV_STR(""));
    return *ret_wrong ? 0 : -ENOMEM;
}

int catalog_command_check(
    const struct catalog_tool *tool, struct jsv_arena *arena, const char **ret_wrong)
{
    const char *path;
    *ret_wrong = NULL;
    int r = catalog_command_find(tool, arena, &path);
    if (r < 0) {
        return r;
    }
    struct fault fault = find_fault(path);
    if (fault.text) {
        return write_fault(arena, name_of(tool), fault, path, ret_wrong);
    }
    const char *directory = catalog_command_directory(tool, arena);
    if (!directory || is_directory(directory)) {
        return directory ? 0 : -ENOMEM;
    }
    fault = (struct fault){"is not a directory; correct \"working_directory\"", false};
    return write_fault(arena, jsv_str_from(directory), fault, NULL, ret_wrong);
}
