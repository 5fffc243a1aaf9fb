/*
 * The built-in provider: schemas and examples of the catalog as resources, and
 * the prompts of prompts.def. An argument named "schema" is completed by the
 * names of schemas.
 *
 * The diagnostics are a resource, too. They are not part of the catalog and so
 * not listed; clients find them among the templates, as one without variables.
 */
#include <string.h>

#include "dialect/mcp/provider.h"
#include "dialect/prompts.h"
#include "jsv/base/percent.h"
#include "log/log.h"

#define MIME_TYPE "application/json"

const struct mcp_provider *mcp_provider_or_builtin(const struct mcp_provider *provider)
{
    return provider ? provider : &mcp_builtin_provider;
}

/* ---- resources of the catalog ---- */

bool mcp_is_diagnostics(struct jsv_str uri)
{
    return jsv_str_equal(uri, JSV_STR(MCP_DIAGNOSTICS_URI));
}

size_t mcp_resource_count(const struct catalog *catalog)
{
    return catalog_schema_count(catalog) + catalog_example_count(catalog);
}

static struct mcp_resource resource_of_schema(const struct catalog_schema *schema)
{
    return (struct mcp_resource){JSV_STR(MCP_SCHEMAS_PREFIX), schema->name, schema->text};
}

static struct mcp_resource resource_of_example(const struct catalog_example *example)
{
    return (struct mcp_resource){JSV_STR(MCP_EXAMPLES_PREFIX), example->path, example->text};
}

struct mcp_resource mcp_resource_at(const struct catalog *catalog, size_t index)
{
    size_t schemas = catalog_schema_count(catalog);
    return index < schemas ? resource_of_schema(catalog_schema_at(catalog, index))
                           : resource_of_example(catalog_example_at(catalog, index - schemas));
}

/* Decode what follows the prefix. @return data NULL: another prefix, a bad encoding, or no memory.
 */
static struct jsv_str
decode_name(struct jsv_arena *scratch, struct jsv_str uri, struct jsv_str prefix)
{
    struct jsv_str none = {NULL, 0};
    if (uri.size <= prefix.size || memcmp(uri.data, prefix.data, prefix.size) != 0) {
        return none;
    }
    struct jsv_str rest = {uri.data + prefix.size, uri.size - prefix.size};
    char *name = jsv_arena_alloc(scratch, rest.size);
    size_t size = 0;
    while (name && rest.size > 0) {
        size_t used = jsv_percent_byte(rest, &name[size]);
        if (used == 0) {
            return none;
        }
        size++;
        rest.data += used;
        rest.size -= used;
    }
    return name ? (struct jsv_str){name, size} : none;
}

bool mcp_resource_find(
    const struct catalog *catalog,
    struct jsv_arena *scratch,
    struct jsv_str uri,
    struct mcp_resource *ret_resource)
{
    struct jsv_str name = decode_name(scratch, uri, JSV_STR(MCP_SCHEMAS_PREFIX));
    struct jsv_str path = decode_name(scratch, uri, JSV_STR(MCP_EXAMPLES_PREFIX));
    const struct catalog_schema *schema;
    const struct catalog_example *example;
    if (name.data && catalog_schema_resolve(catalog, name, &schema) == 0) {
        *ret_resource = resource_of_schema(schema);
        return true;
    }
    if (path.data && catalog_example_find(catalog, path, &example) == 0) {
        *ret_resource = resource_of_example(example);
        return true;
    }
    return false;
}

/* ---- resources/list, resources/read ---- */

static void write_resource(const struct catalog *catalog, size_t index, struct jsv_writer *writer)
{
    struct mcp_resource resource = mcp_resource_at(catalog, index);
    jsv_write_object_begin(writer);
    /* a percent-encoded URI needs no escapes in JSON, so it is written directly */
    jsv_write_key(writer, JSV_STR("uri"));
    jsv_buf_append_byte(writer->out, '"');
    jsv_buf_append_str(writer->out, resource.prefix);
    jsv_percent_append(writer->out, resource.name, JSV_PERCENT_PATH);
    jsv_buf_append_byte(writer->out, '"');
    jsv_write_member_string(writer, JSV_STR("name"), resource.name);
    jsv_write_member_string(writer, JSV_STR("mimeType"), JSV_STR(MIME_TYPE));
    jsv_write_member_uint64(writer, JSV_STR("size"), resource.text.size);
    jsv_write_object_end(writer);
}

static const struct {
    struct jsv_str uri;
    struct jsv_str name;
    struct jsv_str description;
} templates[] = {
    {JSV_STR(MCP_SCHEMAS_PREFIX "{name}"), JSV_STR("schema"), JSV_STR("A JSON schema by its name")},
    {JSV_STR(MCP_EXAMPLES_PREFIX "{+path}"),
     JSV_STR("example"),
     JSV_STR("An example asset by its path")},
    {JSV_STR(MCP_DIAGNOSTICS_URI),
     JSV_STR("diagnostics"),
     JSV_STR("The latest messages that did not match their schema")},
};

static size_t template_count(void)
{
    return sizeof(templates) / sizeof(templates[0]);
}

static void write_template(size_t index, struct jsv_writer *writer)
{
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("uriTemplate"), templates[index].uri);
    jsv_write_member_string(writer, JSV_STR("name"), templates[index].name);
    jsv_write_member_string(writer, JSV_STR("description"), templates[index].description);
    jsv_write_member_string(writer, JSV_STR("mimeType"), JSV_STR(MIME_TYPE));
    jsv_write_object_end(writer);
}

