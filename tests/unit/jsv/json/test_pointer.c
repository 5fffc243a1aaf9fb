#include <errno.h>
#include <string.h>

#include "jsv/json/pointer.h"
#include "support/json_fixture.h"

static const char example[] =
    "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,\"i\\\\j\":5,"
    "\"k\\\"l\":6,\" \":7,\"m~n\":8,\"~1\":9,\"01\":10,\"-\":11,\"deep\":{\"\":{\"\":12}},"
    "\"~\":13,\"/\":14,\"a/\":15,\"nul\\u0000\":16}";

static void expect_integer(struct jsv_value root, struct jsv_str pointer, int64_t expected)
{
    struct jsv_value value;
    int64_t integer = -1;
    assert_int_equal(jsv_pointer_get(root, pointer, &value), 0);
    assert_int_equal(jsv_value_int64(value, &integer), 0);
    assert_int_equal(integer, expected);
}

/* The examples of RFC 6901, and names that need care. */
static void resolves(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value root = json_fixture_read(fixture, example);
    struct jsv_value value;

    assert_int_equal(jsv_pointer_get(root, JSV_STR(""), &value), 0);
    assert_ptr_equal(value.node, root.node);
    assert_int_equal(jsv_pointer_get(root, (struct jsv_str){NULL, 0}, &value), 0);
    assert_ptr_equal(value.node, root.node);
    assert_int_equal(jsv_pointer_get(root, JSV_STR("/foo"), &value), 0);
    assert_int_equal(jsv_value_type(value), JSV_TYPE_ARRAY);
    assert_int_equal(jsv_pointer_get(root, JSV_STR("/foo/0"), &value), 0);
    assert_true(jsv_str_equal(jsv_value_text(value), JSV_STR("bar")));
    assert_int_equal(jsv_pointer_get(root, JSV_STR("/foo/1"), &value), 0);
    assert_true(jsv_str_equal(jsv_value_text(value), JSV_STR("baz")));

    expect_integer(root, JSV_STR("/"), 0);
    expect_integer(root, JSV_STR("/a~1b"), 1);
    expect_integer(root, JSV_STR("/c%d"), 2);
    expect_integer(root, JSV_STR("/e^f"), 3);
    expect_integer(root, JSV_STR("/g|h"), 4);
    expect_integer(root, JSV_STR("/i\\j"), 5);
    expect_integer(root, JSV_STR("/k\"l"), 6);
    expect_integer(root, JSV_STR("/ "), 7);
    expect_integer(root, JSV_STR("/m~0n"), 8);
    expect_integer(root, JSV_STR("/~01"), 9);
    expect_integer(root, JSV_STR("/01"), 10);
    expect_integer(root, JSV_STR("/-"), 11);
    expect_integer(root, JSV_STR("/deep//"), 12);
    expect_integer(root, JSV_STR("/~0"), 13);
    expect_integer(root, JSV_STR("/~1"), 14);
    expect_integer(root, JSV_STR("/a~1"), 15);
    expect_integer(root, JSV_STR("/nul\0"), 16);
}

static void expect_error(struct jsv_value root, struct jsv_str pointer, int error)
{
    struct jsv_value value = {0};
    assert_int_equal(jsv_pointer_get(root, pointer, &value), error);
    assert_null(value.node);
}

static void refuses_what_is_malformed(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value root = json_fixture_read(fixture, example);
    static const char *const malformed[] = {
        "foo",
        " /foo",
        "~",
        "~0",
        "/~",
        "/~2",
        "/foo/~",
        "/a~",
        "/~a",
        "/~/foo",
        "/absent/~2",
        "#"};
    for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
        expect_error(root, jsv_str_from(malformed[i]), -EINVAL);
    }
}

