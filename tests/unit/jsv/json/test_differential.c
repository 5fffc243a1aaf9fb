/*
 * Our reader against jansson's: random texts, valid and broken, are taken or
 * refused by both, and have the same value to both. Where jansson is known to
 * differ there is a rule, below; anything else fails.
 *
 * MCPGATE_DOCUMENTS sets the number of texts (100,000), MCPGATE_SEED where
 * they start.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "jsv/base/number.h"
#include "jsv/json/node.h"
#include "support/json_random.h"
#include "support/reading.h"

#define DOCUMENTS_DEFAULT 100000

/* What may come of a text. Between the first and the last two are the known differences. */
enum verdict {
    BOTH_ACCEPT,
    INTEGER_TOO_BIG, /* jansson has no integers beyond 64 bits */
    REAL_TOO_BIG,    /* nor numbers beyond double */
    NUL_IN_NAME,     /* its names end at a NUL */
    TOO_DEEP,        /* it goes down to 2,048, we to 512 */
    NUL_DROPPED,     /* it overlooks a NUL behind a number or a literal */
    BOTH_REFUSE,
    UNEXPLAINED,
    VERDICT_COUNT,
};

static const char *const verdict_names[] = {
    [BOTH_ACCEPT] = "accepted by both",
    [INTEGER_TOO_BIG] = "integers beyond 64 bits",
    [REAL_TOO_BIG] = "numbers beyond double",
    [NUL_IN_NAME] = "NUL in a name",
    [TOO_DEEP] = "deeper than 512",
    [NUL_DROPPED] = "NUL behind a number or a literal",
    [BOTH_REFUSE] = "refused by both",
    [UNEXPLAINED] = "unexplained",
};

static bool is_decimal(struct jsv_value number)
{
    return jsv_node_flags(number.node) & JSV_NODE_DECIMAL;
}

/* ---- value by value ---- */

static bool same_number(struct jsv_value ours, const json_t *theirs)
{
    if (is_decimal(ours)) {
        double number = jsv_value_double(ours);
        double expected = json_real_value(theirs);
        return json_is_real(theirs) && memcmp(&number, &expected, sizeof(number)) == 0;
    }
    int64_t integer;
    return json_is_integer(theirs) && jsv_value_int64(ours, &integer) == 0 &&
           integer == json_integer_value(theirs);
}

static bool same_string(struct jsv_value ours, const json_t *theirs)
{
    struct jsv_str text = jsv_value_text(ours);
    return json_is_string(theirs) && text.size == json_string_length(theirs) &&
           memcmp(text.data, json_string_value(theirs), text.size) == 0;
}

static bool same_value(struct jsv_value ours, const json_t *theirs);

static bool same_contents(struct jsv_value ours, const json_t *theirs)
{
    bool object = jsv_value_type(ours) == JSV_TYPE_OBJECT;
    size_t count = object ? json_object_size(theirs) : json_array_size(theirs);
    if (jsv_value_count(ours) != count ||
        !(object ? json_is_object(theirs) : json_is_array(theirs))) {
        return false;
    }
    struct jsv_iter iter = jsv_value_iter(ours);
    for (size_t i = 0; jsv_iter_next(&iter); i++) {
        struct jsv_str name = jsv_value_text(iter.key);
        const json_t *other =
            object ? json_object_getn(theirs, name.data, name.size) : json_array_get(theirs, i);
        if (!other || !same_value(iter.value, other)) {
            return false;
        }
    }
    return true;
}

static bool same_value(struct jsv_value ours, const json_t *theirs)
{
    switch (jsv_value_type(ours)) {
    case JSV_TYPE_NULL:
        return json_is_null(theirs);
    case JSV_TYPE_BOOLEAN:
        return json_is_boolean(theirs) && jsv_value_bool(ours) == json_is_true(theirs);
    case JSV_TYPE_NUMBER:
        return same_number(ours, theirs);
    case JSV_TYPE_STRING:
        return same_string(ours, theirs);
    case JSV_TYPE_ARRAY:
    case JSV_TYPE_OBJECT:
        return same_contents(ours, theirs);
    case JSV_TYPE_NONE:
        break;
    }
    return false;
}

/* ---- known differences ---- */

/* Whether some value of a document is of a kind; names are values too. */
static bool some_value(
    const struct jsv_document *document, enum jsv_type type, bool (*is_kind)(struct jsv_value))
{
    const struct jsv_node *nodes = jsv_document_nodes(document);
    for (size_t i = 0; i < document->node_count; i++) {
        struct jsv_value value = {document, &nodes[i]};
        if (jsv_value_type(value) == type && is_kind(value)) {
            return true;
        }
    }
    return false;
}

static bool is_integer_too_big(struct jsv_value number)
{
    int64_t integer;
    return !is_decimal(number) && jsv_value_int64(number, &integer) == -ERANGE;
}

static bool is_real_too_big(struct jsv_value number)
{
    return is_decimal(number) && __builtin_isinf(jsv_value_double(number));
}

static bool has_nul(struct jsv_value string)
{
    struct jsv_str text = jsv_value_text(string);
    return text.size > 0 && memchr(text.data, '\0', text.size);
}

/* We accept, jansson does not: it must say why, and the document must hold the reason. */
static enum verdict why_they_refuse(const struct jsv_document *document, const json_error_t *error)
{
    if (json_error_code(error) == json_error_numeric_overflow) {
        if (some_value(document, JSV_TYPE_NUMBER, is_integer_too_big)) {
            return INTEGER_TOO_BIG;
        }
        if (some_value(document, JSV_TYPE_NUMBER, is_real_too_big)) {
            return REAL_TOO_BIG;
        }
    }
    if (json_error_code(error) == json_error_null_byte_in_key &&
        some_value(document, JSV_TYPE_STRING, has_nul)) {
        return NUL_IN_NAME;
    }
    return UNEXPLAINED;
}

