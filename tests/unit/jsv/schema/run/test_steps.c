/*
 * What a step takes, for each kind of work.
 *
 * A budget of steps bounds the time of a check only if no kind of work is too
 * cheap. Each kind here is done again and again on a message of the largest
 * size, with the steps that a server grants, in all ways there are: the
 * verdict, the list of problems, and both together. The time per step must
 * stay below a limit, and with it the time of a message. CPU time is measured,
 * with room for a machine that is slower or busy.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/schema/report/explain.h"
#include "jsv/schema/run/validator.h"
#include "support/json_fixture.h"
#include "support/schema_fixture.h"
#include "support/slowness.h"

/* A step is meant to take 25 ns at most. */
#define STEP_NS     25.0
#define ROOM        (SLOWNESS > 1 ? 80.0 : 2.0) /* slow builds only show that steps are taken at all */
#define STEPS_MAX   (4000000 / SLOWNESS)
#define TEXT_SIZE   ((1 << 20) / SLOWNESS)
#define VARIANTS    2000
#define DIGITS_MAX  16000
#define NAME_SIZE   60000
#define LONG_STRING 70000
/* So little time tells nothing about a step. */
#define SECONDS_MIN 0.0005

struct work {
    struct jsv_buf schema;
    struct jsv_buf text;
};

#define SCHEMA(...) json_fixture_print(&work->schema, __VA_ARGS__)
#define TEXT(...)   json_fixture_print(&work->text, __VA_ARGS__)

/* A piece of text so often. */
static void repeat(struct jsv_buf *out, const char *piece, size_t times)
{
    for (size_t i = 0; i < times; i++) {
        jsv_buf_append_str(out, jsv_str_from(piece));
    }
}

/* An array of the same item, as long as a message. */
static void fill_array(struct work *work, const char *item)
{
    size_t size = strlen(item) + 1;
    TEXT("[%s", item);
    while (work->text.size + size < TEXT_SIZE) {
        TEXT(",%s", item);
    }
    TEXT("]");
}

/* An array of items that are the same piece so often, between a head and a tail. */
static void
fill_long(struct work *work, const char *head, const char *piece, size_t times, const char *tail)
{
    size_t size = strlen(head) + strlen(piece) * times + strlen(tail) + 1;
    for (size_t i = 0; i == 0 || work->text.size + size < TEXT_SIZE; i++) {
        TEXT("%s%s", i ? "," : "[", head);
        repeat(&work->text, piece, times);
        TEXT("%s", tail);
    }
    TEXT("]");
}

/* Look at every element by many schemas; in a format, %d stands for which it is. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void look(struct work *work, const char *format)
{
    SCHEMA("{'items':{'allOf':[true");
    for (int i = 0; i < VARIANTS; i++) {
        SCHEMA(",");
        SCHEMA(format, i);
    }
    SCHEMA("]}}");
}

/* The same at the whole document. */
static void look_at_all(struct work *work, const char *format)
{
    SCHEMA("{'allOf':[true");
    for (int i = 0; i < VARIANTS; i++) {
        SCHEMA(",");
        SCHEMA(format, i);
    }
    SCHEMA("]}");
}

/* One list of many values. */
static void write_enum(struct work *work, const char *format, int count)
{
    SCHEMA("{'items':{'enum':[null");
    for (int i = 0; i < count; i++) {
        SCHEMA(",");
        SCHEMA(format, i);
    }
    SCHEMA("]}}");
}
#pragma GCC diagnostic pop

/* ---- numbers ---- */

static void long_numbers(struct work *work)
{
    fill_long(work, "0.", "3", DIGITS_MAX, "");
}

static void enum_of_numbers(struct work *work)
{
    write_enum(work, "%d.25", VARIANTS);
    fill_long(work, "0.", "3", 5000, "");
}

static void enum_of_long_numbers(struct work *work)
{
    SCHEMA("{'items':{'enum':[null");
    for (int i = 0; i < 60; i++) {
        SCHEMA(",0.");
        repeat(&work->schema, "3", DIGITS_MAX - 10);
        SCHEMA("%d", 100 + i);
    }
    SCHEMA("]}}");
    long_numbers(work);
}

