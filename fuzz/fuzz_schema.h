/*
 * What the two schema targets share: how an input says what to do.
 *
 * The first byte: bits 0-2 the draft (from 0: draft 4), bit 3 whether format and
 * content are checked, bit 4 whether duplicate members are allowed (compile only),
 * bit 5 whether unused definitions are compiled, bit 6 whether schemas are
 * checked against their meta-schema. So '4' is 2020-12 with bits 4 and 5, 'D'
 * the same draft with its meta-schema. Texts follow, with a record separator
 * (0x1e, which JSON never holds) between them.
 */
#pragma once

#include <string.h>

#include <jsv/schema.h>

#include "fuzz.h"

struct orders {
    enum jsv_draft draft;
    struct jsv_schema_options options;
};

static inline struct orders orders_from(uint8_t byte)
{
    unsigned draft = JSV_DRAFT_4 + (byte & 7u);
    return (struct orders){
        .draft = draft < JSV_DRAFT_2020_12 ? (enum jsv_draft)draft : JSV_DRAFT_2020_12,
        .options =
            {
                .assert_format = byte & 8,
                .assert_content = byte & 8,
                .skip_meta = !(byte & 64),
                .compile_unused = byte & 32,
            },
    };
}

/* Small, so that no input takes long: what is beyond them fails cleanly, which is tested too. */
static const struct jsv_validator_limits small_limits = {
    .steps_max = 20000,
    .depth_max = 200,
    .problems_max = 20,
    .memory_max = 1 << 20,
};
