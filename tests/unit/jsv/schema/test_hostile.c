/*
 * Schemas and documents that are meant to hurt: doubling at every level,
 * circles, masses of definitions, items, names and values.
 *
 * Each is compiled and validated within a second of processor time, both ways,
 * and compiling takes memory in proportion to the schema. The verdict is the
 * right one; where working it out would take too long, a limit is named
 * instead. Sanitizers and emulators have less to do and more time for it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "support/json_fixture.h"
#include "support/schema_fixture.h"
#include "support/slowness.h"
#include "support/torture.h"

/* A second, and room for a machine whose processors others use as well. */
#define SECONDS_MAX (3.0 * SLOWNESS)
#define ITEMS       (100000 / SLOWNESS)

/* The default for documents without values; each value would add some more. */
#define STEPS_MAX (8000000 / SLOWNESS)

/* What compiling may take, by the size of the schema's text. */
#define MEMORY_MAX(text_size) (64 * (text_size) + (256 << 10))

#define LEVELS 30

/* Both texts of an attack, to be filled in. */
struct attack {
    struct jsv_buf schema;
    struct jsv_buf instance;
};

#define SCHEMA(...)   json_fixture_print(&attack->schema, __VA_ARGS__)
#define INSTANCE(...) json_fixture_print(&attack->instance, __VA_ARGS__)

/* ---- doubling: 30 levels, each of which leads twice to the next ---- */

static void write_levels(struct attack *attack, const char *keyword, const char *leaf)
{
    SCHEMA("{'$ref':'#/$defs/0','$defs':{");
    for (int i = 0; i < LEVELS; i++) {
        SCHEMA(
            "'%d':{'%s':[{'$ref':'#/$defs/%d'},{'$ref':'#/$defs/%d'}]},", i, keyword, i + 1, i + 1);
    }
    SCHEMA("'%d':%s}}", LEVELS, leaf);
}

static void fan_out_all_of(struct attack *attack)
{
    write_levels(attack, "allOf", "{'minimum':5}");
    INSTANCE("7");
}

static void fan_out_all_of_wrong(struct attack *attack)
{
    write_levels(attack, "allOf", "{'minimum':5}");
    INSTANCE("4");
}

static void fan_out_any_of(struct attack *attack)
{
    write_levels(attack, "anyOf", "{'minimum':5}");
    INSTANCE("4");
}

static void fan_out_one_of(struct attack *attack)
{
    write_levels(attack, "oneOf", "{'required':['a']}");
    INSTANCE("{}");
}

static void fan_out_objects(struct attack *attack)
{
    write_levels(attack, "anyOf", "{'properties':{'a':{'const':1}},'required':['a']}");
    INSTANCE("{'a':2,'b':3}");
}

/* The marks of what was evaluated are of one way only, so nothing can be remembered. */
static void fan_out_unevaluated(struct attack *attack)
{
    write_levels(attack, "allOf", "{'properties':{'a':true}}");
    attack->schema.size--;
    SCHEMA(",'unevaluatedProperties':false}");
    INSTANCE("{'a':1,'b':1}");
}

/* Where a reference leads depends on the way to it, so nothing can be remembered. */
static void fan_out_dynamic(struct attack *attack)
{
    SCHEMA("{'$id':'http://h/','$ref':'levels','$defs':{'_':{'$dynamicAnchor':'leaf','minimum':5},"
           "'levels':{'$id':'levels','$ref':'#/$defs/0','$defs':{'_':{'$dynamicAnchor':'leaf'},");
    for (int i = 0; i < LEVELS; i++) {
        SCHEMA("'%d':{'anyOf':[{'$ref':'#/$defs/%d'},{'$ref':'#/$defs/%d'}]},", i, i + 1, i + 1);
    }
    SCHEMA("'%d':{'$dynamicRef':'#leaf'}}}}}", LEVELS);
    INSTANCE("4");
}

