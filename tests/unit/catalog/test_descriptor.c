#define _GNU_SOURCE /* nftw() */
#include "unit/catalog/fixture.h"

#define PLACE "\"x-mcp-header\" is allowed only in properties, at most 8 levels deep at "
#define NAME  "\"x-mcp-header\" must be 1 to 128 of A-Z a-z 0-9 ! # $ % & ' * + - . ^ _ ` | ~ at "
#define TYPE  "a property with \"x-mcp-header\" must be of type string, integer or boolean at "
#define TAKEN "duplicate \"x-mcp-header\" at "
#define MANY  "more than 64 \"x-mcp-header\" in one tool at "

/* Load a tool with that input schema. @return whether it is served, and knows of headers. */
static bool has_headers(const char *schema, const char *wrong)
{
    static char text[32768];
    char warning[512] = "";
    int size = snprintf(
        text,
        sizeof(text),
        "{'name': 'a', 'description': '', 'command': ['x'], 'inputSchema': %s}",
        schema);
    assert_true((size_t)size < sizeof(text));
    if (wrong[0]) {
        snprintf(warning, sizeof(warning), "tools/a.tool.json: %s\n", wrong);
    }
    fixture_write("tools/a.tool.json", text);
    fixture_load(warning);
    const struct catalog_tool *tool = catalog_tool_find(fixture.catalog, JSV_STR("a"));
    assert_int_equal(tool == NULL, wrong[0] != '\0');
    return tool && tool->has_headers;
}

#define GOOD(schema)       assert_true(has_headers(schema, ""))
#define NONE(schema)       assert_false(has_headers(schema, ""))
#define BAD(schema, wrong) assert_false(has_headers(schema, wrong))

#define OF(properties)    "{'properties': " properties "}"
#define ONE(type, header) OF("{'p': {'type': " type ", 'x-mcp-header': " header "}}")
#define POINTER           "/inputSchema/properties/p/x-mcp-header"

static void valid_headers(void **state)
{
    (void)state;
    GOOD(ONE("'string'", "'Region'"));
    GOOD(ONE("'integer'", "'!#$%&\\u0027*+-.^_`|~09AZaz'"));
    GOOD(ONE("'boolean'", "'B'"));
    NONE("{}");
    NONE(OF("{'p': {'type': 'string'}, 'q': true}"));
    NONE("{'dependentRequired': {'x-mcp-header': ['b']}}");
}

static void names(void **state)
{
    (void)state;
    BAD(ONE("'string'", "''"), NAME POINTER);
    BAD(ONE("'string'", "1"), NAME POINTER);
    BAD(ONE("'string'", "null"), NAME POINTER);
    BAD(ONE("'string'", "'a b'"), NAME POINTER);
    BAD(ONE("'string'", "'a:'"), NAME POINTER);
    BAD(ONE("'string'", "'a\\r\\nb'"), NAME POINTER);
    BAD(ONE("'string'", "'a\\u0000'"), NAME POINTER);
    BAD(ONE("'string'", "'\xc3\xa4'"), NAME POINTER);
}

static void length_of_a_name(void **state)
{
    (void)state;
    char schema[512];
    for (int size = 128; size <= 129; size++) {
        snprintf(schema, sizeof(schema), ONE("'string'", "'%0*d'"), size, 0);
        if (size == 128) {
            GOOD(schema);
        } else {
            BAD(schema, NAME POINTER);
        }
    }
}

static void types(void **state)
{
    (void)state;
    BAD(ONE("'number'", "'P'"), TYPE POINTER);
    BAD(ONE("'object'", "'P'"), TYPE POINTER);
    BAD(ONE("'array'", "'P'"), TYPE POINTER);
    BAD(ONE("'null'", "'P'"), TYPE POINTER);
    BAD(ONE("['string', 'null']", "'P'"), TYPE POINTER);
    BAD(OF("{'p': {'x-mcp-header': 'P'}}"), TYPE POINTER);
}

#define STRING(header) "{'type': 'string', 'x-mcp-header': '" header "'}"

