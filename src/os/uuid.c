#include "os/uuid.h"

#include <errno.h>
#include <string.h>

#include <openssl/evp.h>

#include "jsv/base/hex.h"
#include "os/openssl.h"

#define SHA1_SIZE 20

/* Bytes after which the spelling has a dash. */
static bool dash_after(size_t byte)
{
    return byte == 3 || byte == 5 || byte == 7 || byte == 9;
}

/* The version takes the place of four bits, the variant (binary 10) of two. */
static void spell(
    const unsigned char source[static OS_UUID_BYTES],
    unsigned version,
    char ret_text[static OS_UUID_SIZE + 1])
{
    unsigned char bytes[OS_UUID_BYTES];
    memcpy(bytes, source, sizeof(bytes));
    bytes[6] = (unsigned char)((bytes[6] & 0x0F) | version << 4);
    bytes[8] = (unsigned char)((bytes[8] & 0x3F) | 0x80);
    char *out = ret_text;
    for (size_t i = 0; i < OS_UUID_BYTES; i++) {
        out = jsv_hex_write(out, &bytes[i], 1);
        if (dash_after(i)) {
            *out++ = '-';
        }
    }
    *out = '\0';
}

int os_uuid_namer_init(struct os_uuid_namer *namer)
{
    namer->context = EVP_MD_CTX_new();
    if (!namer->context) {
        return os_openssl_failed(-ENOMEM);
    }
    return EVP_DigestInit_ex(namer->context, EVP_sha1(), NULL) ? 0 : os_openssl_failed(-ENOTSUP);
}

void os_uuid_namer_done(struct os_uuid_namer *namer)
{
    if (namer) {
        EVP_MD_CTX_free(namer->context);
        namer->context = NULL;
    }
}

int os_uuid_named(
    struct os_uuid_namer *namer,
    const unsigned char namespace[static OS_UUID_BYTES],
    const struct jsv_str *name,
    size_t name_count,
    char ret_text[static OS_UUID_SIZE + 1])
{
    unsigned char digest[SHA1_SIZE];
    int r = namer->context ? 0 : os_uuid_namer_init(namer);
    if (r < 0) {
        return r;
    }
    /* Without an algorithm: the one it was made with. */
    bool good = EVP_DigestInit_ex(namer->context, NULL, NULL) &&
                EVP_DigestUpdate(namer->context, namespace, OS_UUID_BYTES);
    for (size_t i = 0; good && i < name_count; i++) {
        good = EVP_DigestUpdate(namer->context, name[i].data, name[i].size);
    }
    if (!good || !EVP_DigestFinal_ex(namer->context, digest, NULL)) {
        return os_openssl_failed(-ENOTSUP);
    }
    spell(digest, 5, ret_text);
    return 0;
}

void os_uuid_random(
    const unsigned char random[static OS_UUID_BYTES], char ret_text[static OS_UUID_SIZE + 1])
{
    spell(random, 4, ret_text);
}
