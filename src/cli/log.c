/*
 * mcpgate log: the structured log for people, one short line per message.
 *
 *     03:04:05.678  ok                 1.204 ms  http  tools/call  validate_asset
 *     03:04:06.001  tool_not_found     0.032 ms  http  mcp.tool.invoke  nix: Unknown tool
 *
 * With --follow new lines are shown as they are written, also when the server
 * starts another file.
 */
#include "cli/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <jsv/json.h>

#include "cli/cli.h"
#include "cli/io.h"
#include "cli/report.h"
#include "jsv/base/ascii.h"
#include "os/file.h"
#include "os/sys.h"

/* ---- the files ---- */

#define NAME_SIZE (NAME_MAX + 1)

/* Names start with the time. */
static bool is_log(const char *name)
{
    const char *ending = strrchr(name, '.');
    return jsv_is_digit(name[0]) && ending && strcmp(ending, ".jsonl") == 0;
}

/* Open a file in the directory of a path. */
static int open_beside(const char *path, const char *name, int flags)
{
    char full[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int directory = slash ? (int)(slash + 1 - path) : 0;
    int size = snprintf(full, sizeof(full), "%.*s%s", directory, path, name);
    return size < PATH_MAX ? os_openat(AT_FDCWD, full, flags | O_RDONLY | O_CLOEXEC)
                           : -ENAMETOOLONG;
}

/* The target of a link, if it is in the same directory; else empty. */
static void read_link(const char *path, char ret_name[static NAME_SIZE])
{
    ssize_t size = os_readlinkat(AT_FDCWD, path, ret_name, NAME_SIZE);
    bool is_link = size > 0 && size < NAME_SIZE;
    ret_name[is_link ? size : 0] = '\0';
    if (strchr(ret_name, '/')) {
        ret_name[0] = '\0';
    }
}

/* The first file after this one; empty if there is none, as when the clock was set back. */
static void find_next(const char *path, const char *name, char ret_next[static NAME_SIZE])
{
    struct os_dir dir = {.fd = open_beside(path, ".", O_DIRECTORY)};
    const char *found;
    ret_next[0] = '\0';
    while (dir.fd >= 0 && os_dir_next(&dir, &found) > 0) {
        bool is_earlier = ret_next[0] == '\0' || strcmp(found, ret_next) < 0;
        if (is_log(found) && strcmp(found, name) > 0 && is_earlier) {
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

int cli_log_files_open(struct cli_log_files *files, const char *path)
{
    *files = (struct cli_log_files){.path = path};
    read_link(path, files->name);
    files->fd = open_named(path, files->name);
    return files->fd < 0 ? files->fd : 0;
}

void cli_log_files_close(struct cli_log_files *files)
{
    os_close(files->fd);
}

bool cli_log_files_has_more(const struct cli_log_files *files)
{
    struct stat here;
    struct stat there;
    return os_fstat(files->fd, &here) == 0 && os_fstatat(AT_FDCWD, files->path, &there, 0) == 0 &&
           (here.st_ino != there.st_ino || here.st_dev != there.st_dev);
}

int cli_log_files_next(struct cli_log_files *files)
{
    char name[NAME_SIZE] = "";
    if (files->name[0] != '\0') {
        find_next(files->path, files->name, name);
    }
    if (name[0] == '\0') {
        read_link(files->path, name);
    }
    int fd = open_named(files->path, name);
    if (fd < 0) {
        return fd == -ENOENT ? 0 : fd;
    }
    os_close(files->fd);
    files->fd = fd;
    memcpy(files->name, name, sizeof(name));
    return 1;
}

/* ---- the command ---- */

#define LOG_FOLDER "mcp_server/envelope_validation"

/* Interval between two checks of a growing file. */
#define FOLLOW_MS 200

/* Lines of a log are shorter. */
#define LINE_SIZE_MAX ((size_t)1024 * 1024)

#define BLOCK_SIZE ((size_t)64 * 1024)

/* Room for a duration; a server writes shorter ones. */
#define DURATION_SIZE 32

struct view {
    struct cli *cli;
    uint64_t flags;
    struct jsv_str since; /* lines before it are not shown */
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_buf input; /* read but not shown yet */
    struct jsv_buf output;
};

/* ---- a line ---- */

static struct jsv_str text_of(struct jsv_value line, const char *name)
{
    return jsv_value_text(jsv_value_get(line, jsv_str_from(name)));
}

static bool is_failure(struct jsv_value line)
{
    return !jsv_str_equal(text_of(line, "status"), JSV_STR("ok"));
}

static bool is_wanted(const struct view *view, struct jsv_value line)
{
    return jsv_str_compare(text_of(line, "ts"), view->since) >= 0 &&
           (!(view->flags & CLI_FLAG(LOG_FAILURES)) || is_failure(line));
}

/* Control characters, which a terminal would obey, become question marks. */
static void put_text(struct jsv_buf *out, struct jsv_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        bool is_c1 = byte == 0xC2 && i + 1 < text.size && (unsigned char)text.data[i + 1] < 0xA0;
        jsv_buf_append_byte(out, byte < 0x20 || byte == 0x7F || is_c1 ? '?' : text.data[i]);
        i += is_c1;
    }
}

static void put_padded(struct jsv_buf *out, struct jsv_str text, size_t width)
{
    put_text(out, text);
    for (size_t i = text.size; i < width; i++) {
        jsv_buf_append_byte(out, ' ');
    }
    jsv_buf_append_str(out, JSV_STR("  "));
}

static void put_duration(struct jsv_buf *out, struct jsv_value line)
{
    char text[DURATION_SIZE];
    struct jsv_value duration = jsv_value_get(line, JSV_STR("durationMs"));
    snprintf(text, sizeof(text), "%9.3f ms  ", jsv_value_double(duration));
    jsv_buf_append_str(out, jsv_str_from(text));
}

static void put_status(const struct view *view, struct jsv_buf *out, struct jsv_value line)
{
    bool colour = view->cli->out_colour;
    if (colour) {
        jsv_buf_append_str(out, is_failure(line) ? JSV_STR("\033[31m") : JSV_STR("\033[32m"));
    }
    put_padded(out, text_of(line, "status"), 18);
    if (colour) {
        jsv_buf_append_str(out, JSV_STR("\033[0m"));
    }
}

/* Method, tool or prompt, and the error. */
static void put_subject(struct jsv_buf *out, struct jsv_value line)
{
    struct jsv_value metadata = jsv_value_get(line, JSV_STR("metadata"));
    struct jsv_str tool = text_of(metadata, "toolId");
    struct jsv_str prompt = text_of(metadata, "promptId");
    struct jsv_str message = text_of(jsv_value_get(line, JSV_STR("error")), "message");
    put_padded(out, text_of(line, "method"), 0);
    put_text(out, tool.data ? tool : prompt);
    if (message.data) {
        jsv_buf_append_str(out, JSV_STR(": "));
        put_text(out, message);
        jsv_buf_append_str(out, JSV_STR(" ("));
        put_text(out, text_of(line, "stage"));
        jsv_buf_append_str(out, JSV_STR(")"));
    }
}

/*
 * Skips text that is not a log line: a killed server may leave a partial one.
 * A document that could not be parsed has an empty root.
 */
static void show_line(struct view *view, struct jsv_str text)
{
    struct jsv_buf *out = &view->output;
    if (jsv_read(view->reader, view->document, text, 0, NULL) == -ENOMEM) {
        out->error = -ENOMEM; /* reported when the output is written */
        return;
    }
    struct jsv_value line = jsv_document_root(view->document);
    if (!text_of(line, "ts").data || !is_wanted(view, line)) {
        return;
    }
    put_padded(out, text_of(line, "ts"), 0);
    put_status(view, out, line);
    put_duration(out, line);
    put_padded(out, text_of(line, "transport"), 6);
    put_subject(out, line);
    jsv_buf_append_byte(out, '\n');
}

static int flush(struct view *view)
{
    int r = cli_output_buf(view->cli, &view->output);
    jsv_buf_reset(&view->output);
    return r;
}

/* Show complete lines and keep the rest. @return 0, or a reported error. */
static int show_lines(struct view *view)
{
    struct jsv_buf *input = &view->input;
    size_t used = 0;
    const char *end;
    while ((end = memchr(input->data + used, '\n', input->size - used)) != NULL) {
        size_t size = (size_t)(end - (input->data + used));
        show_line(view, (struct jsv_str){input->data + used, size});
        used += size + 1;
    }
    memmove(input->data, input->data + used, input->size - used);
    input->size -= used;
    return flush(view);
}

/* At the end of a file, the rest is a line without line break, or a partial one. */
static int show_last_line(struct view *view)
{
    show_line(view, jsv_buf_str(&view->input));
    jsv_buf_reset(&view->input);
    return flush(view);
}

/* ---- a file ---- */

/* Show the rest of a file. @return 0, or a reported error. */
static int show_rest(struct view *view, int fd, const char *path)
{
    for (;;) {
        if (jsv_buf_reserve(&view->input, BLOCK_SIZE) < 0) {
            cli_report_about(view->cli, path, "a line is longer than 1 MiB; this is not a log");
            return -EFBIG;
        }
        ssize_t size = os_read(fd, view->input.data + view->input.size, BLOCK_SIZE);
        if (size < 0) {
            cli_report_errno(view->cli, path, (int)size);
            return (int)size;
        }
        view->input.size += (size_t)size;
        if (size == 0) {
            return 0;
        }
        int r = show_lines(view);
        if (r < 0) {
            return r;
        }
    }
}

/* Runs until a signal or an error. */
static int follow(struct view *view, struct cli_log_files *files)
{
    int r = 0;
    while (r == 0) {
        bool has_more =
            cli_log_files_has_more(files); /* checked before reading the rest of this one */
        r = show_rest(view, files->fd, files->path);
        if (r == 0 && !has_more) {
            (void)os_wait_read(-1, FOLLOW_MS);
        } else if (r == 0) {
            r = cli_log_files_next(files);
            if (r < 0) {
                cli_report_errno(view->cli, files->path, r);
            }
            r = r == 1 ? show_last_line(view) : r;
        }
    }
    return r;
}

static int show_file(struct view *view, const char *path)
{
    struct cli_log_files files;
    int r = cli_log_files_open(&files, path);
    if (r < 0) {
        cli_report_errno(view->cli, path, r);
        return r;
    }
    r = view->flags & CLI_FLAG(LOG_FOLLOW) ? follow(view, &files) : show_rest(view, files.fd, path);
    cli_log_files_close(&files);
    return r < 0 ? r : show_last_line(view);
}

/* ---- choosing the file ---- */

/* The newest file in a log directory, or in the folder that holds the files. */
static bool find_latest(const char *path, char ret_path[static PATH_MAX])
{
    static const char *const folders[] = {"/" LOG_FOLDER, ""};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        struct stat status;
        int size = snprintf(ret_path, PATH_MAX, "%s%s/.latest", path, folders[i]);
        if (size < PATH_MAX && os_fstatat(AT_FDCWD, ret_path, &status, 0) == 0) {
            return true;
        }
    }
    return false;
}

static int show(struct view *view, const char *path)
{
    char latest[PATH_MAX];
    struct stat status;
    bool is_directory = os_fstatat(AT_FDCWD, path, &status, 0) == 0 && S_ISDIR(status.st_mode);
    if (!is_directory) {
        return show_file(view, path);
    }
    if (!find_latest(path, latest)) {
        cli_report_about(
            view->cli,
            path,
            "no log file in this directory; the server writes one to its --log-dir");
        return -ENOENT;
    }
    return show_file(view, latest);
}

/*
 * A time as in log lines, or the start of one: "2026-01-02T03:04". A final Z is
 * left out, so that the text is a prefix of the times it stands for.
 * @return whether it is one.
 */
static bool read_time(const char *text, struct jsv_str *ret_time)
{
    static const char form[] = "0000-00-00T00:00:00.000";
    size_t size = strlen(text);
    size -= size > 10 && text[size - 1] == 'Z';
    bool is_time = size >= 4 && size < sizeof(form);
    for (size_t i = 0; is_time && i < size; i++) {
        is_time = form[i] == '0' ? jsv_is_digit(text[i]) : text[i] == form[i];
    }
    *ret_time = (struct jsv_str){text, size};
    return is_time;
}

static enum app_exit run(struct cli *cli, const struct cli_args *args)
{
    const char *dir = os_getenv("MCPGATE_LOG_DIR");
    const char *fallback = dir && dir[0] != '\0' ? dir : "runs";
    const char *since = cli_args_value(args, CLI_FLAG(LOG_SINCE));
    struct view view = {
        .cli = cli,
        .flags = args->flags,
        .reader = jsv_reader_new(os_allocator(), NULL),
        .document = jsv_document_new(os_allocator()),
    };
    jsv_buf_init(&view.input, os_allocator(), LINE_SIZE_MAX + BLOCK_SIZE);
    cli_output_init(&view.output);
    int r = 0;
    if (!view.reader || !view.document) {
        r = cli_output_failed(cli, -ENOMEM);
    } else if (since && !read_time(since, &view.since)) {
        cli_report_about(cli, "--since", "expected a time such as 2026-01-02T03:04:05Z");
        r = -EINVAL;
    } else {
        r = show(&view, args->operand_count > 0 ? args->operands[0] : fallback);
    }
    jsv_buf_done(&view.output);
    jsv_buf_done(&view.input);
    jsv_document_free(view.document);
    jsv_reader_free(view.reader);
    return r < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}

static const struct cli_option options[] = {
#define CLI_LOG CLI_OPTION_ROW
#include "cli/options.def"
    {0},
};

const struct cli_command cli_command_log = {
    .name = "log",
    .synopsis = "[FILE|DIR]",
    .summary = "Show the server's log",
    .details =
        "Prints one short line per message. Of a directory the newest file is shown; without a\n"
        "name, the newest file below MCPGATE_LOG_DIR, else below runs.\n"
        "\n"
        "Exit status: 0, or 2 when the log could not be read.\n",
    .options = options,
    .operand_max = 1,
    .run = run,
};