#include "os/uuid.h"

#include <errno.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>

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
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[OS_UUID_BYTES];
    memcpy(bytes, source, sizeof(bytes));
    bytes[6] = (unsigned char)((bytes[6] & 0x0F) | version << 4);
    bytes[8] = (unsigned char)((bytes[8] & 0x3F) | 0x80);
    char *out = ret_text;
    for (size_t i = 0; i < OS_UUID_BYTES; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 0xF];
        if (dash_after(i)) {
            *out++ = '-';
        }
    }
    *out = '\0';
}

static bool digest_name(
    EVP_MD_CTX *context,
    const unsigned char namespace[static OS_UUID_BYTES],
    const struct jsv_str *name,
    size_t name_count,
    unsigned char ret_digest[static SHA1_SIZE])
{
    bool good = EVP_DigestInit_ex(context, EVP_sha1(), NULL) &&
                EVP_DigestUpdate(context, namespace, OS_UUID_BYTES);
    for (size_t i = 0; good && i < name_count; i++) {
        good = EVP_DigestUpdate(context, name[i].data, name[i].size);
    }
    return good && EVP_DigestFinal_ex(context, ret_digest, NULL);
}

int os_uuid_named(
    const unsigned char namespace[static OS_UUID_BYTES],
    const struct jsv_str *name,
    size_t name_count,
    char ret_text[static OS_UUID_SIZE + 1])
{
    unsigned char digest[SHA1_SIZE];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int r = -ENOMEM;
    if (context) {
        r = digest_name(context, namespace, name, name_count, digest) ? 0 : -ENOTSUP;
    }
    EVP_MD_CTX_free(context);
    if (r < 0) {
        /* OpenSSL queues its errors per thread; what is left would confuse its next user. */
        ERR_clear_error();
        return r;
    }
    spell(digest, 5, ret_text);
    return 0;
}

void os_uuid_random(
    const unsigned char random[static OS_UUID_BYTES], char ret_text[static OS_UUID_SIZE + 1])
{
    spell(random, 4, ret_text);
}
