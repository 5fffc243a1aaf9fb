/*
 * What tests of reading itself start with: a reader and a document of their
 * own, texts in memory of just their size (so that the sanitizers see a step
 * beyond them), and the scan kernels this machine can run.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jsv/json.h>

#include "jsv/json/scan.h"

struct reading {
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_error error;
    char *text;
};

/* Make a reader and a document; limits NULL means the defaults. */
void reading_init(struct reading *reading, const struct jsv_limits *limits);
void reading_done(struct reading *reading);

/* For cmocka_unit_test_setup_teardown: *state becomes a struct reading with default limits. */
int reading_setup(void **state);
int reading_teardown(void **state);

#define READING_TEST(test) cmocka_unit_test_setup_teardown(test, reading_setup, reading_teardown)

/* Read a copy of the text. Before, the error is filled with junk. @return what jsv_read does. */
int reading_read(struct reading *reading, struct jsv_str text, unsigned flags);
/* The root of a text that must be valid. */
struct jsv_value reading_root(struct reading *reading, struct jsv_str text, unsigned flags);
/* Assert that the last text was refused so; pointer NULL for any. */
void reading_expect(
    const struct reading *reading, enum jsv_error_code code, size_t offset, const char *pointer);
/* Assert that a text is valid and written so without white space. */
void reading_expect_compact(struct reading *reading, struct jsv_str text, const char *compact);

struct reading_kernel {
    const char *name;
    jsv_scan_kernel *scan;
};

/* The kernels to be compared, ended by one without a name. */
const struct reading_kernel *reading_kernels(void);
/* Let the reader use this one. */
void reading_use(struct reading *reading, const struct reading_kernel *kernel);

/* Append count times a byte. */
void reading_fill(struct jsv_buf *text, char byte, size_t count);
