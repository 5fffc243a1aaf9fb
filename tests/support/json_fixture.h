/*
 * The fixture of tests of src/jsv/json: a reader, scratch memory, a buffer,
 * and documents that live until the test is over.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jsv/json.h>

struct json_fixture_text;

struct json_fixture {
    struct jsv_reader *reader;
    struct jsv_arena scratch;
    struct jsv_buf out;
    struct json_fixture_text *texts;
};

/* For cmocka_unit_test_setup_teardown; *state becomes a struct json_fixture. */
int json_fixture_setup(void **state);
int json_fixture_teardown(void **state);

#define JSON_TEST(test)                                                                            \
    cmocka_unit_test_setup_teardown(test, json_fixture_setup, json_fixture_teardown)

/*
 * The root of a text, which must be valid. The text is copied into memory of
 * just its size, so that reading beyond it is seen by the sanitizers.
 */
struct jsv_value json_fixture_read(struct json_fixture *fixture, const char *text);
struct jsv_value
json_fixture_read_str(struct json_fixture *fixture, struct jsv_str text, unsigned flags);

/* Assert that the buffer holds this text and no error; empty it. */
void json_fixture_expect(struct json_fixture *fixture, const char *text);

/* Deeper than a recursive walk could go on a small stack. */
#define JSON_FIXTURE_DEPTH_MAX 20000

/* As many times open as the depth limit allows, inner, and as many times close. */
struct jsv_value json_fixture_read_nested(
    struct json_fixture *fixture, const char *open, const char *inner, const char *close);

/* A text to be made with jsv_buf_append and the like; given back with the fixture. */
struct jsv_buf *json_fixture_buf(struct json_fixture *fixture);

/* printf into a buffer. */
void json_fixture_print(struct jsv_buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Something that takes scratch memory. @return 0 or more, or a negative errno value. */
typedef int json_fixture_work(struct json_fixture *fixture, struct jsv_arena *scratch, void *data);

/*
 * Run the work with every budget from nothing upwards until it succeeds. Each
 * time before that it must say -ENOMEM. @return what it returned in the end.
 */
int json_fixture_starve(struct json_fixture *fixture, json_fixture_work *work, void *data);
/* Run the work on a stack of 128 KiB, where it must not assert. @return what it returned. */
int json_fixture_on_small_stack(struct json_fixture *fixture, json_fixture_work *work, void *data);
