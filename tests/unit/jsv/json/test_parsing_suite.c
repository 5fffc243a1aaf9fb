/*
 * The JSON parsing test suite (https://github.com/nst/JSONTestSuite): files
 * that every reader must accept (y_), must refuse (n_), or may do with as it
 * likes (i_). For the latter docs/json.md has rules, and here each file has
 * its rule. Skipped without the suite: MCPGATE_SHARED names the
 * directory that holds data/json-parsing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/count_of.h"
#include "support/files.h"
#include "support/reading.h"

struct file {
    char name[256];
    struct jsv_str text;
};

static char directory[4000];
static struct file files[512];
static size_t file_count;

/* ---- the files ---- */

static void load_file(const char *path, void *data)
{
    (void)data;
    assert_true(file_count < COUNT_OF(files));
    struct file *file = &files[file_count++];
    snprintf(file->name, sizeof(file->name), "%s", strrchr(path, '/') + 1);
    file->text = files_read(path);
}

static int load_files(void **state)
{
    (void)state;
    return files_each(directory, ".json", load_file, NULL) > 0 ? 0 : -1;
}

static int free_files(void **state)
{
    (void)state;
    while (file_count > 0) {
        free((char *)(uintptr_t)files[--file_count].text.data);
    }
    return 0;
}

/* ---- y_ and n_ ---- */

/* How many of the files with these first letters are answered as they ask for. */
static size_t count_right(struct reading *reading, unsigned flags, size_t *ret_all)
{
    size_t right = 0;
    *ret_all = 0;
    for (size_t i = 0; i < file_count; i++) {
        char letter = files[i].name[0];
        if (letter != 'y' && letter != 'n') {
            continue;
        }
        bool accepted = reading_read(reading, files[i].text, flags) == 0;
        ++*ret_all;
        if (accepted == (letter == 'y')) {
            right++;
        } else if (flags || reading->error.code != JSV_ERROR_DUPLICATE_MEMBER) {
            print_error(
                "%s: %s\n", files[i].name, accepted ? "accepted" : reading->error.message.data);
        }
    }
    return right;
}

static void all_right_when_the_last_wins(void **state)
{
    (void)state;
    struct reading reading;
    reading_init(&reading, NULL);
    for (const struct reading_kernel *kernel = reading_kernels(); kernel->name; kernel++) {
        size_t all;
        reading_use(&reading, kernel);
        size_t right = count_right(&reading, JSV_READ_LAST_WINS, &all);
        print_message("%s: %zu of %zu\n", kernel->name, right, all);
        assert_int_equal(all, 283);
        assert_int_equal(right, all);
    }
    reading_done(&reading);
}

static void all_right_but_for_duplicates(void **state)
{
    (void)state;
    static const char *const duplicates[] = {
        "y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"};
    struct reading reading;
    size_t all;
    reading_init(&reading, NULL);
    assert_int_equal(count_right(&reading, 0, &all), 281);
    assert_int_equal(all, 283);
    size_t found = 0;
    for (size_t i = 0; i < file_count; i++) {
        for (size_t j = 0; j < COUNT_OF(duplicates); j++) {
            if (strcmp(files[i].name, duplicates[j]) == 0) {
                assert_int_equal(reading_read(&reading, files[i].text, 0), -EBADMSG);
                reading_expect(&reading, JSV_ERROR_DUPLICATE_MEMBER, reading.error.offset, "/a");
                found++;
            }
        }
    }
    assert_int_equal(found, COUNT_OF(duplicates));
    reading_done(&reading);
}

/* ---- i_: the rules of docs/json.md ---- */

enum rule {
    NUMBER_VALUE,
    SURROGATE_ESCAPE,
    UTF8_SEQUENCE,
    OTHER_ENCODING,
    BYTE_ORDER_MARK,
    NESTING,
    RULE_COUNT,
};

static const struct {
    const char *name;
    const char *answer;
    bool accepted;
    enum jsv_error_code code; /* NONE: refused, for whatever comes first */
} rules[] = {
    [NUMBER_VALUE] = {"number-value", "accepted", true, JSV_ERROR_NONE},
    [SURROGATE_ESCAPE] =
        {"surrogate-escape", "refused: `LONE_SURROGATE`", false, JSV_ERROR_LONE_SURROGATE},
    [UTF8_SEQUENCE] = {"utf8-sequence", "refused: `INVALID_UTF8`", false, JSV_ERROR_INVALID_UTF8},
    [OTHER_ENCODING] = {"other-encoding", "refused", false, JSV_ERROR_NONE},
    [BYTE_ORDER_MARK] =
        {"byte-order-mark", "refused: `BYTE_ORDER_MARK`", false, JSV_ERROR_BYTE_ORDER_MARK},
    [NESTING] = {"nesting", "accepted", true, JSV_ERROR_NONE},
};

