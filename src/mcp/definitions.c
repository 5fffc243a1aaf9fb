/*
 * Every definition that checks need has a slot, an atomic pointer that is empty
 * until its schema is compiled. A thread that finds it empty takes the lock,
 * checks again, assembles the version if necessary, compiles the definition and
 * fills the slot; later reads need no lock. Definitions named on a command line
 * are few and used once: they are in a list.
 */
#include "mcp/definitions.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "jsv/base/ascii.h"
#include "mcp/assemble.h"
#include "mcp/official.h"
#include "os/sys.h"

/* The official schemas have some 200 KB; an operator's file must not fill the memory. */
#define SCHEMA_SIZE_MAX ((size_t)16 << 20)

/* "urn:mcp:2025-11-25#/$defs/" and a name; no definition has a longer one. */
#define URI_SIZE_MAX 256

/* A definition named by a user. */
struct named {
    struct named *next;
    struct jsv_schema *schema;
    char uri[URI_SIZE_MAX];
};

struct revision {
    struct jsv_registry *registry; /* NULL: not assembled yet */
    struct jsv_buf text;
    const char *key; /* the member that holds the definitions */
    bool checked;    /* against its meta-schema, or embedded */
    bool is_operators;
    char digest[OS_DIGEST_HEX_SIZE + 1]; /* empty: not computed yet */
    struct named *named;
    _Atomic(struct jsv_schema *) slots[MCP_SLOT_COUNT];
};

struct mcp_definitions {
    pthread_mutex_t lock; /* guards all but reading a slot */
    struct revision revisions[MCP_VERSION_COUNT];
};

/* ---- names ---- */

static const char *message_name(enum mcp_version version, unsigned id)
{
    const struct mcp_method *method = mcp_method((enum mcp_method_id)id);
    return mcp_method_is_in(method, version) ? method->message : NULL;
}

static const char *result_name(enum mcp_version version, unsigned id)
{
    const struct mcp_method *method = mcp_method((enum mcp_method_id)id);
    return mcp_method_is_in(method, version) ? method->result : NULL;
}

static const char *alternative_name(enum mcp_version version, unsigned id)
{
    const struct mcp_alternative *alternative = mcp_alternative((enum mcp_alternative_id)id);
    return alternative->version == version ? alternative->definition : NULL;
}

static const char *error_name(enum mcp_version version, unsigned id)
{
    const struct mcp_error *error = mcp_error((enum mcp_error_id)id);
    return error->version == version ? error->definition : NULL;
}

const char *mcp_slot_name(enum mcp_version version, unsigned slot)
{
    if (slot >= MCP_SLOT_ANY_ERROR) {
        return mcp_version_facts(version)->error;
    }
    if (slot >= MCP_SLOT_ANY_RESPONSE) {
        return mcp_version_facts(version)->response;
    }
    if (slot >= MCP_SLOT_TYPED_ERROR) {
        return error_name(version, slot - MCP_SLOT_TYPED_ERROR);
    }
    if (slot >= MCP_SLOT_ALTERNATIVE) {
        return alternative_name(version, slot - MCP_SLOT_ALTERNATIVE);
    }
    if (slot >= MCP_SLOT_RESULT) {
        return result_name(version, slot - MCP_SLOT_RESULT);
    }
    return message_name(version, slot);
}

/* ---- a version ---- */

static void uri_of(enum mcp_version version, char *out)
{
    int size = snprintf(out, URI_SIZE_MAX, "urn:mcp:%s", mcp_version_name(version));
    assert(size < URI_SIZE_MAX);
    (void)size;
}

/* Names of definitions need no escaping, in pointers, URIs or JSON. */
static bool is_name(struct jsv_str name)
{
    size_t i = 0;
    while (i < name.size && (jsv_is_alnum(name.data[i]) || name.data[i] == '_')) {
        i++;
    }
    return name.size > 0 && i == name.size;
}

/* @return 0; -ENOENT when the name is impossible. */
static int uri_of_definition(
    const struct revision *revision, enum mcp_version version, struct jsv_str name, char *out)
{
    if (!is_name(name) || name.size >= URI_SIZE_MAX) {
        return -ENOENT;
    }
    int size = snprintf(
        out,
        URI_SIZE_MAX,
        "urn:mcp:%s#/%s/%.*s",
        mcp_version_name(version),
        revision->key,
        (int)name.size,
        name.data);
    return size < URI_SIZE_MAX ? 0 : -ENOENT;
}

static int
open_registry(struct revision *revision, enum mcp_version version, struct jsv_error *reterr_fault)
{
    char uri[URI_SIZE_MAX];
    uri_of(version, uri);
    revision->registry = jsv_registry_new(os_allocator(), NULL);
    if (!revision->registry) {
        return -ENOMEM;
    }
    return jsv_registry_add(
        revision->registry, jsv_str_from(uri), jsv_buf_str(&revision->text), reterr_fault);
}

