#include "cli/listing.h"

#include <errno.h>
#include <string.h>

#include "cli/args.h"
#include "cli/content.h"
#include "cli/output.h"
#include "cli/report.h"
#include "jsv/base/utf8.h"
#include "os/sys.h"

/* ---- JSON ---- */

static void write_cells(
    const struct app_listing *listing,
    const struct catalog *catalog,
    size_t index,
    struct jsv_writer *writer)
{
    struct jsv_str cells[APP_LISTING_COLUMNS_MAX];
    listing->row(catalog, index, cells);
    jsv_write_object_begin(writer);
    for (size_t i = 0; listing->columns[i]; i++) {
        jsv_write_key(writer, jsv_str_from(listing->columns[i]));
        jsv_write_string(writer, cells[i]);
    }
    jsv_write_object_end(writer);
}

static void
write_json(const struct app_listing *listing, const struct catalog *catalog, struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    size_t count = listing->count(catalog);
    jsv_write_array_begin(&writer);
    for (size_t i = 0; i < count; i++) {
        if (listing->write) {
            listing->write(catalog, i, &writer);
        } else {
            write_cells(listing, catalog, i, &writer);
        }
    }
    jsv_write_array_end(&writer);
    jsv_buf_append_byte(out, '\n');
}

/* ---- text ---- */

/* Columns end two blanks behind their longest cell; the last one ends with its text. */
static void measure(
    const struct app_listing *listing,
    const struct catalog *catalog,
    size_t widths[static APP_LISTING_COLUMNS_MAX])
{
    size_t count = listing->count(catalog);
    for (size_t i = 0; listing->columns[i]; i++) {
        widths[i] = strlen(listing->columns[i]);
    }
    for (size_t row = 0; row < count; row++) {
        struct jsv_str cells[APP_LISTING_COLUMNS_MAX];
        listing->row(catalog, row, cells);
        for (size_t i = 0; listing->columns[i]; i++) {
            size_t width = jsv_utf8_count(cells[i]);
            widths[i] = width > widths[i] ? width : widths[i];
        }
    }
}

static void put_cells(
    const struct app_listing *listing,
    const struct jsv_str *cells,
    const size_t *widths,
    struct jsv_buf *out)
{
    for (size_t i = 0; listing->columns[i]; i++) {
        jsv_buf_append_str(out, cells[i]);
        bool last = !listing->columns[i + 1];
        size_t blanks = last ? 0 : widths[i] + 2 - jsv_utf8_count(cells[i]);
        for (size_t k = 0; k < blanks; k++) {
            jsv_buf_append_byte(out, ' ');
        }
    }
    jsv_buf_append_byte(out, '\n');
}

static void
write_text(const struct app_listing *listing, const struct catalog *catalog, struct jsv_buf *out)
{
    size_t widths[APP_LISTING_COLUMNS_MAX];
    struct jsv_str cells[APP_LISTING_COLUMNS_MAX];
    size_t count = listing->count(catalog);
    measure(listing, catalog, widths);
    for (size_t i = 0; listing->columns[i]; i++) {
        cells[i] = jsv_str_from(listing->columns[i]);
    }
    put_cells(listing, cells, widths, out);
    for (size_t row = 0; row < count; row++) {
        listing->row(catalog, row, cells);
        put_cells(listing, cells, widths, out);
    }
}

/* ---- the command ---- */

/* Roots are the settings a listing has; the rest of them it reads, and has no use for. */
const struct app_option app_listing_options[] = {
    {.name = "format",
     .flag = APP_LISTING_FORMAT,
     .help = "Print json (default), or text in columns",
     .value = "json|text"},
#define APP_SETTING(...)
#define APP_ROOT(name_, field_, kind_, variable_, flag_, value_, fallback_, help_)                 \
    APP_SETTING_OPTION(name_, variable_, flag_, value_, fallback_, help_),
#include "app/env.def"
#undef APP_SETTING
    {0},
};

static int print(
    struct app_cli *cli,
    const struct app_listing *listing,
    const struct catalog *catalog,
    bool as_text)
{
    struct jsv_buf out;
    jsv_buf_init(&out, os_allocator(), APP_OUTPUT_SIZE_MAX);
    if (as_text) {
        write_text(listing, catalog, &out);
    } else {
        write_json(listing, catalog, &out);
    }
    int r = app_output_buf(cli, &out);
    jsv_buf_done(&out);
    return r;
}

static int read_and_print(
    struct app_cli *cli,
    const struct app_listing *listing,
    const struct app_config *config,
    bool as_text)
{
    struct app_content content;
    const char *dir;
    app_content_init(&content, config);
    int r = app_content_read(&content, &dir);
    if (r < 0) {
        char why[APP_CONTENT_WHY_SIZE];
        app_content_explain(&content, r, dir, why);
        app_report(cli, why);
    } else {
        r = print(cli, listing, content.catalog, as_text);
    }
    app_content_done(&content);
    return r;
}

static int choose_format(struct app_cli *cli, const struct app_args *args, bool *ret_as_text)
{
    const char *format = app_args_value(args, APP_LISTING_FORMAT);
    bool as_text = format && strcmp(format, "text") == 0;
    if (format && !as_text && strcmp(format, "json") != 0) {
        app_report_usage(cli, "--format: expected json or text, not", format);
        return -EINVAL;
    }
    *ret_as_text = as_text;
    return 0;
}

enum app_exit
app_listing_run(struct app_cli *cli, const struct app_args *args, const struct app_listing *listing)
{
    struct app_config config;
    struct app_config_fault fault;
    bool as_text;
    if (choose_format(cli, args, &as_text) < 0) {
        return APP_EXIT_TROUBLE;
    }
    if (app_config_read(args, &config, &fault) < 0) {
        app_report(cli, fault.text);
        return APP_EXIT_TROUBLE;
    }
    int r = read_and_print(cli, listing, &config, as_text);
    return r < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}
