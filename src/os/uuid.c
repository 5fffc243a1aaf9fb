#define OPENSSL_SUPPRESS_DEPRECATED /* SHA1_*: see os_digest_init() */
#include "os/uuid.h"

#include <string.h>

#include <openssl/sha.h>

#include "jsv/base/ascii.h"

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

void os_uuid_named(
    const unsigned char namespace[static OS_UUID_BYTES],
    const struct jsv_str *name,
    size_t name_count,
    char ret_text[static OS_UUID_SIZE + 1])
{
    SHA_CTX context;
    SHA1_Init(&context);
    SHA1_Update(&context, namespace, OS_UUID_BYTES);
    for (size_t i = 0; i < name_count; i++) {
        SHA1_Update(&context, name[i].data, name[i].size);
    }
    unsigned char digest[SHA_DIGEST_LENGTH];
    SHA1_Final(digest, &context);
    spell(digest, 5, ret_text);
}

void os_uuid_random(
    const unsigned char random[static OS_UUID_BYTES], char ret_text[static OS_UUID_SIZE + 1])
{
    spell(random, 4, ret_text);
}