static void enum_of_small_numbers(struct work *work)
{
    write_enum(work, "%d.5", VARIANTS);
    fill_array(work, "7.25");
}

static void enums_of_numbers(struct work *work)
{
    look(work, "{'not':{'enum':[%d,1,2.5]}}");
    fill_long(work, "", "3", DIGITS_MAX, "");
}

static void const_numbers(struct work *work)
{
    look(work, "{'not':{'const':%d}}");
    long_numbers(work);
}

static void bounds(struct work *work)
{
    look(work, "{'minimum':-%d.5,'maximum':10.5}");
    long_numbers(work);
}

static void long_bounds(struct work *work)
{
    SCHEMA("{'items':{'allOf':[true");
    for (int i = 0; i < 60; i++) {
        SCHEMA(",{'maximum':0.");
        repeat(&work->schema, "3", DIGITS_MAX - 10);
        SCHEMA("9%d}", i);
    }
    SCHEMA("]}}");
    long_numbers(work);
}

static void far_exponents(struct work *work)
{
    look(work, "{'minimum':-%d.5}");
    fill_long(work, "1e", "3", DIGITS_MAX, "");
}

static void integers(struct work *work)
{
    look(work, "{'anyOf':[{'type':'integer'},{'const':%d}]}");
    fill_long(work, "1.", "0", DIGITS_MAX, "");
}

static void small_decimals(struct work *work)
{
    look(work, "{'minimum':-%d.5}");
    fill_array(work, "0.5");
}

static void multiples(struct work *work)
{
    look(work, "{'not':{'multipleOf':%d.7}}");
    fill_long(work, "1", "3", DIGITS_MAX, "");
}

static void long_divisors(struct work *work)
{
    SCHEMA("{'items':{'allOf':[true");
    for (int i = 0; i < 60; i++) {
        SCHEMA(",{'not':{'multipleOf':7%d", i);
        repeat(&work->schema, "6", DIGITS_MAX / 2);
        SCHEMA("}}");
    }
    SCHEMA("]}}");
    fill_long(work, "1", "3", DIGITS_MAX, "");
}

static void small_multiples(struct work *work)
{
    look(work, "{'multipleOf':1%d}");
    fill_array(work, "0");
}

static void small_decimal_multiples(struct work *work)
{
    look(work, "{'not':{'multipleOf':1%d.3}}");
    fill_array(work, "0.1");
}

static void unique_long_numbers(struct work *work)
{
    look_at_all(work, "{'uniqueItems':true,'maxItems':1%d000000}");
    for (size_t i = 0; work->text.size + 5100 < TEXT_SIZE; i++) {
        TEXT("%s%zu.", i ? "," : "[", i);
        repeat(&work->text, "3", 5000);
    }
    TEXT("]");
}

static void unique_few_long_numbers(struct work *work)
{
    look_at_all(work, "{'uniqueItems':true,'maxItems':1%d000000}");
    for (int i = 0; i < (SLOWNESS > 1 ? 5 : 16); i++) {
        TEXT("%s0.", i ? "," : "[");
        repeat(&work->text, "3", DIGITS_MAX);
        TEXT("%d", 10 + i);
    }
    TEXT("]");
}

/* ---- strings ---- */

/* Strings that differ in the middle alone: an end, a piece, and the other end. */
static void near_string(struct jsv_buf *out, size_t size, const char *middle)
{
    jsv_buf_append_str(out, JSV_STR("'"));
    repeat(out, "a", size / 2);
    jsv_buf_append_str(out, jsv_str_from(middle));
    repeat(out, "a", size / 2);
    jsv_buf_append_str(out, JSV_STR("'"));
}

static void near_strings(struct work *work, size_t size)
{
    for (size_t i = 0; i == 0 || work->text.size + size < TEXT_SIZE; i++) {
        TEXT("%s", i ? "," : "[");
        near_string(&work->text, size, "x");
    }
    TEXT("]");
}

/* The same few strings are asked for again and again. */
static void look_for_strings(struct work *work, size_t size)
{
    SCHEMA("{'$defs':{'a':{'enum':[");
    near_string(&work->schema, size, "y");
    SCHEMA(",");
    near_string(&work->schema, size, "z");
    SCHEMA("]}},'items':{'allOf':[true");
    for (int i = 0; i < VARIANTS; i++) {
        SCHEMA(",{'not':{'allOf':[{'minLength':%d},{'$ref':'#/$defs/a'}]}}", i % 100);
    }
    SCHEMA("]}}");
}