/* Two ways at every level of the document. */
static void fan_out_nested(struct attack *attack)
{
    SCHEMA("{'anyOf':[{'items':{'$ref':'#'},'maxItems':1},{'items':{'$ref':'#'},'minItems':1}],"
           "'type':'array'}");
    for (int i = 0; i < 500; i++) {
        INSTANCE("[");
    }
    INSTANCE("1");
    for (int i = 0; i < 500; i++) {
        INSTANCE("]");
    }
}

static void fan_out_conditions(struct attack *attack)
{
    SCHEMA("{'$ref':'#/$defs/0','$defs':{");
    for (int i = 0; i < LEVELS; i++) {
        SCHEMA(
            "'%d':{'if':{'$ref':'#/$defs/%d'},'then':{'$ref':'#/$defs/%d'},'else':{'not':{'$ref':"
            "'#/$defs/%d'}}},",
            i,
            i + 1,
            i + 1,
            i + 1);
    }
    SCHEMA("'%d':{'minimum':5}}}", LEVELS);
    INSTANCE("7");
}

/* ---- circles ---- */

static void circle_alone(struct attack *attack)
{
    SCHEMA("{'$ref':'#'}");
    INSTANCE("1");
}

static void circle_of_three(struct attack *attack)
{
    SCHEMA("{'$ref':'#/$defs/a','$defs':{'a':{'allOf':[{'$ref':'#/$defs/b'}]},'b':{'anyOf':["
           "{'$ref':'#/$defs/c'}]},'c':{'if':true,'then':{'$ref':'#/$defs/a'}}}}");
    INSTANCE("{}");
}

static void circle_that_doubles(struct attack *attack)
{
    SCHEMA("{'anyOf':[{'allOf':[{'$ref':'#'},{'$ref':'#'}]},{'oneOf':[{'$ref':'#'},{'$ref':'#'}]},"
           "{'not':{'$ref':'#'}}]}");
    INSTANCE("1");
}

static void circle_of_dependencies(struct attack *attack)
{
    SCHEMA("{'dependentSchemas':{'a':{'$ref':'#'},'b':{'$ref':'#'}},'propertyNames':{'$ref':'#'}}");
    INSTANCE("{'a':1,'b':2}");
}

static void circle_of_dynamic_references(struct attack *attack)
{
    SCHEMA("{'$dynamicAnchor':'a','$dynamicRef':'#a'}");
    INSTANCE("1");
}

static void circles_of_dynamic_references(struct attack *attack)
{
    SCHEMA("{'$id':'http://h/r','$dynamicAnchor':'a','allOf':[{'$ref':'x'},{'$ref':'y'}],'$defs':{"
           "'x':{'$id':'x','$dynamicAnchor':'a','anyOf':[{'$dynamicRef':'#a'},{'$ref':'y'}]},"
           "'y':{'$id':'y','$dynamicAnchor':'a','anyOf':[{'$dynamicRef':'#a'},{'$ref':'x'}]}}}");
    INSTANCE("[[]]");
}

static void circle_of_recursive_references(struct attack *attack)
{
    SCHEMA("{'$schema':'https://json-schema.org/draft/2019-09/schema','$recursiveAnchor':true,"
           "'anyOf':[{'$recursiveRef':'#'},{'$recursiveRef':'#'}]}");
    INSTANCE("1");
}

/* Every way in the document is followed, and there are many: a schema that is not to be blamed. */
static void circle_through_the_document(struct attack *attack)
{
    SCHEMA("{'$dynamicAnchor':'a','type':['object','array'],'items':{'$dynamicRef':'#a'},"
           "'additionalProperties':{'$dynamicRef':'#a'}}");
    for (int i = 0; i < 250; i++) {
        INSTANCE("{'a':[");
    }
    for (int i = 0; i < 250; i++) {
        INSTANCE("]}");
    }
}

/* ---- masses in the schema ---- */

