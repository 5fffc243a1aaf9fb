/*
 * A packed subject is its kind, the sizes of its parts, and the parts as they
 * were sent. It is read again here, on whatever thread this is, rather than
 * shared: a copy of a message is cheaper than agreeing on who may use it.
 *
 * Clients ask the same again and again, and comparing is cheaper than reading,
 * sorting members and three digests. So a namer remembers: a packed subject is
 * looked for in the few places its hash allows, and compared in full.
 */
#include "core/naming.h"

#include <errno.h>
#include <string.h>

#include "core/limits.h"
#include "envelope/identifier.h"
#include "jsv/base/alloc.h"
#include "jsv/base/append.h"
#include "os/sys.h"

_Static_assert(LOG_ID_SIZE == OS_UUID_SIZE, "ids are UUIDs");

/* Of what cannot be read so many bytes make its ids. */
#define UNREAD_SEED_MAX 4096

/* Room for the seed of the largest message, every character of it escaped. */
#define SEED_SIZE_MAX ((size_t)8 * 1024 * 1024)
#define SEED_KEPT_MAX ((size_t)256 * 1024)

/* The kernel is asked for so many at once. */
#define RANDOM_IDS 64

/* Subjects that are remembered: sets of places, and what fits one. Longer ones are named anew. */
#define MEMORY_SETS     64
#define MEMORY_WAYS     4
#define MEMORY_PLACES   (MEMORY_SETS * MEMORY_WAYS)
#define MEMORY_KEY_SIZE 2048

/* Words that are hashed at a time: two products, which do not wait for one another. */
#define HASH_WORDS 4

/* 2^64 / golden ratio, odd. */
#define GOLDEN 0x9E3779B97F4A7C15u

struct ids {
    char text[LOG_IDS][LOG_ID_SIZE];
};

struct place {
    struct ids ids;
    char key[MEMORY_KEY_SIZE];
};

struct naming {
    struct log_id_generator namer; /* first: a naming is a namer */
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_arena scratch;
    struct jsv_buf seed;
    unsigned char random[RANDOM_IDS][OS_UUID_BYTES];
    size_t random_left;
    size_t key_sizes[MEMORY_PLACES]; /* 0: the place is free */
    unsigned oldest[MEMORY_SETS];    /* the place of a set that makes room next */
    struct place *places;            /* touched as they are taken, so that idle ones cost nothing */
};

/* ---- packing ---- */

enum part {
    PART_ROUTE,
    PART_METHOD,
    PART_TOOL,
    PART_PROMPT,
    PART_PAYLOAD, /* JSON as it was written, or what could not be read; empty: none was sent. The
                     body, all else is the head. */
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
    struct log_id_source *ret_question)
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
    *ret_question = (struct log_id_source){.head = jsv_buf_str(out), .body = parts[PART_PAYLOAD]};
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

static int write_seed(struct naming *naming, struct jsv_str packed)
{
    struct jsv_str parts[PARTS];
    struct jsv_buf *out = &naming->seed;
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
    int r = jsv_read(naming->reader, naming->document, text, 0, NULL);
    if (r < 0) {
        return r;
    }
    struct jsv_value payload = jsv_document_root(naming->document);
    return seed == CORE_SEED_TOOL
               ? envelope_seed_tool(parts[PART_TOOL], payload, &naming->scratch, out)
               : envelope_seed(
                     parts[PART_ROUTE], parts[PART_METHOD], payload, &naming->scratch, out);
}

/* ---- ids ---- */

static void name_all(struct naming *naming, struct ids *ids)
{
    static const enum envelope_id kinds[] = {
        [LOG_ID_TRACE] = ENVELOPE_ID_TRACE,
        [LOG_ID_SPAN] = ENVELOPE_ID_SPAN,
        [LOG_ID_REQUEST] = ENVELOPE_ID_REQUEST,
    };
    for (size_t i = 0; i < LOG_IDS; i++) {
        char text[OS_UUID_SIZE + 1];
        envelope_id_from_seed(kinds[i], jsv_buf_str(&naming->seed), text);
        memcpy(ids->text[i], text, LOG_ID_SIZE);
    }
}

static int name_anew(struct naming *naming, struct jsv_str packed, struct ids *ids)
{
    int r = write_seed(naming, packed);
    if (r == 0) {
        name_all(naming, ids);
    }
    jsv_arena_reset(&naming->scratch);
    jsv_buf_reset(&naming->seed);
    if (naming->seed.capacity > SEED_KEPT_MAX) {
        jsv_buf_done(&naming->seed);
    }
    return r;
}

