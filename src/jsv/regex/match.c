/*
 * Limiting the time of PCRE2, which is exponential for some patterns because it
 * backtracks. PCRE2's own limits are not enough: they count only some of the
 * steps, start again at every position where a match could begin, and count a
 * step like [a-z]* as one, although it may read the whole subject.
 *
 * So the translated pattern contains callouts, the checkpoints: at the start of
 * every attempt, after everything that can match in several ways, and at a few
 * more places (translate.c). Between two checkpoints PCRE2 only moves forwards,
 * without a choice, by the difference of their positions. Each checkpoint takes
 * the cost of that from a budget, and the search ends when it is used up.
 *
 * The unit is about a nanosecond. The budget keeps a search of 64 KiB well below
 * 50 ms; there is more for each byte, so that patterns with few steps at each
 * position can search long subjects. Steps are counted instead of time, so a
 * result does not depend on the load of the machine.
 */
#include "jsv/regex/match.h"

#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "jsv/base/alloc.h"
#include "jsv/base/foreign.h"

#define BUDGET 8000000
/* A checkpoint, and the few characters around it that are not counted. */
#define CHECKPOINT_COST 8
/* Added to the budget for the attempt at each byte. */
#define ATTEMPT_COST 32
/* The interpreter is this much slower than machine code. */
#define INTERPRETER_WEIGHT 3

/*
 * Memory for backtracking: about 100 bytes for each position to return to in
 * the interpreter, 30 in machine code. Enough for one at every byte of a subject
 * of 64 KiB.
 */
#define HEAP_KIB_MAX   16384
#define STACK_SIZE_MIN 32768
#define STACK_SIZE_MAX 4194304
/* Far beyond the budget, in case PCRE2 misses callouts. */
#define MATCH_LIMIT 10000000

struct jsv_match {
    struct jsv_allocator allocator;
    bool starved; /* an allocation failed */
    bool machine_code;
    uint32_t weight;
    pcre2_code *code;
};

struct account {
    int64_t left;
    size_t position; /* of the last checkpoint */
};

struct jsv_regex_scratch {
    struct jsv_allocator allocator;
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
    struct account account;
    uint64_t cost;       /* of all searches since the caller reset it */
    const int64_t *left; /* the caller's remaining steps; NULL: no limit */
    int64_t left_unit;   /* cost of one of them */
    uint32_t *lists;     /* of simulate.c, for list_nodes nodes */
    size_t list_nodes;
    uint32_t round;
};

/* ---- memory ---- */

/* PCRE2 does not pass sizes when it frees, so each block begins with its size. */
struct block {
    size_t size;
    alignas(max_align_t) char data[];
};

static void *block_new(const struct jsv_allocator *allocator, size_t size)
{
    if (size > SIZE_MAX - sizeof(struct block)) {
        return NULL;
    }
    struct block *block = jsv_alloc(allocator, sizeof *block + size);
    if (!block) {
        return NULL;
    }
    block->size = sizeof *block + size;
    return block->data;
}

static void block_free(const struct jsv_allocator *allocator, void *data)
{
    if (data) {
        struct block *block = (struct block *)((char *)data - offsetof(struct block, data));
        jsv_dealloc(allocator, block, block->size);
    }
}

static void *match_malloc(size_t size, void *context)
{
    struct jsv_match *match = context;
    void *data = block_new(&match->allocator, size);
    match->starved = match->starved || !data;
    return data;
}

static void match_free(void *data, void *context)
{
    struct jsv_match *match = context;
    block_free(&match->allocator, data);
}

static void *scratch_malloc(size_t size, void *context)
{
    struct jsv_regex_scratch *scratch = context;
    return block_new(&scratch->allocator, size);
}

static void scratch_free(void *data, void *context)
{
    struct jsv_regex_scratch *scratch = context;
    block_free(&scratch->allocator, data);
}

/* ---- compiling ---- */

/*
 * "." is any character; \b only knows ASCII; a reference to a group that did not
 * match is the empty string. Start optimisations are off, because those of PCRE2
 * 10.42 are wrong: it does not find (?=a)b?a in "a".
 */
#define COMPILE_OPTIONS                                                                            \
    (PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_DOTALL | PCRE2_MATCH_UNSET_BACKREF |                   \
     PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_START_OPTIMIZE)

static int compile_code(struct jsv_match *match, struct jsv_str text)
{
    int problem = PCRE2_ERROR_HEAP_FAILED;
    PCRE2_SIZE offset = 0;
    jsv_foreign_begin();
    pcre2_general_context *general = pcre2_general_context_create(match_malloc, match_free, match);
    pcre2_compile_context *context = general ? pcre2_compile_context_create(general) : NULL;
    if (context) {
        /* The translation adds at most one level. */
        pcre2_set_parens_nest_limit(context, JSV_REGEX_DEPTH_MAX + 1);
        match->code = pcre2_compile(
            (PCRE2_SPTR)text.data, text.size, COMPILE_OPTIONS, &problem, &offset, context);
    }
    pcre2_compile_context_free(context);
    pcre2_general_context_free(general);
    jsv_foreign_end();
    if (match->starved) {
        return -ENOMEM;
    }
    /* Any other error is a bug of translate.c. */
    assert(
        match->code || problem == PCRE2_ERROR_PATTERN_TOO_LARGE ||
        problem == PCRE2_ERROR_PATTERN_TOO_COMPLICATED);
    return match->code ? 0 : -E2BIG;
}