static void definitions(struct attack *attack)
{
    SCHEMA("{'$defs':{");
    for (int i = 0; i < 50000; i++) {
        SCHEMA("'definition%d':{'type':'string','maxLength':%d},", i, i + 1);
    }
    SCHEMA("'_':true},'allOf':[true");
    for (int i = 0; i < 50000; i++) {
        SCHEMA(",{'$ref':'#/$defs/definition%d'}", i);
    }
    SCHEMA("]}");
    INSTANCE("'a'");
}

static void reference_chain(struct attack *attack)
{
    SCHEMA("{'$ref':'#/$defs/0','$defs':{");
    for (int i = 0; i < 10000; i++) {
        SCHEMA("'%d':{'$ref':'#/$defs/%d'},", i, i + 1);
    }
    SCHEMA("'10000':{'type':'null'}}}");
    INSTANCE("1");
}

/* As long, but with something to do at every link. */
static void working_chain(struct attack *attack)
{
    SCHEMA("{'$ref':'#/$defs/0','$defs':{");
    for (int i = 0; i < 10000; i++) {
        SCHEMA("'%d':{'maximum':%d,'not':{'not':{'$ref':'#/$defs/%d'}}},", i, i, i + 1);
    }
    SCHEMA("'10000':{'type':'null'}}}");
    INSTANCE("-1");
}

/* Found by stepping over all members before it. */
static void references_into_an_array(struct attack *attack)
{
    SCHEMA("{'anyOf':[");
    for (int i = 0; i < 50000; i++) {
        SCHEMA("{'const':%d},", i);
    }
    SCHEMA("true],'allOf':[true");
    for (int i = 0; i < 50000; i++) {
        SCHEMA(",{'not':{'$ref':'#/anyOf/%d'}}", 49999 - i);
    }
    SCHEMA("]}");
    INSTANCE("-1");
}

/* Names that are written otherwise in a pointer. */
static void references_to_escaped_names(struct attack *attack)
{
    SCHEMA("{'$defs':{");
    for (int i = 0; i < 50000; i++) {
        SCHEMA("'~%d/':{'maximum':%d},", i, i);
    }
    SCHEMA("'_':true},'allOf':[true");
    for (int i = 0; i < 50000; i++) {
        SCHEMA(",{'$ref':'#/$defs/~0%d~1'}", i);
    }
    SCHEMA("]}");
    INSTANCE("-1");
}

static void resources(struct attack *attack)
{
    SCHEMA("{'$id':'http://h/','$defs':{");
    for (int i = 0; i < 10000; i++) {
        SCHEMA("'%d':{'$id':'%d','$anchor':'a','$ref':'%d#a'},", i, i, i + 1);
    }
    SCHEMA("'_':{'$id':'10000','$anchor':'a','type':'null'}},'$ref':'9000'}");
    INSTANCE("1");
}

static void properties(struct attack *attack)
{
    SCHEMA("{'properties':{");
    INSTANCE("{");
    for (int i = 0; i < 10000; i++) {
        SCHEMA("%s'property_%05d_with_a_long_name':{'type':'integer'}", i ? "," : "", i);
        INSTANCE("%s'property_%05d_with_a_long_name':%d", i ? "," : "", 9999 - i, i);
    }
    SCHEMA("},'additionalProperties':false,'required':['property_00000_with_a_long_name'");
    for (int i = 1; i < 10000; i++) {
        SCHEMA(",'property_%05d_with_a_long_name'", i);
    }
    SCHEMA("]}");
    INSTANCE("}");
}

static void enum_of_strings(struct attack *attack)
{
    SCHEMA("{'items':{'enum':[null");
    INSTANCE("[null");
    for (int i = 0; i < 10000; i++) {
        SCHEMA(",'a value that is long enough %d'", i);
        INSTANCE(",'a value that is long enough %d'", 9999 - i);
    }
    SCHEMA("]}}");
    INSTANCE("]");
}

