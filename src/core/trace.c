#include "core/trace.h"

#include "core/request.h"

static struct jsv_str header_of(const struct rpc_http *http, struct jsv_str name)
{
    struct jsv_str value;
    bool is_there = http->header(http, name, &value) == RPC_HEADER_FOUND;
    return is_there ? value : (struct jsv_str){NULL, 0};
}

struct log_trace_context core_trace_of(const struct core_request *request, struct jsv_value meta)
{
    const struct rpc_http *http = request->asked.http;
    struct log_trace_context trace = log_trace_context_of(
        jsv_value_text(jsv_value_get(meta, JSV_STR("traceparent"))),
        jsv_value_text(jsv_value_get(meta, JSV_STR("tracestate"))));
    if (!trace.parent.data && http) {
        trace = log_trace_context_of(
            header_of(http, JSV_STR("traceparent")), header_of(http, JSV_STR("tracestate")));
    }
    return trace;
}