/* Without machine code the interpreter is used. */
static int generate_machine_code(struct jsv_match *match)
{
    jsv_foreign_begin();
    match->machine_code = pcre2_jit_compile(match->code, PCRE2_JIT_COMPLETE) == 0;
    jsv_foreign_end();
    return match->starved ? -ENOMEM : 0;
}

int jsv_match_compile(
    struct jsv_str text,
    uint32_t weight,
    bool interpret,
    const struct jsv_allocator *allocator,
    struct jsv_match **ret_match)
{
    struct jsv_match *match = jsv_alloc(allocator, sizeof *match);
    if (!match) {
        return -ENOMEM;
    }
    *match = (struct jsv_match){.allocator = *allocator, .weight = weight};
    int error = compile_code(match, text);
    if (!error && !interpret) {
        error = generate_machine_code(match);
    }
    if (error) {
        jsv_match_free(match);
        return error;
    }
    *ret_match = match;
    return 0;
}

void jsv_match_free(struct jsv_match *match)
{
    if (match) {
        struct jsv_allocator allocator = match->allocator;
        pcre2_code_free(match->code);
        jsv_dealloc(&allocator, match, sizeof *match);
    }
}

/* ---- searching ---- */

/* The most that a reference has to compare. */
static int64_t longest_capture(const pcre2_callout_block *block)
{
    size_t longest = 0;
    jsv_foreign_wrote(
        block->offset_vector, 2 * block->capture_top * sizeof block->offset_vector[0]);
    for (uint32_t i = 1; i < block->capture_top; i++) {
        size_t size = block->offset_vector[2 * i + 1] - block->offset_vector[2 * i];
        longest = size > longest ? size : longest;
    }
    return (int64_t)longest;
}