/* All are alike but for the last number, and none is met. */
static void enum_of_objects(struct attack *attack)
{
    SCHEMA("{'items':{'enum':[null");
    INSTANCE("[null");
    for (int i = 0; i < 10000; i++) {
        SCHEMA(",{'a':{'b':[1,2,3]},'c':%d}", i);
    }
    for (int i = 0; i < 1000; i++) {
        INSTANCE(",{'c':-1,'a':{'b':[1,2,3]}}");
    }
    SCHEMA("]}}");
    INSTANCE("]");
}

static void alternatives(struct attack *attack)
{
    SCHEMA("{'items':{'oneOf':[false");
    for (int i = 0; i < 10000; i++) {
        SCHEMA(",{'properties':{'kind':{'const':'%d'}},'required':['kind']}", i);
    }
    SCHEMA("]}}");
    INSTANCE("[{'kind':'9999'},{'kind':'0'},{'kind':'x'}]");
}

static void names_against_patterns(struct attack *attack)
{
    SCHEMA("{'patternProperties':{");
    INSTANCE("{");
    for (int i = 0; i < 1000; i++) {
        SCHEMA("'^(name|other)_?[a-z]*%d$':{'minimum':%d},", i, i);
        INSTANCE("%s'name_%d':%d", i ? "," : "", i, i);
    }
    SCHEMA("'never':true}}");
    INSTANCE("}");
}

/* ---- masses in the document ---- */

static void write_items(struct attack *attack, const char *before, const char *after)
{
    SCHEMA("{'uniqueItems':true}");
    for (int i = 0; i < ITEMS; i++) {
        INSTANCE("%s%s%d%s", i ? "," : "[", before, i, after);
    }
    INSTANCE("]");
}

static void unique_numbers(struct attack *attack)
{
    write_items(attack, "1", "e3");
}

static void unique_strings(struct attack *attack)
{
    write_items(attack, "'all of them begin alike and end alike ", " as well'");
}

static void unique_objects(struct attack *attack)
{
    write_items(attack, "{'a':{'b':[1,2,{}]},'c':", ",'d':null}");
}

/* Every other one has its members in another order; the last is equal to the first. */
static void unique_but_for_two(struct attack *attack)
{
    SCHEMA("{'uniqueItems':true}");
    for (int i = 0; i < ITEMS; i++) {
        bool even = i % 2 == 0;
        INSTANCE("%s{'%c':%d,'%c':%d}", i ? "," : "[", even ? 'a' : 'b', i, even ? 'b' : 'a', i);
    }
    INSTANCE(",{'b':0.0,'a':0}]");
}

static void unique_many_times(struct attack *attack)
{
    SCHEMA("{'allOf':[true");
    for (int i = 0; i < 300; i++) {
        SCHEMA(",{'uniqueItems':true,'maxItems':%d}", ITEMS + i);
    }
    SCHEMA("]}");
    for (int i = 0; i < ITEMS; i++) {
        INSTANCE("%s[%d]", i ? "," : "[", i);
    }
    INSTANCE("]");
}

static void problems(struct attack *attack)
{
    SCHEMA("{'items':{'type':'object','properties':{'a':{'type':'null'}}}}");
    for (int i = 0; i < ITEMS; i++) {
        INSTANCE("%s{'a':%d}", i ? "," : "[", i);
    }
    INSTANCE("]");
}

static void problems_of_alternatives(struct attack *attack)
{
    SCHEMA(
        "{'items':{'anyOf':[{'properties':{'a':{'anyOf':[{'type':'null'},{'minimum':200000},"
        "{'$ref':'#/items'}]}},'required':['b']},{'type':'array','items':{'$ref':'#/items'}}]}}");
    for (int i = 0; i < ITEMS / 10; i++) {
        INSTANCE("%s{'a':{'a':{'a':%d}}}", i ? "," : "[", i);
    }
    INSTANCE("]");
}