static void enum_of_near_strings(struct work *work)
{
    look_for_strings(work, NAME_SIZE);
    near_strings(work, NAME_SIZE);
}

static void enum_of_long_strings(struct work *work)
{
    look_for_strings(work, LONG_STRING);
    near_strings(work, LONG_STRING);
}

static void enum_of_short_strings(struct work *work)
{
    look(work, "{'not':{'enum':['%d','b','c']}}");
    fill_array(work, "'abc'");
}

static void lengths(struct work *work)
{
    look(work, "{'maxLength':2%04d}");
    fill_long(work, "'", "x\xC3\xA9x\xE2\x82\xAC", 5000, "'");
}

static void short_lengths(struct work *work)
{
    look(work, "{'minLength':1,'maxLength':9%d}");
    fill_array(work, "'abc'");
}

static void pattern_rows(struct work *work)
{
    look(work, "{'not':{'pattern':'^[a-z]*%d$'}}");
    fill_long(work, "'", "abcdefgh", 8000, "'");
}

static void pattern_tables(struct work *work)
{
    look(work, "{'not':{'pattern':'(ab|ba|cd)+[0-9]*%dx'}}");
    fill_long(work, "'", "abba", 8000, "'");
}

static void pattern_tables_beyond_ascii(struct work *work)
{
    look(work, "{'not':{'pattern':'(\xC3\xA9|\xE2\x82\xAC\xC3\xA9|[\xC3\xA0-\xC3\xBC])+%dx'}}");
    fill_long(work, "'", "\xC3\xA9\xE2\x82\xAC", 8000, "'");
}

static void patterns_that_look_around(struct work *work)
{
    look(work, "{'not':{'pattern':'^(?!x)[a-z]*%d$'}}");
    fill_long(work, "'", "abcdefgh", 8000, "'");
}

static void patterns_that_backtrack(struct work *work)
{
    look(work, "{'not':{'pattern':'^(?!x)([a-z]{1,9}){1,9}%d$'}}");
    fill_long(work, "'", "abcdefgh", 20, "'");
}

static void patterns_that_are_simulated(struct work *work)
{
    SCHEMA("{'items':{'allOf':[true");
    for (int i = 0; i < 60; i++) {
        SCHEMA(",{'not':{'pattern':'^((a|b|[a-z]{1,9}){0,99}[a-z]{1,99}){0,9}%d$'}}", i);
    }
    SCHEMA("]}}");
    fill_long(work, "'", "abcdefgh", 100, "'");
}

static void short_patterns(struct work *work)
{
    look(work, "{'not':{'pattern':'(a|b)c+%d'}}");
    fill_array(work, "'abc'");
}

static void pattern_properties(struct work *work)
{
    SCHEMA("{'additionalProperties':true,'patternProperties':{");
    for (int i = 0; i < 300; i++) {
        SCHEMA("'(ab|ba|cd)+[0-9]*%dx':false,", i);
    }
    SCHEMA("'x$':false}}");
    for (size_t i = 0; i == 0 || work->text.size + 10100 < TEXT_SIZE; i++) {
        TEXT("%s'%zu", i ? "," : "{", i);
        repeat(&work->text, "ab", 5000);
        TEXT("':1");
    }
    TEXT("}");
}

/* ---- formats ---- */

static void formats(struct work *work, const char *name, const char *head, const char *piece)
{
    SCHEMA("{'items':{'allOf':[true");
    for (int i = 0; i < VARIANTS; i++) {
        SCHEMA(",{'anyOf':[{'format':'%s'},{'minLength':%d}]}", name, i % 50);
    }
    SCHEMA("]}}");
    fill_long(work, head, piece, 2000, "'");
}

#define FORMAT(function, name, head, piece)                                                        \
    static void function(struct work *work)                                                        \
    {                                                                                              \
        formats(work, name, head, piece);                                                          \
    }
