/*
 * mcpgate init: a directory with a schema, an example and a tool to start from.
 */
#include "cli/init.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include <jsv/jsv.h>

#include "cli/cli.h"
#include "cli/io.h"
#include "cli/report.h"
#include "jsv/base/ascii.h"
#include "os/sys.h"

#define FILE_MODE      0644
#define PROGRAM_MODE   0755
#define DIRECTORY_MODE 0755

#define TOOL_NAME "count_words"

/* Directory of the tool's files in the table; "tools new" leaves it out. */
#define TOOLS "tools/"

/* In paths and texts, @ stands for the tool's name. */
static const struct new_file {
    const char *path;
    const char *text;
    mode_t mode;
} files[] = {
    {
        .path = "schemas/note.schema.json",
        .mode = FILE_MODE,
        .text = "{\n"
                "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                "  \"title\": \"A note\",\n"
                "  \"version\": \"0.1.0\",\n"
                "  \"type\": \"object\",\n"
                "  \"properties\": {\n"
                "    \"schema\": { \"const\": \"note\" },\n"
                "    \"text\": { \"type\": \"string\", \"minLength\": 1 },\n"
                "    \"stars\": { \"type\": \"integer\", \"minimum\": 1, \"maximum\": 5 }\n"
                "  },\n"
                "  \"required\": [\"text\"],\n"
                "  \"additionalProperties\": false\n"
                "}\n",
    },
    {
        .path = "examples/note_first.json",
        .mode = FILE_MODE,
        .text = "{\n"
                "  \"schema\": \"note\",\n"
                "  \"text\": \"It works.\",\n"
                "  \"stars\": 5\n"
                "}\n",
    },
    {
        .path = TOOLS "@.tool.json",
        .mode = FILE_MODE,
        .text = "{\n"
                "  \"name\": \"@\",\n"
                "  \"version\": \"0.1.0\",\n"
                "  \"description\": \"Counts the words of a text.\",\n"
                "  \"command\": [\"./@.sh\"],\n"
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
        .path = TOOLS "@.sh",
        .mode = PROGRAM_MODE,
        .text =
            "#!/bin/sh\n"
            "# The program of the tool \"@\". Its descriptor, @.tool.json, says how it is called:\n"
            "# here with \"--\" and the text as arguments. Its output is the result.\n"
            "set -eu\n"
            "shift\n"
            "words=$(printf '%s' \"$1\" | wc -w)\n"
            "echo \"{\\\"words\\\": $((words))}\"\n",
    },
};

#define FILE_COUNT      (sizeof(files) / sizeof(files[0]))
#define TOOL_FILE_COUNT 2

/* What to create where. */
struct creation {
    struct cli *cli;
    const char *directory;
    const char *name;
    const struct new_file *files;
    size_t count;
    size_t skip; /* bytes at the start of paths that are left out */
};

/* Append a text with the name in place of each @. */
static void put_named(struct jsv_buf *out, const char *text, const char *name)
{
    for (; *text != '\0'; text++) {
        if (*text == '@') {
            jsv_buf_append_str(out, jsv_str_from(name));
        } else {
            jsv_buf_append_byte(out, *text);
        }
    }
}

/* @return 0 or -ENAMETOOLONG. */
static int make_path(
    const struct creation *creation, const struct new_file *file, char ret_path[static PATH_MAX])
{
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), PATH_MAX);
    jsv_buf_append_str(&text, jsv_str_from(creation->directory));
    jsv_buf_append_byte(&text, '/');
    put_named(&text, file->path + creation->skip, creation->name);
    jsv_buf_append_byte(&text, '\0');
    int r = text.error == -ENOBUFS ? -ENAMETOOLONG : text.error;
    if (r == 0) {
        memcpy(ret_path, text.data, text.size);
    }
    jsv_buf_done(&text);
    return r;
}

/* Create all directories in a path. */
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

static int write_file(const char *path, const char *name, const struct new_file *file)
{
    int fd = os_create(AT_FDCWD, path, O_WRONLY | O_EXCL | O_NOFOLLOW | O_CLOEXEC, file->mode);
    if (fd < 0) {
        return fd;
    }
    struct jsv_buf text;
    cli_output_init(&text);
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

static int report(struct cli *cli, const char *path, int error)
{
    if (error == -EEXIST) {
        cli_report_about(cli, path, "file exists; nothing was changed");
    } else {
        cli_report_errno(cli, path, error);
    }
    return error;
}

static int check_absent(const struct creation *creation)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < creation->count; i++) {
        struct stat status;
        int r = make_path(creation, &creation->files[i], path);
        if (r < 0) {
            return report(creation->cli, creation->directory, r);
        }
        r = os_fstatat(AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW);
        if (r != -ENOENT && r != -ENOTDIR) {
            return report(creation->cli, path, r == 0 ? -EEXIST : r);
        }
    }
    return 0;
}

