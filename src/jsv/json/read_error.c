#include <errno.h>

#include "jsv/json/reader.h"

/* Name and message of each code; docs/json.md lists them, and a test compares the two. */
#define ERROR(name, message) [JSV_ERROR_##name] = {#name, JSV_STR(message)}
static const struct {
    const char *name;
    struct jsv_str message;
} errors[] = {
    ERROR(NONE, "no error"),
    ERROR(EMPTY, "expected a JSON value, found nothing"),
    ERROR(BYTE_ORDER_MARK, "a byte order mark is not allowed; remove the first three bytes"),
    ERROR(INVALID_UTF8, "invalid UTF-8"),
    ERROR(UNEXPECTED_END, "unexpected end of input"),
    ERROR(UNEXPECTED_CHARACTER, "expected a value"),
    ERROR(EXPECTED_KEY, "expected a member name in double quotes"),
    ERROR(EXPECTED_COLON, "expected ':' after the member name"),
    ERROR(EXPECTED_COMMA_OR_BRACE, "expected ',' or '}' after a member"),
    ERROR(EXPECTED_COMMA_OR_BRACKET, "expected ',' or ']' after an element"),
    ERROR(TRAILING_CHARACTERS, "unexpected text after the value"),
    ERROR(INVALID_LITERAL, "expected true, false or null"),
    ERROR(INVALID_NUMBER, "not a JSON number"),
    ERROR(UNTERMINATED_STRING, "the string has no closing quote"),
    ERROR(CONTROL_CHARACTER, "control characters in strings must be escaped"),
    ERROR(INVALID_ESCAPE, "unknown escape in a string"),
    ERROR(LONE_SURROGATE, "unpaired surrogate escape"),
    ERROR(DUPLICATE_MEMBER, "duplicate member name"),
    ERROR(TEXT_TOO_LARGE, "the text is larger than the limit"),
    ERROR(TOO_DEEP, "containers are nested deeper than the limit"),
    ERROR(NUMBER_TOO_LONG, "the number has more characters than the limit"),
    ERROR(MEMORY, "out of memory for the document"),
};

const char *jsv_error_name(enum jsv_error_code code)
{
    return errors[code].name;
}

const char *jsv_error_text(enum jsv_error_code code)
{
    return errors[code].message.data;
}

struct jsv_str jsv_read_end_message(enum jsv_error_code expected)
{
    static const struct jsv_str messages[] = {
        [JSV_ERROR_UNEXPECTED_CHARACTER] = JSV_STR("unexpected end of input; expected a value"),
        [JSV_ERROR_EXPECTED_KEY] =
            JSV_STR("unexpected end of input; expected a member name in double quotes"),
        [JSV_ERROR_EXPECTED_COLON] = JSV_STR("unexpected end of input; expected ':'"),
        [JSV_ERROR_EXPECTED_COMMA_OR_BRACE] =
            JSV_STR("unexpected end of input; expected ',' or '}'"),
        [JSV_ERROR_EXPECTED_COMMA_OR_BRACKET] =
            JSV_STR("unexpected end of input; expected ',' or ']'"),
        [JSV_ERROR_INVALID_NUMBER] = JSV_STR("unexpected end of input; expected a digit"),
        [JSV_ERROR_MEMORY] = {NULL, 0},
    };
    struct jsv_str message = messages[expected];
    return message.data ? message : errors[JSV_ERROR_UNEXPECTED_END].message;
}

/*
 * The pointer of the innermost container, or of the value begun in it. The key
 * of an open container is the node before it; that of a value whose node is
 * not laid down yet is the last node. A pointer that does not fit its buffer
 * ends with the last token that does, as tokens are pushed whole or not at all.
 */
static struct jsv_str point(struct jsv_reader *reader, enum jsv_place place, size_t node_count)
{
    struct jsv_buf *pointer = &reader->pointer;
    const struct jsv_node *nodes = jsv_document_nodes(reader->document);
    jsv_buf_reset(pointer);
    for (uint32_t level = 1; level <= reader->depth; level++) {
        const struct jsv_frame *frame = &reader->frames[level];
        bool innermost = level == reader->depth;
        if (innermost && place == JSV_PLACE_CONTAINER) {
            break;
        }
        if (jsv_node_type(&nodes[frame->node]) == JSV_TYPE_ARRAY) {
            jsv_pointer_push_index(pointer, frame->count - 1);
        } else {
            size_t key = innermost ? node_count - 1 : reader->frames[level + 1].node - 1;
            jsv_pointer_push(pointer, jsv_string_text(reader->document, &nodes[key]));
        }
        if (pointer->error) {
            break;
        }
    }
    return jsv_buf_str(pointer);
}

int jsv_read_fail(
    struct jsv_reader *reader,
    enum jsv_error_code code,
    size_t offset,
    enum jsv_place place,
    size_t node_count,
    struct jsv_error *reterr_error)
{
    if (reterr_error) {
        struct jsv_position position =
            jsv_position_in((struct jsv_str){reader->scan.text, offset}, 1);
        jsv_position_move(&position, offset);
        *reterr_error = (struct jsv_error){
            .code = code,
            .offset = offset,
            .line = position.line,
            .column = position.column,
            .pointer = point(reader, place, node_count),
            .message = errors[code].message,
            .uri = JSV_STR(""),
            .missing = JSV_STR(""),
        };
    }
    return code == JSV_ERROR_MEMORY ? -ENOMEM : -EBADMSG;
}