/* Much is wrong with every alternative, and equally much with each. */
static void problems_times_alternatives(struct attack *attack)
{
    SCHEMA("{'items':{'anyOf':[false");
    for (int i = 0; i < 1000; i++) {
        SCHEMA(",{'additionalProperties':{'maximum':%d,'multipleOf':7,'type':'number'}}", -i);
    }
    SCHEMA("]}}");
    for (int i = 0; i < 20; i++) {
        INSTANCE("%s{'a':1", i ? "," : "[");
        for (int j = 0; j < 100; j++) {
            INSTANCE(",'%d':%d", j, j + 1);
        }
        INSTANCE("}");
    }
    INSTANCE("]");
}

/* Deep in the document, where the way to every problem is long. */
static void problems_far_away(struct attack *attack)
{
    SCHEMA("{'items':{'$ref':'#'},'anyOf':[{'type':'array','maxItems':1,'minItems':5000},"
           "{'type':'object'},{'type':'array','contains':{'const':'x'}}]}");
    for (int i = 0; i < 500; i++) {
        INSTANCE("[");
    }
    for (int i = 0; i < ITEMS / 10; i++) {
        INSTANCE("%s[]", i ? "," : "");
    }
    for (int i = 0; i < 500; i++) {
        INSTANCE("]");
    }
}

/* What is wrong comes last, at the bottom: on every level the rest is valid. */
static void problem_at_the_bottom(struct attack *attack)
{
    SCHEMA("{'type':['array','integer'],'items':{'$ref':'#'}}");
    for (int i = 0; i < 500; i++) {
        INSTANCE("[");
        for (int j = 0; j < ITEMS / 500; j++) {
            INSTANCE("%d,", j);
        }
    }
    INSTANCE("null");
    for (int i = 0; i < 500; i++) {
        INSTANCE("]");
    }
}

static void contains_everything(struct attack *attack)
{
    SCHEMA("{'allOf':[true");
    for (int i = 0; i < 1000; i++) {
        SCHEMA(",{'contains':{'const':%d}}", ITEMS - i - 1);
    }
    SCHEMA("]}");
    for (int i = 0; i < ITEMS; i++) {
        INSTANCE("%s%d", i ? "," : "[", i);
    }
    INSTANCE("]");
}

/* Every element is looked at again and again, by something that is never content. */
static void write_looks(struct attack *attack, const char *schema, const char *item)
{
    SCHEMA("{'allOf':[true");
    for (int i = 0; i < 2000; i++) {
        SCHEMA(",{'not':{'contains':%s,'minContains':%d}}", schema, ITEMS + i + 1);
    }
    SCHEMA("]}");
    for (int i = 0; i < ITEMS; i++) {
        INSTANCE("%s%s", i ? "," : "[", item);
    }
    INSTANCE("]");
}

static void looks_at_patterns(struct attack *attack)
{
    write_looks(attack, "{'pattern':'^a*[0-9]?$'}", "'aaaaaaaa'");
}

static void looks_at_back_references(struct attack *attack)
{
    write_looks(attack, "{'pattern':'^(a*)b\\\\1$'}", "'aaaabaaaa'");
}

static void looks_at_dates(struct attack *attack)
{
    write_looks(attack, "{'format':'date-time'}", "'2020-02-29T12:00:00.123456Z'");
}

static void looks_at_hosts(struct attack *attack)
{
    write_looks(
        attack,
        "{'format':'idn-hostname'}",
        "'b\xC3\xBC"
        "cher.example'");
}

static void looks_at_regexes(struct attack *attack)
{
    write_looks(attack, "{'format':'regex'}", "'(a|b)*[a-z]+'");
}

static void looks_at_multiples(struct attack *attack)
{
    write_looks(attack, "{'multipleOf':0.0001}", "12345.6789");
}

static void looks_at_bounds(struct attack *attack)
{
    write_looks(attack, "{'minimum':0.1,'exclusiveMaximum':1e10}", "123.5e2");
}

static void looks_at_names(struct attack *attack)
{
    write_looks(
        attack,
        "{'required':['a'],'maxProperties':2,'propertyNames':{'maxLength':3}}",
        "{'a':1,'b':2}");
}

