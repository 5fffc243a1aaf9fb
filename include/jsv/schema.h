/*
 * libjsv: JSON Schema, drafts 2020-12, 2019-09, 7, 6 and 4.
 *
 * For one schema that needs no others, a jsv_checker does everything:
 *
 *     struct jsv_checker *checker = jsv_checker_new(NULL, schema_text, NULL);
 *     int valid = jsv_check(checker, text, &problems);
 *     jsv_checker_free(checker);
 *
 * Servers use its parts, to share schemas between threads, to let schemas refer
 * to each other, and to set limits:
 *
 *     registry   holds schema resources by URI; knows the drafts' meta-schemas
 *     schema     one of them compiled; immutable, may be shared by threads
 *     validator  what checking a document needs; one per thread, reused
 *
 * Nothing is ever fetched. A reference resolves to a resource that was added,
 * to one the caller's own resolver hands over, or not at all, and then
 * compiling fails and names it.
 */
#pragma once

#include <jsv/json.h>
#include <jsv/problem.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum jsv_draft {
    JSV_DRAFT_DEFAULT, /* 2020-12 */
    JSV_DRAFT_4,
    JSV_DRAFT_6,
    JSV_DRAFT_7,
    JSV_DRAFT_2019_09,
    JSV_DRAFT_2020_12,
};

/** "4", "6", "7", "2019-09", "2020-12". @return 0, or JSV_BAD_ARGUMENT for any other name. */
int jsv_draft_from_name(struct jsv_str name, enum jsv_draft *ret_draft);
/** The same name back. */
const char *jsv_draft_name(enum jsv_draft draft);

struct jsv_checker;
struct jsv_registry;
struct jsv_schema;
struct jsv_validator;

/** How to compile a schema. Zero in every member is the default. */
struct jsv_schema_options {
    size_t struct_size;  /* see <jsv/jsv.h> */
    bool assert_format;  /* check "format"; by default it is an annotation */
    bool assert_content; /* check contentEncoding and contentMediaType, from draft 7 on; by default
                            they are annotations. Known: base64 and application/json */
    bool skip_meta;      /* do not check schemas against their meta-schemas */
    bool compile_unused; /* also compile what is in $defs and definitions and nothing refers to, to
                            find its faults */
};

/* ---- the common case ---- */

/**
 * Compile a schema and make all that checking texts against it needs. For one
 * thread at a time; default limits.
 *
 * @param allocator   Copied; NULL means malloc.
 * @param schema_text Copied. It may refer to itself and to the drafts'
 *                    meta-schemas only.
 * @param options     May be NULL.
 * @return NULL when memory ran out. A schema that was refused gives a checker
 *         that checks nothing: see jsv_checker_status().
 */
struct jsv_checker *jsv_checker_new(
    const struct jsv_allocator *allocator,
    struct jsv_str schema_text,
    const struct jsv_schema_options *options);
void jsv_checker_free(struct jsv_checker *checker);

/**
 * Whether the schema was compiled.
 *
 * @param reterr_error What is wrong with it; lives as long as the checker.
 * @return 0; JSV_BAD_TEXT with the error; JSV_TOO_COMPLEX; JSV_NO_MEMORY when the checker is NULL.
 */
int jsv_checker_status(const struct jsv_checker *checker, struct jsv_error *reterr_error);

/**
 * Check a text.
 *
 * @param text         Needed until the problems have been looked at.
 * @param ret_problems May be NULL. What is wrong, with a text that is not JSON, too; empty when
 *                     the text is valid. Lives in the checker until its next use.
 * @return 1 valid, 0 not; as jsv_checker_status() when the schema was not compiled;
 *         JSV_STEP_LIMIT, JSV_PATTERN_LIMIT or JSV_NO_MEMORY when there is no verdict.
 */
int jsv_check(struct jsv_checker *checker, struct jsv_str text, struct jsv_problems *ret_problems);

/* ---- schemas by URI ---- */

enum jsv_note_kind {
    JSV_NOTE_WARNING, /* it is accepted, but may not do what its author meant */
    JSV_NOTE_FAULT,   /* it is refused */
};

/**
 * Called with errors and warnings about schemas while they are added and
 * compiled:
 *
 * - every fault, not only the first, which is what the functions return. They
 *   come in the order of the text, all unresolvable references among them;
 * - a warning for each keyword that has no effect where it is (beside $ref up
 *   to draft 7, or a keyword of another draft), when compiling succeeds;
 * - a warning for each of the first 100 duplicate members, with allow_duplicates, and one with
 *   the number of the others.
 *
 * @param note Its texts live until the listener returns.
 */
typedef void
jsv_schema_listener(void *context, enum jsv_note_kind kind, const struct jsv_error *note);

/**
 * Supplies a resource that a schema refers to and that was not added.
 *
 * @param uri      Absolute, without fragment.
 * @param ret_text The schema's text; copied by the registry.
 * @return 0; JSV_NOT_FOUND when there is none; any other negative value stops compiling.
 */
typedef int jsv_resolver(void *context, struct jsv_str uri, struct jsv_str *ret_text);

