/*
 * Rules for envelopes beyond their schema:
 *
 *   - its result is not an envelope;
 *   - digests are in lower case and of full length for their algorithm;
 *   - method ids are words of a-z, 0-9 and _ that begin with a letter, joined by
 *     dots, outside of the reserved namespaces;
 *   - a record's own digest, where it is a SHA-256, is that of the record.
 */
#pragma once

#include <jsv/json.h>
#include <jsv/problem.h>

/* Problems listed; further ones are counted. As many as a validator lists. */
#define ENVELOPE_CONFORMANCE_MAX 100

/**
 * Check an envelope that matches its schema.
 *
 * @param arena        Scratch memory, and that of the problems.
 * @param ret_problems In the order of the envelope's members; empty when there is none.
 * @return 0 or -ENOMEM.
 */
int envelope_conformance_check(
    struct jsv_value envelope, struct jsv_arena *arena, struct jsv_problems *ret_problems);

/** Whether a text is a method id. */
bool envelope_conformance_is_method(struct jsv_str id);
