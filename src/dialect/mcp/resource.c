#include "dialect/mcp/resource.h"

#include <string.h>

#include "jsv/base/percent.h"

bool mcp_is_diagnostics(struct jsv_str uri)
{
    return jsv_str_equal(uri, JSV_STR(MCP_DIAGNOSTICS_URI));
}

size_t mcp_resource_count(const struct catalog *catalog)
{
    return catalog_schema_count(catalog) + catalog_example_count(catalog);
}

struct mcp_resource mcp_resource_at(const struct catalog *catalog, size_t index)
{
    size_t schemas = catalog_schema_count(catalog);
    if (index < schemas) {
        const struct catalog_schema *schema = catalog_schema_at(catalog, index);
        return (struct mcp_resource){JSV_STR(MCP_SCHEMAS_PREFIX), schema->name, schema->text};
    }
    const struct catalog_example *example = catalog_example_at(catalog, index - schemas);
    return (struct mcp_resource){JSV_STR(MCP_EXAMPLES_PREFIX), example->path, example->text};
}

void mcp_resource_append_uri(struct jsv_buf *out, const struct mcp_resource *resource)
{
    jsv_buf_append_str(out, resource->prefix);
    jsv_percent_append(out, resource->name, JSV_PERCENT_PATH);
}

/* @return what follows the prefix with percent-encoding undone; data NULL when it has no such
   prefix, is badly encoded or memory ran out. */
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

static bool
find_schema(const struct catalog *catalog, struct jsv_str name, struct mcp_resource *ret_resource)
{
    const struct catalog_schema *schema;
    if (!name.data || catalog_schema_resolve(catalog, name, &schema) < 0) {
        return false;
    }
    *ret_resource = (struct mcp_resource){JSV_STR(MCP_SCHEMAS_PREFIX), schema->name, schema->text};
    return true;
}

static bool
find_example(const struct catalog *catalog, struct jsv_str path, struct mcp_resource *ret_resource)
{
    const struct catalog_example *example;
    if (!path.data || catalog_example_find(catalog, path, &example) < 0) {
        return false;
    }
    *ret_resource =
        (struct mcp_resource){JSV_STR(MCP_EXAMPLES_PREFIX), example->path, example->text};
    return true;
}

bool mcp_resource_find(
    const struct catalog *catalog,
    struct jsv_arena *scratch,
    struct jsv_str uri,
    struct mcp_resource *ret_resource)
{
    struct jsv_str name = decode_name(scratch, uri, JSV_STR(MCP_SCHEMAS_PREFIX));
    struct jsv_str path = decode_name(scratch, uri, JSV_STR(MCP_EXAMPLES_PREFIX));
    return find_schema(catalog, name, ret_resource) || find_example(catalog, path, ret_resource);
}
