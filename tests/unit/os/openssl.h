/*
 * OpenSSL in tests: through the same door as production, and warm, for it does
 * not survive starting without memory.
 */
#pragma once

#include "os/digest.h"

/* For a group's set-up. */
static inline int use_openssl(void **state)
{
    (void)state;
    char hex[OS_DIGEST_HEX_SIZE + 1];
    return os_digest_setup() < 0 || os_digest(JSV_STR(""), hex) < 0;
}