static void looks_at_values(struct attack *attack)
{
    write_looks(attack, "{'enum':['a','b',{'a':[1,2]}]}", "{'a':[1,2]}");
}

static void looks_at_choices(struct attack *attack)
{
    write_looks(
        attack, "{'oneOf':[{'required':['a']},{'required':['b']},{'type':'string'}]}", "{'a':1}");
}

static void looks_at_what_was_evaluated(struct attack *attack)
{
    write_looks(attack, "{'properties':{'a':true},'unevaluatedProperties':false}", "{'a':1}");
}

static void large_numbers(struct attack *attack)
{
    SCHEMA("{'items':{'multipleOf':");
    INSTANCE("[");
    for (int i = 0; i < 200; i++) {
        INSTANCE("%s", i ? "," : "");
        for (int digits = 0; digits < 16000; digits += 8) {
            INSTANCE("12345678");
            if (i == 0 && digits < 8000) {
                SCHEMA("87654321");
            }
        }
    }
    SCHEMA("}}");
    INSTANCE("]");
}

/* A million looks at one long string. */
static void long_string(struct attack *attack)
{
    SCHEMA("{'allOf':[true");
    for (int i = 0; i < 2000; i++) {
        SCHEMA(",{'pattern':'x%d$'},{'maxLength':%d}", i, 800000 + i);
    }
    SCHEMA("]}");
    INSTANCE("'");
    for (int i = 0; i < 100000; i++) {
        INSTANCE("x\xC3\xA9xxxxxx");
    }
    INSTANCE("'");
}

static void encoded_content(struct attack *attack)
{
    SCHEMA("{'$schema':'http://json-schema.org/draft-07/schema#','allOf':[true");
    for (int i = 0; i < 2000; i++) {
        SCHEMA(
            ",{'contentEncoding':'base64','contentMediaType':'application/json','minLength':%d}",
            i);
    }
    SCHEMA("]}");
    INSTANCE("'");
    for (int i = 0; i < 100000; i++) {
        INSTANCE("%s", i ? "LDEyMzQ1" : "WzEyMzQ1");
    }
    INSTANCE("LDFd'");
}

static void short_contents(struct attack *attack)
{
    SCHEMA("{'$schema':'http://json-schema.org/draft-07/schema#','items':{'allOf':["
           "{'contentMediaType':'application/json'},{'contentMediaType':'application/json'}]}}");
    for (int i = 0; i < ITEMS; i++) {
        INSTANCE("%s'[%d]'", i ? "," : "[", i);
    }
    INSTANCE("]");
}

/* ---- tables: schemas that would each get a table of many names ---- */

/* Every schema evaluates the 250 names of the same base. */
static void unevaluated_tables(struct attack *attack)
{
    SCHEMA("{'$defs':{'base':{'properties':{");
    for (int i = 0; i < 250; i++) {
        SCHEMA("%s'%d':{}", i ? "," : "", i);
    }
    SCHEMA("}}},'prefixItems':[");
    for (int i = 0; i < ITEMS / 2; i++) {
        SCHEMA("%s{'unevaluatedProperties':false,'$ref':'#/$defs/base'}", i ? "," : "");
    }
    SCHEMA("]}");
    INSTANCE("[{'1':1},{'2':1,'x':1}]");
}

static void required_tables(struct attack *attack)
{
    SCHEMA("{'prefixItems':[");
    for (int i = 0; i < ITEMS / 50; i++) {
        SCHEMA("%s{'required':[", i ? "," : "");
        for (int k = 0; k < 60; k++) {
            SCHEMA("%s'%d'", k ? "," : "", k);
        }
        SCHEMA("]}");
    }
    SCHEMA("]}");
    INSTANCE("[1,{}]");
}

/* ---- the attacks ---- */

/* Where a limit will do, too: explaining takes more steps than the verdict alone. */
enum limited {
    NEVER,
    REPORT,
    BOTH,
};

struct attack_case {
    const char *name;
    void (*write)(struct attack *attack);
    int verdict;
    enum limited limited;
};

