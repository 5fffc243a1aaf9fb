/*
 * Each kind of setting has one function that takes the text of a value and
 * puts what it means where it belongs. A value comes from the command line,
 * else from the environment, else from the table; all three go the same way,
 * so a default is checked like everything else.
 */
#include "app/config.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/args.h"
#include "cli/cli.h"
#include "os/sys.h"

/* Far more assets than fit a message; guards the arithmetic, not the operator. */
#define BATCH_LIMIT 1000000

/* More loops than processors are of no use, and this is more than most machines have. */
#define THREADS_LIMIT 256

#define MODE_LIMIT 0777

/* A log file that holds at least some lines, and one no tool has trouble with. */
#define LOG_BYTES_MIN   4096
#define LOG_BYTES_LIMIT 4000000000u

#define PORT_LIMIT 65535

/* Understands a value and puts it into its field. @return NULL, or what is expected instead. */
typedef const char *setting_take(const char *value, void *field);

/* ---- texts ---- */

static const char *take_path(const char *value, void *field)
{
    *(const char **)field = value[0] != '\0' ? value : NULL;
    return NULL;
}

/* Differs from other paths in that naming none is a choice, too. */
static const char *take_file(const char *value, void *field)
{
    return take_path(value, field);
}

static const char *take_path_or_none(const char *value, void *field)
{
    return take_path(strcmp(value, "none") == 0 ? "" : value, field);
}

/* Printable ASCII without blanks: all a URL is made of. */
static bool is_url_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text <= ' ' || *text > '~') {
            return false;
        }
    }
    return true;
}

/* What follows http:// or https://; NULL when it begins otherwise. */
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
        return take_path(value, field);
    }
    const char *host = after_scheme(value);
    if (!host || strcspn(host, "/?#:") == 0 || !is_url_text(value)) {
        return "an http:// or https:// URL";
    }
    return take_path(value, field);
}

static const char *take_url_path(const char *value, void *field)
{
    if (value[0] != '/' || !is_url_text(value)) {
        return "a path that begins with /";
    }
    return take_path(value, field);
}

/* ---- numbers ---- */

/* Digits of a base and nothing else. @return whether it is a number up to a limit */
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
    return take_path(value, field);
}

/* ---- words ---- */

static const char *take_endpoint(const char *value, void *field)
{
    static const struct {
        const char *word;
        enum app_door door;
    } endpoints[] = {
        {"stdio", APP_DOOR_STDIO},
        {"socket", APP_DOOR_SOCKET},
        {"http", APP_DOOR_HTTP},
    };
    for (size_t i = 0; i < sizeof(endpoints) / sizeof(endpoints[0]); i++) {
        if (strcmp(value, endpoints[i].word) == 0) {
            *(unsigned *)field = endpoints[i].door;
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
    setting_take *take;
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

/* The value of a setting, and what it was given as, for messages. */
struct given {
    const char *value;
    const char *name; /* NULL: the default */
};

/* An empty value counts as none, except for a file that may be turned off. */
static bool is_given(const struct setting *setting, const char *value)
{
    return value && (value[0] != '\0' || setting->take == take_file);
}

static struct given
find_given(const struct setting *setting, uint64_t flag, const struct app_args *args)
{
    const char *value = app_args_value(args, flag);
    if (is_given(setting, value)) {
        return (struct given){value, setting->option};
    }
    for (size_t i = 0; i < sizeof(setting->variables) / sizeof(setting->variables[0]); i++) {
        value = os_getenv(setting->variables[i]);
        if (is_given(setting, value)) {
            return (struct given){value, setting->variables[i]};
        }
    }
    return (struct given){setting->fallback, NULL};
}

/* Bytes shown of a value that is refused. */
#define VALUE_SHOWN_MAX 80

/* An address with a user in it may have a password there, too: only what is behind is shown. */
static const char *shown_value(const char *value)
{
    const char *user_end = strrchr(value, '@');
    return user_end ? user_end : value;
}

static int refuse(struct given given, const char *expected, struct app_config_fault *fault)
{
    snprintf(
        fault->text,
        sizeof(fault->text),
        "%s: expected %s, not '%.*s'",
        given.name,
        expected,
        VALUE_SHOWN_MAX,
        shown_value(given.value));
    return -EINVAL;
}

static int read_settings(
    const struct app_args *args, struct app_config *config, struct app_config_fault *fault)
{
    for (size_t i = 0; i < APP_SETTING_COUNT; i++) {
        struct given given = find_given(&settings[i], UINT64_C(1) << i, args);
        const char *expected = settings[i].take(given.value, (char *)config + settings[i].offset);
        if (expected) {
            return refuse(given, expected, fault);
        }
        config->given_as[i] = given.name;
        config->doors_given = config->doors_given || (i == APP_SETTING_ENDPOINT && given.name);
    }
    return 0;
}

/* ---- doors ---- */

/* --socket PATH and --http HOST:PORT choose a door and its place in one word. */
static int take_door(
    const struct app_args *args,
    uint64_t flag,
    const char *name,
    setting_take *take,
    const char **field,
    struct app_config_fault *fault)
{
    const char *value = app_args_value(args, flag);
    if (!value) {
        return 0;
    }
    const char *expected = value[0] == '\0' ? "a path" : take(value, field);
    return expected ? refuse((struct given){value, name}, expected, fault) : 0;
}

static int
read_doors(const struct app_args *args, struct app_config *config, struct app_config_fault *fault)
{
    unsigned doors = 0;
    doors |= args->flags & APP_FLAG_STDIO ? APP_DOOR_STDIO : 0;
    doors |= args->flags & APP_FLAG_SOCKET ? APP_DOOR_SOCKET : 0;
    doors |= args->flags & APP_FLAG_HTTP ? APP_DOOR_HTTP : 0;
    if (doors & APP_DOOR_STDIO && doors != APP_DOOR_STDIO) {
        snprintf(
            fault->text, sizeof(fault->text), "--stdio cannot be combined with --socket or --http");
        return -EINVAL;
    }
    if (doors != 0) {
        config->doors = doors;
        config->doors_given = true;
    }
    int r = take_door(args, APP_FLAG_SOCKET, "--socket", take_path, &config->socket_path, fault);
    if (r == 0) {
        r = take_door(args, APP_FLAG_HTTP, "--http", take_address, &config->http_addr, fault);
    }
    return r;
}

int app_config_read(
    const struct app_args *args,
    struct app_config *ret_config,
    struct app_config_fault *reterr_fault)
{
    struct app_config config = {
        .watch = args->flags & APP_FLAG_WATCH,
        .insecure = args->flags & APP_FLAG_INSECURE,
        .random_ids = args->flags & APP_FLAG_RANDOM_IDS,
    };
    int r = read_settings(args, &config, reterr_fault);
    config.assert_format |= (args->flags & APP_FLAG_ASSERT_FORMAT) != 0;
    if (r == 0) {
        r = read_doors(args, &config, reterr_fault);
    }
    if (r == 0) {
        *ret_config = config;
    }
    return r;
}