FORMAT(format_date_time, "date-time", "'2020-02-29T12:00:00.", "1")
FORMAT(format_duration, "duration", "'P", "1")
FORMAT(format_email, "email", "'a@", "b")
FORMAT(format_email_local, "email", "'", "a.")
FORMAT(format_idn_email, "idn-email", "'", "\xC3\xA9.")
FORMAT(format_hostname, "hostname", "'", "a.")
FORMAT(format_idn_hostname, "idn-hostname", "'", "\xC3\xBC.")
FORMAT(format_ipv6, "ipv6", "'", "1:")
FORMAT(format_uri, "uri", "'http://a/", "b%41")
FORMAT(format_uri_host, "uri", "'http://", "a1")
FORMAT(format_iri, "iri", "'http://a/", "\xC3\xA9")
FORMAT(format_uri_template, "uri-template", "'", "{a}")
FORMAT(format_json_pointer, "json-pointer", "'", "/a~0")
FORMAT(format_relative_json_pointer, "relative-json-pointer", "'1", "/a~0")
FORMAT(format_uuid, "uuid", "'", "0")
FORMAT(format_regex, "regex", "'", "(a)*")
FORMAT(format_regex_classes, "regex", "'", "[a-z]")
FORMAT(format_regex_names, "regex", "'", "\\\\p{L}")

static void short_formats(struct work *work)
{
    SCHEMA("{'items':{'allOf':[true");
    for (int i = 0; i < VARIANTS; i++) {
        SCHEMA(",{'anyOf':[{'format':'date'},{'minLength':%d}]}", i % 50);
    }
    SCHEMA("]}}");
    fill_array(work, "'2020-02-29'");
}

/* ---- names ---- */

static void long_names(struct work *work)
{
    SCHEMA("{'$defs':{'a':{'properties':{");
    near_string(&work->schema, NAME_SIZE, "x");
    SCHEMA(":{'type':'integer'}}}},'allOf':[true");
    for (int i = 0; i < VARIANTS; i++) {
        SCHEMA(
            ",{'if':{'maxProperties':%d},'then':{'$ref':'#/$defs/a'},'else':{'$ref':'#/$defs/"
            "a'}}",
            i);
    }
    SCHEMA("]}");
    TEXT("{");
    near_string(&work->text, NAME_SIZE, "x");
    TEXT(":1}");
}

static void long_dependencies(struct work *work)
{
    SCHEMA("{'$defs':{'a':{'dependentRequired':{");
    near_string(&work->schema, LONG_STRING, "y");
    SCHEMA(":['a']}}},'allOf':[true");
    for (int i = 0; i < VARIANTS; i++) {
        SCHEMA(
            ",{'if':{'maxProperties':%d},'then':{'$ref':'#/$defs/a'},'else':{'$ref':'#/$defs/"
            "a'}}",
            i);
    }
    SCHEMA("]}");
    TEXT("{");
    near_string(&work->text, LONG_STRING, "x");
    TEXT(":1}");
}

static void many_names(struct work *work)
{
    look_at_all(work, "{'properties':{'a%d':false,'b':{'maximum':1}}}");
    TEXT("{'b':1");
    for (size_t i = 0; work->text.size + 16 < TEXT_SIZE; i++) {
        TEXT(",'%zu':1", i);
    }
    TEXT("}");
}

static void names_of_names(struct work *work)
{
    look_at_all(work, "{'propertyNames':{'maxLength':1%d}}");
    TEXT("{'b':1");
    for (size_t i = 0; work->text.size + 16 < TEXT_SIZE; i++) {
        TEXT(",'%zu':1", i);
    }
    TEXT("}");
}

static void tags(struct work *work)
{
    SCHEMA("{'$defs':{'a':{'oneOf':[{'properties':{'k':{'const':");
    near_string(&work->schema, NAME_SIZE, "x");
    SCHEMA("}},'required':['k']},{'properties':{'k':{'const':");
    near_string(&work->schema, NAME_SIZE, "y");
    SCHEMA("}},'required':['k']}]}},'allOf':[true");
    for (int i = 0; i < VARIANTS; i++) {
        SCHEMA(
            ",{'if':{'maxProperties':%d},'then':{'$ref':'#/$defs/a'},'else':{'$ref':'#/$defs/"
            "a'}}",
            i);
    }
    SCHEMA("]}");
    TEXT("{'k':");
    near_string(&work->text, NAME_SIZE, "y");
    TEXT("}");
}

