/*
 * UUIDs (RFC 9562) in their usual spelling, lower case.
 */
#pragma once

#include <jsv/jsv.h>

/** Bytes of a UUID, and characters of its spelling without the terminator. */
#define OS_UUID_BYTES 16
#define OS_UUID_SIZE  36

/**
 * Version 5: the same for the same namespace and name.
 *
 * @param name The pieces of one text, so that callers need not join them.
 */
void os_uuid_named(
    const unsigned char namespace[static OS_UUID_BYTES],
    const struct jsv_str *name,
    size_t name_count,
    char ret_text[static OS_UUID_SIZE + 1]);

/** Version 4, of random bytes. */
void os_uuid_random(
    const unsigned char random[static OS_UUID_BYTES], char ret_text[static OS_UUID_SIZE + 1]);
