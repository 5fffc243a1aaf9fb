/*
 * Reader, document, validator and scratch memory are used for every line, so
 * that a long stream of valid messages allocates nothing.
 */
#include "cli/check_stream.h"

#include <errno.h>
#include <string.h>

#include "cli/io.h"
#include "cli/report.h"
#include "jsv/base/alloc.h"
#include "jsv/base/hash.h"
#include "mcp/methods.h"
#include "mcp/problem.h"
#include "os/sys.h"
#include "tools/result.h"

/* ---- pending requests ---- */

/* Equal ids have equal keys: a letter for the type, then the text or number. */
struct key {
    char data[CHECK_ID_SIZE_MAX + 1];
    uint8_t size;
};

struct request {
    const struct mcp_method *method; /* NULL: free */
    enum mcp_version version;
    uint32_t bucket;
    uint32_t older; /* slots in the same bucket, or NO_SLOT */
    uint32_t newer;
    struct key key;
};

#define BUCKET_COUNT ((size_t)2 * CHECK_PENDING_MAX)
#define NO_SLOT      UINT32_MAX

/* A ring in the order of arrival, and a hash table of chains that start with the newest. */
struct check_pending {
    uint64_t seed;
    uint32_t next; /* slot of the next request, which drops the oldest */
    uint32_t newest[BUCKET_COUNT];
    struct request requests[CHECK_PENDING_MAX];
};

struct check_pending *check_pending_new(void)
{
    struct check_pending *pending = jsv_alloc(os_allocator(), sizeof(*pending));
    if (pending) {
        memset(pending, 0, sizeof(*pending));
        memset(pending->newest, 0xff, sizeof(pending->newest));
        pending->seed = (uint64_t)(uintptr_t)pending; /* unknown to the author of the ids */
    }
    return pending;
}

void check_pending_free(struct check_pending *pending)
{
    if (pending) {
        jsv_dealloc(os_allocator(), pending, sizeof(*pending));
    }
}

static bool make_key(struct jsv_value id, struct key *ret_key)
{
    int64_t integer;
    struct jsv_str text;
    if (jsv_value_type(id) == JSV_TYPE_STRING) {
        ret_key->data[0] = 's';
        text = jsv_value_text(id);
    } else if (jsv_value_int64(id, &integer) == 0) {
        ret_key->data[0] = 'i';
        text = (struct jsv_str){(const char *)&integer, sizeof(integer)};
    } else {
        ret_key->data[0] = 'n'; /* beyond 64 bits: compared as text */
        text = jsv_value_span(id);
    }
    if (text.size > CHECK_ID_SIZE_MAX) {
        return false;
    }
    memcpy(ret_key->data + 1, text.data, text.size);
    ret_key->size = (uint8_t)(text.size + 1);
    return true;
}

static uint32_t bucket_of(const struct check_pending *pending, const struct key *key)
{
    uint64_t hash = jsv_hash((struct jsv_str){key->data, key->size}, pending->seed);
    return (uint32_t)(hash % BUCKET_COUNT);
}

static const struct mcp_method *remove_request(struct check_pending *pending, uint32_t slot)
{
    struct request *request = &pending->requests[slot];
    const struct mcp_method *method = request->method;
    if (request->older != NO_SLOT) {
        pending->requests[request->older].newer = request->newer;
    }
    if (request->newer != NO_SLOT) {
        pending->requests[request->newer].older = request->older;
    } else {
        pending->newest[request->bucket] = request->older;
    }
    request->method = NULL;
    return method;
}

void check_pending_put(
    struct check_pending *pending,
    struct jsv_value id,
    const struct mcp_method *method,
    enum mcp_version version)
{
    uint32_t slot = pending->next;
    struct request *request = &pending->requests[slot];
    if (request->method) {
        remove_request(pending, slot);
    }
    if (!make_key(id, &request->key)) {
        return;
    }
    request->method = method;
    request->version = version;
    request->bucket = bucket_of(pending, &request->key);
    request->newer = NO_SLOT;
    request->older = pending->newest[request->bucket];
    if (request->older != NO_SLOT) {
        pending->requests[request->older].newer = slot;
    }
    pending->newest[request->bucket] = slot;
    pending->next = (slot + 1) % CHECK_PENDING_MAX;
}

