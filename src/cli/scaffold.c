#include "cli/scaffold.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <jsv/jsv.h>

#include "cli/report.h"
#include "os/sys.h"

#define FILE_MODE      0644
#define PROGRAM_MODE   0755
#define DIRECTORY_MODE 0755

/* Texts are constants of the program with a name in some places. */
#define TEXT_SIZE_MAX ((size_t)64 * 1024)

const struct scaffold_file app_scaffold_tool[APP_SCAFFOLD_TOOL_FILES] = {
    {
        .path = "%s.tool.json",
        .text = "{\n"
                "  \"name\": \"%s\",\n"
                "  \"version\": \"0.1.0\",\n"
                "  \"description\": \"Counts the words of a text.\",\n"
                "  \"command\": [\"./%s.sh\"],\n"
                "  \"arguments\": [\"--\", \"{text}\"],\n"
                "  \"inputSchema\": {\n"
                "    \"type\": \"object\",\n"
                "    \"properties\": {\n"
                "      \"text\": { \"type\": \"string\", \"description\": \"The text to count\" }\n"
                "    },\n"
                "    \"required\": [\"text\"],\n"
                "    \"additionalProperties\": false\n"
                "  },\n"
                "  \"output\": \"json\",\n"
                "  \"outputSchema\": {\n"
                "    \"type\": \"object\",\n"
                "    \"properties\": { \"words\": { \"type\": \"integer\" } },\n"
                "    \"required\": [\"words\"]\n"
                "  },\n"
                "  \"timeout_ms\": 5000\n"
                "}\n",
    },
    {
        .path = "%s.sh",
        .text =
            "#!/bin/sh\n"
            "# The program of the tool \"%s\". The descriptor, %s.tool.json, says how it is\n"
            "# called: here with \"--\" and the text as arguments. What it prints is the result.\n"
            "set -eu\n"
            "shift\n"
            "words=$(printf '%s' \"$1\" | wc -w)\n"
            "echo \"{\\\"words\\\": $((words))}\"\n",
        .is_program = true,
    },
};

/* ---- one file ---- */

/* Append a text with the name in the place of each mark; printf's own '%s' stands in quotes. */
static void put_named(struct jsv_buf *out, const char *text, const char *name)
{
    const char *mark;
    while (name && (mark = strstr(text, "%s")) != NULL) {
        bool is_quoted = mark > text && mark[-1] == '\'';
        jsv_buf_append(out, text, (size_t)(mark - text));
        jsv_buf_append_str(out, is_quoted ? JSV_STR("%s") : jsv_str_from(name));
        text = mark + 2;
    }
    jsv_buf_append_str(out, jsv_str_from(text));
}

/* "directory/path", with the name in it. @return 0 or -ENAMETOOLONG. */
static int make_path(
    const char *directory,
    const char *name,
    const struct scaffold_file *file,
    char out[static PATH_MAX])
{
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), PATH_MAX);
    jsv_buf_append_str(&text, jsv_str_from(directory));
    jsv_buf_append_byte(&text, '/');
    put_named(&text, file->path, name);
    jsv_buf_append_byte(&text, '\0');
    int r = text.error == -ENOBUFS ? -ENAMETOOLONG : text.error;
    if (r == 0) {
        memcpy(out, text.data, text.size);
    }
    jsv_buf_done(&text);
    return r;
}

/* All directories before the last "/". */
static int make_directories(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int r = os_mkdir(path, DIRECTORY_MODE);
        *slash = '/';
        if (r < 0 && r != -EEXIST) {
            return r;
        }
    }
    return 0;
}

static int write_file(const char *path, const char *name, const struct scaffold_file *file)
{
    int fd = os_create(
        AT_FDCWD,
        path,
        O_WRONLY | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
        file->is_program ? PROGRAM_MODE : FILE_MODE);
    if (fd < 0) {
        return fd;
    }
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), TEXT_SIZE_MAX);
    put_named(&text, file->text, name);
    int r = text.error < 0 ? text.error : os_write_all(fd, text.data, text.size);
    jsv_buf_done(&text);
    int closed = os_close(fd);
    r = r < 0 ? r : closed;
    if (r < 0) {
        (void)os_unlinkat(AT_FDCWD, path);
    }
    return r;
}

/* ---- all of them ---- */

static int check_free(const char *path)
{
    struct stat there;
    int r = os_fstatat(AT_FDCWD, path, &there, AT_SYMLINK_NOFOLLOW);
    return r == 0 ? -EEXIST : r == -ENOENT || r == -ENOTDIR ? 0 : r;
}

static int report(struct app_cli *cli, const char *path, int error)
{
    if (error == -EEXIST) {
        app_report_about(cli, path, "this file exists already; nothing was changed");
    } else {
        app_report_errno(cli, path, error);
    }
    return error;
}

static void remove_made(
    const char *directory, const char *name, const struct scaffold_file *files, size_t count)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < count; i++) {
        if (make_path(directory, name, &files[i], path) == 0) {
            (void)os_unlinkat(AT_FDCWD, path);
        }
    }
}

int app_scaffold_make(
    struct app_cli *cli,
    const char *directory,
    const char *name,
    const struct scaffold_file *files,
    size_t count)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < count; i++) {
        int r = make_path(directory, name, &files[i], path);
        r = r < 0 ? r : check_free(path);
        if (r < 0) {
            return report(cli, r == -EEXIST ? path : directory, r);
        }
    }
    for (size_t i = 0; i < count; i++) {
        int r = make_path(directory, name, &files[i], path);
        r = r < 0 ? r : make_directories(path);
        r = r < 0 ? r : write_file(path, name, &files[i]);
        if (r < 0) {
            remove_made(directory, name, files, i);
            return report(cli, path, r);
        }
    }
    return 0;
}
