#include "app/content.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "app/config.h"
#include "backend/fetch.h"
#include "log/text.h"
#include "mcp/definitions.h"
#include "os/file.h"
#include "os/sys.h"
#include "tools/tool.h"

/* Defaults, if they exist: a checkout below the working directory. */
#define DEFAULT_SCHEMAS_DIR  "libs/synesthetic-schemas/jsonschema"
#define DEFAULT_EXAMPLES_DIR "libs/synesthetic-schemas/examples"

static const char *choose_root(const char *configured, const char *fallback)
{
    struct stat status;
    if (configured) {
        return configured;
    }
    int r = os_fstatat(AT_FDCWD, fallback, &status, 0);
    return r == 0 && S_ISDIR(status.st_mode) ? fallback : NULL;
}

void app_content_init(struct app_content *content, const struct app_config *config)
{
    size_t count;
    const struct jsv_str *descriptors = tools_descriptors(&count);
    *content = (struct app_content){
        .config = config,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .options =
            {
                .schemas_dir = choose_root(config->schemas_dir, DEFAULT_SCHEMAS_DIR),
                .examples_dir = choose_root(config->examples_dir, DEFAULT_EXAMPLES_DIR),
                .tools_dir = config->tools_dir,
                .tools = descriptors,
                .tool_count = count,
                .has_backend = config->backend_url,
                .assert_format = config->assert_format,
            },
    };
}

void app_content_done(struct app_content *content)
{
    catalog_release(content->catalog);
    content->catalog = NULL;
    pthread_mutex_destroy(&content->lock);
}

static void warn(void *context, enum catalog_warning kind, struct jsv_str file, struct jsv_str why)
{
    struct app_content *content = context;
    bool is_skipped = kind == CATALOG_SKIPPED;
    content->skipped += is_skipped;
    const struct log_field fields[] = {
        {"reason", is_skipped ? JSV_STR("file_skipped") : JSV_STR("tool_unusable")},
        {"file", file},
        {"detail", why},
    };
    log_text("warning", fields, sizeof(fields) / sizeof(fields[0]));
}

/* The name of the setting that chose a directory; empty for a default. */
static const char *setting_of(const struct app_config *config, const char *dir)
{
    const char *name = dir == config->schemas_dir    ? config->given_as[APP_SETTING_SCHEMAS_DIR]
                       : dir == config->examples_dir ? config->given_as[APP_SETTING_EXAMPLES_DIR]
                       : dir == config->tools_dir    ? config->given_as[APP_SETTING_TOOLS_DIR]
                                                     : NULL;
    return name ? name : "";
}

/* @param dir The directory that could not be read; NULL: the error is not about one. */
static void explain(
    const struct app_content *content,
    int error,
    const char *dir,
    char text[static APP_CONTENT_ERROR_SIZE])
{
    const char *why = strerror(-error);
    if (!dir) {
        snprintf(text, APP_CONTENT_ERROR_SIZE, "cannot read the content to serve: %s", why);
        return;
    }
    const char *setting = setting_of(content->config, dir);
    const char *colon = setting[0] != '\0' ? ": " : "";
    snprintf(text, APP_CONTENT_ERROR_SIZE, "%s%s%.300s: %s", setting, colon, dir, why);
}

int app_content_read(struct app_content *content, char reterr_text[APP_CONTENT_ERROR_SIZE])
{
    struct catalog *catalog;
    const char *dir = NULL;
    content->skipped = 0;
    int r = catalog_load(&content->options, content->catalog, warn, content, &catalog, &dir);
    if (r < 0) {
        explain(content, r, dir, reterr_text);
        return r;
    }
    pthread_mutex_lock(&content->lock);
    struct catalog *before = content->catalog;
    content->catalog = catalog;
    pthread_mutex_unlock(&content->lock);
    catalog_release(before);
    return 0;
}

/* Called by any thread, so it keeps a reference to the snapshot while it reads it. */
void app_content_describe(struct app_content *content, struct jsv_writer *writer)
{
    pthread_mutex_lock(&content->lock);
    struct catalog *catalog = catalog_retain(content->catalog);
    pthread_mutex_unlock(&content->lock);
    jsv_write_member_array_begin(writer, JSV_STR("tools"));
    for (size_t i = 0; i < catalog_tool_count(catalog); i++) {
        const struct catalog_tool *tool = catalog_tool_at(catalog, i);
        jsv_write_object_begin(writer);
        jsv_write_member_string(writer, JSV_STR("name"), tool->name);
        jsv_write_key(writer, JSV_STR("fingerprint"));
        if (tool->fingerprint.size > 0) {
            jsv_write_string(writer, tool->fingerprint);
        } else {
            jsv_write_null(writer);
        }
        jsv_write_object_end(writer);
    }
    jsv_write_array_end(writer);
    catalog_release(catalog);
}

/* ---- the official protocol ---- */

/* Many times the size of the official schemas, about 200 KiB. */
#define SCHEMA_SIZE_MAX ((size_t)8 << 20)

/* Startup fails if the schema takes longer than this. */
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
    const char *source, struct mcp_definitions **ret_definitions, char *reterr_text, size_t size)
{
    struct mcp_fault fault = {.text = "out of memory"};
    int r = source ? load_official(source, ret_definitions, &fault)
                   : mcp_definitions_new(NULL, ret_definitions, &fault);
    if (r < 0) {
        snprintf(reterr_text, size, "%s%s%s", source ? source : "", source ? ": " : "", fault.text);
    }
    return r;
}
