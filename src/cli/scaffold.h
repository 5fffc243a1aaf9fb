/*
 * Making the files that somebody starts from. Nothing that exists is ever
 * touched: if one of the files is there already, none is made.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct app_cli;

struct scaffold_file {
    const char *path; /* below the directory; directories in it are made */
    const char *text; /* every %s in it stands for the name */
    bool is_program;  /* may be executed */
};

/**
 * Make files below a directory, which is made if it is missing.
 *
 * @param name Put in the place of each "%s" of paths and texts; NULL: there is none.
 * @return 0, or an error that has been reported; then no file of this call is left.
 */
int app_scaffold_make(
    struct app_cli *cli,
    const char *directory,
    const char *name,
    const struct scaffold_file *files,
    size_t count);

/** A descriptor and a program for it, with the name in the place of "%s". */
#define APP_SCAFFOLD_TOOL_FILES 2
extern const struct scaffold_file app_scaffold_tool[APP_SCAFFOLD_TOOL_FILES];