static enum verdict compare(struct reading *reading, struct jsv_str text);

/* Jansson accepts, we do not. A NUL it overlooked must be all that is wrong with the text. */
static enum verdict why_we_refuse(struct reading *reading, struct jsv_str text)
{
    size_t at = reading->error.offset;
    if (reading->error.code == JSV_ERROR_TOO_DEEP) {
        return TOO_DEEP;
    }
    if (at == 0 || at == text.size || text.data[at] != '\0') {
        return UNEXPLAINED;
    }
    char *without = malloc(text.size);
    assert_non_null(without);
    memcpy(without, text.data, at);
    memcpy(without + at, text.data + at + 1, text.size - at - 1);
    enum verdict verdict = compare(reading, (struct jsv_str){without, text.size - 1});
    free(without);
    return verdict == BOTH_ACCEPT || verdict == NUL_DROPPED ? NUL_DROPPED : UNEXPLAINED;
}

static enum verdict compare(struct reading *reading, struct jsv_str text)
{
    json_error_t error;
    json_t *theirs = json_loadb(
        text.data, text.size, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    bool ours = reading_read(reading, text, 0) == 0;
    enum verdict verdict = BOTH_REFUSE;
    if (ours && theirs) {
        struct jsv_value root = jsv_document_root(reading->document);
        verdict = same_value(root, theirs) ? BOTH_ACCEPT : UNEXPLAINED;
    } else if (ours) {
        verdict = why_they_refuse(reading->document, &error);
    } else if (theirs) {
        verdict = why_we_refuse(reading, text);
    }
    json_decref(theirs);
    return verdict;
}

/* ---- many texts ---- */

/* Show a text that cannot be explained so that it can be pasted into a test. */
static void show(const struct reading *reading, uint64_t seed, struct jsv_str text)
{
    bool accepted = jsv_value_type(jsv_document_root(reading->document)) != JSV_TYPE_NONE;
    print_error(
        "seed %llu, ours: %s\n\"",
        (unsigned long long)seed,
        accepted ? "accepted" : jsv_error_name(reading->error.code));
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        bool plain = byte >= ' ' && byte < 0x7F && byte != '"' && byte != '\\';
        print_error(plain ? "%c" : "\\%03o", byte);
    }
    print_error("\"\n");
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);
    return value && *value ? strtoull(value, NULL, 10) : otherwise;
}

static void agrees_with_jansson(void **state)
{
    struct reading *reading = *state;
    uint64_t count = from_environment("MCPGATE_DOCUMENTS", DOCUMENTS_DEFAULT);
    uint64_t random = from_environment("MCPGATE_SEED", 1);
    size_t counts[VERDICT_COUNT] = {0};
    size_t bytes = 0;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, 1 << 20);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t seed = random;
        jsv_buf_reset(&text);
        json_random_text(&text, &random);
        if (i % 2 == 1) {
            json_random_mutate(&text, &random);
        }
        bytes += text.size;
        enum verdict verdict = compare(reading, jsv_buf_str(&text));
        counts[verdict]++;
        if (verdict == UNEXPLAINED) {
            show(reading, seed, jsv_buf_str(&text));
        }
    }
    print_message("%llu documents, %zu bytes\n", (unsigned long long)count, bytes);
    for (size_t i = 0; i < VERDICT_COUNT; i++) {
        print_message("%8zu %s\n", counts[i], verdict_names[i]);
    }
    assert_int_equal(counts[UNEXPLAINED], 0);
    /* both kinds are there in numbers, or nothing was tested */
    assert_true(counts[BOTH_ACCEPT] > count / 4);
    assert_true(counts[BOTH_REFUSE] > count / 4);
    jsv_buf_done(&text);
}

/* Texts that only a rule explains, so that the rules are known to be needed, and that they work. */
static void rules_explain(void **state)
{
    static const struct {
        const char *text;
        enum verdict verdict;
    } cases[] = {
        {"[9223372036854775807,-9223372036854775808]", BOTH_ACCEPT},
        {"[9223372036854775808]", INTEGER_TOO_BIG},
        {"[1e308,1e-400]", BOTH_ACCEPT},
        {"[-1e309]", REAL_TOO_BIG},
        {"{\"a\\u0000\":1}", NUL_IN_NAME},
        {"[\"a\\u0000\"]", BOTH_ACCEPT},
        {"{\"a\":1,\"\\u0061\":2}", BOTH_REFUSE},
        {"[1,]", BOTH_REFUSE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(compare(*state, jsv_str_from(cases[i].text)), cases[i].verdict);
    }
    assert_int_equal(compare(*state, JSV_STR("[1\0,true\0]")), NUL_DROPPED);
    assert_int_equal(compare(*state, JSV_STR("[1\0\0]")), BOTH_REFUSE);
    assert_int_equal(compare(*state, JSV_STR("[\"a\"\0]")), BOTH_REFUSE);
    char deep[2 * 513];
    memset(deep, '[', 513);
    memset(deep + 513, ']', 513);
    assert_int_equal(compare(*state, (struct jsv_str){deep, sizeof(deep)}), TOO_DEEP);
    assert_int_equal(compare(*state, (struct jsv_str){deep + 1, sizeof(deep) - 2}), BOTH_ACCEPT);
}

int main(void)
{
#if defined(__has_feature)
#    if __has_feature(memory_sanitizer)
    puts("skipped: jansson is not built for MemorySanitizer");
    return 77;
#    endif
#endif
    const struct CMUnitTest tests[] = {
        READING_TEST(rules_explain),
        READING_TEST(agrees_with_jansson),
    };
    return cmocka_run_group_tests_name("json/differential", tests, NULL, NULL);
}
