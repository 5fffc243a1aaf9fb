/*
 * Keywords that put other schemas to the same value, in every draft that knows
 * them.
 */
#include "support/schema_fixture.h"

static void combinations(void **state)
{
    static const struct schema_case cases[] = {
        {SCHEMA_ALL, "{'allOf':[{'minimum':2},{'multipleOf':2}]}", "4", NULL},
        {SCHEMA_ALL,
         NULL,
         "1",
         ": must be a multiple of 2 (multipleOf /allOf/1/multipleOf)\n: must be at least 2 "
         "(minimum /allOf/0/minimum)"},
        {SCHEMA_ALL, "{'anyOf':[{'minimum':2},{'type':'string'}]}", "2", NULL},
        {SCHEMA_ALL, NULL, "'a'", NULL},
        {SCHEMA_ALL, NULL, "1", ": must be at least 2 (minimum /anyOf/0/minimum)"},
        {SCHEMA_ALL, "{'oneOf':[{'minimum':2},{'maximum':4}]}", "1", NULL},
        {SCHEMA_ALL, NULL, "3", ": matches more than one alternative (0 and 1) (oneOf /oneOf)"},
        {SCHEMA_ALL,
         "{'oneOf':[{'type':'null'},{},{'type':'string'}]}",
         "null",
         ": matches more than one alternative (0 and 1) (oneOf /oneOf)"},
        {SCHEMA_ALL, NULL, "'a'", ": matches more than one alternative (1 and 2) (oneOf /oneOf)"},
        {SCHEMA_ALL, NULL, "1", NULL},
        {SCHEMA_ALL,
         "{'oneOf':[{},{},{'type':'string'}]}",
         "1",
         ": matches more than one alternative (0 and 1) (oneOf /oneOf)"},
        {SCHEMA_ALL, "{'not':{'type':'string'}}", "1", NULL},
        {SCHEMA_ALL, NULL, "'a'", ": must not match the schema in 'not' (not /not)"},
        {SCHEMA_ALL, "{'not':{}}", "'a'", ": must not match the schema in 'not' (not /not)"},
        {SCHEMA_ALL, "{'not':{'minimum':3}}", "2", NULL},
        {SCHEMA_ALL, NULL, "3", ": must not match the schema in 'not' (not /not)"},
        {SCHEMA_7_ON,
         "{'if':{'minimum':5},'then':{'multipleOf':5},'else':{'multipleOf':2}}",
         "10",
         NULL},
        {SCHEMA_7_ON, NULL, "7", ": must be a multiple of 5 (multipleOf /then/multipleOf)"},
        {SCHEMA_7_ON, NULL, "2", NULL},
        {SCHEMA_7_ON, NULL, "3", ": must be a multiple of 2 (multipleOf /else/multipleOf)"},
        {SCHEMA_7_ON, NULL, "'a'", NULL},
        {SCHEMA_7_ON, "{'if':{'minimum':5}}", "7", NULL},
        {SCHEMA_7_ON, "{'if':{'minimum':5},'then':{'const':7}}", "1", NULL},
        {SCHEMA_7_ON, NULL, "8", ": expected 7 (const /then/const)"},
        {SCHEMA_7_ON, "{'if':{'minimum':5},'else':{'const':1}}", "8", NULL},
        {SCHEMA_7_ON, "{'then':{'const':7},'else':{'const':8}}", "1", NULL},
        {SCHEMA_7_ON,
         "{'if':true,'then':{'const':7},'else':{'const':8}}",
         "8",
         ": expected 7 (const /then/const)"},
        {SCHEMA_7_ON,
         "{'if':false,'then':{'const':7},'else':{'const':8}}",
         "7",
         ": expected 8 (const /else/const)"},
        {JSV_DRAFT_4, JSV_DRAFT_6, "{'if':{},'then':{'not':{}}}", "1", NULL},
    };
    SCHEMA_RUN(*state, cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(combinations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