/* ---- what is inside ---- */

/* Members in one order or the other. */
static void write_members(struct jsv_buf *out, int count, bool backwards, int first)
{
    for (int i = 0; i < count; i++) {
        int member = backwards ? count - 1 - i : i;
        json_fixture_print(
            out, "%c'name%d':%d", i ? ',' : '{', member, member == 0 ? first : member);
    }
    json_fixture_print(out, "}");
}

static void enum_of_objects(struct work *work)
{
    SCHEMA("{'items':{'enum':[null");
    for (int i = 0; i < 100; i++) {
        SCHEMA(",");
        write_members(&work->schema, 1000, false, -i - 1);
    }
    SCHEMA("]}}");
    for (int i = 0; i == 0 || work->text.size + 20000 < TEXT_SIZE; i++) {
        TEXT("%s", i ? "," : "[");
        write_members(&work->text, 1000, true, 1);
    }
    TEXT("]");
}

static void unique_objects(struct work *work)
{
    look_at_all(work, "{'uniqueItems':true,'maxItems':1%d00}");
    for (int i = 0; i < 16; i++) {
        TEXT("%s", i ? "," : "[");
        write_members(&work->text, 3000 / SLOWNESS, i % 2, i);
    }
    TEXT("]");
}

static void unique_values(struct work *work)
{
    look_at_all(work, "{'uniqueItems':true,'maxItems':1%d00000}");
    TEXT("[0");
    for (size_t i = 1; work->text.size + 16 < TEXT_SIZE; i++) {
        TEXT(",%zu", i);
    }
    TEXT("]");
}

static void unique_few_values(struct work *work)
{
    look(work, "{'uniqueItems':true,'maxItems':1%d00000}");
    fill_array(work, "[1,2.5,3,4.5,5,6,7,8.5,9,10,11,12,13,14,15,'a']");
}

static void simple_checks(struct work *work)
{
    look_at_all(work, "{'items':{'not':{'maximum':-1%d}}}");
    fill_array(work, "0");
}

static void alternatives(struct work *work)
{
    SCHEMA("{'items':{'oneOf':[true");
    for (int i = 0; i < 60; i++) {
        SCHEMA(",{'allOf':[true");
        for (int j = 0; j < 14; j++) {
            SCHEMA(",{'multipleOf':%d}", i * 14 + j + 1);
        }
        SCHEMA(",{'minimum':1}]}");
    }
    SCHEMA("]}}");
    fill_array(work, "0");
}

static void alternatives_of_strings(struct work *work)
{
    SCHEMA("{'items':{'oneOf':[true");
    for (int i = 0; i < 60; i++) {
        SCHEMA(",{'allOf':[true");
        for (int j = 0; j < 14; j++) {
            SCHEMA(",{'enum':['abcdefghijk','b%d','c']}", i * 14 + j + 1);
        }
        SCHEMA(",{'minLength':100}]}");
    }
    SCHEMA("]}}");
    fill_array(work, "'abcdefghijk'");
}

static void typed_items(struct work *work)
{
    look_at_all(work, "{'items':{'type':['number','string']},'maxItems':1%d000000}");
    fill_array(work, "0");
}

static void rows(struct work *work)
{
    look_at_all(work, "{'items':{'type':'array','items':{'type':'number'}},'maxItems':1%d000000}");
    fill_array(work, "[0,1]");
}

static void objects(struct work *work)
{
    look_at_all(
        work,
        "{'items':{'type':'object','properties':{'a':{'type':'number'}}},'maxItems':1%d000000}");
    fill_array(work, "{'a':0}");
}

static void contains(struct work *work)
{
    look_at_all(work, "{'not':{'contains':{'const':'%d'}}}");
    fill_array(work, "'a'");
}

static void tuples(struct work *work)
{
    look(work, "{'prefixItems':[{'maximum':1%d},{'maximum':5}]}");
    fill_array(work, "[0,0]");
}

