/*
 * What the parts of resolving share: resolve.c knows the rules and reads files,
 * resolve_id.c finds out by which $id schemas are known.
 */
#pragma once

#include "cli/resolve.h"

/* A directory, and the URIs that lead into it. */
struct app_resolve_rule {
    struct app_resolve_rule *next;
    struct jsv_str prefix; /* empty: its files are known by their $id */
    const char *directory;
    struct jsv_str place; /* its file: URI, ending with a slash */
    int root_fd;
};

/* A URI that is the name of a file. */
struct app_resolve_id {
    struct jsv_table_key key;
    struct app_resolve_id *next;         /* another file with the same URI */
    const char *name;                    /* for messages */
    const struct app_resolve_rule *rule; /* the directory it is below; NULL: none */
    const char *below;                   /* its path, from that directory if there is one */
    bool is_named;                       /* by URI=FILE: then its own $id does not matter */
};

/* A schema that has been read and has an $id. */
struct app_resolve_known {
    struct app_resolve_known *next;
    struct jsv_str id;
    struct jsv_str place;                /* its file: URI */
    const struct app_resolve_rule *rule; /* the directory it must not leave; NULL: none */
};

/* A file that was found. */
struct app_resolve_found {
    const char *name;                    /* its path; for messages, too */
    const struct app_resolve_rule *rule; /* the directory it is below; NULL: none */
};

/* ---- resolve.c ---- */

/* A terminated copy of three texts in a row; NULL when memory ran out. */
char *
app_resolve_join(struct app_resolve *resolve, struct jsv_str a, struct jsv_str b, struct jsv_str c);

/* Up to and with the last slash; empty when there is none. */
struct jsv_str app_resolve_directory(struct jsv_str text);

/* Add a directory. @param prefix Empty: none. @return 0 or -errno. */
int app_resolve_add_rule(
    struct app_resolve *resolve,
    struct jsv_str prefix,
    struct jsv_str directory,
    const struct app_resolve_rule **ret_rule);

/* ---- resolve_id.c ---- */

/* Note a schema that was read, for the references in it. @param uri By which. @return 0 or -ENOMEM.
 */
int app_resolve_learn(
    struct app_resolve *resolve,
    struct jsv_str uri,
    const struct app_resolve_found *found,
    struct jsv_str text);

/*
 * Let a URI lead to a file. @param rule The directory it is below; NULL: none.
 * @return 0 or -ENOMEM.
 */
int app_resolve_add_id(
    struct app_resolve *resolve,
    struct jsv_str uri,
    const char *path,
    const struct app_resolve_rule *rule,
    bool is_named);

/* 1, 0 or -ENOMEM: are two texts the same JSON? */
int app_resolve_is_same(struct app_resolve *resolve, struct jsv_str a, struct jsv_str b);

/* Read a schema, or all below a directory, for their $id. @return 0, or a reported error. */
int app_resolve_index(
    struct app_cli *cli, struct app_resolve *resolve, const char *path, bool is_directory);
