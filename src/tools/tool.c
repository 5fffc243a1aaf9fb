#include "tools/tool.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "backend/backend.h"
#include "jsv/base/alloc.h"
#include "jsv/base/text.h"
#include "os/sys.h"
#include "tools/builtin.h"
#include "tools/embedded.h"

/* A copy of an asset without its $schemaRef: larger than any message or example. */
#define TEXT_SIZE_MAX ((size_t)8 << 20)

/* ---- descriptors ---- */

static const struct jsv_str names[] = {
#define TOOL(name) {#name, sizeof(#name) - 1},
#include "tools/tools.def"
#undef TOOL
};

#define TOOL_COUNT (sizeof(names) / sizeof(*names))

static struct jsv_str descriptors[TOOL_COUNT];

/* Files are embedded by name; tools.def has the order of tools. */
static void find_descriptors(void)
{
    for (size_t i = 0; i < TOOL_COUNT; i++) {
        const struct jsv_embedded *file = tools_embedded;
        struct jsv_str name = names[i];
        while (strncmp(file->name, name.data, name.size) != 0 ||
               strcmp(file->name + name.size, ".json") != 0) {
            file++;
            assert(file->name);
        }
        descriptors[i] = (struct jsv_str){file->data, file->size};
    }
}

const struct jsv_str *tools_descriptors(size_t *ret_count)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_descriptors);
    *ret_count = TOOL_COUNT;
    return descriptors;
}

/* ---- calls ---- */

static const struct tool_set *set_of(const struct tool_call *call)
{
    return call->tools->settings.set;
}

int tool_run(struct tool_call *call)
{
    if (set_of(call)) {
        return set_of(call)->run(call);
    }
    if (command_is(call->tool)) {
        return command_call(call);
    }
#define TOOL(word)                                                                                 \
    if (JSV_IS(call->tool->name, #word)) {                                                         \
        return tool_##word(call);                                                                  \
    }
#include "tools/tools.def"
#undef TOOL
    return -ENOENT;
}

void tool_cancel(struct tool_call *call)
{
    if (set_of(call)) {
        set_of(call)->cancel(call);
    } else if (command_is(call->tool)) {
        command_cancel(call);
    } else {
        tool_populate_backend_cancel(call); /* the only built-in tool that waits */
    }
}

/* ---- state on a loop ---- */

static int open_backend(struct tools *tools, struct loop *loop)
{
    const struct backend_options options = {
        .url = tools->settings.backend_url,
        .path = tools->settings.backend_assets_path,
        .timeout_ms = tools->settings.backend_timeout_ms,
        .reply_size_max = tools->settings.backend_reply_max,
        .loops = tools->settings.loops,
    };
    return backend_new(loop, &options, &tools->backend);
}

int tools_new(struct loop *loop, const struct tool_settings *settings, struct tools **ret_tools)
{
    struct tools *tools = jsv_alloc(os_allocator(), sizeof(*tools));
    if (!tools) {
        return -ENOMEM;
    }
    *tools = (struct tools){.settings = *settings};
    jsv_buf_init(&tools->text, os_allocator(), TEXT_SIZE_MAX);
    tools->document = jsv_document_new(os_allocator());
    tools->reader = jsv_reader_new(os_allocator(), NULL);
    commands_init(&tools->commands, loop, settings->loops);
    int r = tools->document && tools->reader ? 0 : -ENOMEM;
    if (r == 0 && settings->backend_url) {
        r = open_backend(tools, loop);
    }
    if (r < 0) {
        tools_free(tools);
        return r;
    }
    *ret_tools = tools;
    return 0;
}

struct log_trace_context tool_trace(const struct tool_call *call)
{
    return call->client ? call->client->trace(call) : (struct log_trace_context){0};
}

void tools_count(struct tools *tools, struct log_counters *counters)
{
    tools->commands.counters = counters;
}

void tools_free(struct tools *tools)
{
    if (tools) {
        commands_done(&tools->commands);
        backend_free(tools->backend);
        jsv_reader_free(tools->reader);
        jsv_document_free(tools->document);
        jsv_buf_done(&tools->text);
        jsv_dealloc(os_allocator(), tools, sizeof(*tools));
    }
}