static void names_nothing(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value root = json_fixture_read(fixture, example);
    static const char *const absent[] = {
        "/absent",
        "/foo/2",
        "/foo/-",
        "/foo/",
        "/foo/00",
        "/foo/01",
        "/foo/+1",
        "/foo/-1",
        "/foo/1.0",
        "/foo/1e0",
        "/foo/0x1",
        "/foo/ 1",
        "/foo/:",
        "/foo/18446744073709551615",
        "/foo/18446744073709551616",
        "/foo/18446744073709551617",
        "/foo/184467440737095516160",
        "/foo/0/x",
        "/foo/0/0",
        "/a~1b/x",
        "/~0~0",
        "/m~0",
        "/m~0nn",
        "/deep/x/y/z",
    };
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
        expect_error(root, jsv_str_from(absent[i]), -ENOENT);
    }
    expect_error((struct jsv_value){0}, JSV_STR(""), -ENOENT);
    expect_error((struct jsv_value){0}, JSV_STR("/a"), -ENOENT);
}

/* Every digit counts, and the characters beside the digits do not. */
static void indexes(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value root = json_fixture_read(fixture, "[0,1,2,3,4,5,6,7,8,9,10,11,12]");
    expect_integer(root, JSV_STR("/0"), 0);
    expect_integer(root, JSV_STR("/9"), 9);
    expect_integer(root, JSV_STR("/12"), 12);
    expect_error(root, JSV_STR("/:"), -ENOENT);
    expect_error(root, JSV_STR("/1/"), -ENOENT);
    expect_error(root, JSV_STR("/1:"), -ENOENT);
    expect_error(root, JSV_STR("/13"), -ENOENT);
}

static void pushes(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_buf *out = &fixture->out;
    assert_int_equal(jsv_pointer_push(out, JSV_STR("a")), 0);
    assert_int_equal(jsv_pointer_push(out, JSV_STR("")), 0);
    assert_int_equal(jsv_pointer_push(out, (struct jsv_str){NULL, 0}), 0);
    assert_int_equal(jsv_pointer_push(out, JSV_STR("~/~1")), 0);
    assert_int_equal(jsv_pointer_push_index(out, 0), 0);
    assert_int_equal(jsv_pointer_push_index(out, 120), 0);
    assert_int_equal(jsv_pointer_push_index(out, UINT64_MAX), 0);
    json_fixture_expect(fixture, "/a///~0~1~01/0/120/18446744073709551615");
}

static void pushing_meets_the_ceiling(void **state)
{
    (void)state;
    struct jsv_buf small;
    jsv_buf_init(&small, NULL, 6);
    assert_int_equal(jsv_pointer_push(&small, JSV_STR("abc")), 0);
    assert_int_equal(jsv_pointer_push(&small, JSV_STR("~")), -ENOBUFS);
    assert_int_equal(small.size, 4);
    assert_int_equal(jsv_pointer_push(&small, JSV_STR("")), -ENOBUFS);
    assert_int_equal(jsv_pointer_push_index(&small, 1), -ENOBUFS);
    assert_int_equal(small.size, 4);
    jsv_buf_done(&small);
}

static void escapes_and_back(void **state)
{
    (void)state;
    struct jsv_str name = JSV_STR("~01/~/\0x");
    char escaped[32];
    char plain[32];
    size_t size = (size_t)(jsv_pointer_escape(name, escaped) - escaped);
    assert_int_equal(size, jsv_pointer_escaped_size(name));
    assert_memory_equal(escaped, "~001~1~0~1\0x", size);
    char *end = jsv_pointer_unescape((struct jsv_str){escaped, size}, plain);
    assert_int_equal(end - plain, name.size);
    assert_memory_equal(plain, name.data, name.size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(resolves),
        JSON_TEST(refuses_what_is_malformed),
        JSON_TEST(names_nothing),
        JSON_TEST(indexes),
        JSON_TEST(pushes),
        JSON_TEST(pushing_meets_the_ceiling),
        JSON_TEST(escapes_and_back),
    };
    return cmocka_run_group_tests_name("json/pointer", tests, NULL, NULL);
}
