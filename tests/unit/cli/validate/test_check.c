#include <stdlib.h>
#include <string.h>

#include "cli/validate/check.h"
#include "cli/validate/files.h"
#include "cli/validate/source.h"
#include "unit/app/compiled.h"
#include "unit/os/fault.h"

static const struct validate_file file = {.name = "a"};

static struct compiled compiled;
static struct validate_check check;
static struct validate_worker worker;
static struct validate_counts counts;
static struct validate_piece piece;
static struct jsv_buf out;

static int set_up(void **state)
{
    (void)state;
    compiled = compiled_from("{\"type\": \"number\", \"minimum\": 3}");
    check = (struct validate_check){
        .schema = compiled.schema, .format = VALIDATE_JSON, .line_size_max = 100};
    worker = (struct validate_worker){0};
    counts = (struct validate_counts){0};
    validate_piece_init(&piece);
    jsv_buf_init(&out, NULL, (size_t)1 << 30);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    validate_worker_done(&worker);
    validate_piece_done(&piece);
    jsv_buf_done(&out);
    compiled_done(&compiled);
    return 0;
}

/* Use another schema. */
static void use(const char *schema)
{
    compiled_done(&compiled);
    compiled = compiled_from(schema);
    check.schema = compiled.schema;
}

static void fill(enum validate_kind kind, size_t line, const char *text)
{
    validate_piece_reset(&piece);
    piece.file = &file;
    piece.kind = kind;
    piece.line = line;
    assert_int_equal(jsv_buf_append_str(&piece.text, jsv_str_from(text)), 0);
}

static int check_piece(void)
{
    jsv_buf_reset(&out);
    counts = (struct validate_counts){0};
    return validate_check_piece(&check, &worker, &piece, &out, &counts);
}

static int check_text(enum validate_kind kind, size_t line, const char *text)
{
    fill(kind, line, text);
    return check_piece();
}

static void assert_out(const char *expected)
{
    assert_int_equal(jsv_buf_append_byte(&out, '\0'), 0);
    assert_string_equal(out.data, expected);
}

static void assert_counts(size_t documents, size_t valid, size_t broken)
{
    assert_int_equal(counts.documents, documents);
    assert_int_equal(counts.valid, valid);
    assert_int_equal(counts.broken, broken);
}

static void test_whole(void **state)
{
    (void)state;
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, " 7\n"), 0);
    assert_out("{\"file\":\"a\",\"line\":1,\"ok\":true}\n");
    assert_counts(1, 1, 0);
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, "2"), 0);
    assert_out(
        "{\"file\":\"a\",\"line\":1,\"ok\":false,\"errors\":[{\"path\":\"\","
        "\"msg\":\"must be at least 3\",\"keyword\":\"minimum\",\"schemaPath\":\"/minimum\"}]}\n");
    assert_counts(1, 0, 0);
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, "[2"), 0);
    assert_counts(1, 0, 1);
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, ""), 0);
    assert_counts(1, 0, 1);
}

static void test_lines(void **state)
{
    (void)state;
    assert_int_equal(check_text(VALIDATE_LINES, 10, "3\n\n \t\r\n4\r\n{\n5"), 0);
    assert_out(
        "{\"file\":\"a\",\"line\":10,\"ok\":true}\n"
        "{\"file\":\"a\",\"line\":13,\"ok\":true}\n"
        "{\"file\":\"a\",\"line\":14,\"ok\":false,\"errors\":[{\"path\":\"\",\"msg\":"
        "\"unexpected end of input; expected a member name in double quotes (line 14, column 2)\","
        "\"keyword\":\"\",\"schemaPath\":\"\"}]}\n"
        "{\"file\":\"a\",\"line\":15,\"ok\":true}\n");
    assert_counts(4, 3, 1);
    assert_int_equal(check_text(VALIDATE_LINES, 1, "\n\n"), 0);
    assert_out("");
    assert_counts(0, 0, 0);
}

