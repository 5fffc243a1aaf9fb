/*
 * Answers have a limit: whoever asked for more is told so, by its id, and the
 * next message is answered.
 */
#include <stdio.h>
#include <string.h>

#include "support/corridor.h"

static void append(struct jsv_buf *line, const char *text)
{
    jsv_buf_append_str(line, jsv_str_from(text));
}

static const char *give(struct corridor *corridor, struct jsv_buf *line)
{
    size_t before = corridor->answer_count;
    jsv_buf_append_byte(line, '\n');
    assert_int_equal(line->error, 0);
    corridor_give(corridor, jsv_buf_str(line));
    jsv_buf_done(line);
    return corridor->answer_count > before ? corridor->answers[before].data : "";
}

/* A patch has some 40 bytes for a member of 10, and comes as text and as structure. */
static void an_answer_that_is_too_large_says_so(void **state)
{
    struct corridor *corridor = *state;
    struct jsv_buf line;
    jsv_buf_init(&line, NULL, SIZE_MAX);
    append(
        &line,
        "{\"jsonrpc\":\"2.0\",\"id\":\"big\",\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"diff_assets\",\"arguments\":{\"base\":{},\"new\":{\"\":1");
    for (size_t i = 0; i < 90000; i++) {
        char member[32];
        snprintf(member, sizeof(member), ",\"%zu\":1", i);
        append(&line, member);
    }
    append(&line, "}}}}");
    const char *answer = give(corridor, &line);
    assert_non_null(strstr(answer, "\"id\":\"big\",\"error\":{\"code\":-32603,"));
    assert_non_null(strstr(answer, "4194304"));
    answer = corridor_ask(corridor, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    assert_string_equal(answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CORRIDOR_TEST(an_answer_that_is_too_large_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
