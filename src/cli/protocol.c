#include "cli/protocol.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backend/fetch.h"
#include "mcp/definitions.h"
#include "os/file.h"
#include "os/sys.h"

/* Many times the official schemas, which have some 200 KiB. */
#define SCHEMA_SIZE_MAX ((size_t)8 << 20)

/* A start that waits longer than this has failed. */
#define FETCH_TIMEOUT_MS 10000

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static int fetch(const char *url, struct jsv_buf *out, struct mcp_fault *fault)
{
    const struct backend_fetch request = {.url = url, .timeout_ms = FETCH_TIMEOUT_MS};
    unsigned status = 0;
    int r = backend_fetch(&request, out, &status);
    if (r == 0 && status != 200) {
        snprintf(fault->text, sizeof(fault->text), "the server answered HTTP %u", status);
        return -EBADMSG;
    }
    if (r == -EHOSTUNREACH) {
        snprintf(fault->text, sizeof(fault->text), "no answer from this server");
    }
    return r;
}

static int read_source(const char *source, struct jsv_buf *out, struct mcp_fault *fault)
{
    if (begins_with(source, "http://") || begins_with(source, "https://")) {
        return fetch(source, out, fault);
    }
    const char *path = begins_with(source, "file://") ? source + strlen("file://") : source;
    return os_file_read_path(path, out);
}

static int
load_official(const char *source, struct mcp_definitions **ret_definitions, struct mcp_fault *fault)
{
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), SCHEMA_SIZE_MAX);
    fault->text[0] = '\0';
    int r = read_source(source, &text, fault);
    if (r < 0 && fault->text[0] == '\0') {
        snprintf(fault->text, sizeof(fault->text), "%s", strerror(-r));
    }
    if (r == 0) {
        const struct mcp_official official = {
            .text = jsv_buf_str(&text),
            .version = MCP_VERSION_COUNT,
        };
        snprintf(fault->text, sizeof(fault->text), "out of memory"); /* unless it says otherwise */
        r = mcp_definitions_new(&official, ret_definitions, fault);
    }
    jsv_buf_done(&text);
    return r;
}

int app_protocol_load(
    const char *source, struct mcp_definitions **ret_definitions, char *reterr_why, size_t size)
{
    struct mcp_fault fault = {.text = "out of memory"};
    int r = source ? load_official(source, ret_definitions, &fault)
                   : mcp_definitions_new(NULL, ret_definitions, &fault);
    if (r < 0) {
        snprintf(reterr_why, size, "%s%s%s", source ? source : "", source ? ": " : "", fault.text);
    }
    return r;
}
