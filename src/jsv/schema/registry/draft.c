/*
 * The draft a schema is written in and the vocabularies it may use.
 *
 * A resource names its meta-schema in $schema. The drafts' own meta-schemas are
 * known here. Any other is a resource itself: it has a draft and lists the
 * vocabularies that its schemas may use. A schema whose meta-schema requires an
 * unknown vocabulary is rejected.
 */
#include <errno.h>
#include <string.h>

#include "jsv/json/node.h"
#include "jsv/schema/registry/registry.h"
#include "jsv/schema/registry/uri.h"
#include "jsv/schema/report/message.h"

static const char *const draft_names[] = {
    [JSV_DRAFT_DEFAULT] = "2020-12",
    [JSV_DRAFT_4] = "4",
    [JSV_DRAFT_6] = "6",
    [JSV_DRAFT_7] = "7",
    [JSV_DRAFT_2019_09] = "2019-09",
    [JSV_DRAFT_2020_12] = "2020-12",
};

int jsv_draft_from_name(struct jsv_str name, enum jsv_draft *ret_draft)
{
    for (size_t i = JSV_DRAFT_4; i < sizeof(draft_names) / sizeof(*draft_names); i++) {
        if (jsv_str_equal(name, jsv_str_from(draft_names[i]))) {
            *ret_draft = (enum jsv_draft)i;
            return 0;
        }
    }
    return -EINVAL;
}

const char *jsv_draft_name(enum jsv_draft draft)
{
    return draft_names[draft];
}

/* URIs of the drafts' meta-schemas without scheme and empty fragment, which schemas spell freely.
 */
static const struct {
    struct jsv_str uri;
    enum jsv_draft draft;
} draft_uris[] = {
    {{"://json-schema.org/draft-04/schema", 34}, JSV_DRAFT_4},
    {{"://json-schema.org/draft-06/schema", 34}, JSV_DRAFT_6},
    {{"://json-schema.org/draft-07/schema", 34}, JSV_DRAFT_7},
    {{"://json-schema.org/draft/2019-09/schema", 39}, JSV_DRAFT_2019_09},
    {{"://json-schema.org/draft/2020-12/schema", 39}, JSV_DRAFT_2020_12},
    {{"://json-schema.org/schema", 25}, JSV_DRAFT_2020_12},
};

static const char *const meta_uris[] = {
    [JSV_DRAFT_4] = "http://json-schema.org/draft-04/schema",
    [JSV_DRAFT_6] = "http://json-schema.org/draft-06/schema",
    [JSV_DRAFT_7] = "http://json-schema.org/draft-07/schema",
    [JSV_DRAFT_2019_09] = "https://json-schema.org/draft/2019-09/schema",
    [JSV_DRAFT_2020_12] = "https://json-schema.org/draft/2020-12/schema",
};

const struct jsv_embedded *jsv_meta_find(struct jsv_str uri)
{
    if (uri.size > 0 && uri.data[uri.size - 1] == '#') {
        uri.size--;
    }
    for (const struct jsv_embedded *schema = jsv_meta_schemas; schema->name; schema++) {
        if (jsv_str_equal(jsv_str_from(schema->name), uri)) {
            return schema;
        }
    }
    return NULL;
}

bool jsv_draft_find(struct jsv_str uri, enum jsv_draft *ret_draft)
{
    size_t scheme = uri.size >= 5 && memcmp(uri.data, "https", 5) == 0 ? 5 : 4;
    if (uri.size < scheme || memcmp(uri.data, "http", 4) != 0) {
        return false;
    }
    uri = (struct jsv_str){uri.data + scheme, uri.size - scheme};
    for (size_t i = 0; i < sizeof(draft_uris) / sizeof(*draft_uris); i++) {
        if (jsv_str_equal(uri, draft_uris[i].uri)) {
            *ret_draft = draft_uris[i].draft;
            return true;
        }
    }
    return false;
}

void jsv_resource_use_draft(struct jsv_resource *resource, enum jsv_draft draft)
{
    resource->draft = draft;
    resource->vocabularies = JSV_VOCABULARY_DEFAULT;
    resource->meta = jsv_str_from(meta_uris[draft]);
}