static void evaluated_members(struct work *work)
{
    look(work, "{'properties':{'a':{'maximum':1%d}},'unevaluatedProperties':false}");
    fill_array(work, "{'a':0}");
}

static void members_of_alternatives(struct work *work)
{
    look(work, "{'anyOf':[{'properties':{'a':{'maximum':1%d}}}],'unevaluatedProperties':false}");
    fill_array(work, "{'a':0}");
}

static void problems(struct work *work)
{
    look(work, "{'maximum':-1%d}");
    fill_array(work, "0");
}

static void problems_of_alternatives(struct work *work)
{
    look(work, "{'anyOf':[{'maximum':-1%d},{'type':'string'},{'required':['a']}]}");
    fill_array(work, "0");
}

static void missing_members(struct work *work)
{
    look(work, "{'required':['a%d']}");
    fill_array(work, "{}");
}

/* Alternatives that lack the same members, each of them declared among many. */
static void missing_tags(struct work *work)
{
    SCHEMA("{'$defs':{'many':{'required':[");
    for (int i = 0; i < 8; i++) {
        SCHEMA("%s'member_%06d'", i ? "," : "", i);
    }
    SCHEMA("],'properties':{");
    for (int i = 10000; i >= 0; i--) {
        SCHEMA("'member_%06d':{'const':%d}%s", i, i, i ? "," : "}}},'items':{'anyOf':[");
    }
    for (int i = 0; i < VARIANTS; i++) {
        SCHEMA("%s{'$ref':'#/$defs/many'}", i ? "," : "");
    }
    SCHEMA("]}}");
    fill_array(work, "{}");
}

/* ---- all of them ---- */

struct kind {
    const char *name;
    void (*write)(struct work *work);
};

#define KIND(function)                                                                             \
    {                                                                                              \
#        function, function                                                                        \
    }

static const struct kind kinds[] = {
    KIND(enum_of_numbers),
    KIND(enum_of_long_numbers),
    KIND(enum_of_small_numbers),
    KIND(enums_of_numbers),
    KIND(const_numbers),
    KIND(bounds),
    KIND(long_bounds),
    KIND(far_exponents),
    KIND(integers),
    KIND(small_decimals),
    KIND(multiples),
    KIND(long_divisors),
    KIND(small_multiples),
    KIND(small_decimal_multiples),
    KIND(unique_long_numbers),
    KIND(unique_few_long_numbers),
    KIND(enum_of_near_strings),
    KIND(enum_of_long_strings),
    KIND(enum_of_short_strings),
    KIND(lengths),
    KIND(short_lengths),
    KIND(pattern_rows),
    KIND(pattern_tables),
    KIND(pattern_tables_beyond_ascii),
    KIND(patterns_that_look_around),
    KIND(patterns_that_backtrack),
    KIND(patterns_that_are_simulated),
    KIND(short_patterns),
    KIND(pattern_properties),
    KIND(format_date_time),
    KIND(format_duration),
    KIND(format_email),
    KIND(format_email_local),
    KIND(format_idn_email),
    KIND(format_hostname),
    KIND(format_idn_hostname),
    KIND(format_ipv6),
    KIND(format_uri),
    KIND(format_uri_host),
    KIND(format_iri),
    KIND(format_uri_template),
    KIND(format_json_pointer),
    KIND(format_relative_json_pointer),
    KIND(format_uuid),
    KIND(format_regex),
    KIND(format_regex_classes),
    KIND(format_regex_names),
    KIND(short_formats),
    KIND(long_names),
    KIND(long_dependencies),
    KIND(many_names),
    KIND(names_of_names),
    KIND(tags),
    KIND(enum_of_objects),
    KIND(unique_objects),
    KIND(unique_values),
    KIND(unique_few_values),
    KIND(simple_checks),
    KIND(alternatives),
    KIND(alternatives_of_strings),
    KIND(typed_items),
    KIND(rows),
    KIND(objects),
    KIND(contains),
    KIND(tuples),
    KIND(evaluated_members),
    KIND(members_of_alternatives),
    KIND(problems),
    KIND(problems_of_alternatives),
    KIND(missing_members),
    KIND(missing_tags),
};

