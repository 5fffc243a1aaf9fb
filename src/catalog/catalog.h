/*
 * Schemas, examples and tools as one immutable snapshot. Files are read at start
 * and on reload only. A request keeps the snapshot it started with; the last
 * release frees it. Any number of threads may read it.
 *
 * Schemas are `*.schema.json` directly in their root, examples `*.json` below
 * theirs. A file that is not regular, leaves its root, is too large or is not
 * JSON (duplicate members included) is skipped with a warning.
 */
#pragma once

#include <jsv/schema.h>

struct catalog;

struct catalog_schema {
    struct jsv_str name;    /* file name without ".schema.json" */
    struct jsv_str version; /* top-level "version" as text; may be empty */
    struct jsv_str path;    /* relative to the root */
    struct jsv_str text;    /* the file, byte for byte */
    struct jsv_value value;
};

struct catalog_example {
    struct jsv_str component; /* file name up to the first '.' or '_' */
    struct jsv_str path;      /* relative to the root */
    struct jsv_str text;
    struct jsv_value value;
};

/** The prefix of a tool's id, before its name. */
#define CATALOG_TOOL_ID_PREFIX "mcp.tool:"

/** How deep properties may be that are repeated in headers. */
#define CATALOG_PROPERTY_DEPTH_MAX 8
/** Bytes of an "x-mcp-header", as many as a tool's name may have. */
#define CATALOG_HEADER_NAME_MAX 128

/** A tool as its descriptor declares it. */
struct catalog_tool {
    struct jsv_str name;
    struct jsv_str title;
    struct jsv_str description;
    struct jsv_str directory;  /* of a program: the tools directory, absolute; empty: built in */
    struct jsv_str file;       /* of a program: its descriptor's, relative to that directory */
    struct jsv_str descriptor; /* the whole JSON text */
    struct jsv_value value;    /* the same, parsed */
    struct jsv_value input_schema;
    struct jsv_value output_schema; /* NONE when it has none */
    struct jsv_str
        fingerprint;  /* of both schemas and the id; empty: a number has no canonical form */
    bool is_content;  /* its output is a result of the official protocol */
    bool is_listed;   /* what it needs is configured */
    bool has_headers; /* some arguments are repeated in HTTP headers ("x-mcp-header") */
};

struct catalog_options {
    const char *schemas_dir;     /* NULL: none */
    const char *examples_dir;    /* NULL: none */
    const char *tools_dir;       /* NULL: none; external tools */
    const struct jsv_str *tools; /* descriptors of the built-in tools, in order */
    size_t tool_count;
    bool has_backend;   /* a backend is configured */
    bool assert_format; /* for assets; tools' own schemas always assert */
};

enum catalog_warning {
    CATALOG_SKIPPED,  /* the file is skipped */
    CATALOG_UNUSABLE, /* the tool is loaded, but its program cannot be run */
};

/** Receives a file and the reason ("duplicate member at /a (line 3)"). */
typedef void
catalog_warn(void *context, enum catalog_warning kind, struct jsv_str file, struct jsv_str why);

/**
 * Read everything.
 *
 * @param previous The snapshot before, or NULL. A file that was valid in it and is invalid now
 *                 stays as it was, with a warning; a removed file is removed.
 * @return 0; -ENOENT, -ENOTDIR, -EACCES … of a root, with its name in reterr_dir; -ENOMEM.
 */
int catalog_load(
    const struct catalog_options *options,
    struct catalog *previous,
    catalog_warn *warn,
    void *context,
    struct catalog **ret_catalog,
    const char **reterr_dir);
struct catalog *catalog_retain(struct catalog *catalog);
/** Accepts NULL. */
void catalog_release(struct catalog *catalog);

/* Sorted: schemas by name, version, path; examples by component, path; tools as declared. */
size_t catalog_schema_count(const struct catalog *catalog);
const struct catalog_schema *catalog_schema_at(const struct catalog *catalog, size_t index);
size_t catalog_example_count(const struct catalog *catalog);
const struct catalog_example *catalog_example_at(const struct catalog *catalog, size_t index);
size_t catalog_tool_count(const struct catalog *catalog);
const struct catalog_tool *catalog_tool_at(const struct catalog *catalog, size_t index);

/** The tools whose needs are configured, in the same order. */
size_t catalog_listed_tool_count(const struct catalog *catalog);
const struct catalog_tool *catalog_listed_tool_at(const struct catalog *catalog, size_t index);

/**
 * A schema by name, an example by path, both given by a client.
 * @return 0; -EINVAL when it is absolute, empty, has a ".." segment or a NUL byte;
 *         -ENOENT when there is none.
 */
int catalog_schema_find(
    const struct catalog *catalog, struct jsv_str name, const struct catalog_schema **ret_schema);
int catalog_example_find(
    const struct catalog *catalog, struct jsv_str path, const struct catalog_example **ret_example);
/** NULL when there is none. */
const struct catalog_tool *catalog_tool_find(const struct catalog *catalog, struct jsv_str name);

/**
 * The same with aliases: "nested-synesthetic-asset" is an alias of "synesthetic-asset".
 */
int catalog_schema_resolve(
    const struct catalog *catalog, struct jsv_str name, const struct catalog_schema **ret_schema);

/**
 * The schema that an asset names: its top-level string "schema", else the base name of its
 * "$schemaRef"; else empty.
 */
struct jsv_str catalog_asset_schema_name(struct jsv_value asset);
/**
 * The same for an asset in a file; if the asset names none, its file name does.
 * @param arena For the name. @return data NULL when memory ran out.
 */
struct jsv_str
catalog_file_schema_name(struct jsv_value asset, struct jsv_str path, struct jsv_arena *arena);
/** The same for an example; part of the snapshot. */
struct jsv_str catalog_example_schema_name(const struct catalog_example *example);

/**
 * A compiled schema; compiled on first use.
 *
 * References resolve within the schema root only.
 * @return 0; -EBADMSG when it does not compile, with the reason, part of the snapshot; -ENOMEM.
 */
int catalog_schema_compiled(
    const struct catalog *catalog,
    const struct catalog_schema *schema,
    const struct jsv_schema **ret_compiled,
    struct jsv_str *reterr_reason);
int catalog_tool_input(
    const struct catalog *catalog,
    const struct catalog_tool *tool,
    const struct jsv_schema **ret_compiled,
    struct jsv_str *reterr_reason);
/** -ENOENT when the tool declares none. */
int catalog_tool_output(
    const struct catalog *catalog,
    const struct catalog_tool *tool,
    const struct jsv_schema **ret_compiled,
    struct jsv_str *reterr_reason);
