#include <errno.h>

#include "envelope/digest.h"
#include "support/torture.h"
#include "unit/envelope/quoted.h"

#define HEX_64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_spelling_does_not_matter(void **state)
{
    struct json_fixture *fixture = *state;
    /* sha256sum of {"a":[1]} */
    static const char expected[] =
        "ff5464c34287e9ec505b9f76573a4cb0bd408c96c6537b458fdd993fc7c615ce";
    static const char *const spellings[] = {"{'a':[1]}", " { 'a' : [ 1.0 ] }", "{'\\u0061':[1]}"};
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
        struct envelope_digest digest;
        struct jsv_value value = quoted_read(fixture, spellings[i]);
        assert_int_equal(envelope_digest_json(value, &fixture->scratch, &digest, NULL), 0);
        assert_string_equal(digest.hex, expected);
        assert_int_equal(digest.size, 9);
        struct jsv_str text = quoted(fixture, spellings[i]);
        digest = (struct envelope_digest){0};
        assert_int_equal(envelope_digest_text(text, &fixture->scratch, &digest), 0);
        assert_string_equal(digest.hex, expected);
    }
}

static void test_no_digest(void **state)
{
    struct json_fixture *fixture = *state;
    struct envelope_digest digest = {.size = 7};
    struct jsv_value fault = {0};
    struct jsv_value value = quoted_read(fixture, "[1,1e400]");
    struct jsv_arena *arena = &fixture->scratch;
    assert_int_equal(envelope_digest_json(value, arena, &digest, &fault), -ERANGE);
    assert_int_equal(jsv_value_offset(fault), 3);
    assert_int_equal(envelope_digest_text(JSV_STR("1e400"), arena, &digest), -ERANGE);
    assert_int_equal(envelope_digest_text(JSV_STR("{"), arena, &digest), -EBADMSG);
    assert_int_equal(digest.size, 7);
}

static void test_writing(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_writer writer = jsv_writer_on(&fixture->out);
    envelope_digest_write(HEX_64, &writer);
    quoted_expect(fixture, "{'alg':'sha256','value':'" HEX_64 "'}");
}

static void test_sound(void **state)
{
    struct json_fixture *fixture = *state;
    static const struct {
        bool sound;
        const char *digest;
    } cases[] = {
        {true, "{'alg':'sha256','value':'" HEX_64 "'}"},
        {true, "{'alg':'blake3','value':'" HEX_64 "'}"},
        {true, "{'alg':'sha512','value':'" HEX_64 HEX_64 "'}"},
        {false, "{'alg':'sha512','value':'" HEX_64 "'}"},
        {false, "{'alg':'sha256','value':'" HEX_64 HEX_64 "'}"},
        {false, "{'alg':'sha256','value':'" HEX_64 "0'}"},
        {false, "{'alg':'sha256','value':'0123456789abcdef'}"},
        {false, "{'alg':'sha256','value':''}"},
        {false,
         "{'alg':'sha256','value':"
         "'A123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'}"},
        {false,
         "{'alg':'sha256','value':"
         "'0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdeg'}"},
        {false, "{'alg':'md5','value':'" HEX_64 "'}"},
        {false, "{'alg':'sha256','value':5}"},
        {false, "{'value':'" HEX_64 "'}"},
        {false, "'" HEX_64 "'"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jsv_value digest = quoted_read(fixture, cases[i].digest);
        assert_int_equal(envelope_digest_is_sound(digest), cases[i].sound);
    }
    assert_true(envelope_digest_is_sha256(JSV_STR(HEX_64)));
    assert_false(envelope_digest_is_sha256(JSV_STR(HEX_64 "0")));
    assert_false(envelope_digest_is_sha256(JSV_STR("")));
}

static int digest_a_text(const struct jsv_allocator *allocator, void *state)
{
    (void)state;
    struct jsv_arena arena;
    struct envelope_digest digest;
    jsv_arena_init(&arena, allocator, SIZE_MAX);
    int r = envelope_digest_text(JSV_STR("{\"b\":1,\"a\":[2]}"), &arena, &digest);
    jsv_arena_done(&arena);
    return r;
}

static void test_no_memory(void **state)
{
    (void)state;
    assert_true(torture_run(digest_a_text, NULL) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(test_spelling_does_not_matter),
        JSON_TEST(test_no_digest),
        JSON_TEST(test_writing),
        JSON_TEST(test_sound),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