static void close_revision(struct revision *revision)
{
    for (size_t i = 0; i < MCP_SLOT_COUNT; i++) {
        jsv_schema_free(atomic_load_explicit(&revision->slots[i], memory_order_relaxed));
    }
    for (struct named *named = revision->named; named;) {
        struct named *next = named->next;
        jsv_schema_free(named->schema);
        jsv_dealloc(os_allocator(), named, sizeof(*named));
        named = next;
    }
    jsv_registry_free(revision->registry);
    jsv_buf_done(&revision->text);
}

/* Assemble a version, unless that is done. */
static int open_revision(struct revision *revision, enum mcp_version version)
{
    if (revision->registry) {
        return 0;
    }
    jsv_buf_reset(&revision->text);
    int r = mcp_assemble(version, &revision->text);
    if (r == 0) {
        r = open_registry(revision, version, NULL);
        assert(r != -EBADMSG);
    }
    if (r < 0) {
        jsv_registry_free(revision->registry);
        revision->registry = NULL;
        return r;
    }
    revision->key = "$defs";
    revision->checked = true;
    return 0;
}

static int compile(
    struct revision *revision,
    const char *uri,
    struct jsv_schema **ret_schema,
    struct jsv_error *reterr_fault)
{
    const struct jsv_schema_options options = {
        .assert_format = true,
        .skip_meta = revision->checked,
    };
    return jsv_schema_compile(
        revision->registry, jsv_str_from(uri), &options, ret_schema, reterr_fault);
}

/* ---- slots ---- */

static int fill_slot(
    struct revision *revision,
    enum mcp_version version,
    unsigned slot,
    struct jsv_error *reterr_fault)
{
    char uri[URI_SIZE_MAX];
    struct jsv_schema *schema;
    const char *name = mcp_slot_name(version, slot);
    assert(name);
    int r = uri_of_definition(revision, version, jsv_str_from(name), uri);
    if (r == 0) {
        r = compile(revision, uri, &schema, reterr_fault);
    }
    if (r == 0) {
        atomic_store_explicit(&revision->slots[slot], schema, memory_order_release);
    }
    return r;
}

static int fill_slot_once(struct revision *revision, enum mcp_version version, unsigned slot)
{
    if (atomic_load_explicit(&revision->slots[slot], memory_order_relaxed)) {
        return 0; /* another thread filled it */
    }
    int r = open_revision(revision, version);
    return r == 0 ? fill_slot(revision, version, slot, NULL) : r;
}

int mcp_definitions_get(
    struct mcp_definitions *definitions,
    enum mcp_version version,
    unsigned slot,
    const struct jsv_schema **ret_schema)
{
    struct revision *revision = &definitions->revisions[version];
    _Atomic(struct jsv_schema *) *place = &revision->slots[slot];
    const struct jsv_schema *schema = atomic_load_explicit(place, memory_order_acquire);
    if (!schema) {
        pthread_mutex_lock(&definitions->lock);
        int r = fill_slot_once(revision, version, slot);
        schema = atomic_load_explicit(place, memory_order_relaxed);
        pthread_mutex_unlock(&definitions->lock);
        if (r < 0) {
            return r;
        }
    }
    *ret_schema = schema;
    return 0;
}

/* ---- by name ---- */

static int compile_named(
    struct revision *revision, enum mcp_version version, struct jsv_str name, struct named *named)
{
    int r = uri_of_definition(revision, version, name, named->uri);
    if (r < 0) {
        return r;
    }
    r = mcp_official_has(jsv_buf_str(&revision->text), revision->key, name);
    if (r <= 0) {
        return r < 0 ? r : -ENOENT;
    }
    return compile(revision, named->uri, &named->schema, NULL);
}

static int find_named(
    struct revision *revision,
    enum mcp_version version,
    struct jsv_str name,
    const struct jsv_schema **ret_schema)
{
    struct named *named = jsv_alloc(os_allocator(), sizeof(*named));
    if (!named) {
        return -ENOMEM;
    }
    *named = (struct named){.next = revision->named};
    int r = compile_named(revision, version, name, named);
    if (r < 0) {
        jsv_dealloc(os_allocator(), named, sizeof(*named));
        return r;
    }
    revision->named = named;
    *ret_schema = named->schema;
    return 0;
}

int mcp_definitions_find(
    struct mcp_definitions *definitions,
    enum mcp_version version,
    struct jsv_str name,
    const struct jsv_schema **ret_schema)
{
    struct revision *revision = &definitions->revisions[version];
    pthread_mutex_lock(&definitions->lock);
    int r = open_revision(revision, version);
    if (r == 0) {
        r = find_named(revision, version, name, ret_schema);
    }
    pthread_mutex_unlock(&definitions->lock);
    return r;
}

