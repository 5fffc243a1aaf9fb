/*
 * Reader, document, validator and scratch memory are made once and used for
 * every line, so that a long stream of valid messages allocates nothing. What
 * is beside them is the list of requests still to be answered.
 */
#include "cli/check_line.h"

#include <errno.h>
#include <string.h>

#include "cli/check_output.h"
#include "cli/check_pending.h"
#include "cli/check_version.h"
#include "jsv/base/alloc.h"
#include "mcp/problem.h"
#include "os/sys.h"

/* Paths of the problems of one message in their places: less than this for the longest line. */
#define SCRATCH_SIZE_MAX ((size_t)256 << 20)

struct check_lines {
    const struct check_line_options *options;
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_validator *validator;
    struct jsv_arena scratch;
    struct check_pending *pending;
    struct mcp_pairing pairing;
    struct check_session session;
    enum mcp_version version; /* of the message being checked */
    size_t line;
    struct check_counts counts;
};

/* ---- requests and answers ---- */

static void note_request(void *context, struct jsv_value id, const struct mcp_method *method)
{
    struct check_lines *lines = context;
    check_pending_put(lines->pending, id, method, lines->version);
}

static const struct mcp_method *take_request(void *context, struct jsv_value id)
{
    struct check_lines *lines = context;
    return check_pending_take(lines->pending, id);
}

/* ---- beginning and end ---- */

struct check_lines *check_lines_new(const struct check_line_options *options)
{
    const struct jsv_allocator *allocator = os_allocator();
    struct check_lines *lines = jsv_alloc(allocator, sizeof(*lines));
    if (!lines) {
        return NULL;
    }
    *lines = (struct check_lines){
        .options = options,
        .reader = jsv_reader_new(allocator, NULL),
        .document = jsv_document_new(allocator),
        .validator = jsv_validator_new(allocator, NULL),
        .pending = check_pending_new(),
        .pairing = {.asked = note_request, .answered = take_request},
    };
    lines->pairing.context = lines;
    jsv_arena_init(&lines->scratch, allocator, SCRATCH_SIZE_MAX);
    if (!lines->reader || !lines->document || !lines->validator || !lines->pending) {
        check_lines_free(lines);
        return NULL;
    }
    return lines;
}

void check_lines_free(struct check_lines *lines)
{
    if (lines) {
        check_pending_free(lines->pending);
        jsv_arena_done(&lines->scratch);
        jsv_validator_free(lines->validator);
        jsv_document_free(lines->document);
        jsv_reader_free(lines->reader);
        jsv_dealloc(os_allocator(), lines, sizeof(*lines));
    }
}

struct check_counts check_lines_counts(const struct check_lines *lines)
{
    return lines->counts;
}

/* ---- one line ---- */

static int answer(struct check_lines *lines, const struct mcp_verdict *verdict, struct jsv_buf *out)
{
    const char *name = lines->options->text_name;
    lines->counts.messages++;
    lines->counts.invalid += verdict->layer != MCP_LAYER_NONE;
    if (name) {
        check_output_write_text(name, lines->line, verdict, out);
    } else {
        check_output_write(verdict, out);
    }
    return out->error;
}

/* A line that is no JSON, or so long that nobody looks. */
static int
answer_unread(struct check_lines *lines, const struct jsv_problem *problem, struct jsv_buf *out)
{
    const struct mcp_verdict verdict = {
        .layer = MCP_LAYER_JSON,
        .code = MCP_CODE_PARSE_ERROR,
        .problems = {problem, 1, 0},
    };
    return answer(lines, &verdict, out);
}

static int check_message(struct check_lines *lines, struct jsv_buf *out)
{
    const struct check_line_options *options = lines->options;
    struct jsv_value message = jsv_document_root(lines->document);
    lines->version = options->follows_stream
                         ? check_version_find(&lines->session, lines->pending, message)
                         : options->version;
    const struct mcp_check check = {
        .definitions = options->definitions,
        .version = lines->version,
        .sender = MCP_SENDER_BOTH,
        .pairing = &lines->pairing,
        .validator = lines->validator,
        .scratch = &lines->scratch,
    };
    struct mcp_verdict verdict;
    int r;
    if (options->as_schema) {
        r = mcp_check_as(&check, options->as_schema, message, &verdict);
        verdict.definition = options->as;
    } else {
        r = mcp_check(&check, message, &verdict);
    }
    return r < 0 ? r : answer(lines, &verdict, out);
}

static int check_line(struct check_lines *lines, struct jsv_str text, struct jsv_buf *out)
{
    struct jsv_error error;
    int r = jsv_read(lines->reader, lines->document, text, 0, &error);
    if (r == -EBADMSG) {
        const struct jsv_problem problem = {
            .path = error.pointer,
            .message = jsv_str_from(error.message),
        };
        return answer_unread(lines, &problem, out);
    }
    return r < 0 ? r : check_message(lines, out);
}

static int refuse_too_long(struct check_lines *lines, struct jsv_buf *out)
{
    MCP_PROBLEM(too_large, "", "", "payload_too_large");
    return answer_unread(lines, &too_large, out);
}

int check_lines_too_long(struct check_lines *lines, struct jsv_buf *out)
{
    lines->line++;
    return refuse_too_long(lines, out);
}

/* ---- lines ---- */

/* The white space of JSON, without the line break. */
static bool is_blank(struct jsv_str line)
{
    size_t i = 0;
    while (i < line.size && (line.data[i] == ' ' || line.data[i] == '\t' || line.data[i] == '\r')) {
        i++;
    }
    return i == line.size;
}

static struct jsv_str without_return(struct jsv_str line)
{
    bool has_return = line.size > 0 && line.data[line.size - 1] == '\r';
    return (struct jsv_str){line.data, line.size - has_return};
}

static int take_line(struct check_lines *lines, struct jsv_str line, struct jsv_buf *out)
{
    line = without_return(line);
    lines->line++;
    if (line.size > CHECK_LINE_SIZE_MAX) {
        return refuse_too_long(lines, out);
    }
    return is_blank(line) ? 0 : check_line(lines, line, out);
}

int check_lines_text(struct check_lines *lines, struct jsv_str text, struct jsv_buf *out)
{
    int r = 0;
    while (r == 0 && text.size > 0) {
        const char *newline = memchr(text.data, '\n', text.size);
        size_t size = newline ? (size_t)(newline - text.data) : text.size;
        r = take_line(lines, (struct jsv_str){text.data, size}, out);
        size += newline != NULL;
        text = (struct jsv_str){text.data + size, text.size - size};
    }
    return r;
}
