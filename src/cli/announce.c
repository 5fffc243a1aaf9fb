#include "cli/announce.h"

#include <stdio.h>

#include "app/ready.h"
#include "catalog/catalog.h"
#include "cli/cli.h"
#include "cli/content.h"
#include "log/text.h"
#include "os/sys.h"

/* Room for "http://", an address and "/mcp". */
#define URL_SIZE 320

/* Room for a path and a sentence. */
#define DETAIL_SIZE 512

#define NUMBER_SIZE 24

/* ---- ready ---- */

struct line {
    struct log_field fields[10];
    size_t count;
};

static void put(struct line *line, const char *name, const char *value)
{
    line->fields[line->count++] = (struct log_field){name, jsv_str_from(value ? value : "")};
}

void app_announce_ready(const struct app_announcement *announcement)
{
    const struct catalog_options *roots = &announcement->content->options;
    const struct catalog *catalog = announcement->content->catalog;
    const char *address = announcement->http_addr;
    struct line line = {.count = 0};
    char urls[3][URL_SIZE];
    char counts[2][NUMBER_SIZE];
    put(&line, "mode", announcement->mode);
    if (announcement->socket_path) {
        put(&line, "path", announcement->socket_path);
    }
    if (address) {
        snprintf(urls[0], URL_SIZE, "http://%.256s", address);
        put(&line, "url", urls[0]);
    }
    put(&line, "schemas_dir", roots->schemas_dir);
    put(&line, "examples_dir", roots->examples_dir);
    if (address) {
        snprintf(urls[1], URL_SIZE, "http://%.256s/mcp", address);
        snprintf(urls[2], URL_SIZE, "http://%.256s/", address);
        snprintf(counts[0], NUMBER_SIZE, "%zu", catalog_schema_count(catalog));
        snprintf(counts[1], NUMBER_SIZE, "%zu", catalog_tool_count(catalog));
        put(&line, "mcp", urls[1]);
        put(&line, "page", urls[2]);
        put(&line, "schemas", counts[0]);
        put(&line, "tools", counts[1]);
    }
    put(&line, "timestamp", announcement->timestamp);
    log_text("ready", line.fields, line.count);
}

void app_announce_stdin(const struct app_cli *cli)
{
    static const char text[] =
        "Waiting for JSON-RPC messages on standard input, one per line; Ctrl-D ends.\n"
        "Usually an MCP client starts this program. Other things to try:\n"
        "  mcpgate --http 127.0.0.1:8787   serve over HTTP, with a page for people\n"
        "  mcpgate call TOOL NAME=VALUE    call a tool\n"
        "  mcpgate init                    make a directory with a schema and a tool to start "
        "from\n"
        "  mcpgate --help                  all commands\n";
    (void)os_write_all(cli->err_fd, text, sizeof(text) - 1);
}

void app_announce_other(const char *ready_file)
{
    char detail[DETAIL_SIZE];
    pid_t pid = app_ready_other(ready_file);
    if (pid > 0) {
        snprintf(
            detail,
            sizeof(detail),
            "%.256s belongs to another running mcpgate (pid %ld) and is replaced; "
            "give each server a file of its own with --ready-file",
            ready_file,
            (long)pid);
        log_text_warning("ready_file", "detail", jsv_str_from(detail));
    }
}

/* ---- reload ---- */

void app_announce_reload(const struct app_content *content)
{
    const struct catalog *catalog = content->catalog;
    const struct {
        const char *name;
        size_t count;
    } counts[] = {
        {"schemas", catalog_schema_count(catalog)},
        {"examples", catalog_example_count(catalog)},
        {"tools", catalog_tool_count(catalog)},
        {"skipped", content->skipped},
    };
    enum {
        COUNTS = sizeof(counts) / sizeof(counts[0])
    };
    char digits[COUNTS][24];
    char timestamp[LOG_TIMESTAMP_SIZE];
    struct log_field fields[COUNTS + 1];
    for (size_t i = 0; i < COUNTS; i++) {
        snprintf(digits[i], sizeof(digits[i]), "%zu", counts[i].count);
        fields[i] = (struct log_field){counts[i].name, jsv_str_from(digits[i])};
    }
    log_timestamp(timestamp);
    fields[COUNTS] = (struct log_field){"timestamp", jsv_str_from(timestamp)};
    log_text("reload", fields, COUNTS + 1);
}