/* The slot of the newest request with this id, or NO_SLOT. */
static uint32_t find(const struct check_pending *pending, struct jsv_value id)
{
    struct key key;
    uint32_t slot = make_key(id, &key) ? pending->newest[bucket_of(pending, &key)] : NO_SLOT;
    for (; slot != NO_SLOT; slot = pending->requests[slot].older) {
        const struct key *other = &pending->requests[slot].key;
        if (other->size == key.size && memcmp(other->data, key.data, key.size) == 0) {
            break;
        }
    }
    return slot;
}

const struct mcp_method *check_pending_find(
    const struct check_pending *pending, struct jsv_value id, enum mcp_version *ret_version)
{
    enum jsv_type type = jsv_value_type(id);
    bool is_id = type == JSV_TYPE_STRING || type == JSV_TYPE_NUMBER;
    uint32_t slot = is_id ? find(pending, id) : NO_SLOT;
    if (slot == NO_SLOT) {
        return NULL;
    }
    *ret_version = pending->requests[slot].version;
    return pending->requests[slot].method;
}

const struct mcp_method *check_pending_take(struct check_pending *pending, struct jsv_value id)
{
    uint32_t slot = find(pending, id);
    return slot == NO_SLOT ? NULL : remove_request(pending, slot);
}

/* ---- versions ---- */

/*
 * The version of a message, when the user does not set one:
 *
 *     params._meta names one       that version
 *     initialize                   the version it requests
 *     an answer                    the version of its request; the answer to initialize sets the
 *                                  version of the session
 *     any other message            the version of the session, else the newest
 */
struct check_session {
    bool is_open;
    enum mcp_version version;
};

static bool is_legacy(enum mcp_version version)
{
    return mcp_version_facts(version)->era == MCP_ERA_LEGACY;
}

static bool has_version(struct jsv_value value, struct jsv_str name, enum mcp_version *ret_version)
{
    struct jsv_str text = jsv_value_text(jsv_value_get(value, name));
    return text.size > 0 && mcp_version_from_name(text, ret_version) == 0;
}

static enum mcp_version open_session(struct check_session *session, enum mcp_version version)
{
    *session = (struct check_session){.is_open = true, .version = version};
    return version;
}

/* The requested version; a server would answer an unknown one with its newest. */
static enum mcp_version on_initialize(struct check_session *session, struct jsv_value params)
{
    enum mcp_version requested;
    bool is_known =
        has_version(params, JSV_STR("protocolVersion"), &requested) && is_legacy(requested);
    return open_session(session, is_known ? requested : MCP_VERSION_NEWEST_LEGACY);
}

static enum mcp_version on_answer(
    struct check_session *session,
    const struct mcp_method *method,
    enum mcp_version version,
    struct jsv_value message)
{
    enum mcp_version agreed;
    struct jsv_value result = jsv_value_get(message, JSV_STR("result"));
    bool opens = jsv_str_equal(method->name, JSV_STR("initialize")) &&
                 has_version(result, JSV_STR("protocolVersion"), &agreed) && is_legacy(agreed);
    return opens ? open_session(session, agreed) : version;
}

static enum mcp_version find_version(
    struct check_session *session, const struct check_pending *pending, struct jsv_value message)
{
    struct jsv_value name = jsv_value_get(message, JSV_STR("method"));
    struct jsv_value params = jsv_value_get(message, JSV_STR("params"));
    struct jsv_value id = jsv_value_get(message, JSV_STR("id"));
    enum mcp_version version = session->is_open ? session->version : MCP_VERSION_NEWEST;
    const struct mcp_method *method;
    if (jsv_value_type(name) == JSV_TYPE_NONE) {
        method = check_pending_find(pending, id, &version);
        return method ? on_answer(session, method, version, message) : version;
    }
    if (has_version(
            jsv_value_get(params, JSV_STR("_meta")),
            JSV_STR("io.modelcontextprotocol/protocolVersion"),
            &version)) {
        return version;
    }
    bool opens = jsv_str_equal(jsv_value_text(name), JSV_STR("initialize"));
    return opens ? on_initialize(session, params) : version;
}

