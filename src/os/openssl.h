/* What every use of OpenSSL in this room does when it fails. */
#pragma once

#include <openssl/err.h>

/* OpenSSL queues its errors per thread; what is left there would confuse its next user. */
static inline int os_openssl_failed(int error)
{
    ERR_clear_error();
    return error;
}
