#include <errno.h>

#include "jsv/json/reader.h"

static const struct {
    const char *name;
    const char *message;
} errors[] = {
    [JSV_ERROR_NONE] = {"NONE", "no error"},
#define JSV_ERROR_CODE(name, message) [JSV_ERROR_##name] = {#name, message},
#include <jsv/json_errors.def>
#undef JSV_ERROR_CODE
};

const char *jsv_error_name(enum jsv_error_code code)
{
    return errors[code].name;
}

const char *jsv_read_end_message(enum jsv_error_code expected)
{
    static const char *const messages[] = {
        [JSV_ERROR_UNEXPECTED_CHARACTER] = "unexpected end of input; expected a value",
        [JSV_ERROR_EXPECTED_KEY] =
            "unexpected end of input; expected a member name in double quotes",
        [JSV_ERROR_EXPECTED_COLON] = "unexpected end of input; expected ':'",
        [JSV_ERROR_EXPECTED_COMMA_OR_BRACE] = "unexpected end of input; expected ',' or '}'",
        [JSV_ERROR_EXPECTED_COMMA_OR_BRACKET] = "unexpected end of input; expected ',' or ']'",
        [JSV_ERROR_INVALID_NUMBER] = "unexpected end of input; expected a digit",
        [JSV_ERROR_MEMORY] = NULL,
    };
    const char *message = messages[expected];
    return message ? message : errors[JSV_ERROR_UNEXPECTED_END].message;
}

/* Line and column of an offset, by looking at all the text before it: only errors pay for this. */
static void locate(const char *text, struct jsv_error *error)
{
    error->line = 1;
    error->column = 1;
    for (size_t i = 0; i < error->offset; i++) {
        if (text[i] == '\n') {
            error->line++;
            error->column = 1;
        } else if (((unsigned char)text[i] & 0xC0) != 0x80) {
            error->column++;
        }
    }
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
        *reterr_error = (struct jsv_error){
            .code = code,
            .offset = offset,
            .pointer = point(reader, place, node_count),
            .message = errors[code].message,
        };
        locate(reader->scan.text, reterr_error);
    }
    return code == JSV_ERROR_MEMORY ? -ENOMEM : -EBADMSG;
}
