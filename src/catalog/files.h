/*
 * The JSON files of one root, read and parsed.
 *
 * Invalid files are skipped with a warning each. A file that was valid in the
 * previous snapshot stays as it was, also with a warning.
 */
#pragma once

#include "catalog/catalog.h"
#include "catalog/walk.h"

/*
 * One file: as much as one answer can contain. All files of a snapshot: four
 * such snapshots, text and parsed form, fit a small machine.
 */
#define CATALOG_FILE_SIZE_MAX  ((size_t)4 << 20)
#define CATALOG_FILES_SIZE_MAX ((size_t)128 << 20)

struct catalog_file {
    struct jsv_str path; /* relative to the root */
    struct jsv_str text;
    struct jsv_document *document; /* owned */
    struct jsv_value value;        /* its root */
};

/* Sorted by path. */
struct catalog_files {
    struct catalog_file *items;
    size_t count;
};

/* The state of loading. */
struct catalog_loading {
    struct jsv_arena *arena;  /* for texts of the snapshot */
    struct jsv_arena scratch; /* freed after loading */
    struct jsv_reader *reader;
    struct jsv_registry *meta; /* compiles each meta-schema once for all tools; made when needed */
    struct jsv_buf buf;
    size_t size;                    /* of all files so far */
    const struct catalog *previous; /* the snapshot before, or NULL */
    catalog_warn *warn;
    void *warn_context;
};

/** @return 0 or -ENOMEM; catalog_loading_done() is safe also then. */
int catalog_loading_init(
    struct catalog_loading *loading,
    struct jsv_arena *arena,
    catalog_warn *warn,
    void *warn_context);
void catalog_loading_done(struct catalog_loading *loading);

/**
 * Read all files of a root.
 *
 * @param directory The root; NULL: no files.
 * @param previous  The same root's files in the snapshot before, or NULL.
 * @param ret_files Also set on failure; free with catalog_files_done().
 * @return 0; -ENOMEM; or why the root cannot be listed.
 */
int catalog_files_load(
    struct catalog_loading *loading,
    const char *directory,
    const struct catalog_walk_options *options,
    const struct catalog_files *previous,
    struct catalog_files *ret_files);
void catalog_files_done(struct catalog_files *files);

/** NULL when there is none. */
const struct catalog_file *
catalog_files_find(const struct catalog_files *files, struct jsv_str path);

/** Warn that a file is skipped. @return 0 or -ENOMEM. */
int catalog_warn_of(
    struct catalog_loading *loading,
    const char *directory,
    struct jsv_str path,
    struct jsv_str why);

/** Warn that the program of a tool cannot be run. @return 0 or -ENOMEM. */
int catalog_warn_unusable(
    struct catalog_loading *loading,
    const char *directory,
    struct jsv_str path,
    struct jsv_str why);

/** As catalog_warn_of(), for an error at a pointer; an empty one is not mentioned. */
int catalog_warn_at(
    struct catalog_loading *loading,
    const char *directory,
    struct jsv_str path,
    const char *wrong,
    struct jsv_str pointer);

/** Copy a text into the snapshot; data NULL when memory ran out. */
struct jsv_str catalog_keep(struct catalog_loading *loading, struct jsv_str text);
