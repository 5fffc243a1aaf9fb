#include "cli/validate/reason.h"

#include <string.h>

#include "cli/message.h"
#include "jsv/json/pointer.h"

/* Bytes shown of a place in the schema. */
#define PLACE_SIZE_MAX 256

/* What is behind a keyword on the way to a place. */
enum behind {
    SCHEMA, /* a schema */
    NAME,   /* a name, then a schema */
    INDEX,  /* perhaps a number, then a schema */
};

static bool is_one_of(struct jsv_str token, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (jsv_str_equal(token, jsv_str_from(names[i]))) {
            return true;
        }
    }
    return false;
}

#define IS_ONE_OF(token, names) is_one_of((token), (names), sizeof(names) / sizeof((names)[0]))

static bool is_dependency(struct jsv_str token)
{
    static const char *const names[] = {"dependencies", "dependentSchemas"};
    return IS_ONE_OF(token, names);
}

static enum behind behind(struct jsv_str token)
{
    static const char *const maps[] = {"properties", "patternProperties", "$defs", "definitions"};
    static const char *const lists[] = {"allOf", "anyOf", "oneOf", "prefixItems", "items"};
    if (is_dependency(token) || IS_ONE_OF(token, maps)) {
        return NAME;
    }
    return IS_ONE_OF(token, lists) ? INDEX : SCHEMA;
}

static bool is_number(struct jsv_str token)
{
    return token.size > 0 && token.data[0] >= '0' && token.data[0] <= '9';
}

/* The last condition on the way to a place. */
struct condition {
    struct jsv_str keyword; /* then, else, dependencies, dependentSchemas; empty: there is none */
    struct jsv_str schema;  /* the way to the schema it is in */
    struct jsv_str name;    /* of the member that a dependency is about; escaped */
};

/* The token at an offset, which is that of a slash. */
static struct jsv_str token_at(struct jsv_str path, size_t at)
{
    const char *start = path.data + at + 1;
    size_t room = path.size - at - 1;
    const char *slash = memchr(start, '/', room);
    return (struct jsv_str){start, slash ? (size_t)(slash - start) : room};
}

static struct condition find_condition(struct jsv_str path)
{
    struct condition found = {{"", 0}, {"", 0}, {"", 0}};
    for (size_t at = 0; at < path.size;) {
        struct jsv_str token = token_at(path, at);
        size_t next = at + 1 + token.size;
        struct jsv_str after = next < path.size ? token_at(path, next) : (struct jsv_str){"", 0};
        enum behind what = behind(token);
        if (jsv_str_equal(token, JSV_STR("then")) || jsv_str_equal(token, JSV_STR("else")) ||
            is_dependency(token)) {
            found = (struct condition){token, {path.data, at}, after};
        }
        if (next < path.size && (what == NAME || (what == INDEX && is_number(after)))) {
            next += 1 + after.size;
        }
        at = next;
    }
    return found;
}

/* The name that a token of a pointer stands for. */
static void put_name(struct app_message *message, struct jsv_str token)
{
    char name[2 * PLACE_SIZE_MAX + 2]; /* enough to show that it is longer */
    size_t size_max = sizeof(name);
    size_t size = token.size < size_max ? token.size : size_max;
    size -= size > 0 && token.data[size - 1] == '~'; /* cut within an escape */
    char *end = jsv_pointer_unescape((struct jsv_str){token.data, size}, name);
    app_message_put_clipped(message, (struct jsv_str){name, (size_t)(end - name)}, PLACE_SIZE_MAX);
}

static void put_condition(struct app_message *message, const struct condition *condition)
{
    if (condition->keyword.size == 0) {
        return;
    }
    app_message_put(message, ", which applies because ");
    if (is_dependency(condition->keyword)) {
        app_message_put(message, "\"");
        put_name(message, condition->name);
        app_message_put(message, "\" is present");
        return;
    }
    bool is_then = jsv_str_equal(condition->keyword, JSV_STR("then"));
    app_message_put(message, "\"if\" at ");
    app_message_put_clipped(message, condition->schema, PLACE_SIZE_MAX);
    app_message_put(message, is_then ? "/if matches" : "/if does not match");
}

void validate_reason_put(struct app_message *message, const struct jsv_problem *problem)
{
    bool is_not = jsv_str_equal(problem->keyword, JSV_STR("not"));
    if ((!is_not && problem->keyword.size > 0) || problem->schema_path.size == 0) {
        return;
    }
    struct condition condition = find_condition(problem->evaluation_path);
    app_message_put(message, is_not ? " at " : ": the schema at ");
    app_message_put_clipped(message, problem->schema_path, PLACE_SIZE_MAX);
    app_message_put(message, is_not ? "" : " is false");
    put_condition(message, &condition);
}
