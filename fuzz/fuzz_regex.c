/*
 * Input: a pattern and a subject, separated by a record separator (0x1e); the
 * subject ends where it is not UTF-8. All engines that give a result agree, and
 * a pattern that is valid in unicode mode only fails to compile because of our
 * limits. The pattern is used twice, unchanged and anchored.
 */
#include <errno.h>
#include <string.h>

#include "fuzz.h"
#include "jsv/base/utf8.h"
#include "jsv/regex/regex.h"

static struct jsv_regex_scratch *scratch;

/* @return the result of searching; or the error of compiling, less 1000. */
static int
ask(enum jsv_regex_engine engine,
    struct jsv_str pattern,
    struct jsv_str subject,
    struct jsv_regex_fault *fault)
{
    struct jsv_regex *regex;
    int result = jsv_regex_compile_for(engine, pattern, NULL, &regex, fault);
    if (result < 0) {
        FUZZ_CHECK(result == -EINVAL || result == -E2BIG);
        FUZZ_CHECK(fault->message && fault->offset <= pattern.size);
        return result - 1000;
    }
    result = jsv_regex_search(regex, subject, scratch);
    FUZZ_CHECK(result == 0 || result == 1 || result == -ELOOP);
    FUZZ_CHECK(result >= 0 || jsv_regex_engine_of(regex) > JSV_REGEX_TABLE);
    jsv_regex_free(regex);
    return result;
}

static bool is_ours(const struct jsv_regex_fault *fault, int result)
{
    return result == -E2BIG - 1000 || strncmp(fault->message, "unsupported", 11) == 0;
}

static void compare(struct jsv_str pattern, struct jsv_str subject)
{
    struct jsv_regex_fault fault = {0};
    int valid = jsv_regex_check(pattern, NULL, &fault);
    FUZZ_CHECK(valid == 0 || (fault.message && fault.offset <= pattern.size));
    int first = ask(JSV_REGEX_TABLE, pattern, subject, &fault);
    FUZZ_CHECK(valid != 0 || first > -1000 || is_ours(&fault, first));
    for (int engine = JSV_REGEX_SIMULATION; engine <= JSV_REGEX_INTERPRETER; engine++) {
        int other = ask((enum jsv_regex_engine)engine, pattern, subject, &fault);
        FUZZ_CHECK(other == first || other == -ELOOP || first == -ELOOP || is_ours(&fault, other));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jsv_str subject = {(const char *)data, size};
    struct jsv_str pattern = fuzz_take(&subject, FUZZ_SEPARATOR);
    if (pattern.size == size) {
        return 0;
    }
    if (!scratch) {
        scratch = jsv_regex_scratch_new(NULL);
        FUZZ_CHECK(scratch);
    }
    subject.size = jsv_utf8_valid_prefix(subject);
    compare(pattern, subject);

    struct jsv_buf whole;
    jsv_buf_init(&whole, NULL, SIZE_MAX);
    jsv_buf_append_str(&whole, JSV_STR("^(?:"));
    jsv_buf_append_str(&whole, pattern);
    jsv_buf_append_str(&whole, JSV_STR(")$"));
    FUZZ_CHECK(!whole.error);
    compare(jsv_buf_str(&whole), subject);
    jsv_buf_done(&whole);
    return 0;
}