struct jsv_registry_options {
    size_t struct_size;     /* see <jsv/jsv.h> */
    enum jsv_draft draft;   /* of resources without $schema */
    jsv_resolver *resolver; /* may be NULL */
    void *resolver_context;
    jsv_schema_listener *listener; /* may be NULL */
    void *listener_context;
    bool allow_duplicates; /* of members with the same name in a schema the last one counts; by
                              default such a text is refused */
    bool first_id_wins; /* a resolved schema whose $id is that of a different one is known only by
                           the URI it was asked for; by default it is refused */
};

/**
 * Make a registry. It must outlive the schemas compiled from it, and is used
 * by one thread at a time.
 *
 * @param options NULL: draft 2020-12, no resolver.
 */
struct jsv_registry *
jsv_registry_new(const struct jsv_allocator *allocator, const struct jsv_registry_options *options);
void jsv_registry_free(struct jsv_registry *registry);

/**
 * Add a schema resource and those embedded in it.
 *
 * @param uri  Absolute; the base of references in it unless it has an $id.
 *             May be empty. Known by this and by its $id.
 * @param text Copied.
 * @return 0, also when an equal schema has the URI already; JSV_BAD_TEXT with the error;
 * JSV_CONFLICT with the error when a different schema has its URI or $id; JSV_NO_MEMORY; or the
 *         resolver's error. A schema that was refused leaves nothing behind.
 */
int jsv_registry_add(
    struct jsv_registry *registry,
    struct jsv_str uri,
    struct jsv_str text,
    struct jsv_error *reterr_error);

/**
 * Compile a schema and all it refers to.
 *
 * @param uri Of an added resource, with a fragment (pointer or anchor) or without.
 * @return 0; JSV_BAD_TEXT with the error; JSV_NOT_FOUND when there is no such resource;
 *         JSV_TOO_COMPLEX with the error when it would take more than 24 times the size of the
 *         texts and 96 KiB; JSV_NO_MEMORY; or the resolver's error, with an error that names the
 *         URI.
 */
int jsv_schema_compile(
    struct jsv_registry *registry,
    struct jsv_str uri,
    const struct jsv_schema_options *options,
    struct jsv_schema **ret_schema,
    struct jsv_error *reterr_error);
void jsv_schema_free(struct jsv_schema *schema);

/** The draft that a schema is read by. */
enum jsv_draft jsv_schema_draft(const struct jsv_schema *schema);

/* ---- checking ---- */

/** What one validation may use at most. Zero in a member means the default beside it. */
struct jsv_validator_limits {
    size_t struct_size;    /* see <jsv/jsv.h> */
    uint64_t steps_max;    /* work, in steps of some 25 ns: 8,000,000 and 12 per value */
    uint32_t depth_max;    /* nested evaluations: 4,096; bounds the machine stack, 512 bytes each */
    uint32_t problems_max; /* problems listed: 100; the rest is counted */
    size_t memory_max;     /* bytes of scratch: 64 MiB */
};

struct jsv_validator *
jsv_validator_new(const struct jsv_allocator *allocator, const struct jsv_validator_limits *limits);
void jsv_validator_free(struct jsv_validator *validator);

/**
 * Limit the steps of all following checks together, for work that is done in
 * several checks and has to end in time as a whole. When the budget is used up,
 * checks end with JSV_STEP_LIMIT. Each check still has its own limit, steps_max.
 *
 * @param steps 0 removes the budget; a new validator has none.
 */
void jsv_validator_set_budget(struct jsv_validator *validator, uint64_t steps);

/**
 * Check a value; the verdict alone.
 *
 * @return 1 valid, 0 not; JSV_STEP_LIMIT when steps or depth ran out, JSV_PATTERN_LIMIT when a
 *         pattern hit its limit, JSV_NO_MEMORY; JSV_BAD_ARGUMENT for a value of type NONE.
 */
int jsv_validate(
    struct jsv_validator *validator, const struct jsv_schema *schema, struct jsv_value value);

/**
 * Check a value and list what is wrong with it. When listing the problems of an
 * invalid value exceeds the steps or the memory, there is one problem of kind
 * JSV_PROBLEM_LIST_TOO_LONG. (With a schema whose $dynamicRef leads to different
 * places the verdict is not known by then, and the call fails.)
 *
 * @param ret_problems Lives in the validator until its next use. Empty when valid.
 * @return As jsv_validate.
 */
int jsv_validate_report(
    struct jsv_validator *validator,
    const struct jsv_schema *schema,
    struct jsv_value value,
    struct jsv_problems *ret_problems);

/**
 * Read a text as jsv_read does, without flags, and check it; the verdict alone.
 *
 * @param document Holds the text's value afterwards, which jsv_validate_report can say more of.
 * @return As jsv_validate; or as jsv_read when the text could not be read.
 */
int jsv_validate_text(
    struct jsv_validator *validator,
    const struct jsv_schema *schema,
    struct jsv_reader *reader,
    struct jsv_document *document,
    struct jsv_str text,
    struct jsv_error *reterr_error);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
