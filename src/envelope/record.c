/* Writing a record whose parts are all known; the mode decides which of them are written. */
#include "envelope/record.h"

#include <string.h>

#include "jsv/base/utf8.h"

/* The schemas' limits, in characters. */
#define PARENT_SIZE_MAX 200
#define SOURCE_SIZE_MAX 1000

static const struct jsv_str method_ids[ENVELOPE_METHODS] = {
#define ENVELOPE_METHOD(name, id) JSV_STR(id),
#include "envelope/methods.def"
#undef ENVELOPE_METHOD
};

bool envelope_record_is_parent(struct jsv_value value)
{
    struct jsv_str text = jsv_value_text(value);
    return text.size > 0 && jsv_utf8_count(text) <= PARENT_SIZE_MAX;
}

static void write_tool(const struct envelope_record *record, struct jsv_writer *writer)
{
    jsv_write_member_object_begin(writer, JSV_STR("tool"));
    jsv_write_member_string(writer, JSV_STR("name"), record->run->tool_name);
    jsv_write_member_string(writer, JSV_STR("version"), record->run->tool_version);
    jsv_write_member_string(writer, JSV_STR("adapter"), JSV_STR("mcp"));
    jsv_write_object_end(writer);
}

/* A reference without an id is named by its locator. */
static struct jsv_str input_id(struct jsv_value reference)
{
    struct jsv_value id = jsv_value_get(reference, JSV_STR("artifact_id"));
    return jsv_value_text(
        jsv_value_type(id) == JSV_TYPE_STRING ? id : jsv_value_get(reference, JSV_STR("locator")));
}

static void
copy_member(struct jsv_value from, const char *name, bool wanted, struct jsv_writer *writer)
{
    struct jsv_value value = jsv_value_get(from, jsv_str_from(name));
    if (wanted && jsv_value_type(value) != JSV_TYPE_NONE) {
        jsv_write_member_value(writer, jsv_str_from(name), value);
    }
}

static void write_input(
    const struct envelope_record *record, struct jsv_value reference, struct jsv_writer *writer)
{
    struct jsv_value media_type = jsv_value_get(reference, JSV_STR("media_type"));
    struct jsv_value digest = jsv_value_get(reference, JSV_STR("digest"));
    bool known = jsv_value_type(media_type) == JSV_TYPE_STRING;
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("schema_version"), JSV_STR("artifact.v0.1"));
    jsv_write_member_string(writer, JSV_STR("artifact_id"), input_id(reference));
    jsv_write_member_string(
        writer,
        JSV_STR("media_type"),
        known ? jsv_value_text(media_type) : JSV_STR("application/octet-stream"));
    copy_member(reference, "locator", record->options->full, writer);
    bool with_digest = record->options->digests && envelope_digest_is_sound(digest);
    copy_member(reference, "digest", with_digest, writer);
    copy_member(reference, "labels", record->options->full, writer);
    jsv_write_object_end(writer);
}

static void write_inputs(const struct envelope_record *record, struct jsv_writer *writer)
{
    jsv_write_member_array_begin(writer, JSV_STR("inputs"));
    struct jsv_iter iter = jsv_value_iter(record->artifacts);
    while (jsv_iter_next(&iter)) {
        write_input(record, iter.value, writer);
    }
    jsv_write_array_end(writer);
}

static void write_output_id(const struct envelope_record *record, struct jsv_writer *writer)
{
    char id[sizeof("result:") + OS_UUID_SIZE] = "result:";
    memcpy(id + sizeof("result:") - 1, record->run_id, sizeof(record->run_id));
    jsv_write_member_string(writer, JSV_STR("artifact_id"), jsv_str_from(id));
}