static bool has_resource(const struct dialect_req *req, struct jsv_str uri)
{
    struct mcp_resource resource;
    return mcp_is_diagnostics(uri) || mcp_resource_find(req->catalog, req->scratch, uri, &resource);
}

/* Without a log there are no diagnostics. */
static struct jsv_str diagnostics_text(const struct dialect_req *req, struct jsv_buf *out)
{
    bool is_written = req->log && log_diagnostics_write(req->log, out) == 0;
    return is_written ? jsv_buf_str(out) : JSV_STR("{\"mismatches\":[]}");
}

static void
write_contents(const struct dialect_req *req, struct jsv_str uri, struct jsv_writer *writer)
{
    struct mcp_resource resource = {0};
    struct jsv_buf diagnostics;
    jsv_buf_init(&diagnostics, &writer->out->allocator, writer->out->size_max);
    if (mcp_is_diagnostics(uri)) {
        resource.text = diagnostics_text(req, &diagnostics);
    } else {
        (void)mcp_resource_find(req->catalog, req->scratch, uri, &resource);
    }
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("uri"), uri);
    jsv_write_member_string(writer, JSV_STR("mimeType"), JSV_STR(MIME_TYPE));
    jsv_write_member_string(writer, JSV_STR("text"), resource.text);
    jsv_write_object_end(writer);
    jsv_buf_done(&diagnostics);
}

/* ---- prompts ---- */

static size_t prompt_count(const struct catalog *catalog)
{
    (void)catalog; /* prompts are part of the program */
    size_t count = 0;
    while (dialect_prompt_at(count)) {
        count++;
    }
    return count;
}

static void write_prompt(
    const struct catalog *catalog,
    size_t index,
    enum mcp_version version,
    struct jsv_writer *writer)
{
    (void)catalog;
    const struct dialect_prompt *prompt = dialect_prompt_at(index);
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("name"), prompt->name);
    if (version >= MCP_VERSION_2025_06_18) {
        jsv_write_member_string(writer, JSV_STR("title"), prompt->title);
    }
    jsv_write_member_string(writer, JSV_STR("description"), prompt->description);
    dialect_write_prompt_arguments(writer, prompt);
    jsv_write_object_end(writer);
}

static bool has_all_arguments(const struct dialect_prompt *prompt, struct jsv_value arguments)
{
    const struct dialect_prompt_argument *argument;
    for (size_t i = 0; (argument = dialect_prompt_argument_at(prompt, i)) != NULL; i++) {
        struct jsv_value value = jsv_value_get(arguments, argument->name);
        if (argument->is_required && jsv_value_type(value) != JSV_TYPE_STRING) {
            return false;
        }
    }
    return true;
}

static enum mcp_prompt_step get_prompt(struct mcp_prompt_call *call)
{
    const struct dialect_prompt *prompt = dialect_prompt_find(call->name);
    if (!prompt) {
        return MCP_PROMPT_UNKNOWN;
    }
    if (!has_all_arguments(prompt, call->arguments)) {
        return MCP_PROMPT_INCOMPLETE;
    }
    struct jsv_buf text;
    jsv_buf_init(&text, &call->out->allocator, call->out->size_max);
    int r = dialect_prompt_write(prompt, call->arguments, &text);
    struct jsv_writer writer = jsv_writer_on(call->out);
    dialect_write_user_message(&writer, jsv_buf_str(&text));
    jsv_buf_done(&text);
    if (r < 0) {
        call->out->error = r;
    }
    return MCP_PROMPT_DONE;
}

/* ---- completion ---- */

static void offer_resources(struct mcp_completion *completion, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        mcp_completion_offer(completion, mcp_resource_at(completion->catalog, i).name);
    }
}

static bool complete_prompt(struct mcp_completion *completion, struct jsv_str name)
{
    if (!dialect_prompt_find(name)) {
        return false;
    }
    if (jsv_str_equal(completion->argument, JSV_STR("schema"))) {
        offer_resources(completion, 0, catalog_schema_count(completion->catalog));
    }
    return true;
}

static bool complete(struct mcp_completion *completion)
{
    const struct catalog *catalog = completion->catalog;
    struct jsv_value name = jsv_value_get(completion->reference, JSV_STR("name"));
    if (jsv_value_type(name) == JSV_TYPE_STRING) {
        return complete_prompt(completion, jsv_value_text(name));
    }
    struct jsv_str uri = jsv_value_text(jsv_value_get(completion->reference, JSV_STR("uri")));
    size_t schemas = catalog_schema_count(catalog);
    if (jsv_str_equal(uri, templates[0].uri)) {
        offer_resources(completion, 0, schemas);
        return true;
    }
    if (jsv_str_equal(uri, templates[1].uri)) {
        offer_resources(completion, schemas, schemas + catalog_example_count(catalog));
        return true;
    }
    return mcp_is_diagnostics(uri); /* a template without variables has no values */
}

const struct mcp_provider mcp_builtin_provider = {
    .resource_count = mcp_resource_count,
    .write_resource = write_resource,
    .template_count = template_count,
    .write_template = write_template,
    .has_resource = has_resource,
    .write_contents = write_contents,
    .is_live = mcp_is_diagnostics,
    .prompt_count = prompt_count,
    .write_prompt = write_prompt,
    .get_prompt = get_prompt,
    .complete = complete,
};
