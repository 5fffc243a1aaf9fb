/*
 * The settings of env.def, read from the command line and the environment and
 * converted to values.
 */
#pragma once

#include <sys/types.h>

#include <jsv/jsv.h>

#include "tools/tool.h"

/* One for each row of env.def, in its order. */
enum app_setting_id {
#define APP_SETTING(name, field, kind, variable, flag, value, fallback, help) APP_SETTING_##name,
#include "app/env.def"
#undef APP_SETTING
    APP_SETTING_COUNT,
};

/** The MCPGATE_ variable that every setting has, besides the name a document may give it. */
#define APP_SETTING_VARIABLE(name_) "MCPGATE_" #name_

enum app_endpoint {
    APP_ENDPOINT_STDIO = 1 << 0,
    APP_ENDPOINT_SOCKET = 1 << 1,
    APP_ENDPOINT_HTTP = 1 << 2,
};

/** What the command line says. Strings are NULL when the option was not given. */
struct app_config_args {
    const char *values[APP_SETTING_COUNT];
    const char *socket; /* --socket: endpoint and path in one option */
    const char *http;   /* --http: endpoint and address in one option */
    bool stdio;
    bool watch;
    bool insecure;
    bool random_ids;
    bool assert_format;
};

/* Strings are borrowed from the environment and the command line; NULL when not set. */
struct app_config {
    unsigned endpoints;   /* enum app_endpoint */
    bool endpoints_given; /* not the default */
    const char *socket_path;
    mode_t socket_mode;
    const char *http_addr; /* HOST:PORT, checked */
    const char *token;
    const char *token_file;
    const char *allowed_hosts; /* separated by commas, as are the next two */
    const char *allowed_origins;
    const char *auth_servers;
    bool insecure; /* allow HTTP on a public address without a token */
    const char *ready_file;
    const char *schemas_dir;
    const char *examples_dir;
    const char *tools_dir;
    bool assert_format;
    const char *mcp_schema; /* NULL: the built-in one */
    size_t batch_max;
    const char *backend_url;
    const char *backend_assets_path;
    const char *log_dir; /* NULL: no logs */
    uint64_t log_max_bytes;
    const char *redact; /* separated by commas */
    bool random_ids;    /* request ids are random, not derived from the request */
    unsigned threads;   /* 0: choose by the number of processors */
    bool watch;
    /* How each setting was given, for messages: "--schemas-dir", "SYN_SCHEMAS_DIR"; or NULL. */
    const char *given_as[APP_SETTING_COUNT];
};

/* Room for a setting's name and the error in its value, which is cut. */
#define APP_CONFIG_ERROR_SIZE 256

/** The error in a setting, for people. */
struct app_config_error {
    char text[APP_CONFIG_ERROR_SIZE];
};

/**
 * Read all settings.
 *
 * @param ret_config Borrows from args and the environment.
 * @return 0; -EINVAL with an error text.
 */
int app_config_read(
    const struct app_config_args *args,
    struct app_config *ret_config,
    struct app_config_error *reterr_error);

/**
 * The part of the configuration that tools need, borrowed.
 * @param loops Event loops that share the tools.
 */
struct tool_settings app_config_tools(const struct app_config *config, unsigned loops);
