#include <jsv/jsv.h>

const char *jsv_version(void)
{
    return JSV_VERSION;
}

const char *jsv_status_text(int status)
{
    switch (status) {
    case JSV_OK:
        return "success";
    case JSV_BAD_TEXT:
        return "not valid JSON, or not a valid schema";
    case JSV_NO_MEMORY:
        return "out of memory";
    case JSV_NOT_FOUND:
        return "not found";
    case JSV_CONFLICT:
        return "a different schema has this URI";
    case JSV_TOO_COMPLEX:
        return "the schema is too complex";
    case JSV_STEP_LIMIT:
        return "the limit of steps or depth was reached";
    case JSV_PATTERN_LIMIT:
        return "the limit of a pattern was reached";
    case JSV_BAD_ARGUMENT:
        return "bad argument";
    case JSV_OUT_OF_RANGE:
        return "number out of range";
    case JSV_BUFFER_FULL:
        return "the buffer's size limit was reached";
    default:
        return "unknown status";
    }
}