static void swap_quotes(struct jsv_buf *text)
{
    for (size_t i = 0; i < text->size; i++) {
        text->data[i] = text->data[i] == '\'' ? '"' : text->data[i];
    }
}

enum way {
    VERDICT,
    PROBLEMS,
    BOTH,
    WAYS,
};

static int check(
    enum way way,
    const struct jsv_schema *schema,
    struct jsv_value value,
    struct jsv_validator *validator)
{
    struct jsv_problems problems_found;
    return way == VERDICT    ? jsv_validate(validator, schema, value)
           : way == PROBLEMS ? jsv_explain_report(schema, value, validator, false, &problems_found)
                             : jsv_validate_report(validator, schema, value, &problems_found);
}

/* Do the work and see what it took; the quickest of some attempts counts. */
static void measure(
    const struct kind *kind,
    enum way way,
    const struct jsv_schema *schema,
    struct jsv_value value,
    struct jsv_validator *validator)
{
    static const char *const names[WAYS] = {"verdict", "problems", "both"};
    double quickest = 0;
    int64_t steps = 0;
    int r = 0;
    bool good = false;
    for (int attempt = 0; attempt < 8 && !good; attempt++) {
        jsv_validator_set_budget(validator, STEPS_MAX);
        double start = cpu_seconds();
        r = check(way, schema, value, validator);
        double seconds = cpu_seconds() - start;
        jsv_validator_settle(validator, 0);
        steps = STEPS_MAX - validator->shared;
        quickest = attempt == 0 || seconds < quickest ? seconds : quickest;
        good = quickest < SECONDS_MIN * SLOWNESS || quickest * 1e9 < STEP_NS * ROOM * (double)steps;
    }
    double ns = quickest * 1e9 / (double)steps;
    print_message(
        "%-30s %-8s %3d %8.2f ms %8lld steps %7.1f ns\n",
        kind->name,
        names[way],
        r,
        quickest * 1e3,
        (long long)steps,
        ns);
    if (!good) {
        fail_msg("%s: %s takes %.1f ns a step", kind->name, names[way], ns);
    }
}

static void measure_kind(struct schema_fixture *fixture, const struct kind *kind)
{
    struct work made;
    struct work *work = &made;
    jsv_buf_init(&work->schema, NULL, SIZE_MAX);
    jsv_buf_init(&work->text, NULL, SIZE_MAX);
    kind->write(work);
    swap_quotes(&work->schema);
    swap_quotes(&work->text);
    fixture->options.assert_format = true;
    if (schema_fixture_compile_str(fixture, jsv_buf_str(&work->schema)) != 0) {
        fail_msg("%s: not compiled", kind->name);
    }
    struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&work->text));
    struct jsv_validator_limits limits = {.steps_max = STEPS_MAX};
    struct jsv_validator *validator = jsv_validator_new(NULL, &limits);
    assert_non_null(validator);
    for (int way = VERDICT; way < WAYS; way++) {
        measure(kind, (enum way)way, fixture->schema, value, validator);
    }
    jsv_validator_free(validator);
    jsv_buf_done(&work->schema);
    jsv_buf_done(&work->text);
}

static void every_kind_of_step(void **state)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        measure_kind(*state, &kinds[i]);
    }
}

/* Objects with other numbers of members differ at a look, however many there are. */
static void objects_of_other_sizes(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_buf schema;
    struct jsv_buf text;
    jsv_buf_init(&schema, NULL, SIZE_MAX);
    jsv_buf_init(&text, NULL, SIZE_MAX);
    json_fixture_print(&schema, "{'enum':[[]");
    for (int i = 0; i < 60; i++) {
        json_fixture_print(&schema, ",{'a':%d}", i);
    }
    json_fixture_print(&schema, "]}");
    write_members(&text, 40000, false, 0);
    swap_quotes(&schema);
    swap_quotes(&text);
    assert_int_equal(schema_fixture_compile_str(fixture, jsv_buf_str(&schema)), 0);
    struct jsv_value value = schema_fixture_read_str(fixture, jsv_buf_str(&text));
    assert_int_equal(schema_fixture_verdict(fixture, value), 0);
    jsv_buf_done(&schema);
    jsv_buf_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(every_kind_of_step),
        SCHEMA_TEST(objects_of_other_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
