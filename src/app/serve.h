/*
 * The server process: setup, signals, reloads and shutdown.
 */
#pragma once

struct app_config;

enum app_exit {
#define APP_EXIT(name, value, meaning) APP_EXIT_##name = (value),
#include "app/exit.def"
#undef APP_EXIT
    APP_EXIT_INTERRUPTED = 3, /* never a status: main() dies of os_interrupt_signal() instead */
};

/** The standard streams of the process. */
struct app_streams {
    int in_fd;
    int out_fd;
    int err_fd;
};

/**
 * Serve until standard input ends or a signal asks to stop. Log lines go to standard error.
 *
 * @param streams When serving on stdio, out_fd is closed and becomes -1.
 * @return APP_EXIT_OK; APP_EXIT_INVALID when something failed while serving; APP_EXIT_TROUBLE
 *         when the server could not be set up.
 */
enum app_exit app_serve(struct app_streams *streams, const struct app_config *config);
