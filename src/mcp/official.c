/*
 * The official schemas keep their definitions in different members and do not
 * name their version. The version is recognised by a definition that was new in
 * it; then every definition of the tables must be there.
 */
#include "mcp/official.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "os/sys.h"

/* ---- faults ---- */

__attribute__((format(printf, 2, 3))) static int
refuse(struct mcp_fault *fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(fault->text, sizeof(fault->text), format, arguments); /* cut when long */
    va_end(arguments);
    return -EBADMSG;
}

static void refuse_json(struct mcp_fault *fault, const struct jsv_error *error)
{
    refuse(fault, "line %zu, column %zu: %s", error->line, error->column, error->message.data);
}

void mcp_fault_from_schema(struct mcp_fault *fault, const struct jsv_error *schema_fault)
{
    if (schema_fault->code != JSV_ERROR_NONE) {
        refuse_json(fault, schema_fault);
        return;
    }
    refuse(
        fault,
        "%.*s: %.*s",
        (int)schema_fault->pointer.size,
        schema_fault->pointer.data,
        (int)schema_fault->message.size,
        schema_fault->message.data);
}

/* ---- inspecting ---- */

struct look {
    struct jsv_reader *reader;
    struct jsv_document *document;
};

/* @return 0; -EBADMSG with the error; -ENOMEM. Call close_look() in all cases. */
static int open_look(struct look *look, struct jsv_str text, struct jsv_error *reterr_error)
{
    look->reader = jsv_reader_new(os_allocator(), NULL);
    look->document = jsv_document_new(os_allocator());
    if (!look->reader || !look->document) {
        return -ENOMEM;
    }
    return jsv_read(look->reader, look->document, text, 0, reterr_error);
}

static void close_look(struct look *look)
{
    jsv_document_free(look->document);
    jsv_reader_free(look->reader);
}

static struct jsv_value definitions_in(const struct look *look, const char *key)
{
    return jsv_value_get(jsv_document_root(look->document), jsv_str_from(key));
}

static bool has(struct jsv_value definitions, struct jsv_str name)
{
    return jsv_value_type(jsv_value_get(definitions, name)) != JSV_TYPE_NONE;
}

int mcp_official_has(struct jsv_str text, const char *key, struct jsv_str name)
{
    struct look look = {0};
    struct jsv_error error;
    int r = open_look(&look, text, &error);
    if (r == 0) {
        r = has(definitions_in(&look, key), name);
    }
    close_look(&look);
    return r;
}

/* The newest version whose marker it has. */
static int find_version(
    struct jsv_value definitions, enum mcp_version *ret_version, struct mcp_fault *reterr_fault)
{
    for (int version = MCP_VERSION_NEWEST; version >= 0; version--) {
        const char *marker = mcp_version_facts((enum mcp_version)version)->marker;
        if (has(definitions, jsv_str_from(marker))) {
            *ret_version = (enum mcp_version)version;
            return 0;
        }
    }
    return refuse(reterr_fault, "not the schema of a version of the protocol known here");
}

static int
find_all(struct jsv_value definitions, enum mcp_version version, struct mcp_fault *reterr_fault)
{
    for (unsigned slot = 0; slot < MCP_SLOT_COUNT; slot++) {
        const char *name = mcp_slot_name(version, slot);
        if (name && !has(definitions, jsv_str_from(name))) {
            return refuse(
                reterr_fault,
                "definition \"%s\" of version %s is missing",
                name,
                mcp_version_name(version));
        }
    }
    return 0;
}

static int look_into(
    const struct look *look,
    enum mcp_version version,
    struct mcp_official_facts *ret_facts,
    struct mcp_fault *reterr_fault)
{
    const char *key = "$defs";
    if (jsv_value_type(definitions_in(look, key)) == JSV_TYPE_NONE) {
        key = "definitions";
    }
    struct jsv_value definitions = definitions_in(look, key);
    int r = 0;
    if (version == MCP_VERSION_COUNT) {
        r = find_version(definitions, &version, reterr_fault);
    }
    if (r == 0) {
        r = find_all(definitions, version, reterr_fault);
    }
    if (r == 0) {
        *ret_facts = (struct mcp_official_facts){.version = version, .key = key};
    }
    return r;
}

int mcp_official_look(
    const struct mcp_official *official,
    struct mcp_official_facts *ret_facts,
    struct mcp_fault *reterr_fault)
{
    struct look look = {0};
    struct jsv_error error;
    int r = open_look(&look, official->text, &error);
    if (r == -EBADMSG) {
        refuse_json(reterr_fault, &error);
    }
    if (r == 0) {
        r = look_into(&look, official->version, ret_facts, reterr_fault);
    }
    close_look(&look);
    return r;
}
