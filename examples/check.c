/*
 * Checks a document against a schema and prints what is wrong, with line and
 * column.
 */
#include <stdio.h>

#include <jsv/schema.h>

int main(void)
{
    struct jsv_str schema = JSV_STR("{\"required\": [\"name\"],"
                                    " \"properties\": {\"watts\": {\"maximum\": 60}}}");
    struct jsv_str text = JSV_STR("{\n  \"watts\": 75\n}");

    struct jsv_checker *checker = jsv_checker_new(NULL, schema, NULL);
    struct jsv_problems problems = {0};
    int valid = jsv_check(checker, text, &problems);
    struct jsv_position at = jsv_position_in(text, 1);
    for (size_t i = 0; i < problems.count; i++) {
        jsv_position_move(&at, problems.items[i].offset);
        printf("lamp.json:%zu:%zu: %s\n", at.line, at.column, problems.items[i].message.data);
    }
    jsv_checker_free(checker);
    return valid < 0 ? 2 : 0; /* negative: no verdict, see jsv_status_text() */
}