static void write_output(const struct envelope_record *record, struct jsv_writer *writer)
{
    bool text = record->result.kind == ENVELOPE_RESULT_TEXT;
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("schema_version"), JSV_STR("artifact.v0.1"));
    write_output_id(record, writer);
    jsv_write_member_string(
        writer, JSV_STR("media_type"), text ? JSV_STR("text/plain") : JSV_STR("application/json"));
    if (record->options->full && record->has_output_digest) {
        jsv_write_member_uint64(writer, JSV_STR("size_bytes"), record->output_digest.size);
    }
    if (record->options->digests && record->has_output_digest) {
        jsv_write_key(writer, JSV_STR("digest"));
        envelope_digest_write(record->output_digest.hex, writer);
    }
    if (record->options->full) {
        jsv_write_member_object_begin(writer, JSV_STR("labels"));
        jsv_write_member_string(writer, JSV_STR("role"), JSV_STR("result"));
        jsv_write_object_end(writer);
    }
    jsv_write_object_end(writer);
}

static void write_outputs(const struct envelope_record *record, struct jsv_writer *writer)
{
    jsv_write_member_array_begin(writer, JSV_STR("outputs"));
    if (record->result.kind != ENVELOPE_RESULT_NONE) {
        write_output(record, writer);
    }
    jsv_write_array_end(writer);
}

static void write_methods(const struct envelope_record *record, struct jsv_writer *writer)
{
    jsv_write_member_array_begin(writer, JSV_STR("methods"));
    for (size_t i = 0; i < ENVELOPE_METHODS; i++) {
        if (record->methods & 1u << i) {
            jsv_write_string(writer, method_ids[i]);
        }
    }
    jsv_write_array_end(writer);
}

/* The evidence for the result are its inputs; nothing else is known about the tool. */
static void write_evidence(struct jsv_value reference, struct jsv_writer *writer)
{
    static const struct jsv_str prefix = JSV_STR("artifact:");
    struct jsv_str id = input_id(reference);
    if (prefix.size + jsv_utf8_count(id) > SOURCE_SIZE_MAX) {
        return;
    }
    struct jsv_buf source;
    jsv_buf_init(&source, &writer->out->allocator, SIZE_MAX);
    jsv_buf_append_str(&source, prefix);
    jsv_buf_append_str(&source, id);
    if (source.error) {
        writer->out->error = source.error;
    } else {
        jsv_write_object_begin(writer);
        jsv_write_member_string(writer, JSV_STR("schema_version"), JSV_STR("evidence.v0.1"));
        jsv_write_member_string(writer, JSV_STR("field"), JSV_STR("result"));
        jsv_write_member_string(writer, JSV_STR("source"), jsv_buf_str(&source));
        jsv_write_object_end(writer);
    }
    jsv_buf_done(&source);
}

static void write_all_evidence(const struct envelope_record *record, struct jsv_writer *writer)
{
    bool wanted = record->options->full && record->result.kind != ENVELOPE_RESULT_NONE;
    jsv_write_member_array_begin(writer, JSV_STR("evidence"));
    struct jsv_iter iter = jsv_value_iter(record->artifacts);
    while (wanted && jsv_iter_next(&iter)) {
        write_evidence(iter.value, writer);
    }
    jsv_write_array_end(writer);
}

static void write_parents(const struct envelope_record *record, struct jsv_writer *writer)
{
    jsv_write_key(writer, JSV_STR("parents"));
    if (record->methods & 1u << ENVELOPE_METHOD_LINK_PARENT) {
        jsv_write_value(writer, record->options->parents);
    } else {
        jsv_write_span(writer, JSV_STR("[]"));
    }
}

int envelope_record_put(const struct envelope_record *record, struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("schema_version"), JSV_STR("prov.record.v0.1"));
    jsv_write_member_string(&writer, JSV_STR("run_id"), jsv_str_from(record->run_id));
    write_tool(record, &writer);
    if (!record->options->deterministic) {
        jsv_write_member_string(&writer, JSV_STR("time"), record->run->time);
    }
    write_inputs(record, &writer);
    write_outputs(record, &writer);
    write_methods(record, &writer);
    write_all_evidence(record, &writer);
    write_parents(record, &writer);
    jsv_write_object_end(&writer);
    return out->error;
}