/* ---- results ---- */

/* Most messages are valid, and the names in their result need no escaping: no writer needed. */
static void put_name(struct jsv_buf *out, struct jsv_str key, struct jsv_str name)
{
    jsv_buf_append_str(out, key);
    jsv_buf_append_str(out, name);
    jsv_buf_append_byte(out, '"');
}

static void write_valid(const struct mcp_verdict *verdict, struct jsv_buf *out)
{
    jsv_buf_append_str(out, JSV_STR("{\"ok\":true"));
    if (verdict->shape.kind != MCP_KIND_NONE) {
        struct jsv_str kind = jsv_str_from(mcp_kind_name(verdict->shape.kind));
        put_name(out, JSV_STR(",\"kind\":\""), kind);
    }
    if (verdict->method) {
        put_name(out, JSV_STR(",\"method\":\""), verdict->method->name);
    }
    if (verdict->definition) {
        put_name(out, JSV_STR(",\"definition\":\""), jsv_str_from(verdict->definition));
    }
    jsv_buf_append_str(out, JSV_STR("}\n"));
}

static void write_invalid(const struct mcp_verdict *verdict, struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_object_begin(&writer);
    jsv_write_member_bool(&writer, JSV_STR("ok"), false);
    jsv_write_member_string(
        &writer, JSV_STR("layer"), jsv_str_from(mcp_layer_name(verdict->layer)));
    jsv_write_member_int64(&writer, JSV_STR("code"), verdict->code);
    struct jsv_problems listed = verdict->problems;
    listed.more = 0; /* not part of this output */
    tool_write_problems(&writer, &listed);
    jsv_write_object_end(&writer);
    jsv_buf_append_byte(out, '\n');
}

void check_output_write(const struct mcp_verdict *verdict, struct jsv_buf *out)
{
    if (verdict->layer == MCP_LAYER_NONE) {
        write_valid(verdict, out);
    } else {
        write_invalid(verdict, out);
    }
}

/* Bytes shown of untrusted text. */
#define TEXT_SHOWN_MAX 512

static void write_problem(
    const char *name,
    size_t line,
    const struct mcp_verdict *verdict,
    const struct jsv_problem *problem,
    struct jsv_buf *out)
{
    struct cli_message message;
    cli_message_init(&message, false);
    cli_message_put_clipped(&message, jsv_str_from(name), TEXT_SHOWN_MAX);
    cli_message_printf(&message, ":%zu: ", line);
    if (verdict->method) {
        cli_message_put_clipped(&message, verdict->method->name, TEXT_SHOWN_MAX);
        cli_message_put(&message, ": ");
    }
    if (problem->path.size > 0) {
        cli_message_put_clipped(&message, problem->path, TEXT_SHOWN_MAX);
        cli_message_put(&message, ": ");
    }
    cli_message_put_clipped(&message, problem->message, TEXT_SHOWN_MAX);
    cli_message_printf(&message, " (%s, %d)\n", mcp_layer_name(verdict->layer), verdict->code);
    jsv_buf_append(out, message.data, message.size);
}

void check_output_write_text(
    const char *name, size_t line, const struct mcp_verdict *verdict, struct jsv_buf *out)
{
    if (verdict->layer == MCP_LAYER_NONE) {
        return;
    }
    for (size_t i = 0; i < verdict->problems.count; i++) {
        write_problem(name, line, verdict, &verdict->problems.items[i], out);
    }
}

/* ---- the stream ---- */

/* More than the problems of the longest line need. */
#define SCRATCH_SIZE_MAX ((size_t)256 << 20)

struct check_stream {
    const struct check_options *options;
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
    struct check_stream *stream = context;
    check_pending_put(stream->pending, id, method, stream->version);
}

static const struct mcp_method *take_request(void *context, struct jsv_value id)
{
    struct check_stream *stream = context;
    return check_pending_take(stream->pending, id);
}

/* ---- beginning and end ---- */

