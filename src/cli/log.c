/*
 * mcpgate log: the structured log for people, one short line per message.
 *
 *     03:04:05.678  ok                 1.204 ms  http  tools/call  validate_asset
 *     03:04:06.001  tool_not_found     0.032 ms  http  mcp.tool.invoke  nix: Unknown tool
 *
 * A file is read as it is; with --follow what comes is shown as it comes, and
 * when the server begins another file, that one is gone on with.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <jsv/json.h>

#include "cli/args.h"
#include "cli/cli.h"
#include "cli/log_trail.h"
#include "cli/output.h"
#include "cli/report.h"
#include "jsv/base/ascii.h"
#include "os/sys.h"

enum {
    FLAG_FOLLOW = 1 << 0,
    FLAG_FAILURES = 1 << 1,
    FLAG_SINCE = 1 << 2,
};

#define LOG_FOLDER "mcp_server/envelope_validation"

/* Between two looks at a file that may grow. */
#define FOLLOW_MS 200

/* A line of the log is shorter; something that is not comes from elsewhere. */
#define LINE_SIZE_MAX ((size_t)1024 * 1024)

#define BLOCK_SIZE ((size_t)64 * 1024)

/* A duration for people; numbers that no server has written are cut. */
#define DURATION_SIZE 32

struct view {
    struct app_cli *cli;
    uint64_t flags;
    struct jsv_str since; /* shown are lines whose time is not before it */
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_buf input; /* read and not shown */
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
           (!(view->flags & FLAG_FAILURES) || is_failure(line));
}

/* Texts may hold anything; what a terminal would obey becomes a question mark. */
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

/* The tool or prompt, and what went wrong. */
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
 * What is no line of a log is passed over: a server that was killed may leave
 * half of one. A text that was refused has no root to look at.
 */
static void show_line(struct view *view, struct jsv_str text)
{
    struct jsv_buf *out = &view->output;
    if (jsv_read(view->reader, view->document, text, 0, NULL) == -ENOMEM) {
        out->error = -ENOMEM; /* said when the output is written */
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

static int put_out(struct view *view)
{
    int r = app_output_buf(view->cli, &view->output);
    jsv_buf_reset(&view->output);
    return r;
}

/* Show the whole lines there are, and keep the rest. @return 0, or an error that was reported. */
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
    return put_out(view);
}

/* Nothing more comes in this file, so what is left is a line, or the half of one. */
static int show_last_line(struct view *view)
{
    show_line(view, jsv_buf_str(&view->input));
    jsv_buf_reset(&view->input);
    return put_out(view);
}

/* ---- a file ---- */

/* Show what a file has from here on. @return 0, or an error that was reported. */
static int show_rest(struct view *view, int fd, const char *path)
{
    for (;;) {
        if (jsv_buf_reserve(&view->input, BLOCK_SIZE) < 0) {
            app_report_about(
                view->cli, path, "a line is longer than a log line can be; is this a log?");
            return -EFBIG;
        }
        ssize_t size = os_read(fd, view->input.data + view->input.size, BLOCK_SIZE);
        if (size < 0) {
            app_report_errno(view->cli, path, (int)size);
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

/* Until a signal ends us, or reading fails. */
static int follow(struct view *view, struct app_log_trail *trail)
{
    int r = 0;
    while (r == 0) {
        bool has_more = app_log_trail_has_more(trail); /* before the last look at this one */
        r = show_rest(view, trail->fd, trail->path);
        if (r == 0 && !has_more) {
            (void)os_wait_read(-1, FOLLOW_MS);
        } else if (r == 0) {
            r = app_log_trail_next(trail);
            if (r < 0) {
                app_report_errno(view->cli, trail->path, r);
            }
            r = r == 1 ? show_last_line(view) : r;
        }
    }
    return r;
}

static int show_file(struct view *view, const char *path)
{
    struct app_log_trail trail;
    int r = app_log_trail_open(&trail, path);
    if (r < 0) {
        app_report_errno(view->cli, path, r);
        return r;
    }
    r = view->flags & FLAG_FOLLOW ? follow(view, &trail) : show_rest(view, trail.fd, path);
    app_log_trail_close(&trail);
    return r < 0 ? r : show_last_line(view);
}

/* ---- which file ---- */

/* A directory stands for the latest file in it: a log dir, or the folder of the files itself. */
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
        app_report_about(view->cli, path, "no log file in this directory; see --log-dir");
        return -ENOENT;
    }
    return show_file(view, latest);
}

/*
 * A time as lines have it, or the beginning of one: "2026-01-02",
 * "2026-01-02T03:04". A Z at its end is left out, so that the rest is the
 * beginning of all times that are meant. @return false: it is none.
 */
static bool read_time(const char *text, struct jsv_str *ret_time)
{
    static const char form[] = "0000-00-00T00:00:00.000";
    size_t size = strlen(text);
    size -= size > 10 && text[size - 1] == 'Z';
    bool good = size >= 4 && size < sizeof(form);
    for (size_t i = 0; good && i < size; i++) {
        good = form[i] == '0' ? jsv_is_digit(text[i]) : text[i] == form[i];
    }
    *ret_time = (struct jsv_str){text, size};
    return good;
}

static enum app_exit log_run(struct app_cli *cli, const struct app_args *args)
{
    const char *dir = os_getenv("MCPGATE_LOG_DIR");
    const char *fallback = dir && dir[0] != '\0' ? dir : "runs";
    const char *since = app_args_value(args, FLAG_SINCE);
    struct view view = {
        .cli = cli,
        .flags = args->flags,
        .reader = jsv_reader_new(os_allocator(), NULL),
        .document = jsv_document_new(os_allocator()),
    };
    jsv_buf_init(&view.input, os_allocator(), LINE_SIZE_MAX + BLOCK_SIZE);
    jsv_buf_init(&view.output, os_allocator(), APP_OUTPUT_SIZE_MAX);
    int r = 0;
    if (!view.reader || !view.document) {
        r = app_output_failed(cli, -ENOMEM);
    } else if (since && !read_time(since, &view.since)) {
        app_report_about(cli, "--since", "expected a time such as 2026-01-02T03:04:05Z");
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

static const struct app_option options[] = {
    {.name = "follow", .flag = FLAG_FOLLOW, .help = "Show lines as they come", .letter = 'f'},
    {.name = "failures", .flag = FLAG_FAILURES, .help = "Show only messages that failed"},
    {.name = "since",
     .flag = FLAG_SINCE,
     .help = "Show only lines since this time, UTC: 2026-01-02T03:04",
     .value = "WHEN"},
    {0},
};

const struct app_command app_command_log = {
    .name = "log",
    .synopsis = "[FILE|DIR]",
    .summary = "Show the server's log",
    .details =
        "Without a name, the latest file below MCPGATE_LOG_DIR, else below runs; of a directory\n"
        "the latest file in it is shown.\n"
        "\n"
        "Exit status: 0, or 2 when the log could not be read.\n",
    .options = options,
    .operand_max = 1,
    .run = log_run,
};
