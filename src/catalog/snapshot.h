/*
 * The inside of a snapshot. Everything but compiled schemas is written while
 * it is loaded and only read afterwards.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "catalog/files.h"

/*
 * A schema of the schema root, compiled on first use. The pointer is set once;
 * the members after it are guarded by the compiler's lock. An invalid schema
 * is remembered, a lack of memory is not.
 */
struct catalog_schema_entry {
    struct catalog_schema schema; /* first: the public part */
    struct jsv_str uri;           /* of its file */
    _Atomic(struct jsv_schema *) compiled;
    bool failed;
    struct jsv_str reason;
};

struct catalog_example_entry {
    struct catalog_example example; /* first */
    struct jsv_str schema_name;
};

struct catalog_tool_entry {
    struct catalog_tool tool;      /* first */
    bool built_in;                 /* and so known to be valid */
    struct jsv_document *document; /* of one that is built in; owned */
    struct catalog_tool_schemas *schemas;
};

/*
 * The schemas of a tool, compiled on first use, with their registry. The next
 * snapshot reuses them when the fingerprint is unchanged; the last snapshot
 * that is released frees them.
 */
struct catalog_tool_schemas {
    atomic_size_t references;
    atomic_bool ready; /* set once; then the next four do not change */
    struct jsv_registry *registry;
    struct jsv_schema *input;
    struct jsv_schema *output; /* NULL when the tool declares none */
    bool needs_root;           /* it refers to files of the schema root */
    pthread_mutex_t lock;      /* guards all members until ready is set */
    const char *failed;        /* the member that does not compile; NULL: none so far */
    struct jsv_buf reason;
};

/* A file of the schema root as a resource for references. */
struct catalog_resource {
    const struct catalog_file *file;
    struct jsv_str uri; /* file:///… */
    struct jsv_str id;  /* its own identifier, resolved; empty when it has none */
    bool settled;       /* it was added, or never will be */
    bool hidden;        /* never added, because another file has the same $id */
};

/*
 * The schema root: its files and their compiled schemas. Any file may refer to
 * any other, so the next snapshot reuses it as a whole, when all files are
 * unchanged.
 */
struct catalog_compiler {
    atomic_size_t references;
    pthread_mutex_t lock; /* guards the registry, and the arena and schemas after loading */
    struct jsv_registry *registry;
    struct jsv_arena arena;
    struct catalog_files files;
    struct jsv_str root_uri; /* with a "/" at its end; empty without a root */
    bool assert_format;
    struct catalog_resource *resources; /* one per file, in their order */
    size_t resource_count;
    bool loaded;                           /* all files were added: now the resolver may be used */
    struct catalog_schema_entry **schemas; /* by name */
    size_t schema_count;
};

enum catalog_root {
    CATALOG_ROOT_SCHEMAS,
    CATALOG_ROOT_EXAMPLES,
    CATALOG_ROOT_TOOLS,
    CATALOG_ROOTS,
};

struct catalog {
    atomic_size_t references;
    struct jsv_arena arena;
    struct catalog_files files[CATALOG_ROOTS]; /* those of the schema root are the compiler's */
    struct catalog_example_entry **examples;   /* by component, then path */
    size_t example_count;
    struct catalog_example_entry *examples_by_path; /* as their files */
    struct catalog_tool_entry **tools;              /* as declared */
    size_t tool_count;
    struct catalog_tool_entry **listed_tools; /* those of them that are listed */
    size_t listed_tool_count;
    struct catalog_compiler *compiler; /* shared by readers of a const snapshot */
};

/* Texts twice (the registry has its own), and the structs about them. */
#define CATALOG_ARENA_MAX (4 * CATALOG_FILES_SIZE_MAX)

/* ---- catalog.c ---- */

/** List the schemas that are served by name. @return 0 or -ENOMEM. */
int catalog_schemas_load(struct catalog_compiler *compiler, struct catalog_loading *loading);
/** Warn of files that cannot be schemas. @return 0 or -ENOMEM. */
int catalog_schemas_warn(
    const struct catalog_compiler *compiler,
    struct catalog_loading *loading,
    const char *directory);

/* ---- compiler.c ---- */

/*
 * A file whose meta-schema is another file is added after that one. Meta-
 * schemas of meta-schemas exist; a fourth generation has not been seen.
 */
#define CATALOG_META_ROUNDS_MAX 4

/** Without files; NULL when memory ran out. */
struct catalog_compiler *catalog_compiler_new(bool assert_format);
/** Accepts NULL. */
void catalog_compiler_release(struct catalog_compiler *compiler);

/**
 * Set up a compiler whose files are loaded.
 *
 * @param compiler Released and replaced by the previous snapshot's when all files are the same.
 * @return 0 or -errno.
 */
int catalog_compiler_load(
    struct catalog_compiler **compiler, struct catalog_loading *loading, const char *directory);

/**
 * The text of the schema that has a URI, for references of tools.
 * @param scratch  Empty; may hold the text.
 * @param ret_text Lives as long as the compiler and scratch.
 * @return 0; -ENOENT; -ENOMEM.
 */
int catalog_compiler_find(
    struct catalog_compiler *compiler,
    struct jsv_str uri,
    struct jsv_buf *scratch,
    struct jsv_str *ret_text);

/* Of a reason: it may quote a reference, which may be as long as its schema. */
#define CATALOG_REASON_SIZE_MAX 1024

/** Append why a schema does not compile, for clients. A reason that is too long is cut. */
void catalog_reason_write(
    const struct catalog_compiler *compiler,
    int error,
    const struct jsv_error *fault,
    struct jsv_buf *out);

/* ---- tool_schemas.c ---- */

/**
 * Reuse those of the previous snapshot when they are the same, else make new ones.
 * @return 0 or -ENOMEM.
 */
int catalog_tool_schemas_make(
    const struct catalog *catalog,
    struct catalog_loading *loading,
    const struct catalog_tool_entry *entry,
    struct catalog_tool_schemas **ret_schemas);
/** Accepts NULL. */
void catalog_tool_schemas_release(struct catalog_tool_schemas *schemas);

/**
 * Compile them unless that is done.
 * @param meta Compiles the meta-schemas that they are checked against; NULL: they do so themselves.
 * @return 0; -EBADMSG with the reason, of the member named in the entry's schemas; -ENOMEM.
 */
int catalog_tool_schemas_compile(
    const struct catalog *catalog,
    const struct catalog_tool_entry *entry,
    struct jsv_registry *meta,
    struct jsv_str *reterr_reason);

/** The beginning of the URI of a tool's schema: "urn:mcpgate:tool:<name>:input" */
#define CATALOG_TOOL_URN "urn:mcpgate:tool:"

/* ---- tools.c ---- */

int catalog_tools_load(
    struct catalog *catalog,
    struct catalog_loading *loading,
    const struct catalog_options *options);