static void test_long_lines(void **state)
{
    (void)state;
    static const char expected[] =
        "{\"file\":\"a\",\"line\":2,\"ok\":false,\"errors\":[{\"path\":\"\","
        "\"msg\":\"this line is longer than the limit of 16 MiB\",\"keyword\":\"\","
        "\"schemaPath\":\"\"}]}\n";
    char text[256];
    memset(text, '7', sizeof(text));
    text[100] = '\n';
    text[202] = '\0'; /* 100 characters, and 101 */
    assert_int_equal(check_text(VALIDATE_LINES, 1, text), 0);
    assert_counts(2, 1, 1);
    assert_int_equal(jsv_buf_append_byte(&out, '\0'), 0);
    assert_string_equal(strchr(out.data, '\n') + 1, expected);
    assert_int_equal(check_text(VALIDATE_LONG_LINE, 2, ""), 0);
    assert_out(expected);
    assert_counts(1, 0, 1);
}

static void test_unread(void **state)
{
    (void)state;
    assert_int_equal(check_text(VALIDATE_UNREAD, 1, ""), 0);
    assert_out("");
    assert_counts(0, 0, 0);
}

/* ---- limits of validating ---- */

/* A reference to itself is followed until the depth runs out. */
static void test_endless(void **state)
{
    (void)state;
    use("{\"$defs\": {\"a\": {\"anyOf\": [{\"$ref\": \"#/$defs/a\"}, false]}},"
        " \"$ref\": \"#/$defs/a\"}");
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, "1"), 0);
    assert_counts(1, 0, 1);
    assert_int_equal(jsv_buf_append_byte(&out, '\0'), 0);
    assert_non_null(strstr(out.data, "\"takes too many steps to validate\""));
}

static void test_many_problems(void **state)
{
    (void)state;
    use("{\"items\": {\"type\": \"string\"}}");
    char text[2 * 150 + 2] = "[";
    for (size_t i = 0; i < 150; i++) {
        memcpy(text + 1 + 2 * i, "1,", 2);
    }
    text[2 * 150] = ']';
    text[2 * 150 + 1] = '\0';
    check.format = VALIDATE_TEXT;
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, text), 0);
    assert_counts(1, 0, 0);
    assert_int_equal(jsv_buf_append_byte(&out, '\0'), 0);
    assert_non_null(strstr(out.data, "\na:1: and 50 more\n"));
}

/* ---- memory ---- */

/* What a large document took is not kept. */
static void test_large_documents(void **state)
{
    (void)state;
    size_t size = (size_t)3 << 20;
    char *text = malloc(size + 1);
    memset(text, ' ', size);
    text[size - 1] = '4';
    text[size] = '\0';
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, "4"), 0);
    assert_non_null(worker.document);
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, text), 0);
    assert_counts(1, 1, 0);
    assert_null(worker.document);
    text[size - 1] = '[';
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, text), 0);
    assert_counts(1, 0, 1);
    assert_null(worker.document);
    free(text);
}

static void test_no_memory(void **state)
{
    (void)state;
    use("{\"uniqueItems\": true, \"items\": {\"minimum\": 3}}");
    fill(VALIDATE_LINES, 1, "[3]\n[\"\\u00e9\", 1, 2, 3]\n{}\n");
    unsigned at = 0;
    int r;
    do {
        validate_worker_done(&worker);
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        r = check_piece();
        assert_int_equal(r, fault.hit ? -ENOMEM : 0);
    } while (r < 0);
    assert_true(at > 4);
}

static void test_output_beyond_its_ceiling(void **state)
{
    (void)state;
    jsv_buf_done(&out);
    jsv_buf_init(&out, NULL, 10);
    assert_int_equal(check_text(VALIDATE_WHOLE, 1, "4"), -ENOBUFS);
}

#define CHECK_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK_TEST(test_whole),
        CHECK_TEST(test_lines),
        CHECK_TEST(test_long_lines),
        CHECK_TEST(test_unread),
        CHECK_TEST(test_endless),
        CHECK_TEST(test_many_problems),
        CHECK_TEST(test_large_documents),
        CHECK_TEST(test_no_memory),
        CHECK_TEST(test_output_beyond_its_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
