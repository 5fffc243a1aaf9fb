#include "core/subject.h"

#include <string.h>

#include "core/request.h"
#include "envelope/invoke.h"

/* At an endpoint of its own the name is in the path. */
static struct jsv_str name_in_path(const struct dialect_request *asked)
{
    struct jsv_str none = {NULL, 0};
    return asked->http && asked->http->parameter.size > 0 ? asked->http->parameter : none;
}

static void ask_env(const struct dialect_request *asked, struct core_subject *subject)
{
    struct jsv_value params = asked->message.params;
    if (jsv_str_equal(subject->method, JSV_STR("mcp.discover"))) {
        subject->seed = CORE_SEED_DISCOVER;
        subject->route = JSV_STR("discover");
    } else if (jsv_str_equal(subject->method, JSV_STR("mcp.prompt.get"))) {
        struct jsv_str id = name_in_path(asked);
        subject->seed = CORE_SEED_PROMPT;
        subject->route = JSV_STR("prompt");
        subject->prompt_id =
            id.data ? id : jsv_value_text(jsv_value_get(params, JSV_STR("promptId")));
    } else if (jsv_str_equal(subject->method, JSV_STR("mcp.tool.invoke"))) {
        struct envelope_invoke invoke = {.tool_id = {NULL, 0}};
        struct jsv_problem problem;
        subject->route = JSV_STR("tool");
        if (envelope_invoke_read(params, name_in_path(asked), &invoke, &problem)) {
            subject->seed = CORE_SEED_TOOL;
            subject->tool_id = invoke.tool_id;
            subject->payload = invoke.arguments;
        }
    }
}

static void ask_ref(struct jsv_value root, struct core_subject *subject)
{
    subject->method = subject->tool_id = jsv_value_text(jsv_value_get(root, JSV_STR("tool")));
    subject->payload = jsv_value_get(root, JSV_STR("payload"));
    subject->meta = jsv_value_get(root, JSV_STR("context"));
}

static void ask_policy(struct jsv_value root, struct core_subject *subject)
{
    struct jsv_value tool = jsv_value_get(root, JSV_STR("tool"));
    subject->method = subject->tool_id = jsv_value_text(jsv_value_get(tool, JSV_STR("name")));
    subject->payload = jsv_value_get(root, JSV_STR("params"));
    subject->meta = jsv_value_get(subject->payload, JSV_STR("_meta"));
}

struct core_subject core_subject_of(const struct core_request *request)
{
    const struct dialect_request *asked = &request->asked;
    const struct dialect *dialect = asked->dialect;
    struct core_subject subject = {
        .seed = dialect ? CORE_SEED_PLAIN : CORE_SEED_UNREAD,
        .route = {dialect ? dialect->name : NULL, dialect ? strlen(dialect->name) : 0},
        .method = asked->message.method,
        .payload = asked->message.params,
        .meta = jsv_value_get(asked->message.params, JSV_STR("_meta")),
    };
    if (dialect == &dialect_env) {
        ask_env(asked, &subject);
    } else if (dialect == &dialect_ref) {
        ask_ref(asked->message.root, &subject);
    } else if (dialect == &dialect_policy) {
        ask_policy(asked->message.root, &subject);
    } else if (asked->tool) {
        subject.tool_id = asked->tool->name;
    }
    return subject;
}