static void digest_revision(struct revision *revision)
{
    if (revision->digest[0] == '\0') {
        os_digest(jsv_buf_str(&revision->text), revision->digest);
    }
}

int mcp_definitions_digest(
    struct mcp_definitions *definitions,
    enum mcp_version version,
    char ret_hex[static OS_DIGEST_HEX_SIZE + 1])
{
    struct revision *revision = &definitions->revisions[version];
    pthread_mutex_lock(&definitions->lock);
    int r = open_revision(revision, version);
    if (r == 0) {
        digest_revision(revision);
        memcpy(ret_hex, revision->digest, sizeof(revision->digest));
    }
    pthread_mutex_unlock(&definitions->lock);
    return r;
}

bool mcp_definitions_is_operators(
    const struct mcp_definitions *definitions, enum mcp_version version)
{
    return definitions->revisions[version].is_operators; /* never changes */
}

static void describe_revision(
    const struct revision *revision, enum mcp_version version, struct jsv_writer *writer)
{
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("version"), jsv_str_from(mcp_version_name(version)));
    jsv_write_member_string(
        writer,
        JSV_STR("source"),
        revision->is_operators ? JSV_STR("operator") : JSV_STR("embedded"));
    jsv_write_member_string(writer, JSV_STR("sha256"), jsv_str_from(revision->digest));
    jsv_write_object_end(writer);
}

void mcp_definitions_describe(struct mcp_definitions *definitions, struct jsv_writer *writer)
{
    jsv_write_array_begin(writer);
    pthread_mutex_lock(&definitions->lock);
    for (enum mcp_version version = 0; version < MCP_VERSION_COUNT; version++) {
        struct revision *revision = &definitions->revisions[version];
        if (revision->registry) {
            digest_revision(revision);
            describe_revision(revision, version, writer);
        }
    }
    pthread_mutex_unlock(&definitions->lock);
    jsv_write_array_end(writer);
}

/* ---- life ---- */

/* Compile all needed definitions of an operator's schema, so that a fault is reported at the start.
 */
static int fill_all(struct revision *revision, enum mcp_version version, struct mcp_fault *fault)
{
    for (unsigned slot = 0; slot < MCP_SLOT_COUNT; slot++) {
        struct jsv_error schema_fault = {0};
        int r =
            mcp_slot_name(version, slot) ? fill_slot(revision, version, slot, &schema_fault) : 0;
        if (r == -EBADMSG) {
            mcp_fault_from_schema(fault, &schema_fault);
        }
        if (r < 0) {
            return r;
        }
        revision->checked = true;
    }
    return 0;
}

static int adopt(
    struct mcp_definitions *definitions,
    const struct mcp_official *official,
    struct mcp_fault *reterr_fault)
{
    struct mcp_official_facts facts;
    struct jsv_error schema_fault = {0};
    int r = mcp_official_look(official, &facts, reterr_fault);
    if (r < 0) {
        return r;
    }
    struct revision *revision = &definitions->revisions[facts.version];
    revision->key = facts.key;
    revision->is_operators = true;
    r = jsv_buf_append_str(&revision->text, official->text);
    if (r == 0) {
        r = open_registry(revision, facts.version, &schema_fault);
    }
    if (r == -EBADMSG) {
        mcp_fault_from_schema(reterr_fault, &schema_fault);
    }
    return r == 0 ? fill_all(revision, facts.version, reterr_fault) : r;
}

int mcp_definitions_new(
    const struct mcp_official *official,
    struct mcp_definitions **ret_definitions,
    struct mcp_fault *reterr_fault)
{
    struct mcp_definitions *definitions = jsv_alloc(os_allocator(), sizeof(*definitions));
    if (!definitions) {
        return -ENOMEM;
    }
    memset(definitions, 0, sizeof(*definitions));
    pthread_mutex_init(&definitions->lock, NULL); /* cannot fail with default attributes */
    for (size_t i = 0; i < MCP_VERSION_COUNT; i++) {
        jsv_buf_init(&definitions->revisions[i].text, os_allocator(), SCHEMA_SIZE_MAX);
    }
    int r = official ? adopt(definitions, official, reterr_fault) : 0;
    if (r < 0) {
        mcp_definitions_free(definitions);
        return r;
    }
    *ret_definitions = definitions;
    return 0;
}

void mcp_definitions_free(struct mcp_definitions *definitions)
{
    if (definitions) {
        for (size_t i = 0; i < MCP_VERSION_COUNT; i++) {
            close_revision(&definitions->revisions[i]);
        }
        pthread_mutex_destroy(&definitions->lock);
        jsv_dealloc(os_allocator(), definitions, sizeof(*definitions));
    }
}
