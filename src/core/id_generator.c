/*
 * A packed subject is its kind, the sizes of its parts, and the parts as they
 * were received. The thread that makes the ids reads them again, because a copy
 * of a message is cheaper than sharing it between threads.
 *
 * Clients send the same message again and again, and comparing is cheaper than
 * reading, sorting members and three digests. So there is a cache: a packed
 * subject is looked up in the few slots its hash allows, and compared in full.
 */
#include "core/id_generator.h"

#include <errno.h>
#include <string.h>

#include "core/limits.h"
#include "envelope/identifier.h"
#include "jsv/base/alloc.h"
#include "jsv/base/text.h"
#include "os/sys.h"

_Static_assert(LOG_ID_SIZE == OS_UUID_SIZE, "ids are UUIDs");

/* Bytes of an unreadable message that its ids are made from. */
#define UNREAD_SEED_MAX 4096

/* The seed of the largest message, every character of it escaped. */
#define SEED_SIZE_MAX ((size_t)8 * 1024 * 1024)
#define SEED_KEPT_MAX ((size_t)256 * 1024)

/* Random ids fetched from the kernel at once. */
#define RANDOM_IDS 64

/* The cache: sets of slots, and the longest subject that fits one. */
#define CACHE_SETS     64
#define CACHE_WAYS     4
#define CACHE_SLOTS    (CACHE_SETS * CACHE_WAYS)
#define CACHE_KEY_SIZE 2048

/* Words hashed at a time: two products that do not depend on each other. */
#define HASH_WORDS 4

/* 2^64 / golden ratio, odd. */
#define GOLDEN 0x9E3779B97F4A7C15u

struct ids {
    char text[LOG_IDS][LOG_ID_SIZE];
};

struct slot {
    struct ids ids;
    char key[CACHE_KEY_SIZE];
};

struct generator {
    struct log_id_generator base; /* first */
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_arena scratch;
    struct jsv_buf seed;
    unsigned char random[RANDOM_IDS][OS_UUID_BYTES];
    size_t random_left;
    size_t key_sizes[CACHE_SLOTS]; /* 0: the slot is free */
    unsigned oldest[CACHE_SETS];   /* the slot of a set that is replaced next */
    struct slot *slots;            /* not touched before use, so that unused ones take no memory */
};

/* ---- packing ---- */

enum part {
    PART_ROUTE,
    PART_METHOD,
    PART_TOOL,
    PART_PROMPT,
    PART_PAYLOAD, /* JSON as it was received, or the unreadable text; empty: there is none. This is
                     the body; the other parts are the head. */
    PARTS,
};

struct head {
    uint32_t seed;
    uint32_t sizes[PARTS];
};

int core_subject_pack(
    const struct core_subject *subject,
    struct jsv_str unread,
    struct jsv_buf *out,
    struct log_id_source *ret_source)
{
    if (unread.size > UNREAD_SEED_MAX) {
        unread.size = UNREAD_SEED_MAX;
    }
    const struct jsv_str parts[PARTS] = {
        [PART_ROUTE] = subject->route,
        [PART_METHOD] = subject->method,
        [PART_TOOL] = subject->tool_id,
        [PART_PROMPT] = subject->prompt_id,
        [PART_PAYLOAD] =
            subject->seed == CORE_SEED_UNREAD ? unread : jsv_value_span(subject->payload),
    };
    struct head head = {.seed = subject->seed};
    for (size_t i = 0; i < PARTS; i++) {
        head.sizes[i] = (uint32_t)parts[i].size;
    }
    jsv_put(out, (const char *)&head, sizeof(head));
    for (size_t i = 0; i < PART_PAYLOAD; i++) {
        if (parts[i].size > 0) {
            jsv_put(out, parts[i].data, parts[i].size);
        }
    }
    *ret_source = (struct log_id_source){.head = jsv_buf_str(out), .body = parts[PART_PAYLOAD]};
    return out->error;
}

static enum core_seed unpack(struct jsv_str packed, struct jsv_str ret_parts[static PARTS])
{
    struct head head;
    const char *at = packed.data + sizeof(head);
    memcpy(&head, packed.data, sizeof(head));
    for (size_t i = 0; i < PARTS; i++) {
        ret_parts[i] = (struct jsv_str){at, head.sizes[i]};
        at += head.sizes[i];
    }
    return (enum core_seed)head.seed;
}

/* ---- seeds ---- */

static int write_seed(struct generator *generator, struct jsv_str packed)
{
    struct jsv_str parts[PARTS];
    struct jsv_buf *out = &generator->seed;
    enum core_seed seed = unpack(packed, parts);
    if (seed == CORE_SEED_UNREAD) {
        return jsv_buf_append_str(out, parts[PART_PAYLOAD]);
    }
    if (seed == CORE_SEED_DISCOVER) {
        return envelope_seed_discover(out);
    }
    if (seed == CORE_SEED_PROMPT) {
        return envelope_seed_prompt(parts[PART_PROMPT], out);
    }
    struct jsv_str text = parts[PART_PAYLOAD].size > 0 ? parts[PART_PAYLOAD] : JSV_STR("{}");
    int r = jsv_read(generator->reader, generator->document, text, 0, NULL);
    if (r < 0) {
        return r;
    }
    struct jsv_value payload = jsv_document_root(generator->document);
    return seed == CORE_SEED_TOOL
               ? envelope_seed_tool(parts[PART_TOOL], payload, &generator->scratch, out)
               : envelope_seed(
                     parts[PART_ROUTE], parts[PART_METHOD], payload, &generator->scratch, out);
}

/* ---- ids ---- */

