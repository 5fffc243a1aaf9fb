#include "cli/call_arguments.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/base/similar.h"
#include "os/sys.h"

/* Limit on references followed and nested alternatives. */
#define SCHEMA_DEPTH_MAX 8
/* Limit on schemas inspected for one argument; beyond it, any type is allowed. */
#define SCHEMAS_MAX 1000

enum type_bit {
    TYPE_NULL = 1 << JSV_TYPE_NULL,
    TYPE_BOOL = 1 << JSV_TYPE_BOOLEAN,
    TYPE_NUMBER = 1 << JSV_TYPE_NUMBER,
    TYPE_STRING = 1 << JSV_TYPE_STRING,
    TYPE_ARRAY = 1 << JSV_TYPE_ARRAY,
    TYPE_OBJECT = 1 << JSV_TYPE_OBJECT,
    TYPE_ANY = TYPE_NULL | TYPE_BOOL | TYPE_NUMBER | TYPE_STRING | TYPE_ARRAY | TYPE_OBJECT,
};

struct argument {
    struct jsv_str name;
    struct jsv_str value;
    bool is_json; /* name:=value */
};

struct writing {
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_value schema;
    struct jsv_writer writer;
    struct call_error *error;
};

static int refuse(struct writing *writing, const char *word, const char *why, const char *more)
{
    writing->error->word = word;
    snprintf(writing->error->why, sizeof(writing->error->why), "%s%s", why, more);
    return -EINVAL;
}

/* ---- types that a schema allows ---- */

static unsigned bit_of_name(struct jsv_str name)
{
    static const struct {
        struct jsv_str name;
        unsigned bit;
    } types[] = {
        {JSV_STR("null"), TYPE_NULL},
        {JSV_STR("boolean"), TYPE_BOOL},
        {JSV_STR("number"), TYPE_NUMBER},
        {JSV_STR("integer"), TYPE_NUMBER},
        {JSV_STR("string"), TYPE_STRING},
        {JSV_STR("array"), TYPE_ARRAY},
        {JSV_STR("object"), TYPE_OBJECT},
    };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (jsv_str_equal(name, types[i].name)) {
            return types[i].bit;
        }
    }
    return 0;
}

/* "type": a name or a list of names. */
static unsigned types_named(struct jsv_value type)
{
    if (jsv_value_type(type) == JSV_TYPE_STRING) {
        return bit_of_name(jsv_value_text(type));
    }
    unsigned types = 0;
    struct jsv_iter iter = jsv_value_iter(type);
    while (jsv_value_type(type) == JSV_TYPE_ARRAY && jsv_iter_next(&iter)) {
        types |= bit_of_name(jsv_value_text(iter.value));
    }
    return types;
}

static unsigned types_listed(struct jsv_value values)
{
    unsigned types = 0;
    struct jsv_iter iter = jsv_value_iter(values);
    while (jsv_value_type(values) == JSV_TYPE_ARRAY && jsv_iter_next(&iter)) {
        types |= 1u << jsv_value_type(iter.value);
    }
    return types;
}

/* Follow a reference within the input schema; other references are ignored. */
static struct jsv_value follow(const struct writing *writing, struct jsv_value schema)
{
    struct jsv_str target = jsv_value_text(jsv_value_get(schema, JSV_STR("$ref")));
    struct jsv_value found;
    if (target.size < 2 || target.data[0] != '#') {
        return schema;
    }
    struct jsv_str pointer = {target.data + 1, target.size - 1};
    return jsv_pointer_get(writing->schema, pointer, &found) == 0 ? found : schema;
}

/*
 * The types a schema may allow. This only decides how a value is parsed, so
 * whatever it does not understand allows all types.
 */
static unsigned
types_allowed(const struct writing *writing, struct jsv_value schema, int depth, unsigned *count)
{
    static const struct jsv_str alternatives[] = {JSV_STR("anyOf"), JSV_STR("oneOf")};
    if (depth == SCHEMA_DEPTH_MAX || ++*count > SCHEMAS_MAX) {
        return TYPE_ANY;
    }
    schema = follow(writing, schema);
    if (jsv_value_type(schema) != JSV_TYPE_OBJECT) {
        return TYPE_ANY;
    }
    unsigned types = types_named(jsv_value_get(schema, JSV_STR("type")));
    types = types ? types : types_listed(jsv_value_get(schema, JSV_STR("enum")));
    struct jsv_value constant = jsv_value_get(schema, JSV_STR("const"));
    if (!types && jsv_value_type(constant) != JSV_TYPE_NONE) {
        types = 1u << jsv_value_type(constant);
    }
    for (size_t i = 0; !types && i < 2; i++) {
        struct jsv_value list = jsv_value_get(schema, alternatives[i]);
        struct jsv_iter iter = jsv_value_iter(list);
        bool is_list = jsv_value_type(list) == JSV_TYPE_ARRAY;
        while (is_list && types != TYPE_ANY && jsv_iter_next(&iter)) {
            types |= types_allowed(writing, iter.value, depth + 1, count);
        }
    }
    return types ? types : TYPE_ANY;
}

static unsigned types_of_argument(const struct writing *writing, struct jsv_str name)
{
    struct jsv_value schema = follow(writing, writing->schema);
    struct jsv_value properties = jsv_value_get(schema, JSV_STR("properties"));
    unsigned count = 0;
    return types_allowed(writing, jsv_value_get(properties, name), 0, &count);
}