static void name_randomly(struct naming *naming, struct ids *ids)
{
    for (size_t i = 0; i < LOG_IDS; i++) {
        char text[OS_UUID_SIZE + 1];
        if (naming->random_left == 0) {
            int r = os_random(naming->random, sizeof(naming->random));
            naming->random_left = r == 0 ? RANDOM_IDS : 1;
        }
        os_uuid_random(naming->random[--naming->random_left], text);
        memcpy(ids->text[i], text, LOG_ID_SIZE);
    }
}

/* ---- memory ---- */

/* Both halves of the product, so that every bit of a word counts. */
static uint64_t mix(uint64_t hash, uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)(hash ^ a) * (GOLDEN ^ b);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/*
 * Words multiplied into one another. Who finds subjects that collide makes us
 * forget them, no more.
 */
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
    return (size_t)(mix(left, right, 0) % MEMORY_SETS);
}

/* @return the index of its place; MEMORY_PLACES when it is not there. */
static size_t recall(const struct naming *naming, struct jsv_str packed, size_t set)
{
    for (size_t i = set * MEMORY_WAYS; i < (set + 1) * MEMORY_WAYS; i++) {
        if (naming->key_sizes[i] == packed.size &&
            memcmp(naming->places[i].key, packed.data, packed.size) == 0) {
            return i;
        }
    }
    return MEMORY_PLACES;
}

static void
remember(struct naming *naming, struct jsv_str packed, size_t set, const struct ids *ids)
{
    size_t i = set * MEMORY_WAYS + naming->oldest[set];
    naming->oldest[set] = (naming->oldest[set] + 1) % MEMORY_WAYS;
    naming->key_sizes[i] = packed.size;
    memcpy(naming->places[i].key, packed.data, packed.size);
    naming->places[i].ids = *ids;
}

static int name_by_memory(struct naming *naming, struct jsv_str packed, struct ids *ids)
{
    size_t set = set_of(packed);
    size_t place = recall(naming, packed, set);
    if (place < MEMORY_PLACES) {
        *ids = naming->places[place].ids;
        return 0;
    }
    int r = name_anew(naming, packed, ids);
    if (r == 0) {
        remember(naming, packed, set, ids);
    }
    return r;
}

/* ---- the namer ---- */

static void name(
    struct log_id_generator *namer,
    struct jsv_str packed,
    char ret_ids[static LOG_IDS][LOG_ID_SIZE])
{
    struct naming *naming = (struct naming *)namer;
    struct ids ids;
    int r = packed.size == 0                 ? -ENODATA
            : packed.size <= MEMORY_KEY_SIZE ? name_by_memory(naming, packed, &ids)
                                             : name_anew(naming, packed, &ids);
    if (r < 0) {
        name_randomly(naming, &ids);
    }
    memcpy(ret_ids, ids.text, sizeof(ids.text));
}

static void free_naming(struct log_id_generator *namer)
{
    struct naming *naming = (struct naming *)namer;
    jsv_dealloc(os_allocator(), naming->places, MEMORY_PLACES * sizeof(struct place));
    jsv_buf_done(&naming->seed);
    jsv_arena_done(&naming->scratch);
    jsv_document_free(naming->document);
    jsv_reader_free(naming->reader);
    jsv_dealloc(os_allocator(), naming, sizeof(*naming));
}

int core_namer_new(struct log_id_generator **ret_namer)
{
    struct naming *naming = jsv_alloc(os_allocator(), sizeof(*naming));
    if (!naming) {
        return -ENOMEM;
    }
    *naming = (struct naming){.namer = {.generate = name, .free = free_naming}};
    jsv_arena_init(&naming->scratch, os_allocator(), CORE_SCRATCH_MAX);
    jsv_buf_init(&naming->seed, os_allocator(), SEED_SIZE_MAX);
    naming->reader = jsv_reader_new(os_allocator(), NULL);
    naming->document = jsv_document_new(os_allocator());
    naming->places = jsv_alloc(os_allocator(), MEMORY_PLACES * sizeof(struct place));
    /* SHA-1 waits for the first name: OpenSSL takes a millisecond to begin. */
    if (!naming->reader || !naming->document || !naming->places) {
        free_naming(&naming->namer);
        return -ENOMEM;
    }
    *ret_namer = &naming->namer;
    return 0;
}
