/*
 * The words for what would have been right: types, values as their schemas
 * spell them, or both. A message has an end, so values are named as far as
 * they fit, each once, and an ellipsis stands for the others.
 */
#include <string.h>

#include "jsv/json/value.h"
#include "jsv/schema/report/findings_parts.h"
#include "jsv/schema/report/message.h"

/* Values that may stand in a message. */
#define VALUES_MAX 32

bool jsv_sentence_say(struct jsv_sentence *sentence, struct jsv_str text)
{
    if (text.size > sizeof(sentence->text) - sentence->size - sizeof(", …")) {
        return false;
    }
    memcpy(sentence->text + sentence->size, text.data, text.size);
    sentence->size += text.size;
    return true;
}

static void say_types(struct jsv_sentence *sentence, unsigned types)
{
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {
        {JSV_TYPE_BIT_NULL, "null"},
        {JSV_TYPE_BIT_BOOLEAN, "boolean"},
        {JSV_TYPE_BIT_INTEGER, "integer"},
        {JSV_TYPE_BIT_NUMBER, "number"},
        {JSV_TYPE_BIT_STRING, "string"},
        {JSV_TYPE_BIT_ARRAY, "array"},
        {JSV_TYPE_BIT_OBJECT, "object"},
    };
    bool first = true;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (types & names[i].bit) {
            jsv_sentence_say(sentence, first ? JSV_STR("") : JSV_STR(" or "));
            jsv_sentence_say(sentence, jsv_str_from(names[i].name));
            first = false;
        }
    }
}

/* Different values, spelled as in their schemas. */
struct spelled {
    struct jsv_str texts[VALUES_MAX];
    size_t count;
    bool more;
};

static void add_spelled(struct spelled *values, struct jsv_str text)
{
    for (size_t i = 0; i < values->count; i++) {
        if (jsv_str_equal(values->texts[i], text)) {
            return;
        }
    }
    if (values->count == VALUES_MAX) {
        values->more = true;
        return;
    }
    values->texts[values->count++] = text;
}

static void spell_values(const struct jsv_expected *expected, struct spelled *ret_values)
{
    ret_values->count = 0; /* the texts need no clearing */
    ret_values->more = false;
    for (size_t i = 0; i < expected->list_count; i++) {
        const struct jsv_expected_values *list = &expected->lists[i];
        const struct jsv_node *value = list->first;
        for (size_t j = 0; j < list->count && !ret_values->more; j++) {
            add_spelled(ret_values, jsv_node_span(list->document, value));
            value = jsv_node_next(value);
        }
    }
}

static bool say_value(struct jsv_sentence *sentence, struct jsv_str text)
{
    struct jsv_str part = jsv_message_value(text);
    return jsv_sentence_say(sentence, part) &&
           (part.size == text.size || jsv_sentence_say(sentence, JSV_STR("…")));
}

static void say_values(struct jsv_sentence *sentence, const struct spelled *values)
{
    for (size_t i = 0; i < values->count || values->more; i++) {
        struct jsv_str comma = i ? JSV_STR(", ") : JSV_STR("");
        size_t before = sentence->size;
        if (i < values->count && jsv_sentence_say(sentence, comma) &&
            say_value(sentence, values->texts[i])) {
            continue;
        }
        sentence->size = before;
        memcpy(sentence->text + before, ", …", sizeof(", …") - 1);
        sentence->size += sizeof(", …") - 1;
        return;
    }
}

struct jsv_str
jsv_expected_message(struct jsv_findings *findings, const struct jsv_expected *expected)
{
    struct jsv_sentence sentence;
    struct spelled values;
    sentence.size = 0;
    spell_values(expected, &values);
    jsv_sentence_say(&sentence, JSV_STR("expected "));
    say_types(&sentence, expected->types);
    if (values.count) {
        jsv_sentence_say(&sentence, expected->types ? JSV_STR(" or ") : JSV_STR(""));
        jsv_sentence_say(&sentence, values.count > 1 ? JSV_STR("one of ") : JSV_STR(""));
        say_values(&sentence, &values);
    } else if (!expected->types) {
        jsv_sentence_say(&sentence, JSV_STR("nothing")); /* the list of them is empty */
    }
    return jsv_findings_keep(findings, sentence.text, sentence.size);
}

void jsv_expected_append(
    struct jsv_expected *all, struct jsv_expected_values *lists, const struct jsv_expected *more)
{
    if (more->list_count) {
        memcpy(lists + all->list_count, more->lists, more->list_count * sizeof(*lists));
    }
    all->types |= more->types;
    all->lists = lists;
    all->list_count += more->list_count;
    all->tag &= more->tag;
}