/* ---- words ---- */

static bool split(char *word, struct argument *ret_argument)
{
    char *equals = strchr(word, '=');
    if (!equals || equals == word || (equals[-1] == ':' && equals == word + 1)) {
        return false;
    }
    bool is_json = equals[-1] == ':';
    *ret_argument = (struct argument){
        .name = {word, (size_t)(equals - word) - is_json},
        .value = jsv_str_from(equals + 1),
        .is_json = is_json,
    };
    return true;
}

/* @return 1 when the value is to be parsed as JSON; 0: it is a string; -ENOMEM. */
static int reads_as_json(struct writing *writing, const struct argument *argument)
{
    int r = jsv_read(writing->reader, writing->document, argument->value, 0, NULL);
    if (r == -ENOMEM) {
        return r;
    }
    enum jsv_type type = jsv_value_type(jsv_document_root(writing->document));
    if (r < 0 || type == JSV_TYPE_STRING) {
        return 0; /* keep the quotes of "quoted"; name:= would remove them */
    }
    unsigned types = types_of_argument(writing, argument->name);
    return types & 1u << type || !(types & TYPE_STRING);
}

static int
write_explicit(struct writing *writing, const char *word, const struct argument *argument)
{
    struct jsv_error error;
    int r = jsv_read(writing->reader, writing->document, argument->value, 0, &error);
    if (r == -EBADMSG) {
        return refuse(writing, word, "the value is not JSON: ", error.message.data);
    }
    if (r == 0) {
        jsv_write_value(&writing->writer, jsv_document_root(writing->document));
    }
    return r;
}

static int write_argument(struct writing *writing, char *word)
{
    struct argument argument;
    if (!split(word, &argument)) {
        return refuse(writing, word, "expected NAME=VALUE, NAME:=JSON or one JSON object", "");
    }
    jsv_write_key(&writing->writer, argument.name);
    if (argument.is_json) {
        return write_explicit(writing, word, &argument);
    }
    int r = reads_as_json(writing, &argument);
    if (r > 0) {
        jsv_write_value(&writing->writer, jsv_document_root(writing->document));
    } else if (r == 0) {
        jsv_write_string(&writing->writer, argument.value);
    }
    return r < 0 ? r : 0;
}

static int write_object(struct writing *writing, const char *word)
{
    struct jsv_error error;
    int r = jsv_read(writing->reader, writing->document, jsv_str_from(word), 0, &error);
    if (r == -EBADMSG) {
        return refuse(writing, word, "not JSON: ", error.message.data);
    }
    struct jsv_value root = jsv_document_root(writing->document);
    if (r == 0 && jsv_value_type(root) != JSV_TYPE_OBJECT) {
        return refuse(writing, word, "the arguments must be a JSON object", "");
    }
    if (r == 0) {
        jsv_write_value(&writing->writer, root);
    }
    return r;
}

static int write_words(struct writing *writing, char *const *words, size_t count)
{
    int r = 0;
    jsv_write_object_begin(&writing->writer);
    for (size_t i = 0; r == 0 && i < count; i++) {
        r = write_argument(writing, words[i]);
    }
    jsv_write_object_end(&writing->writer);
    return r;
}

/* Duplicate names would make the request invalid JSON. */
static int check_names(struct writing *writing, char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct argument one;
        struct argument other;
        for (size_t k = 0; k < i && split(words[i], &one); k++) {
            if (split(words[k], &other) && jsv_str_equal(one.name, other.name)) {
                return refuse(writing, words[i], "duplicate argument", "");
            }
        }
    }
    return 0;
}

bool call_arguments_misspelt(
    char *const *words,
    size_t count,
    struct jsv_value schema,
    struct jsv_str *ret_name,
    struct jsv_str *ret_suggestion)
{
    struct jsv_value properties = jsv_value_get(schema, JSV_STR("properties"));
    for (size_t i = 0; jsv_value_type(properties) == JSV_TYPE_OBJECT && i < count; i++) {
        struct argument argument;
        if (!split(words[i], &argument) ||
            jsv_value_type(jsv_value_get(properties, argument.name)) != JSV_TYPE_NONE) {
            continue;
        }
        struct jsv_similar similar = jsv_similar_to(argument.name);
        struct jsv_iter iter = jsv_value_iter(properties);
        while (jsv_iter_next(&iter)) {
            jsv_similar_try(&similar, jsv_value_text(iter.key));
        }
        if (similar.best.size > 0) {
            *ret_name = argument.name;
            *ret_suggestion = similar.best;
            return true;
        }
    }
    return false;
}

int call_arguments_write(
    char *const *words,
    size_t count,
    struct jsv_value schema,
    struct jsv_buf *out,
    struct call_error *reterr_error)
{
    struct writing writing = {
        .reader = jsv_reader_new(os_allocator(), NULL),
        .document = jsv_document_new(os_allocator()),
        .schema = schema,
        .writer = jsv_writer_on(out),
        .error = reterr_error,
    };
    int r = -ENOMEM;
    if (writing.reader && writing.document) {
        bool is_object = count == 1 && words[0][strspn(words[0], " \t\r\n")] == '{';
        r = is_object ? 0 : check_names(&writing, words, count);
        if (r == 0) {
            r = is_object ? write_object(&writing, words[0]) : write_words(&writing, words, count);
        }
    }
    jsv_document_free(writing.document);
    jsv_reader_free(writing.reader);
    return r < 0 ? r : out->error;
}
