#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/pipeline_fixture.h"

static void
expect(struct pipeline_fixture *pipeline, const char *method, const char *params, const char *part)
{
    char line[512];
    snprintf(
        line,
        sizeof(line),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}",
        method,
        params);
    const char *answer = pipeline_ask(pipeline, line);
    if (!strstr(answer, part)) {
        fail_msg("%s: no %s in %s", line, part, answer);
    }
}

static void prompts_are_listed(void **state)
{
    expect(*state, "prompts/list", "{}", "\"name\":\"explain_schema\",\"title\":");
    expect(*state, "prompts/list", "{}", "\"arguments\":[{\"name\":\"schema\"");
    expect(*state, "prompts/list", "{\"cursor\":\"x\"}", "-32602");
}

static void a_prompt_is_filled_in(void **state)
{
    expect(
        *state,
        "prompts/get",
        "{\"name\":\"explain_schema\",\"arguments\":{\"schema\":\"part\"}}",
        "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"Explain the "
        "schema \\\"part\\\"");
}

static void a_prompt_that_cannot_be_filled_in_is_refused(void **state)
{
    expect(*state, "prompts/get", "{\"name\":\"explain_schema\"}", "-32602");
    expect(*state, "prompts/get", "{\"name\":\"no_such\"}", "unknown prompt");
}

static void arguments_are_completed(void **state)
{
    expect(
        *state,
        "completion/complete",
        "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"explain_schema\"},"
        "\"argument\":{\"name\":\"schema\",\"value\":\"w\"}}",
        "\"values\":[\"widget\"],\"total\":1,\"hasMore\":false");
    expect(
        *state,
        "completion/complete",
        "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"repair_asset\"},"
        "\"argument\":{\"name\":\"asset\",\"value\":\"w\"}}",
        "\"values\":[],\"total\":0");
    expect(
        *state,
        "completion/complete",
        "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"no_such\"},"
        "\"argument\":{\"name\":\"schema\",\"value\":\"w\"}}",
        "-32602");
    expect(
        *state,
        "completion/complete",
        "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"mcpgate://schemas/{name}\"},"
        "\"argument\":{\"name\":\"name\",\"value\":\"\"}}",
        "\"values\":[\"part\",\"widget\"]");
    expect(
        *state,
        "completion/complete",
        "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"mcpgate://diagnostics\"},"
        "\"argument\":{\"name\":\"name\",\"value\":\"\"}}",
        "\"values\":[],\"total\":0");
    expect(
        *state,
        "completion/complete",
        "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"mcpgate://other\"},"
        "\"argument\":{\"name\":\"name\",\"value\":\"\"}}",
        "-32602");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PIPELINE_TEST(prompts_are_listed),
        PIPELINE_TEST(a_prompt_is_filled_in),
        PIPELINE_TEST(a_prompt_that_cannot_be_filled_in_is_refused),
        PIPELINE_TEST(arguments_are_completed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