static void remove_created(const struct creation *creation, size_t count)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < count; i++) {
        if (make_path(creation, &creation->files[i], path) == 0) {
            (void)os_unlinkat(AT_FDCWD, path);
        }
    }
}

/* @return 0, or a reported error; then no new file is left. */
static int create(const struct creation *creation)
{
    char path[PATH_MAX];
    int r = check_absent(creation);
    for (size_t i = 0; r == 0 && i < creation->count; i++) {
        r = make_path(creation, &creation->files[i], path);
        r = r < 0 ? r : make_directories(path);
        r = r < 0 ? r : write_file(path, creation->name, &creation->files[i]);
        if (r < 0) {
            remove_created(creation, i);
            report(creation->cli, path, r);
        }
    }
    return r;
}

/* ---- mcpgate tools new ---- */

/* As the member "name" of a descriptor must be; the files are named after it. */
static bool is_tool_name(const char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; i < size; i++) {
        if (!jsv_is_alnum(name[i]) && !strchr("_-.", name[i])) {
            return false;
        }
    }
    return size > 0 && size <= 128 && name[0] != '.' && name[0] != '-';
}

int cli_init_tool(struct cli *cli, const char *directory, const char *name)
{
    const struct creation creation = {
        .cli = cli,
        .directory = directory,
        .name = name,
        .files = files + FILE_COUNT - TOOL_FILE_COUNT,
        .count = TOOL_FILE_COUNT,
        .skip = sizeof(TOOLS) - 1,
    };
    if (!is_tool_name(name)) {
        cli_report_about(cli, name, "a tool name is 1 to 128 of A-Z a-z 0-9 _ - .");
        return -EINVAL;
    }
    int r = create(&creation);
    if (r < 0) {
        return r;
    }
    struct jsv_buf text;
    cli_output_init(&text);
    jsv_buf_append_str(&text, JSV_STR("Created "));
    jsv_buf_append_str(&text, jsv_str_from(directory));
    put_named(&text, "/@.tool.json and @.sh. Try it:\n", name);
    put_named(&text, "  mcpgate call @ text='one two three' --tools-dir ", name);
    jsv_buf_append_str(&text, jsv_str_from(directory));
    jsv_buf_append_byte(&text, '\n');
    return cli_output_finish(cli, &text);
}

/* ---- mcpgate init ---- */

/* The lines can be pasted. */
static int print_next_steps(struct cli *cli, const char *directory)
{
    struct jsv_buf text;
    cli_output_init(&text);
    jsv_buf_append_str(&text, JSV_STR("Created in "));
    jsv_buf_append_str(&text, jsv_str_from(directory));
    jsv_buf_append_str(&text, JSV_STR(":\n"));
    for (size_t i = 0; i < FILE_COUNT; i++) {
        jsv_buf_append_str(&text, JSV_STR("  "));
        put_named(&text, files[i].path, TOOL_NAME);
        jsv_buf_append_byte(&text, '\n');
    }
    jsv_buf_append_str(&text, JSV_STR("\nNext:\n"));
    if (strcmp(directory, ".") != 0) {
        jsv_buf_append_str(&text, JSV_STR("  cd "));
        jsv_buf_append_str(&text, jsv_str_from(directory));
        jsv_buf_append_byte(&text, '\n');
    }
    jsv_buf_append_str(
        &text,
        JSV_STR("  mcpgate validate -s schemas/note.schema.json examples/note_first.json\n"
                "  mcpgate call validate_asset schema=note 'asset={\"text\":\"\",\"stars\":9}' "
                "--schemas-dir schemas\n"
                "  mcpgate call " TOOL_NAME " text='one two three' --tools-dir tools\n"
                "  mcpgate --http 127.0.0.1:8787 --schemas-dir schemas --examples-dir examples "
                "--tools-dir tools\n"
                "\n"
                "Another tool: mcpgate tools new NAME tools\n"));
    return cli_output_finish(cli, &text);
}

static enum app_exit run(struct cli *cli, const struct cli_args *args)
{
    const struct creation creation = {
        .cli = cli,
        .directory = args->operand_count > 0 ? args->operands[0] : ".",
        .name = TOOL_NAME,
        .files = files,
        .count = FILE_COUNT,
    };
    if (creation.directory[0] == '\0') {
        cli_report_usage(cli, "expected a directory, not", creation.directory);
        return APP_EXIT_TROUBLE;
    }
    int r = create(&creation);
    r = r < 0 ? r : print_next_steps(cli, creation.directory);
    return r < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}

static const struct cli_option options[] = {{0}};

const struct cli_command cli_command_init = {
    .name = "init",
    .synopsis = "[DIR]",
    .summary = "Create a directory with a schema, an example and a tool",
    .details =
        "Creates schemas/, examples/ and tools/ in DIR or the working directory, with one small\n"
        "file of each kind and a program for the tool, and prints commands to try. If one of the\n"
        "files exists, nothing is created.\n"
        "\n"
        "Exit status: 0, or 2 when a file exists or cannot be written.\n",
    .options = options,
    .operand_max = 1,
    .run = run,
};
