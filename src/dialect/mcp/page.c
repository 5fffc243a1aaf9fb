#include "dialect/mcp/page.h"

#include <stdio.h>

/* Items on a page: some hundred kilobytes of resources. */
#define PAGE_SIZE 1000

/* The digits of an index; more than a list can have items. */
#define DIGITS_MAX 9

/* @return whether the text is an index as we write it. */
static bool read_index(struct jsv_str text, size_t *ret_index)
{
    size_t index = 0;
    if (text.size == 0 || text.size > DIGITS_MAX || text.data[0] == '0') {
        return false;
    }
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        index = index * 10 + (size_t)(text.data[i] - '0');
    }
    *ret_index = index;
    return true;
}

bool mcp_page_find(
    const struct mcp_exchange *exchange, size_t count, size_t *ret_first, size_t *ret_end)
{
    struct jsv_value cursor = jsv_value_get(exchange->params, JSV_STR("cursor"));
    size_t first = 0;
    if (jsv_value_type(cursor) != JSV_TYPE_NONE) {
        bool ours =
            read_index(jsv_value_text(cursor), &first) && first % PAGE_SIZE == 0 && first < count;
        if (!ours) {
            return false;
        }
    }
    *ret_first = first;
    *ret_end = count - first > PAGE_SIZE ? first + PAGE_SIZE : count;
    return true;
}

void mcp_write_next_page(struct jsv_writer *writer, size_t count, size_t end)
{
    if (end >= count) {
        return;
    }
    char cursor[DIGITS_MAX + 16];
    int size = snprintf(cursor, sizeof(cursor), "%zu", end);
    jsv_write_member_string(writer, JSV_STR("nextCursor"), (struct jsv_str){cursor, (size_t)size});
}

enum dialect_step mcp_answer_bad_cursor(struct dialect_req *req)
{
    static const struct rpc_fault fault = {
        .details = JSV_STR("unknown cursor"),
        .suggestion = JSV_STR("Pass a nextCursor as it was returned, or none"),
        .cause = JSV_STR("/params/cursor"),
    };
    return mcp_answer_fault(req, RPC_ERROR_INVALID_PARAMS, &fault);
}
