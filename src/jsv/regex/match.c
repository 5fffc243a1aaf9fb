/*
 * PCRE2 tries, fails, goes back and tries something else; that can take longer
 * than the universe has. Its own limits do not help us: they count only some
 * of the steps, begin anew at every place where a match could begin, and do
 * not see that a step like [a-z]* may look at the whole subject.
 *
 * So the text we compile is strewn with callouts, the checkpoints. There is one
 * at the start of every attempt, one behind everything that can be matched in
 * several ways, and a few more (translate.c). What PCRE2 does between two
 * checkpoints is one walk forwards, without choice, and its length is the
 * difference of their positions. At every checkpoint we take from the budget
 * what the walk cost, and when there is nothing left, the search is over.
 *
 * The unit is about a nanosecond. The budget is such that a search of 64 KiB
 * stays well below 50 ms, and some more for each byte, so that long subjects
 * can be searched by patterns that take few steps at each place. As it is steps
 * that are counted and not time, an answer does not depend on how busy the
 * machine is.
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
/* A checkpoint itself, and the few characters that go uncounted around it. */
#define CHECKPOINT_COST 8
/* What an attempt at each place may take on top of the budget. */
#define ATTEMPT_COST 32
/* How many times as long the interpreter takes as machine code. */
#define INTERPRETER_WEIGHT 3

/*
 * Memory for ways not yet tried: PCRE2's interpreter takes about 100 bytes for
 * each, machine code about 30. Both are enough for one way at every byte of a
 * subject of 64 KiB.
 */
#define HEAP_KIB_MAX   16384
#define STACK_SIZE_MIN 32768
#define STACK_SIZE_MAX 4194304
/* The budget ends long before; this is for a PCRE2 that forgets to call. */
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
    uint64_t cost;       /* of all searches since the caller set it to 0 */
    const int64_t *left; /* what the caller has left, in so many units each; NULL: enough */
    int64_t left_unit;
    struct jsv_scratch_room room; /* for so many nodes: */
    size_t room_nodes;
    uint32_t round;
};

/* ---- memory ---- */

/* PCRE2 frees without saying how much; so each block begins with its size. */
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
 * "." is any character; \b knows ASCII alone; a reference to a group that did
 * not take part matches the empty string. PCRE2 10.42 concludes too much from
 * the first and the last character of some patterns ((?=a)b?a on "a"), so it
 * must not look at those before it starts.
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
        /* What we nest besides the pattern's own parentheses is one level at most. */
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
    /* Anything else would be a bug of translate.c. */
    assert(
        match->code || problem == PCRE2_ERROR_PATTERN_TOO_LARGE ||
        problem == PCRE2_ERROR_PATTERN_TOO_COMPLICATED);
    return match->code ? 0 : -E2BIG;
}

/* Where there can be no machine code, the interpreter does as well. */
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

/* How much a reference can have to look at. */
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

static size_t lists_size(size_t nodes)
{
    return (4 * nodes + 1) * sizeof(uint32_t);
}

static void free_room(struct jsv_regex_scratch *scratch)
{
    size_t nodes = scratch->room_nodes;
    jsv_dealloc(&scratch->allocator, scratch->room.marks, nodes * sizeof(uint32_t));
    jsv_dealloc(&scratch->allocator, scratch->room.lists, lists_size(nodes));
    scratch->room = (struct jsv_scratch_room){0};
    scratch->room_nodes = 0;
}

void jsv_regex_scratch_free(struct jsv_regex_scratch *scratch)
{
    if (scratch) {
        struct jsv_allocator allocator = scratch->allocator;
        pcre2_match_data_free(scratch->data);
        pcre2_match_context_free(scratch->context);
        pcre2_jit_stack_free(scratch->stack);
        free_room(scratch);
        jsv_dealloc(&allocator, scratch, sizeof *scratch);
    }
}

/* ---- for simulate.c ---- */

bool jsv_scratch_take_room(
    struct jsv_regex_scratch *scratch,
    size_t nodes,
    uint64_t rounds,
    struct jsv_scratch_room *ret_room)
{
    bool is_new = nodes > scratch->room_nodes;
    if (is_new) {
        free_room(scratch);
        scratch->room_nodes = nodes;
        scratch->room.marks = jsv_alloc(&scratch->allocator, nodes * sizeof(uint32_t));
        scratch->room.lists = jsv_alloc(&scratch->allocator, lists_size(nodes));
        if (!scratch->room.marks || !scratch->room.lists) {
            free_room(scratch);
            return false;
        }
    }
    if (is_new || rounds > UINT32_MAX - scratch->round) {
        memset(scratch->room.marks, 0, scratch->room_nodes * sizeof(uint32_t));
        scratch->round = 0;
    }
    scratch->room.round = &scratch->round;
    *ret_room = scratch->room;
    return true;
}

void jsv_scratch_add_cost(struct jsv_regex_scratch *scratch, int64_t cost)
{
    scratch->cost += (uint64_t)cost;
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

/* Make what is not there yet. What was made before a failure stays and is used the next time. */
static bool fill(struct jsv_regex_scratch *scratch, bool machine_code)
{
    pcre2_general_context *general =
        pcre2_general_context_create(scratch_malloc, scratch_free, scratch);
    if (!general) {
        return false;
    }
    if (!scratch->data) {
        /* One pair of offsets: we do not ask where. */
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
    bool filled = scratch->data && scratch->context && (scratch->stack || !match->machine_code);
    if (!filled && !fill(scratch, match->machine_code)) {
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
