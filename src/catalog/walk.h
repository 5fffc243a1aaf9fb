/*
 * Which files there are below a root: their paths, sorted, whatever order the
 * file system has them in. Nothing is read here.
 *
 * Directories are entered also through links, as long as those stay below the
 * root. A directory inside itself, which only a link can bring about, is left
 * out; so are directories too deep or too full.
 */
#pragma once

#include <jsv/jsv.h>

/*
 * Names looked at below one root, of whatever kind. A catalog of that size
 * takes a second to read; more is a directory named by mistake.
 */
#define CATALOG_NAMES_MAX 100000

/* A file to be read, or a place that has to be left out. */
struct catalog_entry {
    struct jsv_str path; /* relative to the root */
    int error;           /* 0; -errno why it, and all below it, is left out */
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

/* Whether a text ends so. */
bool catalog_ends_with(struct jsv_str text, struct jsv_str ending);
/* A copy of two texts in a row; data NULL when memory ran out. */
struct jsv_str catalog_join(struct jsv_arena *arena, struct jsv_str a, struct jsv_str b);
