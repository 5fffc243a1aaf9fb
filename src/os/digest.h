/*
 * SHA-256, as lower-case hexadecimal, computed by OpenSSL.
 */
#pragma once

#include <openssl/sha.h>

#include <jsv/jsv.h>

/** Characters of a digest without the terminator. */
#define OS_DIGEST_HEX_SIZE 64

/**
 * Make OpenSSL allocate through the table of os/sys, too.
 *
 * Call it at the start of main(), before OpenSSL's first use.
 * @return 0, or -EBUSY when it is too late; digests work either way.
 */
int os_digest_setup(void);

void os_digest(struct jsv_str bytes, char ret_hex[static OS_DIGEST_HEX_SIZE + 1]);

/**
 * HMAC-SHA-256: without the key it cannot be computed or forged.
 *
 * The first call starts OpenSSL's providers. Version 3.0 may crash when memory runs out meanwhile.
 * @return 0 or -ENOMEM.
 */
int os_digest_keyed(
    struct jsv_str key, struct jsv_str bytes, char ret_hex[static OS_DIGEST_HEX_SIZE + 1]);

/**
 * Digest bytes that arrive in pieces: init, add any number of times, finish. Nothing to free.
 */
struct os_digest {
    SHA256_CTX context;
};

void os_digest_init(struct os_digest *digest);
void os_digest_add(struct os_digest *digest, struct jsv_str bytes);
void os_digest_finish(struct os_digest *digest, char ret_hex[static OS_DIGEST_HEX_SIZE + 1]);
