/*
 * Answers questions about patterns for differential.mjs. Each line of input is
 * a pattern and any number of subjects, each in hexadecimal ("-" for none):
 *
 *   613F 61 62 -
 *
 * Each line of output says whether the pattern is valid in unicode mode, how
 * compiling went, and for each way of matching the answers in order: 1, 0, or
 * L when it was given up.
 *
 *   valid ok 111 111 111 111
 *   invalid unsupported
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jsv/regex/regex.h"

static int hex_digit(char digit)
{
    return digit <= '9' ? digit - '0' : (digit & ~0x20) - 'A' + 10;
}

/* Decode the next word of the line in place. @return false when there is none. */
static bool next_word(char **line, struct jsv_str *ret_text)
{
    char *in = *line + strspn(*line, " ");
    char *out = in;
    if (*in == '\n' || *in == '\0') {
        return false;
    }
    *ret_text = (struct jsv_str){out, 0};
    for (; *in != ' ' && *in != '\n' && *in != '\0'; in++) {
        if (*in != '-') {
            *out++ = (char)(hex_digit(in[0]) << 4 | hex_digit(in[1]));
            in++;
        }
    }
    ret_text->size = (size_t)(out - ret_text->data);
    *line = in;
    return true;
}

static const char *failure(int error, const struct jsv_regex_fault *fault)
{
    if (error == -E2BIG) {
        return "large";
    }
    return strncmp(fault->message, "unsupported", 11) == 0 ? "unsupported" : "refused";
}

static void search(struct jsv_regex *regex, char *subjects, struct jsv_regex_scratch *scratch)
{
    struct jsv_str subject;
    putchar(' ');
    while (next_word(&subjects, &subject)) {
        int found = jsv_regex_search(regex, subject, scratch);
        putchar(found == 1 ? '1' : found == 0 ? '0' : 'L');
    }
}

static void answer(char *line, struct jsv_regex_scratch *scratch)
{
    struct jsv_str pattern = {"", 0};
    struct jsv_regex_fault fault;
    next_word(&line, &pattern);
    fputs(jsv_regex_check(pattern, NULL, &fault) == 0 ? "valid" : "invalid", stdout);
    for (int engine = JSV_REGEX_TABLE; engine <= JSV_REGEX_INTERPRETER; engine++) {
        struct jsv_regex *regex;
        int error =
            jsv_regex_compile_for((enum jsv_regex_engine)engine, pattern, NULL, &regex, &fault);
        if (engine == JSV_REGEX_TABLE) {
            printf(" %s", error ? failure(error, &fault) : "ok");
        }
        if (!error) {
            char *subjects = strdup(line);
            search(regex, subjects, scratch);
            free(subjects);
            jsv_regex_free(regex);
        }
    }
    putchar('\n');
}

int main(void)
{
    struct jsv_regex_scratch *scratch = jsv_regex_scratch_new(NULL);
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, stdin) > 0) {
        answer(line, scratch);
    }
    free(line);
    jsv_regex_scratch_free(scratch);
    return 0;
}