static const struct {
    const char *file;
    enum rule rule;
} free_cases[] = {
    {"i_number_double_huge_neg_exp.json", NUMBER_VALUE},
    {"i_number_huge_exp.json", NUMBER_VALUE},
    {"i_number_neg_int_huge_exp.json", NUMBER_VALUE},
    {"i_number_pos_double_huge_exp.json", NUMBER_VALUE},
    {"i_number_real_neg_overflow.json", NUMBER_VALUE},
    {"i_number_real_pos_overflow.json", NUMBER_VALUE},
    {"i_number_real_underflow.json", NUMBER_VALUE},
    {"i_number_too_big_neg_int.json", NUMBER_VALUE},
    {"i_number_too_big_pos_int.json", NUMBER_VALUE},
    {"i_number_very_big_negative_int.json", NUMBER_VALUE},
    {"i_object_key_lone_2nd_surrogate.json", SURROGATE_ESCAPE},
    {"i_string_1st_surrogate_but_2nd_missing.json", SURROGATE_ESCAPE},
    {"i_string_1st_valid_surrogate_2nd_invalid.json", SURROGATE_ESCAPE},
    {"i_string_UTF-16LE_with_BOM.json", OTHER_ENCODING},
    {"i_string_UTF-8_invalid_sequence.json", UTF8_SEQUENCE},
    {"i_string_UTF8_surrogate_U+D800.json", UTF8_SEQUENCE},
    {"i_string_incomplete_surrogate_and_escape_valid.json", SURROGATE_ESCAPE},
    {"i_string_incomplete_surrogate_pair.json", SURROGATE_ESCAPE},
    {"i_string_incomplete_surrogates_escape_valid.json", SURROGATE_ESCAPE},
    {"i_string_invalid_lonely_surrogate.json", SURROGATE_ESCAPE},
    {"i_string_invalid_surrogate.json", SURROGATE_ESCAPE},
    {"i_string_invalid_utf-8.json", UTF8_SEQUENCE},
    {"i_string_inverted_surrogates_U+1D11E.json", SURROGATE_ESCAPE},
    {"i_string_iso_latin_1.json", UTF8_SEQUENCE},
    {"i_string_lone_second_surrogate.json", SURROGATE_ESCAPE},
    {"i_string_lone_utf8_continuation_byte.json", UTF8_SEQUENCE},
    {"i_string_not_in_unicode_range.json", UTF8_SEQUENCE},
    {"i_string_overlong_sequence_2_bytes.json", UTF8_SEQUENCE},
    {"i_string_overlong_sequence_6_bytes.json", UTF8_SEQUENCE},
    {"i_string_overlong_sequence_6_bytes_null.json", UTF8_SEQUENCE},
    {"i_string_truncated-utf-8.json", UTF8_SEQUENCE},
    {"i_string_utf16BE_no_BOM.json", OTHER_ENCODING},
    {"i_string_utf16LE_no_BOM.json", OTHER_ENCODING},
    {"i_structure_500_nested_arrays.json", NESTING},
    {"i_structure_UTF-8_BOM_empty_object.json", BYTE_ORDER_MARK},
};

static enum rule rule_of(const char *file)
{
    for (size_t i = 0; i < COUNT_OF(free_cases); i++) {
        if (strcmp(free_cases[i].file, file) == 0) {
            return free_cases[i].rule;
        }
    }
    fail_msg("%s has no rule", file);
    return RULE_COUNT;
}

static void free_cases_follow_their_rules(void **state)
{
    (void)state;
    struct reading reading;
    size_t count = 0;
    reading_init(&reading, NULL);
    for (size_t i = 0; i < file_count; i++) {
        if (files[i].name[0] != 'i') {
            continue;
        }
        enum rule rule = rule_of(files[i].name);
        count++;
        for (const struct reading_kernel *kernel = reading_kernels(); kernel->name; kernel++) {
            reading_use(&reading, kernel);
            bool accepted = reading_read(&reading, files[i].text, 0) == 0;
            assert_int_equal(accepted, rules[rule].accepted);
            if (!accepted && rules[rule].code != JSV_ERROR_NONE) {
                assert_int_equal(reading.error.code, rules[rule].code);
            }
        }
    }
    assert_int_equal(count, 35);
    assert_int_equal(count, COUNT_OF(free_cases));
    reading_done(&reading);
}

static void docs_state_the_rules(void **state)
{
    (void)state;
    struct jsv_str docs = files_read("docs/json.md");
    for (size_t i = 0; i < RULE_COUNT; i++) {
        char row[256];
        int size = snprintf(row, sizeof(row), "\n| `%s` | %s |", rules[i].name, rules[i].answer);
        if (!memmem(docs.data, docs.size, row, (size_t)size)) {
            fail_msg("docs/json.md lacks the rule %s: %s", rules[i].name, rules[i].answer);
        }
    }
    free((char *)(uintptr_t)docs.data);
}

int main(void)
{
    const char *shared = getenv("MCPGATE_SHARED");
    snprintf(
        directory, sizeof(directory), "%s/data/json-parsing/test_parsing", shared ? shared : "");
    if (!shared || access(directory, R_OK) < 0) {
        printf("skipped: no parsing suite in MCPGATE_SHARED (%s)\n", shared ? shared : "not set");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_right_when_the_last_wins),
        cmocka_unit_test(all_right_but_for_duplicates),
        cmocka_unit_test(free_cases_follow_their_rules),
        cmocka_unit_test(docs_state_the_rules),
    };
    return cmocka_run_group_tests_name("json/parsing_suite", tests, load_files, free_files);
}
