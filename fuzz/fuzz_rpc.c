/*
 * Input: bytes of a stream of lines; the first says how they are cut. Lines
 * come out the same however the bytes come in, none longer than the limit or
 * blank, and none that was not sent. Those that are JSON are held against the
 * shape of a message; whatever is one has what its kind promises.
 */
#include <string.h>

#include "fuzz.h"
#include "rpc/frame.h"
#include "rpc/message.h"

/* Small, so that lines beyond it are easily found. */
#define SIZE_LIMIT 512

static bool is_identifier(struct jsv_value value)
{
    enum jsv_type type = jsv_value_type(value);
    return type == JSV_TYPE_STRING || type == JSV_TYPE_NUMBER || type == JSV_TYPE_NONE;
}

static void check_message(struct jsv_value root)
{
    struct rpc_message message;
    struct rpc_fault fault = {0};
    bool is_message = rpc_message_read(root, &message, &fault);
    FUZZ_CHECK(is_identifier(message.id));
    FUZZ_CHECK(is_message || fault.details.size > 0);
    if (is_message && message.kind == RPC_REQUEST) {
        FUZZ_CHECK(message.method.data && jsv_value_type(message.id) != JSV_TYPE_NONE);
    }
    if (is_message && message.kind == RPC_NOTIFICATION) {
        FUZZ_CHECK(message.method.data && jsv_value_type(message.id) == JSV_TYPE_NONE);
    }
}

static void read_line(struct jsv_str line)
{
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    struct jsv_error error;
    if (jsv_read(reader, document, line, 0, &error) == 0) {
        check_message(jsv_document_root(document));
    }
    jsv_document_free(document);
    jsv_reader_free(reader);
}

static void take(struct jsv_buf *lines, const struct rpc_frame *frame)
{
    FUZZ_CHECK(frame->text.size <= SIZE_LIMIT);
    FUZZ_CHECK(frame->oversize == (frame->text.size == 0));
    jsv_buf_append_str(lines, frame->oversize ? JSV_STR("<oversize>") : frame->text);
    jsv_buf_append_byte(lines, '\n');
}

/* @param piece Bytes at a time. */
static struct jsv_buf lines_of(struct jsv_str bytes, size_t piece)
{
    struct rpc_frames frames;
    struct rpc_frame frame;
    struct jsv_buf lines;
    jsv_buf_init(&lines, NULL, SIZE_MAX);
    rpc_frames_init(&frames, SIZE_LIMIT);
    while (bytes.size > 0) {
        char *data;
        size_t room;
        FUZZ_CHECK(rpc_frames_space(&frames, &data, &room) == 0 && room > 0);
        size_t size = bytes.size < room ? bytes.size : room;
        size = size < piece ? size : piece;
        memcpy(data, bytes.data, size);
        rpc_frames_filled(&frames, size);
        while (rpc_frames_next(&frames, &frame)) {
            take(&lines, &frame);
        }
        bytes.data += size;
        bytes.size -= size;
    }
    if (rpc_frames_last(&frames, &frame)) {
        take(&lines, &frame);
    }
    rpc_frames_done(&frames);
    return lines;
}

static void read_lines(struct jsv_str lines)
{
    while (lines.size > 0) {
        const char *end = memchr(lines.data, '\n', lines.size);
        size_t size = (size_t)(end - lines.data);
        read_line((struct jsv_str){lines.data, size});
        lines.data += size + 1;
        lines.size -= size + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) {
        return 0;
    }
    struct jsv_str bytes = {(const char *)data + 1, size - 1};
    struct jsv_buf whole = lines_of(bytes, SIZE_MAX);
    struct jsv_buf cut = lines_of(bytes, 1 + data[0]);
    FUZZ_CHECK(jsv_str_equal(jsv_buf_str(&whole), jsv_buf_str(&cut)));
    read_lines(jsv_buf_str(&whole));
    jsv_buf_done(&whole);
    jsv_buf_done(&cut);
    return 0;
}
