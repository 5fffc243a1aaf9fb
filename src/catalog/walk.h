/*
 * The paths of all files below a root, sorted. No file is read here.
 *
 * Links to directories are followed as long as they stay below the root. A
 * directory inside itself (by a link) is skipped; so are directories that are
 * too deep or too full.
 */
#pragma once

#include "jsv/json/sort.h"

/*
 * Names of any kind below one root. A catalog of that size takes a second to
 * read; more is a wrong directory.
 */
#define CATALOG_NAMES_MAX 100000

/* A file to read, or a path that is skipped. */
struct catalog_entry {
    struct jsv_str path; /* relative to the root */
    int error;           /* 0; or -errno: why it, and all below it, is skipped */
};

struct catalog_walk_options {
    struct jsv_str ending; /* of the files' names */
    bool recursive;
};

struct catalog_entries {
    const struct catalog_entry *const *items;
    size_t count;
};

/**
 * List a root.
 *
 * @param root_fd     As os_root_open() gives it.
 * @param arena       Where entries and paths are allocated.
 * @param ret_entries Sorted by path.
 * @return 0; -ENOMEM; or why the root itself cannot be listed.
 */
int catalog_walk(
    int root_fd,
    const struct catalog_walk_options *options,
    struct jsv_arena *arena,
    struct catalog_entries *ret_entries);

/**
 * Sort pointers; equal ones keep their order.
 * @param compare Called with NULL and two of the items.
 * @return 0 or -ENOMEM.
 */
int catalog_order(
    struct jsv_arena *scratch, const void **items, size_t count, jsv_sort_compare *compare);

/* Whether a text ends so. */
bool catalog_ends_with(struct jsv_str text, struct jsv_str ending);
/* A copy of two texts in a row; data NULL when memory ran out. */
struct jsv_str catalog_join(struct jsv_arena *arena, struct jsv_str a, struct jsv_str b);
