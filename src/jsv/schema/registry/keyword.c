#include "jsv/schema/registry/keyword.h"

static const struct {
    struct jsv_str name;
    enum jsv_draft first;
    enum jsv_draft last;
    unsigned vocabulary;
    enum jsv_operand operand;
} keywords[] = {
#define KEYWORD(constant, name, first, last, vocabulary, operand)                                  \
    [JSV_KEYWORD_##constant] = {                                                                   \
        {name, sizeof(name) - 1},                                                                  \
        JSV_DRAFT_##first,                                                                         \
        JSV_DRAFT_##last,                                                                          \
        JSV_VOCABULARY_##vocabulary,                                                               \
        JSV_OPERAND_##operand,                                                                     \
    },
#include "jsv/schema/registry/keywords.def"
#undef KEYWORD
};

static unsigned slot_of(uint64_t prefix, uint64_t head)
{
    return (unsigned)((prefix ^ (head & JSV_KEY_HEAD_MASK)) * 0x9E3779B97F4A7C15ull >> 56);
}

void jsv_keyword_index_init(struct jsv_keyword_index *index)
{
    memset(index->slots, 0, sizeof(index->slots));
    for (unsigned i = 0; i < JSV_KEYWORD_COUNT; i++) {
        struct jsv_key key = jsv_key_from(keywords[i].name);
        index->infos[i] = (struct jsv_keyword_info){
            key,
            keywords[i].first,
            keywords[i].last,
            keywords[i].vocabulary,
            keywords[i].operand,
        };
        unsigned slot = slot_of(key.prefix, key.head);
        while (index->slots[slot]) {
            slot = (slot + 1) % JSV_KEYWORD_SLOTS;
        }
        index->slots[slot] = (unsigned char)(i + 1);
    }
}

enum jsv_keyword jsv_keyword_find_any(
    const struct jsv_keyword_index *index,
    const struct jsv_document *document,
    const struct jsv_node *key)
{
    unsigned slot = slot_of(key->body, key->head);
    for (; index->slots[slot]; slot = (slot + 1) % JSV_KEYWORD_SLOTS) {
        unsigned keyword = index->slots[slot] - 1u;
        if (jsv_key_equals_node(&index->infos[keyword].key, document, key)) {
            return (enum jsv_keyword)keyword;
        }
    }
    return JSV_KEYWORD_COUNT;
}

enum jsv_keyword jsv_keyword_find(
    const struct jsv_keyword_index *index,
    const struct jsv_document *document,
    const struct jsv_node *key,
    enum jsv_draft draft)
{
    enum jsv_keyword keyword = jsv_keyword_find_any(index, document, key);
    if (keyword == JSV_KEYWORD_COUNT) {
        return keyword;
    }
    const struct jsv_keyword_info *info = &index->infos[keyword];
    return draft >= info->first && draft <= info->last ? keyword : JSV_KEYWORD_COUNT;
}
