/*
 * Each kind of setting has one function that parses a value and stores it. A
 * value comes from the command line, else from the environment, else from the
 * table; all three are parsed alike, so a default is checked, too.
 */
#include "app/config.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/limits.h"
#include "os/sys.h"

/* Far more documents than fit a message; it only guards the arithmetic. */
#define BATCH_LIMIT 1000000

/* More loops than processors are useless, and few machines have more processors than this. */
#define THREADS_LIMIT 256

#define MODE_LIMIT 0777

/* A log file holds at least some lines, and stays small enough for every tool that reads it. */
#define LOG_BYTES_MIN   4096
#define LOG_BYTES_LIMIT 4000000000u

#define PORT_LIMIT 65535

/* Parse a value and store it in its field. @return NULL, or what is expected instead. */
typedef const char *setting_parse(const char *value, void *field);

/* ---- texts ---- */

static const char *take_text(const char *value, void *field)
{
    *(const char **)field = value[0] != '\0' ? value : NULL;
    return NULL;
}

/* Unlike for other settings, an empty value counts as given: see is_given(). */
static const char *take_optional_file(const char *value, void *field)
{
    return take_text(value, field);
}

static const char *take_optional_dir(const char *value, void *field)
{
    return take_text(strcmp(value, "none") == 0 ? "" : value, field);
}

/* Printable ASCII without blanks, which is all that a URL may hold. */
static bool is_url_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text <= ' ' || *text > '~') {
            return false;
        }
    }
    return true;
}

/* The part after http:// or https://; NULL for any other scheme. */
static const char *after_scheme(const char *url)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        size_t size = strlen(schemes[i]);
        if (strncmp(url, schemes[i], size) == 0) {
            return url + size;
        }
    }
    return NULL;
}

static const char *take_url(const char *value, void *field)
{
    if (value[0] == '\0') {
        return take_text(value, field);
    }
    const char *host = after_scheme(value);
    if (!host || strcspn(host, "/?#:") == 0 || !is_url_text(value)) {
        return "an http:// or https:// URL";
    }
    return take_text(value, field);
}

static const char *take_url_path(const char *value, void *field)
{
    if (value[0] != '/' || !is_url_text(value)) {
        return "a path that begins with /";
    }
    return take_text(value, field);
}

/* ---- numbers ---- */

/* Read digits of a base. @return whether the text is a number, at most limit. */
static bool parse_number(const char *text, unsigned base, unsigned limit, unsigned *ret_number)
{
    uint64_t number = 0;
    for (const char *at = text; *at != '\0'; at++) {
        unsigned digit = (unsigned)(*at - '0');
        number = number * base + digit;
        if (digit >= base || number > limit) {
            return false;
        }
    }
    *ret_number = (unsigned)number;
    return text[0] != '\0';
}

static const char *take_mode(const char *value, void *field)
{
    unsigned mode;
    if (!parse_number(value, 8, MODE_LIMIT, &mode)) {
        return "an octal file mode up to 0777";
    }
    *(mode_t *)field = mode;
    return NULL;
}

static const char *take_batch(const char *value, void *field)
{
    unsigned number;
    if (!parse_number(value, 10, BATCH_LIMIT, &number) || number == 0) {
        return "a whole number from 1 to 1000000";
    }
    *(size_t *)field = number;
    return NULL;
}

static const char *take_bytes(const char *value, void *field)
{
    unsigned number;
    if (!parse_number(value, 10, LOG_BYTES_LIMIT, &number) || number < LOG_BYTES_MIN) {
        return "a whole number from 4096 to 4000000000";
    }
    *(uint64_t *)field = number;
    return NULL;
}

static const char *take_threads(const char *value, void *field)
{
    return parse_number(value, 10, THREADS_LIMIT, field) ? NULL : "a whole number from 0 to 256";
}

/* "host:port", "[::1]:port" */
static const char *take_address(const char *value, void *field)
{
    const char *colon = strrchr(value, ':');
    bool bracketed = value[0] == '[';
    bool has_host = colon && colon > value && bracketed == (colon[-1] == ']') &&
                    (bracketed || strchr(value, ':') == colon);
    unsigned port;
    if (!has_host || !parse_number(colon + 1, 10, PORT_LIMIT, &port) || port == 0) {
        return "HOST:PORT with a port from 1 to 65535";
    }
    return take_text(value, field);
}

/* ---- words ---- */

static const char *take_endpoint(const char *value, void *field)
{
    static const struct {
        const char *word;
        enum app_endpoint endpoint;
    } endpoints[] = {
        {"stdio", APP_ENDPOINT_STDIO},
        {"socket", APP_ENDPOINT_SOCKET},
        {"http", APP_ENDPOINT_HTTP},
    };
    for (size_t i = 0; i < sizeof(endpoints) / sizeof(endpoints[0]); i++) {
        if (strcmp(value, endpoints[i].word) == 0) {
            *(unsigned *)field = endpoints[i].endpoint;
            return NULL;
        }
    }
    return "stdio, socket or http";
}

