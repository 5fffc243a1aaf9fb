/*
 * What a snapshot is inside. Everything but the programs is written while it
 * is loaded and only looked at afterwards.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "catalog/files.h"

/*
 * A schema compiled on first use. The pointer is set once; the rest is guarded
 * by the snapshot's lock. Failure is remembered, lack of memory is not.
 */
struct catalog_program {
    _Atomic(struct jsv_schema *) schema;
    bool failed;
    struct jsv_str reason;
};

struct catalog_schema_entry {
    struct catalog_schema schema; /* first: what the public functions hand out */
    struct jsv_str uri;           /* of its file */
    struct catalog_program *program;
};

struct catalog_example_entry {
    struct catalog_example example; /* first */
    struct jsv_str schema_name;
};

struct catalog_tool_entry {
    struct catalog_tool tool;      /* first */
    bool built_in;                 /* and so known to be right */
    struct jsv_document *document; /* of one that is built in; owned */
    struct catalog_program *input;
    struct catalog_program *output;
};

/* A file of the schema root as a resource for references. */
struct catalog_resource {
    const struct catalog_file *file;
    struct jsv_str uri; /* file:///… */
    struct jsv_str id;  /* its own identifier, resolved; empty when it has none */
    bool settled;       /* the registry knows it, or never will */
};

struct catalog_compiler {
    pthread_mutex_t lock; /* guards the registry, the arena after loading, and programs */
    struct jsv_registry *registry;
    struct jsv_arena *arena; /* the snapshot's */
    struct jsv_str root_uri; /* with a "/" at its end; empty without a root */
    const struct catalog_files *files;
    struct catalog_resource *resources; /* one per file, in their order */
    size_t resource_count;
    bool loaded; /* all files were offered to the registry: now it may ask for them */
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
    struct catalog_files files[CATALOG_ROOTS];
    struct catalog_schema_entry **schemas; /* by name */
    size_t schema_count;
    struct catalog_example_entry **examples; /* by component, then path */
    size_t example_count;
    struct catalog_example_entry *examples_by_path; /* as their files */
    struct catalog_tool_entry **tools;              /* as declared */
    size_t tool_count;
    struct catalog_tool_entry **listed_tools; /* those of them that are listed */
    size_t listed_tool_count;
    bool assert_format;
    struct catalog_compiler *compiler; /* shared by readers of a const snapshot */
};

/* ---- schemas.c ---- */

/** Schemas of the schema root, and what references need. @return 0 or -ENOMEM. */
int catalog_schemas_load(
    struct catalog *catalog, struct catalog_loading *loading, const char *directory);

/* ---- compiler.c ---- */

/** @return 0 or -errno; catalog_compiler_free() is safe also then. */
int catalog_compiler_new(
    struct catalog *catalog,
    struct catalog_loading *loading,
    const char *directory,
    struct catalog_compiler **ret_compiler);
void catalog_compiler_free(struct catalog_compiler *compiler);

struct catalog_source {
    struct jsv_str uri;
    struct jsv_str text; /* to be added under the URI first; data NULL: the registry finds it */
    struct jsv_schema_options options;
};

/** The schema, when it has been asked for before; else NULL. */
static inline const struct jsv_schema *catalog_program_ready(const struct catalog_program *program)
{
    return atomic_load_explicit(&program->schema, memory_order_acquire);
}
/** As catalog_schema_compiled(). */
int catalog_program_get(
    struct catalog_compiler *compiler,
    struct catalog_program *program,
    const struct catalog_source *source,
    const struct jsv_schema **ret_compiled,
    struct jsv_str *reterr_reason);
/** A program that waits for its first use; NULL when memory ran out. */
struct catalog_program *catalog_program_new(struct jsv_arena *arena);
void catalog_program_done(struct catalog_program *program);

/* ---- examples.c, tools.c ---- */

int catalog_examples_load(struct catalog *catalog, struct catalog_loading *loading);
int catalog_tools_load(
    struct catalog *catalog,
    struct catalog_loading *loading,
    const struct catalog_options *options);
