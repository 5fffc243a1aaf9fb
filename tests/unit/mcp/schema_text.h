/*
 * A schema as an operator could hand it over: that of a version, with a piece
 * of its text replaced.
 */
#pragma once

#include <string.h>

#include "mcp/assemble.h"
#include "support/json_fixture.h"

/*
 * @param old Must be there; NULL replaces nothing.
 * @return a text that lives as long as the fixture.
 */
static inline struct jsv_str schema_text(
    struct json_fixture *fixture, enum mcp_version version, const char *old, const char *new)
{
    struct jsv_buf *whole = json_fixture_buf(fixture);
    struct jsv_buf *changed = json_fixture_buf(fixture);
    assert_int_equal(mcp_assemble(version, whole), 0);
    if (!old) {
        return jsv_buf_str(whole);
    }
    jsv_buf_append_byte(whole, '\0');
    char *at = strstr(whole->data, old);
    assert_non_null(at);
    jsv_buf_append(changed, whole->data, (size_t)(at - whole->data));
    jsv_buf_append_str(changed, jsv_str_from(new));
    jsv_buf_append_str(changed, jsv_str_from(at + strlen(old)));
    return jsv_buf_str(changed);
}
