#include "jsv/json/scan.h"

#include "jsv/base/utf8.h"

jsv_scan_kernel *jsv_scan_kernel_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("pclmul")) {
        return jsv_scan_avx2;
    }
    return jsv_scan_sse2;
#else
    return jsv_scan_portable;
#endif
}

void jsv_scan_start(struct jsv_scan *scan, struct jsv_str text)
{
    *scan = (struct jsv_scan){.text = text.data, .size = text.size, .fault = SIZE_MAX};
}

/*
 * A kernel only says that its window holds a fault. Go over it again, byte by
 * byte, from the state before the window, and find the first one.
 */
static void locate_fault(struct jsv_scan *scan, const struct jsv_scan *before)
{
    bool inside = before->inside != 0;
    bool escaped = before->escaped != 0;
    size_t at = before->position;
    if (before->incomplete) {
        do {
            at--;
        } while (((unsigned char)scan->text[at] & 0xC0) == 0x80);
    }
    while (at < scan->size) {
        unsigned char byte = (unsigned char)scan->text[at];
        size_t size = jsv_utf8_sequence((struct jsv_str){scan->text + at, scan->size - at});
        if (size == 0 || (inside && byte < 0x20)) {
            break;
        }
        if (escaped) {
            escaped = false;
        } else if (byte == '\\') {
            escaped = true;
        } else if (byte == '"') {
            inside = !inside;
        }
        at += size;
    }
    scan->fault = at;
    scan->fault_code =
        (unsigned char)scan->text[at] < 0x20 ? JSV_ERROR_CONTROL_CHARACTER : JSV_ERROR_INVALID_UTF8;
}

size_t jsv_scan_next(struct jsv_scan *scan, jsv_scan_kernel *kernel, uint32_t *out)
{
    if (scan->fault != SIZE_MAX || scan->position == scan->size) {
        return 0;
    }
    struct jsv_scan before = *scan;
    size_t count = kernel(scan, out);
    if (__builtin_expect(scan->bad, 0)) {
        locate_fault(scan, &before);
        while (count > 0 && out[count - 1] >= scan->fault) {
            count--;
        }
    }
    return count;
}
