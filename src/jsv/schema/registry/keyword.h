/*
 * The keywords of all drafts (keywords.def) and finding them by name.
 */
#pragma once

#include <jsv/schema.h>

#include "jsv/json/node.h"

enum jsv_keyword {
#define KEYWORD(constant, name, first, last, vocabulary, operand) JSV_KEYWORD_##constant,
#include "jsv/schema/registry/keywords.def"
#undef KEYWORD
    JSV_KEYWORD_COUNT,
};

/* What a keyword's value is made of. */
enum jsv_operand {
    JSV_OPERAND_REFERENCE,
    JSV_OPERAND_SCHEMA,
    JSV_OPERAND_SCHEMA_UNUSED, /* a schema that is not evaluated but may hold identifiers */
    JSV_OPERAND_SCHEMA_LIST,
    JSV_OPERAND_SCHEMA_OR_LIST,
    JSV_OPERAND_SCHEMA_MAP,
    JSV_OPERAND_PATTERN_MAP,  /* names are patterns, values schemas */
    JSV_OPERAND_DEPENDENCIES, /* values are schemas or lists of names */
    JSV_OPERAND_TYPES,
    JSV_OPERAND_VALUE,
    JSV_OPERAND_NUMBER,
    JSV_OPERAND_SIZE,
    JSV_OPERAND_PATTERN,
    JSV_OPERAND_FORMAT,
    JSV_OPERAND_FLAG,
    JSV_OPERAND_NAMES,
};

enum jsv_vocabulary {
    JSV_VOCABULARY_CORE = 1 << 0,
    JSV_VOCABULARY_APPLICATOR = 1 << 1,
    JSV_VOCABULARY_UNEVALUATED = 1 << 2,
    JSV_VOCABULARY_VALIDATION = 1 << 3,
    JSV_VOCABULARY_FORMAT = 1 << 4,
    JSV_VOCABULARY_FORMAT_ASSERTION = 1 << 5,
    JSV_VOCABULARY_CONTENT = 1 << 6,
    JSV_VOCABULARY_META_DATA = 1 << 7,
    /* of a schema without a meta-schema of its own */
    JSV_VOCABULARY_DEFAULT = 0xFF & ~JSV_VOCABULARY_FORMAT_ASSERTION,
};

struct jsv_keyword_info {
    struct jsv_key key;
    enum jsv_draft first;
    enum jsv_draft last;
    unsigned vocabulary;
    enum jsv_operand operand;
};

/* Slots of the index: a power of two, large enough for short chains. */
#define JSV_KEYWORD_SLOTS 256

/* All keywords by name; one for each registry, because the library has no global state. */
struct jsv_keyword_index {
    struct jsv_keyword_info infos[JSV_KEYWORD_COUNT];
    unsigned char slots[JSV_KEYWORD_SLOTS]; /* keyword + 1; 0 is empty */
};

void jsv_keyword_index_init(struct jsv_keyword_index *index);

/* The keyword of any draft with the name of a key, or JSV_KEYWORD_COUNT. */
enum jsv_keyword jsv_keyword_find_any(
    const struct jsv_keyword_index *index,
    const struct jsv_document *document,
    const struct jsv_node *key);

/* The keyword of a draft with the name of a key, or JSV_KEYWORD_COUNT. */
enum jsv_keyword jsv_keyword_find(
    const struct jsv_keyword_index *index,
    const struct jsv_document *document,
    const struct jsv_node *key,
    enum jsv_draft draft);
