/*
 * Digests in envelopes and records: {"alg":"sha256","value":"<hex>"}. JSON is
 * digested in its canonical form, anything else byte by byte.
 */
#pragma once

#include <jsv/json.h>

#include "os/digest.h"

struct envelope_digest {
    char hex[OS_DIGEST_HEX_SIZE + 1];
    size_t size; /* of the digested bytes */
};

/**
 * Digest the canonical form of a value.
 *
 * @param reterr_fault May be NULL; on -ERANGE, the number that is out of range.
 * @return 0; -ERANGE when a number is beyond double's range; -ENOMEM.
 */
int envelope_digest_json(
    struct jsv_value value,
    struct jsv_arena *scratch,
    struct envelope_digest *ret_digest,
    struct jsv_value *reterr_fault);

/**
 * Digest the canonical form of a JSON text.
 * @return As envelope_digest_json(); -EBADMSG when it is not JSON.
 */
int envelope_digest_text(
    struct jsv_str json, struct jsv_arena *arena, struct envelope_digest *ret_digest);

/** Write the object for a SHA-256. */
void envelope_digest_write(const char *hex, struct jsv_writer *writer);

/** Whether a digest object has the length of its algorithm, in lower case. */
bool envelope_digest_is_sound(struct jsv_value digest);
/** Whether a text is a SHA-256: full length, lower case. */
bool envelope_digest_is_sha256(struct jsv_str hex);
