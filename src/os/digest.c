#define OPENSSL_SUPPRESS_DEPRECATED /* SHA256_*: see os_digest_init() */
#include "os/digest.h"

#include <errno.h>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/hmac.h>

#include "jsv/base/ascii.h"
#include "os/sys.h"

#define SHA256_SIZE SHA256_DIGEST_LENGTH

/* ---- OpenSSL's memory ---- */

static void *crypto_malloc(size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return os_sys->resize(NULL, size);
}

static void *crypto_realloc(void *memory, size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return os_sys->resize(memory, size);
}

static void crypto_free(void *memory, const char *file, int line)
{
    (void)file;
    (void)line;
    os_sys->resize(memory, 0);
}

int os_digest_setup(void)
{
    return CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc, crypto_free) == 1 ? 0 : -EBUSY;
}

/* ---- digests ---- */

static void print_hex(
    const unsigned char bytes[static SHA256_SIZE], char ret_hex[static OS_DIGEST_HEX_SIZE + 1])
{
    *jsv_hex_write(ret_hex, bytes, SHA256_SIZE) = '\0';
}

/*
 * SHA256_* rather than EVP: EVP loads OpenSSL's providers first, which cost half of the
 * instructions of a start and 2 MB of memory, and it can fail.
 */
void os_digest_init(struct os_digest *digest)
{
    SHA256_Init(&digest->context);
}

void os_digest_add(struct os_digest *digest, struct jsv_str bytes)
{
    SHA256_Update(&digest->context, bytes.data, bytes.size);
}

void os_digest_finish(struct os_digest *digest, char ret_hex[static OS_DIGEST_HEX_SIZE + 1])
{
    unsigned char bytes[SHA256_SIZE];
    SHA256_Final(bytes, &digest->context);
    print_hex(bytes, ret_hex);
}

void os_digest(struct jsv_str bytes, char ret_hex[static OS_DIGEST_HEX_SIZE + 1])
{
    struct os_digest digest;
    os_digest_init(&digest);
    os_digest_add(&digest, bytes);
    os_digest_finish(&digest, ret_hex);
}

int os_digest_keyed(
    struct jsv_str key, struct jsv_str bytes, char ret_hex[static OS_DIGEST_HEX_SIZE + 1])
{
    unsigned char code[SHA256_SIZE];
    const unsigned char *data = (const unsigned char *)bytes.data;
    if (!HMAC(EVP_sha256(), key.data, (int)key.size, data, bytes.size, code, NULL)) {
        ERR_clear_error(); /* the queue of this thread would confuse the next caller */
        return -ENOMEM;
    }
    print_hex(code, ret_hex);
    return 0;
}
