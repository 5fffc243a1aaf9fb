/*
 * What a server says on standard error about itself, besides that something is
 * wrong.
 */
#pragma once

struct app_cli;
struct app_content;

struct app_announcement {
    const char *mode;        /* "stdio", "socket" or "http" */
    const char *socket_path; /* NULL: there is no socket */
    const char *http_addr;   /* NULL: no HTTP */
    const struct app_content *content;
    const char *timestamp;
};

/**
 * "mcp:ready mode=http url=… schemas_dir=… examples_dir=… mcp=… page=… schemas=8 tools=9
 * timestamp=…". Scripts read the line of stdio and of sockets field by field, as SYN has it; so
 * only HTTP, which SYN does not know, adds addresses and counts.
 */
void app_announce_ready(const struct app_announcement *announcement);

/** What is served since a reload. */
void app_announce_reload(const struct app_content *content);

/** For somebody who started us by hand, and would otherwise look at a silent terminal. */
void app_announce_stdin(const struct app_cli *cli);

/** Warn if the ready file is that of another server that runs. */
void app_announce_other(const char *ready_file);
