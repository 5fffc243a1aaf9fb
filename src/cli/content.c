#include "cli/content.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "app/config.h"
#include "log/text.h"
#include "os/sys.h"
#include "tools/tool.h"

/* Where schemas and examples lie when nobody says: a checkout below the working directory. */
#define USUAL_SCHEMAS_DIR  "libs/synesthetic-schemas/jsonschema"
#define USUAL_EXAMPLES_DIR "libs/synesthetic-schemas/examples"

static const char *choose_root(const char *named, const char *usual)
{
    struct stat there;
    if (named) {
        return named;
    }
    int r = os_fstatat(AT_FDCWD, usual, &there, 0);
    return r == 0 && S_ISDIR(there.st_mode) ? usual : NULL;
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
                .schemas_dir = choose_root(config->schemas_dir, USUAL_SCHEMAS_DIR),
                .examples_dir = choose_root(config->examples_dir, USUAL_EXAMPLES_DIR),
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

int app_content_read(struct app_content *content, const char **reterr_dir)
{
    struct catalog *catalog;
    const char *dir = NULL;
    content->skipped = 0;
    int r = catalog_load(&content->options, content->catalog, warn, content, &catalog, &dir);
    if (r < 0) {
        *reterr_dir = dir;
        return r;
    }
    pthread_mutex_lock(&content->lock);
    struct catalog *before = content->catalog;
    content->catalog = catalog;
    pthread_mutex_unlock(&content->lock);
    catalog_release(before);
    return 0;
}

/* From any thread, so the snapshot is pinned while it is looked at. */
void app_content_describe(struct app_content *content, struct jsv_writer *writer)
{
    pthread_mutex_lock(&content->lock);
    struct catalog *catalog = catalog_retain(content->catalog);
    pthread_mutex_unlock(&content->lock);
    jsv_write_key(writer, JSV_STR("tools"));
    jsv_write_array_begin(writer);
    for (size_t i = 0; i < catalog_tool_count(catalog); i++) {
        const struct catalog_tool *tool = catalog_tool_at(catalog, i);
        jsv_write_object_begin(writer);
        jsv_write_key(writer, JSV_STR("name"));
        jsv_write_string(writer, tool->name);
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

/* "--schemas-dir: "; empty for a root that nobody named. */
static const char *setting_of(const struct app_content *content, const char *dir)
{
    const struct app_config *config = content->config;
    const char *name = dir == config->schemas_dir    ? config->given_as[APP_SETTING_SCHEMAS_DIR]
                       : dir == config->examples_dir ? config->given_as[APP_SETTING_EXAMPLES_DIR]
                       : dir == config->tools_dir    ? config->given_as[APP_SETTING_TOOLS_DIR]
                                                     : NULL;
    return name ? name : "";
}

void app_content_explain(
    const struct app_content *content, int error, const char *dir, char out[APP_CONTENT_WHY_SIZE])
{
    if (!dir) {
        snprintf(out, APP_CONTENT_WHY_SIZE, "cannot read what to serve: %s", strerror(-error));
        return;
    }
    const char *setting = setting_of(content, dir);
    const char *colon = setting[0] != '\0' ? ": " : "";
    snprintf(out, APP_CONTENT_WHY_SIZE, "%s%s%.300s: %s", setting, colon, dir, strerror(-error));
}
