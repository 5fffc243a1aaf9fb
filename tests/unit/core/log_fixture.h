/*
 * A pipeline with a log, and the lines it wrote. Needs _GNU_SOURCE.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "envelope/schemas.h"
#include "log/log.h"
#include "support/files.h"
#include "support/pipeline_fixture.h"

static struct jsv_reader *logged_reader;
static struct jsv_document *logged_line;
static struct jsv_str logged_text;
static char logged_dir[128];

static void logged_serve(struct pipeline_fixture *pipeline, struct log *log)
{
    const struct core_conn_ops *ops = pipeline->conn.ops;
    core_conn_done(&pipeline->conn);
    core_worker_free(pipeline->worker);
    log_free(pipeline->settings.log);
    pipeline->settings.log = log;
    assert_int_equal(
        core_worker_new(pipeline->loop, &pipeline->settings, pipeline->catalog, &pipeline->worker),
        0);
    core_conn_init(&pipeline->conn, ops, pipeline->worker, CORE_TRANSPORT_SOCKET);
}

static void logged_begin(struct pipeline_fixture *pipeline, bool deterministic)
{
    struct log *log;
    logged_serve(pipeline, NULL); /* two logs would argue about which file is the latest */
    snprintf(logged_dir, sizeof(logged_dir), "%s/logs", pipeline->directory);
    const struct log_options options = {
        .dir = logged_dir,
        .file_size_max = 100000000,
        .token = JSV_STR("canary-4711"),
        .deterministic = deterministic,
    };
    assert_int_equal(log_new(&options, &log), 0);
    logged_serve(pipeline, log);
}

static int logged_setup(void **state)
{
    int r = pipeline_setup(state);
    logged_reader = jsv_reader_new(NULL, NULL);
    logged_line = jsv_document_new(NULL);
    logged_text = (struct jsv_str){NULL, 0};
    logged_begin(*state, true);
    return r;
}

static size_t logged_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < logged_text.size; i++) {
        count += logged_text.data[i] == '\n';
    }
    return count;
}

/* A line by its number, from 0. */
static struct jsv_value logged_at(size_t number)
{
    const char *at = logged_text.data;
    const char *end = logged_text.data + logged_text.size;
    for (size_t i = 0; i < number && at < end; i++) {
        at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    }
    assert_true(at < end);
    struct jsv_str line = {at, (size_t)((const char *)memchr(at, '\n', (size_t)(end - at)) - at)};
    assert_int_equal(jsv_read(logged_reader, logged_line, line, 0, NULL), 0);
    return jsv_document_root(logged_line);
}

/* Every line matches the published schema of log events. */
static void logged_check(const struct pipeline_fixture *pipeline)
{
    const struct jsv_schema *schema =
        envelope_schemas_get(pipeline->settings.envelopes, ENVELOPE_SCHEMA_LOG_EVENT);
    struct jsv_validator *validator = jsv_validator_new(NULL, NULL);
    for (size_t i = 0; i < logged_count(); i++) {
        struct jsv_value line = logged_at(i);
        if (jsv_validate(validator, schema, line) != 1) {
            struct jsv_str text = jsv_value_span(line);
            fail_msg("not a log event: %.*s", (int)text.size, text.data);
        }
    }
    jsv_validator_free(validator);
}

/* Close the log and read it. Later messages are not logged. */
static void logged_end(struct pipeline_fixture *pipeline)
{
    char path[256];
    logged_serve(pipeline, NULL);
    snprintf(path, sizeof(path), "%s/mcp_server/envelope_validation/.latest", logged_dir);
    logged_text = files_read(path);
    logged_check(pipeline);
}

static int logged_teardown(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    if (pipeline->settings.log) {
        logged_serve(pipeline, NULL);
    }
    free((void *)(uintptr_t)logged_text.data);
    jsv_document_free(logged_line);
    jsv_reader_free(logged_reader);
    return pipeline_teardown(state);
}

#define LOGGED_TEST(test) cmocka_unit_test_setup_teardown(test, logged_setup, logged_teardown)

/* A text in it, by its pointer; NULL: missing, or not a text. */
static const char *logged_word(struct jsv_value line, const char *pointer)
{
    static char word[512];
    struct jsv_value value;
    if (jsv_pointer_get(line, jsv_str_from(pointer), &value) < 0 ||
        jsv_value_type(value) != JSV_TYPE_STRING) {
        return NULL;
    }
    struct jsv_str text = jsv_value_text(value);
    snprintf(word, sizeof(word), "%.*s", (int)text.size, text.data);
    return word;
}
