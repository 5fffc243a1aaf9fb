/*
 * What the operator decided: the settings of env.def, read from the command
 * line and the environment, checked and turned into values.
 */
#pragma once

#include <sys/types.h>

#include <jsv/jsv.h>

struct app_args;

/* One for each row of env.def, in its order. */
enum app_setting_id {
#define APP_SETTING(name, field, kind, variable, flag, value, fallback, help) APP_SETTING_##name,
#include "app/env.def"
#undef APP_SETTING
    APP_SETTING_COUNT,
};

/** The bit of a setting's option in app_args.flags. */
#define APP_SETTING_FLAG(name) (UINT64_C(1) << APP_SETTING_##name)
/** Bits of options that are not settings; those below APP_FLAG_OWN are for settings. */
#define APP_FLAG_OWN           48
#define APP_FLAG_STDIO         (UINT64_C(1) << (APP_FLAG_OWN + 0))
#define APP_FLAG_SOCKET        (UINT64_C(1) << (APP_FLAG_OWN + 1))
#define APP_FLAG_HTTP          (UINT64_C(1) << (APP_FLAG_OWN + 2))
#define APP_FLAG_WATCH         (UINT64_C(1) << (APP_FLAG_OWN + 3))
#define APP_FLAG_VALIDATE      (UINT64_C(1) << (APP_FLAG_OWN + 4))
#define APP_FLAG_INSECURE      (UINT64_C(1) << (APP_FLAG_OWN + 5))
#define APP_FLAG_ASSERT_FORMAT (UINT64_C(1) << (APP_FLAG_OWN + 7))
#define APP_FLAG_RANDOM_IDS    (UINT64_C(1) << (APP_FLAG_OWN + 6))

/** The first bit for options of a command that has settings besides: see call and listings. */
#define APP_FLAG_COMMAND (APP_FLAG_OWN + 10)

_Static_assert(APP_SETTING_COUNT <= APP_FLAG_OWN, "a bit for each setting");

/** The variable that every setting has, whatever the documents call it. */
#define APP_SETTING_VARIABLE(name_) "MCPGATE_" #name_

/** A row of the table as an entry of a command's options. */
#define APP_SETTING_OPTION(name_, variable_, flag_, value_, fallback_, help_)                      \
    {                                                                                              \
        .name = (flag_), .flag = APP_SETTING_FLAG(name_), .help = (help_), .value = (value_),      \
        .variable = APP_SETTING_VARIABLE(name_), .other_variable = (variable_),                    \
        .fallback = (fallback_)                                                                    \
    }

enum app_door {
    APP_DOOR_STDIO = 1 << 0,
    APP_DOOR_SOCKET = 1 << 1,
    APP_DOOR_HTTP = 1 << 2,
};

/* Texts are borrowed from the environment and the command line, and NULL when there is none. */
struct app_config {
    unsigned doors;   /* enum app_door */
    bool doors_given; /* somebody chose them */
    const char *socket_path;
    mode_t socket_mode;
    const char *http_addr; /* HOST:PORT, checked */
    const char *token;
    const char *token_file;
    const char *allowed_hosts; /* separated by commas, as are those that follow */
    const char *allowed_origins;
    const char *auth_servers;
    bool insecure; /* HTTP on an address others can reach needs no token */
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
    bool random_ids;    /* of requests, in place of those made of what was asked */
    unsigned threads;   /* 0: as many as the machine has use for */
    bool watch;
    /* How each setting was given, for messages: "--schemas-dir", "SYN_SCHEMAS_DIR"; NULL: not. */
    const char *given_as[APP_SETTING_COUNT];
};

/* Room for a name and what is wrong with its value, which is cut. */
#define APP_CONFIG_FAULT_SIZE 256

/** What is wrong with a setting, for people. */
struct app_config_fault {
    char text[APP_CONFIG_FAULT_SIZE];
};

/**
 * Read all settings.
 *
 * @param args       Its options are those of a command that has settings among them.
 * @param ret_config Borrows from args and the environment.
 * @return 0; -EINVAL with a fault.
 */
int app_config_read(
    const struct app_args *args,
    struct app_config *ret_config,
    struct app_config_fault *reterr_fault);
