#include "format_cases.h"

#include <stdlib.h>
#include <string.h>

void format_case_check(const char *name, enum jsv_draft draft, struct jsv_str text, int expected)
{
    enum jsv_format format = JSV_FORMAT_COUNT;
    assert_true(jsv_format_find(jsv_str_from(name), draft, &format));
    char *copy = text.size > 0 ? malloc(text.size) : NULL;
    if (text.size > 0) {
        assert_non_null(copy);
        memcpy(copy, text.data, text.size);
    }
    int answer = jsv_format_valid(format, (struct jsv_str){copy, text.size});
    if (answer != expected) {
        fail_msg(
            "%s of \"%.*s\": %d instead of %d", name, (int)text.size, text.data, answer, expected);
    }
    free(copy);
}

void format_cases_check(
    const char *name, enum jsv_draft draft, const struct jsv_str *table, size_t count, int expected)
{
    for (size_t i = 0; i < count; i++) {
        format_case_check(name, draft, table[i], expected);
    }
}