#define ATTACK(function, verdict, limited)                                                         \
    {                                                                                              \
#        function, function, (verdict), (limited)                                                  \
    }

static const struct attack_case cases[] = {
    ATTACK(fan_out_all_of, 1, NEVER),
    ATTACK(fan_out_all_of_wrong, 0, BOTH),
    ATTACK(fan_out_any_of, 0, BOTH),
    ATTACK(fan_out_one_of, 0, BOTH),
    ATTACK(fan_out_objects, 0, BOTH),
    ATTACK(fan_out_unevaluated, 0, BOTH),
    ATTACK(fan_out_dynamic, 0, BOTH),
    ATTACK(fan_out_nested, 0, BOTH),
    ATTACK(fan_out_conditions, 1, NEVER),
    ATTACK(circle_alone, -ELOOP, NEVER),
    ATTACK(circle_of_three, -ELOOP, NEVER),
    ATTACK(circle_that_doubles, -ELOOP, NEVER),
    ATTACK(circle_of_dependencies, -ELOOP, NEVER),
    ATTACK(circle_of_dynamic_references, -ELOOP, NEVER),
    ATTACK(circles_of_dynamic_references, -ELOOP, NEVER),
    ATTACK(circle_of_recursive_references, -ELOOP, NEVER),
    ATTACK(circle_through_the_document, 1, NEVER),
    ATTACK(definitions, 1, NEVER),
    ATTACK(reference_chain, 0, BOTH),
    ATTACK(working_chain, 0, BOTH),
    ATTACK(references_into_an_array, 1, NEVER),
    ATTACK(references_to_escaped_names, 1, NEVER),
    ATTACK(resources, 0, BOTH),
    ATTACK(properties, 1, NEVER),
    ATTACK(enum_of_strings, 1, REPORT),
    ATTACK(enum_of_objects, 0, BOTH),
    ATTACK(alternatives, 0, NEVER),
    ATTACK(names_against_patterns, 1, BOTH),
    ATTACK(unique_numbers, 1, NEVER),
    ATTACK(unique_strings, 1, NEVER),
    ATTACK(unique_objects, 1, NEVER),
    ATTACK(unique_but_for_two, 0, NEVER),
    ATTACK(unique_many_times, 1, BOTH),
    ATTACK(problems, 0, NEVER),
    ATTACK(problems_of_alternatives, 0, BOTH),
    ATTACK(problems_times_alternatives, 0, REPORT),
    ATTACK(problems_far_away, 0, REPORT),
    ATTACK(problem_at_the_bottom, 0, REPORT),
    ATTACK(contains_everything, 1, BOTH),
    ATTACK(looks_at_patterns, 1, BOTH),
    ATTACK(looks_at_back_references, 1, BOTH),
    ATTACK(looks_at_dates, 1, BOTH),
    ATTACK(looks_at_hosts, 1, BOTH),
    ATTACK(looks_at_regexes, 1, BOTH),
    ATTACK(looks_at_multiples, 1, BOTH),
    ATTACK(looks_at_bounds, 1, BOTH),
    ATTACK(looks_at_names, 1, BOTH),
    ATTACK(looks_at_values, 1, BOTH),
    ATTACK(looks_at_choices, 1, BOTH),
    ATTACK(looks_at_what_was_evaluated, 1, BOTH),
    ATTACK(large_numbers, 0, BOTH),
    ATTACK(long_string, 0, BOTH),
    ATTACK(encoded_content, 1, BOTH),
    ATTACK(short_contents, 1, BOTH),
    ATTACK(unevaluated_tables, 0, NEVER),
    ATTACK(required_tables, 0, NEVER),
};

/* Assert that what began at a time took no longer than it may. @return how long it took. */
static double expect_soon(const char *name, const char *what, double start)
{
    double seconds = cpu_seconds() - start;
    if (seconds > SECONDS_MAX) {
        fail_msg("%s: %s took %.2f s", name, what, seconds);
    }
    return seconds;
}