static unsigned vocabulary_of(struct jsv_str uri)
{
    static const struct {
        struct jsv_str name;
        unsigned vocabulary;
    } names[] = {
        {{"core", 4}, JSV_VOCABULARY_CORE},
        {{"applicator", 10}, JSV_VOCABULARY_APPLICATOR},
        {{"unevaluated", 11}, JSV_VOCABULARY_UNEVALUATED},
        {{"validation", 10}, JSV_VOCABULARY_VALIDATION},
        {{"format", 6}, JSV_VOCABULARY_FORMAT},
        {{"format-annotation", 17}, JSV_VOCABULARY_FORMAT},
        {{"format-assertion", 16}, JSV_VOCABULARY_FORMAT_ASSERTION | JSV_VOCABULARY_FORMAT},
        {{"content", 7}, JSV_VOCABULARY_CONTENT},
        {{"meta-data", 9}, JSV_VOCABULARY_META_DATA},
    };
    static const struct jsv_str bases[] = {
        {"https://json-schema.org/draft/2019-09/vocab/", 44},
        {"https://json-schema.org/draft/2020-12/vocab/", 44},
    };
    for (size_t b = 0; b < sizeof(bases) / sizeof(*bases); b++) {
        if (uri.size <= bases[b].size || memcmp(uri.data, bases[b].data, bases[b].size) != 0) {
            continue;
        }
        struct jsv_str rest = {uri.data + bases[b].size, uri.size - bases[b].size};
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
            if (jsv_str_equal(rest, names[i].name)) {
                return names[i].vocabulary;
            }
        }
    }
    return 0;
}

/* Take draft and vocabularies from a meta-schema other than a draft's own. */
static int use_meta(
    struct jsv_registry *registry,
    struct jsv_resource *resource,
    const struct jsv_resource *meta,
    const struct jsv_node *at,
    struct jsv_error *reterr_fault)
{
    jsv_resource_use_draft(resource, meta->draft);
    resource->meta = meta->uri;
    struct jsv_value root = {meta->source->document, meta->root};
    struct jsv_value vocabulary = jsv_value_get(root, JSV_STR("$vocabulary"));
    if (meta->draft < JSV_DRAFT_2019_09 || jsv_value_type(vocabulary) != JSV_TYPE_OBJECT) {
        return 0;
    }
    resource->vocabularies = JSV_VOCABULARY_CORE;
    if (meta->draft == JSV_DRAFT_2019_09) {
        resource->vocabularies |= JSV_VOCABULARY_UNEVALUATED; /* part of applicator there */
    }
    struct jsv_iter iter = jsv_value_iter(vocabulary);
    while (jsv_iter_next(&iter)) {
        struct jsv_str uri = jsv_value_text(iter.key);
        unsigned bits = vocabulary_of(uri);
        resource->vocabularies |= bits;
        if (!bits && jsv_value_bool(iter.value)) {
            return jsv_registry_fault(
                registry,
                resource,
                at,
                reterr_fault,
                "its meta-schema requires the unknown vocabulary %.*s",
                JSV_TEXT(uri));
        }
    }
    return 0;
}

int jsv_resource_settle_draft(
    struct jsv_registry *registry,
    struct jsv_resource *resource,
    const struct jsv_resource *outer,
    struct jsv_error *reterr_fault)
{
    struct jsv_value root = {resource->source->document, resource->root};
    struct jsv_value schema = jsv_value_get(root, JSV_STR("$schema"));
    if (jsv_value_type(schema) != JSV_TYPE_STRING) {
        if (outer) {
            resource->draft = outer->draft;
            resource->vocabularies = outer->vocabularies;
            resource->meta = outer->meta;
        }
        return 0;
    }
    struct jsv_uri uri = jsv_uri_split(jsv_value_text(schema));
    enum jsv_draft draft;
    if (jsv_draft_find(uri.absolute, &draft)) {
        jsv_resource_use_draft(resource, draft);
        return 0;
    }
    if (jsv_str_equal(uri.absolute, resource->uri)) {
        /* a meta-schema that describes itself */
        return use_meta(registry, resource, resource, schema.node, reterr_fault);
    }
    struct jsv_resource *meta;
    int r = jsv_registry_find(registry, resource->source, uri.absolute, &meta, reterr_fault);
    if (r == -ENOENT || r == -ELOOP) {
        bool is_missing = r == -ENOENT;
        r = jsv_registry_fault(
            registry,
            resource,
            schema.node,
            reterr_fault,
            is_missing ? "unknown meta-schema %.*s"
                       : "too many meta-schemas of meta-schemas up to %.*s",
            JSV_TEXT(uri.absolute));
        if (is_missing && r == -EBADMSG && reterr_fault) {
            reterr_fault->missing = jsv_registry_copy(registry, uri.absolute);
            r = reterr_fault->missing.data ? r : -ENOMEM;
        }
        return r;
    }
    return r < 0 ? r : use_meta(registry, resource, meta, schema.node, reterr_fault);
}