static const char *take_format(const char *value, void *field)
{
    bool asserted = strcmp(value, "assert") == 0;
    if (!asserted && strcmp(value, "annotate") != 0) {
        return "assert or annotate";
    }
    *(bool *)field = asserted;
    return NULL;
}

/* ---- the table ---- */

static const struct setting {
    const char *option;
    const char *variables[2];
    const char *fallback;
    setting_parse *parse;
    size_t offset; /* of its field */
} settings[] = {
#define APP_SETTING(name, field, kind, variable, flag, value, fallback, help)                      \
    {"--" flag,                                                                                    \
     {APP_SETTING_VARIABLE(name), (variable)},                                                     \
     (fallback),                                                                                   \
     take_##kind,                                                                                  \
     offsetof(struct app_config, field)},
#include "app/env.def"
#undef APP_SETTING
};

/* The value of a setting, and how it was given, for messages. */
struct given {
    const char *value;
    const char *name; /* NULL: the default */
};

/* An empty value counts as not set, except for a file that can be turned off. */
static bool is_given(const struct setting *setting, const char *value)
{
    return value && (value[0] != '\0' || setting->parse == take_optional_file);
}

static struct given find_given(const struct setting *setting, const char *option_value)
{
    if (is_given(setting, option_value)) {
        return (struct given){option_value, setting->option};
    }
    for (size_t i = 0; i < sizeof(setting->variables) / sizeof(setting->variables[0]); i++) {
        const char *value = os_getenv(setting->variables[i]);
        if (is_given(setting, value)) {
            return (struct given){value, setting->variables[i]};
        }
    }
    return (struct given){setting->fallback, NULL};
}

/* Bytes shown of a wrong value. */
#define VALUE_SHOWN_MAX 80

/* The user part of a URL may hold a password, so only the part after it is shown. */
static const char *shown_value(const char *value)
{
    const char *user_end = strrchr(value, '@');
    return user_end ? user_end : value;
}

static int refuse(struct given given, const char *expected, struct app_config_error *error)
{
    snprintf(
        error->text,
        sizeof(error->text),
        "%s: expected %s, not '%.*s'",
        given.name,
        expected,
        VALUE_SHOWN_MAX,
        shown_value(given.value));
    return -EINVAL;
}

static int read_settings(
    const struct app_config_args *args, struct app_config *config, struct app_config_error *error)
{
    for (size_t i = 0; i < APP_SETTING_COUNT; i++) {
        struct given given = find_given(&settings[i], args->values[i]);
        const char *expected = settings[i].parse(given.value, (char *)config + settings[i].offset);
        if (expected) {
            return refuse(given, expected, error);
        }
        config->given_as[i] = given.name;
    }
    config->endpoints_given = config->given_as[APP_SETTING_ENDPOINT] != NULL;
    return 0;
}

/* ---- endpoints ---- */

/* --socket PATH and --http HOST:PORT choose an endpoint and its address in one option. */
static int read_endpoint(
    const char *value,
    const char *name,
    setting_parse *parse,
    const char **field,
    struct app_config_error *error)
{
    if (!value) {
        return 0;
    }
    bool is_empty_path = value[0] == '\0' && parse == take_text;
    const char *expected = is_empty_path ? "a path" : parse(value, field);
    return expected ? refuse((struct given){value, name}, expected, error) : 0;
}

static int read_endpoints(
    const struct app_config_args *args, struct app_config *config, struct app_config_error *error)
{
    if (args->stdio && (args->socket || args->http)) {
        snprintf(
            error->text, sizeof(error->text), "--stdio cannot be combined with --socket or --http");
        return -EINVAL;
    }
    if (args->stdio || args->socket || args->http) {
        config->endpoints = (args->stdio ? APP_ENDPOINT_STDIO : 0u) |
                            (args->socket ? APP_ENDPOINT_SOCKET : 0u) |
                            (args->http ? APP_ENDPOINT_HTTP : 0u);
        config->endpoints_given = true;
    }
    int r = read_endpoint(args->socket, "--socket", take_text, &config->socket_path, error);
    return r < 0 ? r : read_endpoint(args->http, "--http", take_address, &config->http_addr, error);
}

int app_config_read(
    const struct app_config_args *args,
    struct app_config *ret_config,
    struct app_config_error *reterr_error)
{
    struct app_config config = {
        .watch = args->watch, .insecure = args->insecure, .random_ids = args->random_ids};
    int r = read_settings(args, &config, reterr_error);
    config.assert_format |= args->assert_format;
    r = r < 0 ? r : read_endpoints(args, &config, reterr_error);
    if (r == 0) {
        *ret_config = config;
    }
    return r;
}

struct tool_settings app_config_tools(const struct app_config *config, unsigned loops)
{
    return (struct tool_settings){
        .batch_max = config->batch_max,
        .loops = loops,
        .backend_url = config->backend_url,
        .backend_assets_path = config->backend_assets_path,
        .backend_timeout_ms = CORE_BACKEND_TIMEOUT_MS,
        .backend_reply_max = CORE_BACKEND_REPLY_MAX,
    };
}
