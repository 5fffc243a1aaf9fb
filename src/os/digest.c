#include "os/digest.h"

#include <errno.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "jsv/base/hex.h"
#include "os/openssl.h"
#include "os/sys.h"

#define SHA256_SIZE (OS_DIGEST_HEX_SIZE / 2)

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

int os_digest_init(struct os_digest *digest)
{
    digest->context = EVP_MD_CTX_new();
    if (!digest->context) {
        return os_openssl_failed(-ENOMEM);
    }
    return EVP_DigestInit_ex(digest->context, EVP_sha256(), NULL) ? 0 : os_openssl_failed(-ENOTSUP);
}

int os_digest_add(struct os_digest *digest, struct jsv_str bytes)
{
    bool added = EVP_DigestUpdate(digest->context, bytes.data, bytes.size);
    return added ? 0 : os_openssl_failed(-ENOTSUP);
}

int os_digest_finish(struct os_digest *digest, char ret_hex[static OS_DIGEST_HEX_SIZE + 1])
{
    unsigned char bytes[SHA256_SIZE];
    if (!EVP_DigestFinal_ex(digest->context, bytes, NULL)) {
        return os_openssl_failed(-ENOTSUP);
    }
    print_hex(bytes, ret_hex);
    return 0;
}

void os_digest_done(struct os_digest *digest)
{
    if (digest) {
        EVP_MD_CTX_free(digest->context);
        digest->context = NULL;
    }
}

int os_digest(struct jsv_str bytes, char ret_hex[static OS_DIGEST_HEX_SIZE + 1])
{
    struct os_digest digest;
    int r = os_digest_init(&digest);
    if (r == 0) {
        r = os_digest_add(&digest, bytes);
    }
    if (r == 0) {
        r = os_digest_finish(&digest, ret_hex);
    }
    os_digest_done(&digest);
    return r;
}

int os_digest_keyed(
    struct jsv_str key, struct jsv_str bytes, char ret_hex[static OS_DIGEST_HEX_SIZE + 1])
{
    unsigned char code[SHA256_SIZE];
    const unsigned char *data = (const unsigned char *)bytes.data;
    if (!HMAC(EVP_sha256(), key.data, (int)key.size, data, bytes.size, code, NULL)) {
        return os_openssl_failed(-ENOMEM);
    }
    print_hex(code, ret_hex);
    return 0;
}
