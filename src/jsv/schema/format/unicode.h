/*
 * Characters beyond ASCII in IRIs and URI templates (RFC 3987, section 2.2).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whatever may stand where a letter may: not controls, private use or non-characters. */
static inline bool jsv_is_ucschar(uint32_t point)
{
    if (point < 0x10000) {
        return (point >= 0xA0 && point <= 0xD7FF) || (point >= 0xF900 && point <= 0xFDCF) ||
               (point >= 0xFDF0 && point <= 0xFFEF);
    }
    /* The last two of each plane are non-characters, the last planes private. */
    return point <= 0xEFFFD && (point & 0xFFFF) <= 0xFFFD &&
           !(point >= 0xE0000 && point <= 0xE0FFF);
}

static inline bool jsv_is_iprivate(uint32_t point)
{
    return (point >= 0xE000 && point <= 0xF8FF) ||
           (point >= 0xF0000 && point <= 0x10FFFD && (point & 0xFFFF) <= 0xFFFD);
}

/* LRM, RLM, LRE, RLE, PDF, LRO, RLO: marks that turn the direction of what follows. */
static inline bool jsv_is_bidi_mark(uint32_t point)
{
    return point == 0x200E || point == 0x200F || (point >= 0x202A && point <= 0x202E);
}
