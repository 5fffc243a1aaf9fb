/*
 * Parsed schemas: every keyword with its operands, every reference resolved.
 * Explaining (report/) evaluates them, and the program is made from them.
 */
#pragma once

#include <jsv/schema.h>

#include "jsv/base/number.h"
#include "jsv/regex/regex.h"
#include "jsv/schema/format/format.h"
#include "jsv/schema/registry/registry.h"

/* Types as bits, for `type`. */
enum jsv_type_bits {
    JSV_TYPE_BIT_NULL = 1 << JSV_TYPE_NULL,
    JSV_TYPE_BIT_BOOLEAN = 1 << JSV_TYPE_BOOLEAN,
    JSV_TYPE_BIT_NUMBER = 1 << JSV_TYPE_NUMBER,
    JSV_TYPE_BIT_STRING = 1 << JSV_TYPE_STRING,
    JSV_TYPE_BIT_ARRAY = 1 << JSV_TYPE_ARRAY,
    JSV_TYPE_BIT_OBJECT = 1 << JSV_TYPE_OBJECT,
    JSV_TYPE_BIT_INTEGER = 1 << 7, /* a number that is one, when NUMBER is not set */
};

struct jsv_subschema;

struct jsv_names {
    struct jsv_key *items;
    uint32_t count;
};

/* A member of properties, patternProperties, dependencies and their like. */
struct jsv_property {
    struct jsv_key key;
    struct jsv_subschema *schema; /* NULL: a dependency on names */
    union {
        struct jsv_regex *regex; /* of patternProperties: the key, compiled */
        struct jsv_names names;
    };
};

struct jsv_keyword_use {
    enum jsv_keyword keyword;
    uint32_t weight;            /* elements or members of its value */
    const struct jsv_node *key; /* in the schema's document; the value follows it */
    union {
        struct {
            struct jsv_subschema *schema;
            uint64_t from;         /* items: the first index it applies to */
            uint64_t contains_min; /* contains */
            uint64_t contains_max;
        } one;
        struct {
            struct jsv_subschema **schemas;
            uint32_t count;
        } list;
        struct {
            struct jsv_property *items; /* in the order written */
            uint32_t count;
        } map;
        struct {
            struct jsv_subschema *target;
            struct jsv_str anchor; /* dynamic: the name to look for in the dynamic scope */
            bool dynamic;
        } ref;
        struct jsv_names names;
        struct {
            struct jsv_number value;
            bool exclusive; /* draft 4's boolean beside maximum and minimum */
        } bound;
        uint64_t size;
        unsigned types;
        struct jsv_regex *regex;
        enum jsv_format format;
        const struct jsv_node *value;
    };
};

struct jsv_subschema {
    struct jsv_subschema *next; /* in the order they were met */
    const struct jsv_node *node;
    const struct jsv_resource *resource;
    uint32_t index;
    uint32_t shape;     /* in the program; 0: it has none of its own */
    bool never;         /* the schema false */
    bool wants_marks;   /* has unevaluatedItems or unevaluatedProperties */
    bool combines;      /* other schemas for the same value */
    uint32_t use_count; /* keywords in evaluation order */
    struct jsv_keyword_use *uses;
};

/*
 * A dynamic anchor somewhere in the resources that a schema reaches, or the
 * first of those with the same name: then the resource is NULL.
 */
struct jsv_dynamic_target {
    struct jsv_table_key key; /* the resource and the name; no name is $recursiveAnchor's */
    struct jsv_subschema *schema;
    uint32_t count; /* of those with this name */
};

struct jsv_program;

struct jsv_schema {
    struct jsv_allocator allocator;
    struct jsv_arena arena;
    struct jsv_subschema *root;
    struct jsv_subschema *subschemas; /* newest first */
    uint32_t subschema_count;
    struct jsv_table dynamic_targets; /* struct jsv_dynamic_target */
    bool dynamic;                     /* some references are only known while evaluating */
    struct jsv_regex_list *regexes;
    struct jsv_program *program;
};

/* Compiled patterns live outside the arena; a schema remembers them to free them. */
struct jsv_regex_list {
    struct jsv_table_key key; /* the pattern */
    struct jsv_regex_list *next;
    struct jsv_regex *regex;
};

/* The use of a keyword in a schema; NULL when it has none. */
const struct jsv_keyword_use *
jsv_subschema_use(const struct jsv_subschema *schema, enum jsv_keyword keyword);

/* The name of a keyword as written in the schema. */
struct jsv_str jsv_use_name(const struct jsv_subschema *schema, const struct jsv_keyword_use *use);

/* Where a dynamic reference leads from one resource of the dynamic scope; NULL when nowhere. */
struct jsv_subschema *jsv_schema_dynamic_target(
    const struct jsv_schema *schema, const struct jsv_resource *resource, struct jsv_str anchor);

/* How many resources of those a schema reaches have a dynamic anchor of that name. */
uint32_t jsv_schema_dynamic_count(const struct jsv_schema *schema, struct jsv_str anchor);