/* What was found may also be more than memory_max has room for. */
static bool is_limit(enum limited way, int verdict)
{
    return verdict == -ELOOP || (way == REPORT && verdict == -ENOMEM);
}

static void expect_verdict(const struct attack_case *attack_case, enum limited way, int verdict)
{
    bool limited = attack_case->limited >= way && is_limit(way, verdict);
    if (verdict != attack_case->verdict && !limited) {
        const char *what = way == REPORT ? "the report" : "the verdict";
        fail_msg("%s: %s said %d", attack_case->name, what, verdict);
    }
}

static void swap_quotes(struct jsv_buf *text)
{
    for (size_t i = 0; i < text->size; i++) {
        text->data[i] = text->data[i] == '\'' ? '"' : text->data[i];
    }
}

static struct jsv_schema *
compile(struct jsv_registry *registry, const struct attack_case *attack_case, struct jsv_str text)
{
    struct jsv_schema_options options = {.assert_format = true, .assert_content = true};
    struct jsv_schema *schema = NULL;
    double start = cpu_seconds();
    int r = jsv_registry_add(registry, JSV_STR("urn:a"), text, NULL);
    if (r == 0) {
        r = jsv_schema_compile(registry, JSV_STR("urn:a"), &options, &schema, NULL);
    }
    if (r < 0) {
        fail_msg("%s: not compiled: %d", attack_case->name, r);
    }
    expect_soon(attack_case->name, "compiling", start);
    return schema;
}

/* Both evaluators, each within its time. */
static void check_in_time(
    struct schema_fixture *fixture,
    const struct attack_case *attack_case,
    const struct jsv_schema *schema,
    struct jsv_value value)
{
    struct jsv_validator_limits limits = {.steps_max = SLOWNESS > 1 ? STEPS_MAX : 0};
    struct jsv_validator *validator = jsv_validator_new(NULL, &limits);
    assert_non_null(validator);
    double start = cpu_seconds();
    int verdict = jsv_validate(validator, schema, value);
    double validating = expect_soon(attack_case->name, "validating", start);
    expect_verdict(attack_case, BOTH, verdict);
    start = cpu_seconds();
    int reported = jsv_validate_report(validator, schema, value, &fixture->problems);
    double reporting = expect_soon(attack_case->name, "reporting", start);
    expect_verdict(attack_case, REPORT, reported);
    print_message(
        "%-32s %3d in %5.1f ms, %3d in %5.1f ms\n",
        attack_case->name,
        verdict,
        validating * 1e3,
        reported,
        reporting * 1e3);
    jsv_validator_free(validator);
}

static void withstand(struct schema_fixture *fixture, const struct attack_case *attack_case)
{
    struct attack attack;
    struct torture torture;
    torture_init(&torture, 0);
    jsv_buf_init(&attack.schema, NULL, SIZE_MAX);
    jsv_buf_init(&attack.instance, NULL, SIZE_MAX);
    attack_case->write(&attack);
    swap_quotes(&attack.schema);
    swap_quotes(&attack.instance);

    struct jsv_registry *registry = jsv_registry_new(&torture.allocator, NULL);
    assert_non_null(registry);
    struct jsv_schema *schema = compile(registry, attack_case, jsv_buf_str(&attack.schema));
    if (torture.peak_bytes > MEMORY_MAX(attack.schema.size)) {
        fail_msg(
            "%s: compiling %zu bytes took %zu of memory",
            attack_case->name,
            attack.schema.size,
            torture.peak_bytes);
    }
    check_in_time(
        fixture,
        attack_case,
        schema,
        schema_fixture_read_str(fixture, jsv_buf_str(&attack.instance)));

    jsv_schema_free(schema);
    jsv_registry_free(registry);
    torture_done(&torture);
    jsv_buf_done(&attack.schema);
    jsv_buf_done(&attack.instance);
}

static void all_attacks(void **state)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        withstand(*state, &cases[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {SCHEMA_TEST(all_attacks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
