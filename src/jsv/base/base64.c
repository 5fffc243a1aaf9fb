#include "jsv/base/base64.h"

static int digit_value(char digit)
{
    if (digit >= 'A' && digit <= 'Z') {
        return digit - 'A';
    }
    if (digit >= 'a' && digit <= 'z') {
        return digit - 'a' + 26;
    }
    if (digit >= '0' && digit <= '9') {
        return digit - '0' + 52;
    }
    return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

size_t jsv_base64_decode(struct jsv_str text, char *out)
{
    size_t digits = text.size;
    while (digits > 0 && text.size - digits < 2 && text.data[digits - 1] == '=') {
        digits--;
    }
    if (text.size % 4 != 0 || digits % 4 == 1) {
        return SIZE_MAX;
    }
    uint32_t bits = 0;
    size_t size = 0;
    for (size_t i = 0; i < digits; i++) {
        int value = digit_value(text.data[i]);
        if (value < 0) {
            return SIZE_MAX;
        }
        bits = bits << 6 | (uint32_t)value;
        if (i % 4 != 0) {
            if (out) {
                out[size] = (char)(bits >> (2 * (3 - i % 4)));
            }
            size++;
        }
    }
    return size;
}
