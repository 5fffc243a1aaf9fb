/*
 * Tables of what would be served: schemas, examples, tools. As JSON for
 * programs, an array of objects; as text for people, in columns.
 */
#pragma once

#include <jsv/json.h>

#include "app/config.h"
#include "cli/cli.h"

struct catalog;

#define APP_LISTING_COLUMNS_MAX 3

struct app_listing {
    const char *columns[APP_LISTING_COLUMNS_MAX + 1]; /* names, ended by NULL */
    size_t (*count)(const struct catalog *catalog);
    /* The cells of a row, in the order of the columns. */
    void (*row)(const struct catalog *catalog, size_t index, struct jsv_str *cells);
    /* Write a row as JSON; NULL: an object of its cells. */
    void (*write)(const struct catalog *catalog, size_t index, struct jsv_writer *writer);
};

/** The bit of --format, which here is about the output. */
#define APP_LISTING_FORMAT (UINT64_C(1) << APP_FLAG_COMMAND)

/** What commands that list have in common: which roots, and how to print. */
extern const struct app_option app_listing_options[];

/** Read what would be served and print a listing of it. */
enum app_exit app_listing_run(
    struct app_cli *cli, const struct app_args *args, const struct app_listing *listing);