static void make_ids(struct generator *generator, struct ids *ids)
{
    static const enum envelope_id kinds[] = {
        [LOG_ID_TRACE] = ENVELOPE_ID_TRACE,
        [LOG_ID_SPAN] = ENVELOPE_ID_SPAN,
        [LOG_ID_REQUEST] = ENVELOPE_ID_REQUEST,
    };
    for (size_t i = 0; i < LOG_IDS; i++) {
        char text[OS_UUID_SIZE + 1];
        envelope_id_from_seed(kinds[i], jsv_buf_str(&generator->seed), text);
        memcpy(ids->text[i], text, LOG_ID_SIZE);
    }
}

static int make_from_seed(struct generator *generator, struct jsv_str packed, struct ids *ids)
{
    int r = write_seed(generator, packed);
    if (r == 0) {
        make_ids(generator, ids);
    }
    jsv_arena_reset(&generator->scratch);
    jsv_buf_reset(&generator->seed);
    if (generator->seed.capacity > SEED_KEPT_MAX) {
        jsv_buf_done(&generator->seed);
    }
    return r;
}

static void make_random(struct generator *generator, struct ids *ids)
{
    for (size_t i = 0; i < LOG_IDS; i++) {
        char text[OS_UUID_SIZE + 1];
        if (generator->random_left == 0) {
            int r = os_random(generator->random, sizeof(generator->random));
            generator->random_left = r == 0 ? RANDOM_IDS : 1;
        }
        os_uuid_random(generator->random[--generator->random_left], text);
        memcpy(ids->text[i], text, LOG_ID_SIZE);
    }
}

/* ---- cache ---- */

/* Both halves of the product, so that every bit of a word counts. */
static uint64_t mix(uint64_t hash, uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)(hash ^ a) * (GOLDEN ^ b);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Not seeded: subjects that collide on purpose only push each other out of the cache. */
static size_t set_of(struct jsv_str packed)
{
    uint64_t words[HASH_WORDS] = {0};
    uint64_t left = packed.size;
    uint64_t right = ~left;
    size_t at = 0;
    for (; packed.size - at >= sizeof(words); at += sizeof(words)) {
        memcpy(words, packed.data + at, sizeof(words));
        left = mix(left, words[0], words[1]);
        right = mix(right, words[2], words[3]);
    }
    memset(words, 0, sizeof(words));
    memcpy(words, packed.data + at, packed.size - at);
    left = mix(left, words[0], words[1]);
    right = mix(right, words[2], words[3]);
    return (size_t)(mix(left, right, 0) % CACHE_SETS);
}

/* @return the index of its slot; CACHE_SLOTS when it has none. */
static size_t find_slot(const struct generator *generator, struct jsv_str packed, size_t set)
{
    for (size_t i = set * CACHE_WAYS; i < (set + 1) * CACHE_WAYS; i++) {
        if (generator->key_sizes[i] == packed.size &&
            memcmp(generator->slots[i].key, packed.data, packed.size) == 0) {
            return i;
        }
    }
    return CACHE_SLOTS;
}

static void
store(struct generator *generator, struct jsv_str packed, size_t set, const struct ids *ids)
{
    size_t i = set * CACHE_WAYS + generator->oldest[set];
    generator->oldest[set] = (generator->oldest[set] + 1) % CACHE_WAYS;
    generator->key_sizes[i] = packed.size;
    memcpy(generator->slots[i].key, packed.data, packed.size);
    generator->slots[i].ids = *ids;
}

static int look_up_or_make(struct generator *generator, struct jsv_str packed, struct ids *ids)
{
    size_t set = set_of(packed);
    size_t slot = find_slot(generator, packed, set);
    if (slot < CACHE_SLOTS) {
        *ids = generator->slots[slot].ids;
        return 0;
    }
    int r = make_from_seed(generator, packed, ids);
    if (r == 0) {
        store(generator, packed, set, ids);
    }
    return r;
}

/* ---- the generator ---- */

static void generate(
    struct log_id_generator *base, struct jsv_str packed, char ret_ids[static LOG_IDS][LOG_ID_SIZE])
{
    struct generator *generator = (struct generator *)base;
    struct ids ids;
    int r = packed.size == 0                ? -ENODATA
            : packed.size <= CACHE_KEY_SIZE ? look_up_or_make(generator, packed, &ids)
                                            : make_from_seed(generator, packed, &ids);
    if (r < 0) {
        make_random(generator, &ids);
    }
    memcpy(ret_ids, ids.text, sizeof(ids.text));
}

static void free_generator(struct log_id_generator *base)
{
    struct generator *generator = (struct generator *)base;
    jsv_dealloc(os_allocator(), generator->slots, CACHE_SLOTS * sizeof(struct slot));
    jsv_buf_done(&generator->seed);
    jsv_arena_done(&generator->scratch);
    jsv_document_free(generator->document);
    jsv_reader_free(generator->reader);
    jsv_dealloc(os_allocator(), generator, sizeof(*generator));
}

int core_id_generator_new(struct log_id_generator **ret_generator)
{
    struct generator *generator = jsv_alloc(os_allocator(), sizeof(*generator));
    if (!generator) {
        return -ENOMEM;
    }
    *generator = (struct generator){.base = {.generate = generate, .free = free_generator}};
    jsv_arena_init(&generator->scratch, os_allocator(), CORE_SCRATCH_MAX);
    jsv_buf_init(&generator->seed, os_allocator(), SEED_SIZE_MAX);
    generator->reader = jsv_reader_new(os_allocator(), NULL);
    generator->document = jsv_document_new(os_allocator());
    generator->slots = jsv_alloc(os_allocator(), CACHE_SLOTS * sizeof(struct slot));
    if (!generator->reader || !generator->document || !generator->slots) {
        free_generator(&generator->base);
        return -ENOMEM;
    }
    *ret_generator = &generator->base;
    return 0;
}
