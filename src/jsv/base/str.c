#include <string.h>

#include <jsv/jsv.h>

struct jsv_str jsv_str_from(const char *text)
{
    return (struct jsv_str){text, strlen(text)};
}

/* memcmp must not see the NULL of an empty text. */
static int compare_bytes(const char *a, const char *b, size_t size)
{
    return size > 0 ? memcmp(a, b, size) : 0;
}

bool jsv_str_equal(struct jsv_str a, struct jsv_str b)
{
    return a.size == b.size && compare_bytes(a.data, b.data, a.size) == 0;
}

int jsv_str_compare(struct jsv_str a, struct jsv_str b)
{
    int order = compare_bytes(a.data, b.data, a.size < b.size ? a.size : b.size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}
