/*
 * Validators, and the calls that give a verdict. jsv_validate_report() is in
 * report/explain.c.
 */
#include "jsv/base/alloc.h"
#include "jsv/base/options.h"
#include "jsv/schema/run/run.h"

/*
 * The default allows more steps for a large document: ten times as many as
 * published schemas take, and less than a second for a document of 1 MiB.
 */
#define STEPS_DEFAULT    8000000
#define STEPS_PER_VALUE  12
#define DEPTH_DEFAULT    4096
#define PROBLEMS_DEFAULT 100
#define MEMORY_DEFAULT   ((size_t)64 << 20)

struct jsv_validator *
jsv_validator_new(const struct jsv_allocator *allocator, const struct jsv_validator_limits *limits)
{
    struct jsv_allocator own = jsv_allocator_or_default(allocator);
    struct jsv_validator *validator = jsv_alloc(&own, sizeof(*validator));
    if (!validator) {
        return NULL;
    }
    struct jsv_validator_limits given;
    jsv_options_copy(&given, sizeof(given), limits);
    *validator = (struct jsv_validator){
        .allocator = own,
        .limits =
            {
                .steps_max = given.steps_max ? given.steps_max : STEPS_DEFAULT,
                .depth_max = given.depth_max ? given.depth_max : DEPTH_DEFAULT,
                .problems_max = given.problems_max ? given.problems_max : PROBLEMS_DEFAULT,
                .memory_max = given.memory_max ? given.memory_max : MEMORY_DEFAULT,
            },
    };
    if (given.steps_max > INT64_MAX) {
        validator->limits.steps_max = INT64_MAX;
    } else if (given.steps_max == 0) {
        validator->steps_per_value = STEPS_PER_VALUE;
    }
    size_t lasting = validator->limits.memory_max / 2;
    jsv_arena_init(&validator->arena, &own, validator->limits.memory_max - lasting);
    jsv_arena_init(&validator->lasting, &own, lasting);
    validator->equality = jsv_equality_on(&validator->lasting);
    validator->unique = jsv_unique_on(&validator->lasting, &validator->equality);
    validator->words = jsv_stack_on(&validator->lasting, sizeof(uint64_t));
    validator->regex = jsv_regex_scratch_new(&own);
    if (!validator->regex) {
        jsv_validator_free(validator);
        return NULL;
    }
    validator->regex_cost = jsv_regex_scratch_cost(validator->regex);
    jsv_regex_scratch_bound(validator->regex, &validator->steps, JSV_STEP_NS);
    return validator;
}

void jsv_validator_set_budget(struct jsv_validator *validator, uint64_t steps)
{
    validator->is_sharing = steps > 0;
    validator->shared = steps < INT64_MAX ? (int64_t)steps : INT64_MAX;
    validator->granted = validator->steps = 0;
}

int64_t jsv_validator_settle(struct jsv_validator *validator, int64_t wanted)
{
    int64_t left = validator->steps > 0 ? validator->steps : 0;
    validator->shared -= validator->granted - left;
    validator->granted = wanted < validator->shared ? wanted : validator->shared;
    return validator->granted;
}

void jsv_validator_free(struct jsv_validator *validator)
{
    if (!validator) {
        return;
    }
    struct jsv_allocator own = validator->allocator;
    jsv_regex_scratch_free(validator->regex);
    jsv_arena_done(&validator->arena);
    jsv_arena_done(&validator->lasting);
    jsv_dealloc(&own, validator, sizeof(*validator));
}

ALWAYS_INLINE int
validate(const struct jsv_schema *schema, struct jsv_value value, struct jsv_validator *validator)
{
    const struct jsv_program *program = schema->program;
    validator->document = value.document;
    validator->program = program;
    bool verdict = run_entry(validator, program->root, value.node);
    return UNLIKELY(validator->error) ? validator->error : verdict;
}

/* Separate, so that other checks need not save registers for it. */
static __attribute__((noinline, cold)) int validate_sharing(
    const struct jsv_schema *schema, struct jsv_value value, struct jsv_validator *validator)
{
    jsv_validator_start(validator, value.node);
    return validate(schema, value, validator);
}

int jsv_validate(
    struct jsv_validator *validator, const struct jsv_schema *schema, struct jsv_value value)
{
    if (!value.node) {
        return -EINVAL;
    }
    if (UNLIKELY(validator->is_sharing)) {
        return validate_sharing(schema, value, validator);
    }
    jsv_validator_begin(validator, jsv_validator_wants(validator, value.node));
    return validate(schema, value, validator);
}

int jsv_validate_text(
    struct jsv_validator *validator,
    const struct jsv_schema *schema,
    struct jsv_reader *reader,
    struct jsv_document *document,
    struct jsv_str text,
    struct jsv_error *reterr_error)
{
    int r = jsv_read(reader, document, text, 0, reterr_error);
    return r < 0 ? r : jsv_validate(validator, schema, jsv_document_root(document));
}
