/*
 * Texts of ours that have been held against their schema before.
 *
 * Whatever we send is checked. But a gate says the same things again and again:
 * "valid", the list of its tools. A text that is byte for byte one that the
 * same schema has let through is right as well, and finding that out takes a
 * comparison instead of reading and validating it.
 */
#pragma once

#include <jsv/jsv.h>

/* As many different answers as a busy gate keeps giving. */
#define CORE_PROVEN_COUNT 4

/* Longer texts are not kept: for them reading is not what takes the time. */
#define CORE_PROVEN_SIZE_MAX ((size_t)8 * 1024)

/** What a text was held against. Equal keys stand for the same check. */
struct core_proven_key {
    const void *schema; /* NULL: none, and nothing is kept */
    unsigned variant;
    unsigned id_type;
};

struct core_proven {
    struct {
        struct core_proven_key key;
        struct jsv_buf text;
    } items[CORE_PROVEN_COUNT];
    size_t oldest;
};

void core_proven_init(struct core_proven *proven);
void core_proven_done(struct core_proven *proven);

/** Whether a text has passed this check before. */
bool core_proven_has(
    const struct core_proven *proven, const struct core_proven_key *key, struct jsv_str text);
/** A text has passed a check. */
void core_proven_add(
    struct core_proven *proven, const struct core_proven_key *key, struct jsv_str text);
/** What was checked is not worth anything any more: schemas are about to go. */
void core_proven_forget(struct core_proven *proven);