struct check_stream *check_stream_new(const struct check_options *options)
{
    const struct jsv_allocator *allocator = os_allocator();
    struct check_stream *stream = jsv_alloc(allocator, sizeof(*stream));
    if (!stream) {
        return NULL;
    }
    *stream = (struct check_stream){
        .options = options,
        .reader = jsv_reader_new(allocator, NULL),
        .document = jsv_document_new(allocator),
        .validator = jsv_validator_new(allocator, NULL),
        .pending = check_pending_new(),
        .pairing = {.asked = note_request, .answered = take_request},
    };
    stream->pairing.context = stream;
    jsv_arena_init(&stream->scratch, allocator, SCRATCH_SIZE_MAX);
    if (!stream->reader || !stream->document || !stream->validator || !stream->pending) {
        check_stream_free(stream);
        return NULL;
    }
    return stream;
}

void check_stream_free(struct check_stream *stream)
{
    if (stream) {
        check_pending_free(stream->pending);
        jsv_arena_done(&stream->scratch);
        jsv_validator_free(stream->validator);
        jsv_document_free(stream->document);
        jsv_reader_free(stream->reader);
        jsv_dealloc(os_allocator(), stream, sizeof(*stream));
    }
}

struct check_counts check_stream_counts(const struct check_stream *stream)
{
    return stream->counts;
}

/* ---- one line ---- */

static int
answer(struct check_stream *stream, const struct mcp_verdict *verdict, struct jsv_buf *out)
{
    const char *name = stream->options->text_name;
    stream->counts.messages++;
    stream->counts.invalid += verdict->layer != MCP_LAYER_NONE;
    if (name) {
        check_output_write_text(name, stream->line, verdict, out);
    } else {
        check_output_write(verdict, out);
    }
    return out->error;
}

/* A line that is not JSON, or too long to be read. */
static int
answer_unparsed(struct check_stream *stream, const struct jsv_problem *problem, struct jsv_buf *out)
{
    const struct mcp_verdict verdict = {
        .layer = MCP_LAYER_JSON,
        .code = MCP_CODE_PARSE_ERROR,
        .problems = {problem, 1, 0},
    };
    return answer(stream, &verdict, out);
}

static int check_message(struct check_stream *stream, struct jsv_buf *out)
{
    const struct check_options *options = stream->options;
    struct jsv_value message = jsv_document_root(stream->document);
    stream->version = options->follows_stream
                          ? find_version(&stream->session, stream->pending, message)
                          : options->version;
    const struct mcp_check check = {
        .definitions = options->definitions,
        .version = stream->version,
        .sender = MCP_SENDER_BOTH,
        .pairing = &stream->pairing,
        .validator = stream->validator,
        .scratch = &stream->scratch,
    };
    struct mcp_verdict verdict;
    int r;
    if (options->as_schema) {
        r = mcp_check_as(&check, options->as_schema, message, &verdict);
        verdict.definition = options->as;
    } else {
        r = mcp_check(&check, message, &verdict);
    }
    return r < 0 ? r : answer(stream, &verdict, out);
}

static int check_line(struct check_stream *stream, struct jsv_str text, struct jsv_buf *out)
{
    struct jsv_error error;
    int r = jsv_read(stream->reader, stream->document, text, 0, &error);
    if (r == -EBADMSG) {
        const struct jsv_problem problem = {
            .path = error.pointer,
            .message = error.message,
        };
        return answer_unparsed(stream, &problem, out);
    }
    return r < 0 ? r : check_message(stream, out);
}

static int refuse_too_long(struct check_stream *stream, struct jsv_buf *out)
{
    MCP_PROBLEM(too_large, "", "", "payload_too_large");
    return answer_unparsed(stream, &too_large, out);
}

int check_stream_too_long(struct check_stream *stream, struct jsv_buf *out)
{
    stream->line++;
    return refuse_too_long(stream, out);
}

/* ---- lines ---- */

int check_stream_text(struct check_stream *stream, struct jsv_str text, struct jsv_buf *out)
{
    int r = 0;
    while (r == 0 && text.size > 0) {
        struct jsv_str line = cli_take_line(&text);
        stream->line++;
        if (line.size > CHECK_LINE_SIZE_MAX) {
            r = refuse_too_long(stream, out);
        } else if (!cli_is_blank(line)) {
            r = check_line(stream, line, out);
        }
    }
    return r;
}
