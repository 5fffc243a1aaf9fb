/*
 * Requests, and how their answers begin or what they contain.
 */
#pragma once

#include <string.h>

#include "support/pipeline_fixture.h"

struct asking {
    const char *message;
    const char *answer; /* how it begins */
};

static inline void expect_beginning(const char *answer, const char *beginning)
{
    if (strncmp(answer, beginning, strlen(beginning)) != 0) {
        fail_msg("got %s\nexpected %s", answer, beginning);
    }
}

static inline void expect_part(const char *answer, const char *part)
{
    if (!strstr(answer, part)) {
        fail_msg("got %s\nexpected in it %s", answer, part);
    }
}

static inline void
ask_each(struct pipeline_fixture *pipeline, const struct asking *askings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        expect_beginning(pipeline_ask(pipeline, askings[i].message), askings[i].answer);
    }
}

#define ASK_EACH(pipeline, askings)                                                                \
    ask_each((pipeline), (askings), sizeof(askings) / sizeof((askings)[0]))