static int checkpoint(pcre2_callout_block *block, void *context)
{
    struct account *account = context;
    int64_t cost = CHECKPOINT_COST;
    jsv_foreign_wrote(block, sizeof *block);
    if (block->callout_number == JSV_CHECKPOINT_REFERENCE) {
        cost += block->capture_top + longest_capture(block);
    } else {
        assert(block->callout_number <= JSV_CHECKPOINT_LOG_MAX);
        cost += (int64_t)1 << block->callout_number;
    }
    if (block->current_position > account->position) {
        cost += (int64_t)(block->current_position - account->position);
    }
    account->position = block->current_position;
    account->left -= cost;
    return account->left < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

struct jsv_regex_scratch *jsv_regex_scratch_new(const struct jsv_allocator *allocator)
{
    struct jsv_allocator used = jsv_allocator_or_default(allocator);
    struct jsv_regex_scratch *scratch = jsv_alloc(&used, sizeof *scratch);
    if (scratch) {
        *scratch = (struct jsv_regex_scratch){.allocator = used};
    }
    return scratch;
}

/* Words for the marks and lists of so many nodes. */
static size_t lists_size(size_t nodes)
{
    return (5 * nodes + 1) * sizeof(uint32_t);
}

void jsv_regex_scratch_free(struct jsv_regex_scratch *scratch)
{
    if (scratch) {
        struct jsv_allocator allocator = scratch->allocator;
        pcre2_match_data_free(scratch->data);
        pcre2_match_context_free(scratch->context);
        pcre2_jit_stack_free(scratch->stack);
        jsv_dealloc(&allocator, scratch->lists, lists_size(scratch->list_nodes));
        jsv_dealloc(&allocator, scratch, sizeof *scratch);
    }
}

/* ---- for simulate.c ---- */

bool jsv_scratch_get_lists(
    struct jsv_regex_scratch *scratch,
    size_t nodes,
    uint64_t rounds,
    struct jsv_scratch_lists *ret_lists)
{
    bool is_new = nodes > scratch->list_nodes;
    if (is_new) {
        jsv_dealloc(&scratch->allocator, scratch->lists, lists_size(scratch->list_nodes));
        scratch->lists = jsv_alloc(&scratch->allocator, lists_size(nodes));
        scratch->list_nodes = scratch->lists ? nodes : 0;
        if (!scratch->lists) {
            return false;
        }
    }
    if (is_new || rounds > UINT32_MAX - scratch->round) {
        memset(scratch->lists, 0, scratch->list_nodes * sizeof(uint32_t));
        scratch->round = 0;
    }
    *ret_lists = (struct jsv_scratch_lists){
        .marks = scratch->lists,
        .lists = scratch->lists + scratch->list_nodes,
        .round = &scratch->round,
    };
    return true;
}

void jsv_scratch_add_cost(struct jsv_regex_scratch *scratch, uint64_t cost)
{
    scratch->cost += cost;
}

/* ---- searching with PCRE2 ---- */

static pcre2_match_context *
make_context(struct jsv_regex_scratch *scratch, pcre2_general_context *general)
{
    pcre2_match_context *context = pcre2_match_context_create(general);
    if (context) {
        pcre2_set_callout(context, checkpoint, &scratch->account);
        pcre2_set_heap_limit(context, HEAP_KIB_MAX);
        pcre2_set_match_limit(context, MATCH_LIMIT);
    }
    return context;
}

/* Allocate the missing parts. Those allocated before a failure are kept for the next call. */
static bool prepare(struct jsv_regex_scratch *scratch, bool machine_code)
{
    pcre2_general_context *general =
        pcre2_general_context_create(scratch_malloc, scratch_free, scratch);
    if (!general) {
        return false;
    }
    if (!scratch->data) {
        /* One pair of offsets: the position is not needed. */
        scratch->data = pcre2_match_data_create(1, general);
    }
    if (!scratch->context) {
        scratch->context = make_context(scratch, general);
    }
    if (!scratch->stack && machine_code) {
        scratch->stack = pcre2_jit_stack_create(STACK_SIZE_MIN, STACK_SIZE_MAX, general);
    }
    pcre2_general_context_free(general);
    if (scratch->context) {
        pcre2_jit_stack_assign(scratch->context, NULL, scratch->stack);
    }
    return scratch->data && scratch->context && (scratch->stack || !machine_code);
}

static int verdict(int result)
{
    switch (result) {
    case PCRE2_ERROR_NOMATCH:
        return 0;
    case PCRE2_ERROR_NOMEMORY:
        return -ENOMEM;
    default:
        assert(
            result >= 0 || result == PCRE2_ERROR_CALLOUT || result == PCRE2_ERROR_MATCHLIMIT ||
            result == PCRE2_ERROR_HEAPLIMIT || result == PCRE2_ERROR_JIT_STACKLIMIT);
        return result >= 0 ? 1 : -ELOOP;
    }
}

static int64_t budget_for(const struct jsv_match *match, size_t size)
{
    assert(size < INT64_MAX / ATTEMPT_COST - BUDGET);
    int64_t budget = (BUDGET + (int64_t)size * ATTEMPT_COST) / match->weight;
    return match->machine_code ? budget : budget / INTERPRETER_WEIGHT;
}

void jsv_regex_scratch_bound(struct jsv_regex_scratch *scratch, const int64_t *left, int64_t unit)
{
    scratch->left = left;
    scratch->left_unit = unit;
}

int64_t jsv_scratch_bounded(const struct jsv_regex_scratch *scratch, int64_t budget)
{
    if (!scratch->left || *scratch->left > budget / scratch->left_unit) {
        return budget;
    }
    return *scratch->left > 0 ? *scratch->left * scratch->left_unit : 0;
}

int jsv_match_search(
    const struct jsv_match *match, struct jsv_str subject, struct jsv_regex_scratch *scratch)
{
    bool is_ready = scratch->data && scratch->context && (scratch->stack || !match->machine_code);
    if (!is_ready && !prepare(scratch, match->machine_code)) {
        return -ENOMEM;
    }
    int64_t budget = jsv_scratch_bounded(scratch, budget_for(match, subject.size));
    scratch->account = (struct account){.left = budget};
    jsv_foreign_begin();
    int result = pcre2_match(
        match->code,
        (PCRE2_SPTR)(subject.size > 0 ? subject.data : ""),
        subject.size,
        0,
        PCRE2_NO_UTF_CHECK,
        scratch->data,
        scratch->context);
    jsv_foreign_end();
    scratch->cost += (uint64_t)(budget - scratch->account.left);
    return verdict(result);
}

uint64_t *jsv_regex_scratch_cost(struct jsv_regex_scratch *scratch)
{
    return &scratch->cost;
}

/* ---- identifiers ---- */

static bool is_ascii_identifier(struct jsv_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];
        bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
        bool digit = byte >= '0' && byte <= '9';
        if (!letter && byte != '$' && byte != '_' && !(digit && i > 0)) {
            return false;
        }
    }
    return text.size > 0;
}

int jsv_match_is_identifier(struct jsv_str text, const struct jsv_allocator *allocator)
{
    if (is_ascii_identifier(text)) {
        return 1;
    }
    struct jsv_str pattern =
        JSV_STR("\\A[$_\\p{ID_Start}][$\\x{200c}\\x{200d}\\p{ID_Continue}]*\\z");
    struct jsv_match *match;
    int result = jsv_match_compile(pattern, 1, true, allocator, &match);
    if (result) {
        return result;
    }
    struct jsv_regex_scratch *scratch = jsv_regex_scratch_new(allocator);
    result = scratch ? jsv_match_search(match, text, scratch) : -ENOMEM;
    jsv_regex_scratch_free(scratch);
    jsv_match_free(match);
    return result;
}
