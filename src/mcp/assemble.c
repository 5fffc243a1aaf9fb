#include "mcp/assemble.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include <jsv/json.h>

#include "mcp/embedded.h"
#include "os/sys.h"

struct files {
    struct jsv_reader *reader;
    struct jsv_document *documents[MCP_VERSION_COUNT];
};

static const struct jsv_embedded *file_of(enum mcp_version version)
{
    size_t size = strlen(mcp_version_name(version));
    const struct jsv_embedded *file = mcp_embedded;
    while (strncmp(file->name, mcp_version_name(version), size) != 0) {
        file++;
        assert(file->name);
    }
    return file;
}

/* @return 0; -ENOMEM. Call close_files() in both cases. */
static int open_files(struct files *files, enum mcp_version last)
{
    files->reader = jsv_reader_new(os_allocator(), NULL);
    int r = files->reader ? 0 : -ENOMEM;
    for (enum mcp_version version = 0; r == 0 && version <= last; version++) {
        const struct jsv_embedded *file = file_of(version);
        files->documents[version] = jsv_document_new(os_allocator());
        r = files->documents[version] ? jsv_read(
                                            files->reader,
                                            files->documents[version],
                                            (struct jsv_str){file->data, file->size},
                                            0,
                                            NULL)
                                      : -ENOMEM;
        assert(r != -EBADMSG);
    }
    return r;
}

static void close_files(struct files *files)
{
    for (size_t i = 0; i < MCP_VERSION_COUNT; i++) {
        jsv_document_free(files->documents[i]);
    }
    jsv_reader_free(files->reader);
}

static bool is_replaced(
    const struct files *files, struct jsv_str name, enum mcp_version version, enum mcp_version last)
{
    while (version < last) {
        version++;
        struct jsv_value root = jsv_document_root(files->documents[version]);
        if (jsv_value_type(jsv_value_get(root, name)) != JSV_TYPE_NONE) {
            return true;
        }
    }
    return false;
}

/* Write the definitions of a file that the last version still has. */
static void write_file(
    const struct files *files,
    enum mcp_version version,
    enum mcp_version last,
    struct jsv_writer *writer)
{
    struct jsv_iter iter = jsv_value_iter(jsv_document_root(files->documents[version]));
    while (jsv_iter_next(&iter)) {
        struct jsv_str name = jsv_value_text(iter.key);
        if (jsv_value_type(iter.value) != JSV_TYPE_NULL &&
            !is_replaced(files, name, version, last)) {
            jsv_write_member_span(writer, name, jsv_value_span(iter.value));
        }
    }
}

static void write_schema(const struct files *files, enum mcp_version last, struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(
        &writer, JSV_STR("$schema"), JSV_STR("https://json-schema.org/draft/2020-12/schema"));
    jsv_write_member_object_begin(&writer, JSV_STR("$defs"));
    for (enum mcp_version version = 0; version <= last; version++) {
        write_file(files, version, last, &writer);
    }
    jsv_write_object_end(&writer);
    jsv_write_object_end(&writer);
}

int mcp_assemble(enum mcp_version version, struct jsv_buf *out)
{
    struct files files = {0};
    int r = open_files(&files, version);
    if (r == 0) {
        write_schema(&files, version, out);
        r = out->error;
    }
    close_files(&files);
    return r;
}
