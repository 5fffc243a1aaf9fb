#include "regex_ask.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* malloc(0) may return NULL, which cannot be searched. */
static struct jsv_str copy(struct jsv_str text)
{
    char *data = malloc(text.size > 0 ? text.size : 1);
    assert_non_null(data);
    if (text.size > 0) {
        memcpy(data, text.data, text.size);
    }
    return (struct jsv_str){data, text.size};
}

static void release(struct jsv_str text)
{
    union {
        const char *borrowed;
        char *owned;
    } data = {text.data};
    free(data.owned);
}

static int ask_one(
    enum jsv_regex_engine engine,
    struct jsv_str pattern,
    struct jsv_str subject,
    struct jsv_regex_scratch *scratch)
{
    struct jsv_regex *regex;
    int result = jsv_regex_compile_for(engine, pattern, NULL, &regex, NULL);
    if (result == 0) {
        result = jsv_regex_search(regex, subject, scratch);
        jsv_regex_free(regex);
    }
    return result;
}

int regex_ask_str(struct jsv_str pattern, struct jsv_str subject)
{
    struct jsv_str own_pattern = copy(pattern);
    struct jsv_str own_subject = copy(subject);
    struct jsv_regex_scratch *scratch = jsv_regex_scratch_new(NULL);
    assert_non_null(scratch);
    int first = ask_one(JSV_REGEX_TABLE, own_pattern, own_subject, scratch);
    for (int engine = JSV_REGEX_SIMULATION; engine <= JSV_REGEX_INTERPRETER; engine++) {
        int other = ask_one((enum jsv_regex_engine)engine, own_pattern, own_subject, scratch);
        if (other != first) {
            fail_msg(
                "%.*s on \"%.*s\": %d, and %d by engine %d",
                (int)pattern.size,
                pattern.data,
                (int)subject.size,
                subject.data,
                first,
                other,
                engine);
        }
    }
    jsv_regex_scratch_free(scratch);
    release(own_pattern);
    release(own_subject);
    return first;
}

int regex_ask(const char *pattern, const char *subject)
{
    return regex_ask_str(jsv_str_from(pattern), jsv_str_from(subject));
}

void regex_expect_engine(const char *pattern, enum jsv_regex_engine engine)
{
    struct jsv_regex *regex;
    struct jsv_regex_fault fault;
    int error = jsv_regex_compile(jsv_str_from(pattern), NULL, &regex, &fault);
    if (error) {
        fail_msg("%s: %s", pattern, error == -ENOMEM ? "no memory" : fault.message);
    }
    if (jsv_regex_engine_of(regex) != engine) {
        fail_msg("%s: engine %d", pattern, jsv_regex_engine_of(regex));
    }
    jsv_regex_free(regex);
}

void regex_expect_fault(
    bool strict, const char *pattern, int error, size_t offset, const char *message)
{
    struct jsv_regex *regex = NULL;
    struct jsv_regex_fault fault = {0};
    struct jsv_str text = copy(jsv_str_from(pattern));
    int result = strict ? jsv_regex_check(text, NULL, &fault)
                        : jsv_regex_compile(text, NULL, &regex, &fault);
    release(text);
    if (result != error || fault.offset != offset || strcmp(fault.message, message) != 0) {
        fail_msg(
            "%.60s: %d, \"%s\" at %zu", pattern, result, result ? fault.message : "", fault.offset);
    }
}

void regex_expect_faults(const struct regex_fault_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        regex_expect_fault(true, cases[i].pattern, -EINVAL, cases[i].offset, cases[i].message);
        regex_expect_fault(false, cases[i].pattern, -EINVAL, cases[i].offset, cases[i].message);
    }
}

void regex_expect_cases(const struct regex_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int answer = regex_ask(cases[i].pattern, cases[i].subject);
        if (answer != cases[i].expected) {
            fail_msg("%s on \"%s\": %d", cases[i].pattern, cases[i].subject, answer);
        }
    }
}
