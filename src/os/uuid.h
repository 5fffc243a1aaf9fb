/*
 * UUIDs (RFC 9562) in their usual spelling, lower case. The one that is named
 * after something uses SHA-1, which OpenSSL does.
 */
#pragma once

#include <jsv/jsv.h>

/** Bytes of a UUID, and characters of its spelling without the terminator. */
#define OS_UUID_BYTES 16
#define OS_UUID_SIZE  36

/**
 * What naming needs; one per thread. Made once: OpenSSL takes longer to find its SHA-1 than to
 * use it. One that is all zero is made by its first use.
 */
struct os_uuid_namer {
    void *context;
};

/**
 * @return 0; -ENOMEM; -ENOTSUP when OpenSSL is configured not to do SHA-1. os_uuid_namer_done()
 *         is safe also then.
 */
int os_uuid_namer_init(struct os_uuid_namer *namer);
void os_uuid_namer_done(struct os_uuid_namer *namer);

/**
 * Version 5: the same for the same namespace and name.
 *
 * @param name Taken as one text; in pieces, so that nobody has to join them.
 * @return 0; -ENOTSUP when OpenSSL fails; -ENOMEM when its first use finds no memory.
 */
int os_uuid_named(
    struct os_uuid_namer *namer,
    const unsigned char namespace[static OS_UUID_BYTES],
    const struct jsv_str *name,
    size_t name_count,
    char ret_text[static OS_UUID_SIZE + 1]);

/** Version 4, of random bytes. */
void os_uuid_random(
    const unsigned char random[static OS_UUID_BYTES], char ret_text[static OS_UUID_SIZE + 1]);