static void a_header_name_is_unique(void **state)
{
    (void)state;
    GOOD(OF("{'p': " STRING("Ab") ", 'q': " STRING("Abc") ", 'r': " STRING("b") "}"));
    BAD(OF("{'p': " STRING("Ab") ", 'q': " STRING("aB") "}"),
        TAKEN "/inputSchema/properties/q/x-mcp-header");
    BAD(OF("{'p': " STRING("Ab") ", 'a/b': " OF("{'q': " STRING("ab") "}") "}"),
        TAKEN "/inputSchema/properties/a~1b/properties/q/x-mcp-header");
}

#define IN(inner)   OF("{'p': " inner "}")
#define SEVEN(deep) IN(IN(IN(IN(IN(IN(IN(deep)))))))

static void header_nesting_limit(void **state)
{
    (void)state;
    const char *wrong = PLACE "/inputSchema/properties/p/properties/p/properties/p/properties/p"
                              "/properties/p/properties/p/properties/p/properties/p/properties/p"
                              "/x-mcp-header";
    GOOD(SEVEN(IN(STRING("P"))));
    BAD(IN(SEVEN(IN(STRING("P")))), wrong);
}

static void headers_only_below_properties(void **state)
{
    (void)state;
    BAD(STRING("P"), PLACE "/inputSchema/x-mcp-header");
    BAD("{'items': " STRING("P") "}", PLACE "/inputSchema/items/x-mcp-header");
    BAD("{'items': " IN(STRING("P")) "}", PLACE "/inputSchema/items/properties/p/x-mcp-header");
    BAD("{'anyOf': [{}, " STRING("P") "]}", PLACE "/inputSchema/anyOf/1/x-mcp-header");
    BAD("{'$defs': {'const': " STRING("P") "}}", PLACE "/inputSchema/$defs/const/x-mcp-header");
    BAD("{'patternProperties': {'^p': " STRING("P") "}}",
        PLACE "/inputSchema/patternProperties/^p/x-mcp-header");
    BAD(IN("{'not': " STRING("P") "}"), PLACE "/inputSchema/properties/p/not/x-mcp-header");
}

/* Names of properties and values of theirs may be anything. */
static void members_that_only_look_like_headers(void **state)
{
    (void)state;
    NONE(OF("{'x-mcp-header': {'type': 'string'}}"));
    NONE(IN("{'const': {'x-mcp-header': 1}}"));
    NONE(IN("{'enum': [{'x-mcp-header': 1}]}"));
    NONE(IN("{'default': {'x-mcp-header': 1}}"));
    NONE(IN("{'examples': [{'x-mcp-header': 1}]}"));
    NONE("{'required': ['x-mcp-header']}");
}

static void how_many_there_may_be(void **state)
{
    (void)state;
    char schema[8192];
    for (int count = 64; count <= 65; count++) {
        int size = snprintf(schema, sizeof(schema), "{'properties': {");
        for (int i = 1; i <= count; i++) {
            size += snprintf(
                schema + size,
                sizeof(schema) - (size_t)size,
                "%s'p%d': {'type': 'string', 'x-mcp-header': 'P%d'}",
                i > 1 ? ", " : "",
                i,
                i);
        }
        snprintf(schema + size, sizeof(schema) - (size_t)size, "}}");
        if (count == 64) {
            GOOD(schema);
        } else {
            BAD(schema, MANY "/inputSchema/properties/p65/x-mcp-header");
        }
    }
}

/* A warning stays a line that can be read. */
static void a_long_pointer_is_cut(void **state)
{
    (void)state;
    char schema[2048];
    char wrong[512];
    snprintf(schema, sizeof(schema), "{'$defs': {'%01000d': " STRING("P") "}}", 0);
    snprintf(wrong, sizeof(wrong), PLACE "/inputSchema/$defs/%0*d", 256 - 19, 0);
    BAD(schema, wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(valid_headers),
        FIXTURE_TEST(names),
        FIXTURE_TEST(length_of_a_name),
        FIXTURE_TEST(types),
        FIXTURE_TEST(a_header_name_is_unique),
        FIXTURE_TEST(header_nesting_limit),
        FIXTURE_TEST(headers_only_below_properties),
        FIXTURE_TEST(members_that_only_look_like_headers),
        FIXTURE_TEST(how_many_there_may_be),
        FIXTURE_TEST(a_long_pointer_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
