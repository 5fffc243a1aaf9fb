/*
 * SHA-256, as lower-case hexadecimal. The work is done by OpenSSL, which
 * starts itself on the first digest; version 3.0 may crash when memory runs
 * out during that start, so a long-lived process makes one early.
 */
#pragma once

#include <jsv/jsv.h>

/** Characters of a digest without the terminator. */
#define OS_DIGEST_HEX_SIZE 64

/**
 * Let OpenSSL allocate through the table of os/sys, too.
 *
 * Works only before OpenSSL's first use, so it belongs at the start of main().
 * @return 0, or -EBUSY when it is too late; digests work either way.
 */
int os_digest_setup(void);

/**
 * Digest bytes that are all there.
 * @return 0; -ENOMEM; -ENOTSUP when OpenSSL is configured not to do SHA-256.
 */
int os_digest(struct jsv_str bytes, char ret_hex[static OS_DIGEST_HEX_SIZE + 1]);

/**
 * HMAC-SHA-256 of bytes: nobody without the key can tell it.
 * @return 0; -ENOMEM; -ENOTSUP.
 */
int os_digest_keyed(
    struct jsv_str key, struct jsv_str bytes, char ret_hex[static OS_DIGEST_HEX_SIZE + 1]);

/**
 * Digest bytes as they come:
 *
 *     struct os_digest digest;
 *     r = os_digest_init(&digest);
 *     r = os_digest_add(&digest, bytes);   any number of times
 *     r = os_digest_finish(&digest, hex);  at most once
 *     os_digest_done(&digest);             always, also after a failure
 */
struct os_digest {
    void *context;
};

/** @return 0 or an error of os_digest(); os_digest_done() is safe also then. */
int os_digest_init(struct os_digest *digest);
int os_digest_add(struct os_digest *digest, struct jsv_str bytes);
int os_digest_finish(struct os_digest *digest, char ret_hex[static OS_DIGEST_HEX_SIZE + 1]);
void os_digest_done(struct os_digest *digest);
