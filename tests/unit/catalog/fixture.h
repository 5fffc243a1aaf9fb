/*
 * What tests of the catalog and of the tools start with: a directory with
 * roots "schemas", "examples" and "tools", a snapshot of it, and the warnings
 * of loading it, one per line.
 *
 * In all JSON texts ' stands for ". Needs _GNU_SOURCE.
 */
#pragma once

#include "catalog/catalog.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

struct catalog_fixture {
    struct tmpdir dir;
    char roots[3][128];
    struct catalog_options options;
    struct catalog *catalog;
    const char *error_dir;
    char warnings[8192];
    char unusable[1024]; /* the last warning of a program that cannot be run */
};

static struct catalog_fixture fixture;

static inline int fixture_set_up(void **state)
{
    static const char *const names[] = {"schemas", "examples", "tools"};
    (void)state;
    fixture = (struct catalog_fixture){0};
    tmpdir_make(&fixture.dir);
    for (size_t i = 0; i < 3; i++) {
        tmpdir_mkdir(&fixture.dir, names[i]);
        snprintf(fixture.roots[i], sizeof(fixture.roots[i]), "%s/%s", fixture.dir.path, names[i]);
    }
    fixture.options = (struct catalog_options){
        .schemas_dir = fixture.roots[0],
        .examples_dir = fixture.roots[1],
        .tools_dir = fixture.roots[2],
    };
    return 0;
}

static inline int fixture_tear_down(void **state)
{
    (void)state;
    fault_disarm();
    catalog_release(fixture.catalog);
    tmpdir_remove(&fixture.dir);
    return 0;
}

#define FIXTURE_TEST(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

/* The text with " for '; to be given to free(). */
static inline char *fixture_quoted(const char *text)
{
    char *quoted = malloc(strlen(text) + 1);
    assert_non_null(quoted);
    char *to = quoted;
    for (; *text != '\0'; text++) {
        *to++ = *text == '\'' ? '"' : *text;
    }
    *to = '\0';
    return quoted;
}

static inline void fixture_write(const char *name, const char *text)
{
    char *quoted = fixture_quoted(text);
    tmpdir_write(&fixture.dir, name, quoted);
    free(quoted);
}

/* Paths are relative to the test's directory. Most programs of tests are not there: only tests
   about that look at these warnings. */
static inline void
fixture_warn(void *context, enum catalog_warning kind, struct jsv_str file, struct jsv_str why)
{
    struct catalog_fixture *self = context;
    if (kind == CATALOG_UNUSABLE) {
        snprintf(self->unusable, sizeof(self->unusable), "%.*s", (int)why.size, why.data);
        return;
    }
    size_t skip = strlen(self->dir.path) + 1;
    size_t used = strlen(self->warnings);
    assert_true(file.size > skip);
    snprintf(
        self->warnings + used,
        sizeof(self->warnings) - used,
        "%.*s: %.*s\n",
        (int)(file.size - skip),
        file.data + skip,
        (int)why.size,
        why.data);
}

/* Load; the snapshot before is the one before this. @return what catalog_load() does. */
static inline int fixture_try_load(void)
{
    struct catalog *loaded = NULL;
    fixture.warnings[0] = '\0';
    int r = catalog_load(
        &fixture.options, fixture.catalog, fixture_warn, &fixture, &loaded, &fixture.error_dir);
    if (r == 0) {
        catalog_release(fixture.catalog);
        fixture.catalog = loaded;
    }
    return r;
}

static inline void fixture_load(const char *warnings)
{
    assert_int_equal(fixture_try_load(), 0);
    assert_string_equal(fixture.warnings, warnings);
}

static inline void fixture_expect_str(struct jsv_str text, const char *expected)
{
    char copy[4096];
    assert_true(text.size < sizeof(copy));
    snprintf(copy, sizeof(copy), "%.*s", (int)text.size, text.data ? text.data : "");
    assert_string_equal(copy, expected);
}
