/*
 * mcpgate serve, which is also mcpgate without a command: answer messages
 * until there are no more. And mcpgate --validate, the server's verdict on one
 * file.
 */
#include "app/serve.h"

#include "app/config.h"
#include "cli/args.h"
#include "cli/asset.h"
#include "cli/cli.h"
#include "log/text.h"

static enum app_exit serve_run(struct app_cli *cli, const struct app_args *args)
{
    struct app_config config;
    struct app_config_fault fault;
    if (app_config_read(args, &config, &fault) < 0) {
        log_text_error("setup_failed", jsv_str_from(fault.text));
        return APP_EXIT_TROUBLE;
    }
    const char *asset = app_args_value(args, APP_FLAG_VALIDATE);
    return asset ? app_asset_validate(cli, &config, asset) : app_serve(cli, &config);
}

static const struct app_option options[] = {
    {.name = "stdio",
     .flag = APP_FLAG_STDIO,
     .help = "Serve one client on standard input and output"},
    {.name = "socket", .flag = APP_FLAG_SOCKET, .help = "Serve on a Unix socket", .value = "PATH"},
    {.name = "http", .flag = APP_FLAG_HTTP, .help = "Serve over HTTP", .value = "HOST:PORT"},
    {.name = "insecure",
     .flag = APP_FLAG_INSECURE,
     .help = "Serve HTTP to other machines without a token"},
    {.name = "no-deterministic-ids",
     .flag = APP_FLAG_RANDOM_IDS,
     .help = "Give requests random ids in the log"},
    {.name = "assert-format",
     .flag = APP_FLAG_ASSERT_FORMAT,
     .help = "Check \"format\" as well; the same as --format assert"},
    {.name = "watch",
     .flag = APP_FLAG_WATCH,
     .help = "Read schemas, examples and tools again when they change"},
    {.name = "validate",
     .flag = APP_FLAG_VALIDATE,
     .help = "Do not serve: check one document and print the result",
     .value = "PATH"},
#define APP_SETTING(name_, field_, kind_, variable_, flag_, value_, fallback_, help_)              \
    APP_SETTING_OPTION(name_, variable_, flag_, value_, fallback_, help_),
#include "app/env.def"
#undef APP_SETTING
    {0},
};

const struct app_command app_command_serve = {
    .name = "serve",
    .synopsis = "",
    .summary = "Answer messages on standard input, a Unix socket or HTTP (default)",
    .details =
        "Messages are JSON, one per line; answers go to standard output or back to the\n"
        "client, everything else to standard error. On standard input the server ends when\n"
        "the input does. SIGINT and SIGTERM let it finish running requests, for ten seconds\n"
        "at most; a second one ends it at once. SIGHUP reads schemas, examples and tools again.\n"
        "\n"
        "Each setting can be given as an option or in the environment; the option wins.\n"
        "\n"
        "Exit status: 0 when it was asked to stop or the input ended, 1 when something failed\n"
        "while it served, 2 when it could not be set up. --validate: 0 valid, 1 not, 2 when the\n"
        "file could not be read.\n",
    .options = options,
    .run = serve_run,
};
