/*
 * A record is built in two steps. First everything is computed: the run's id,
 * the digest of the output, and so the list of methods. Then the record is
 * written from top to bottom. Its own digest comes last: the text is parsed,
 * made canonical and digested, and `integrity` is added before the closing
 * brace.
 */
#include "envelope/provenance.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "envelope/digest.h"
#include "envelope/identifier.h"
#include "jsv/base/utf8.h"

/* Of a record: mode unknown, parents refused, digest of the output, digests of the inputs. */
#define WARNINGS_MAX 4
/* Of a request: _meta, capture_provenance, capture_artifacts, version, locale. */
#define REQUEST_WARNINGS_MAX 5

/* The schemas' limits, in characters. */
#define PARENT_SIZE_MAX 200
#define SOURCE_SIZE_MAX 1000

enum envelope_method {
#define ENVELOPE_METHOD(name, id) ENVELOPE_METHOD_##name,
#include "envelope/methods.def"
#undef ENVELOPE_METHOD
    ENVELOPE_METHODS,
};

static const struct jsv_str method_ids[ENVELOPE_METHODS] = {
#define ENVELOPE_METHOD(name, id) JSV_STR(id),
#include "envelope/methods.def"
#undef ENVELOPE_METHOD
};

struct envelope_record {
    const struct envelope_run *run;
    const struct envelope_options *options;
    struct envelope_result result;
    struct jsv_value artifacts; /* of the request */
    char run_id[OS_UUID_SIZE + 1];
    bool has_output_digest; /* and its size; false: it could not be computed */
    struct envelope_digest output_digest;
    unsigned methods; /* applied: bits by enum envelope_method */
};

struct build {
    struct envelope_record *record;
    struct jsv_arena *arena;
    struct envelope_issue *warnings; /* WARNINGS_MAX of them */
    size_t warning_count;
};

/* ---- options ---- */

struct envelope_options envelope_options_read(struct jsv_value request)
{
    struct jsv_value params = jsv_value_get(request, JSV_STR("params"));
    struct jsv_value meta = jsv_value_get(params, JSV_STR("_meta"));
    struct jsv_value mode = jsv_value_get(meta, JSV_STR("provenance_mode"));
    struct jsv_value preferences = jsv_value_get(request, JSV_STR("preferences"));
    struct jsv_value deterministic = jsv_value_get(preferences, JSV_STR("deterministic"));
    struct jsv_str mode_name = jsv_value_text(mode);
    bool full = jsv_str_equal(mode_name, JSV_STR("full"));
    bool minimal =
        jsv_value_type(mode) == JSV_TYPE_NONE || jsv_str_equal(mode_name, JSV_STR("minimal"));
    int64_t output_max = 0;
    struct jsv_value wanted = jsv_value_get(preferences, JSV_STR("max_output_bytes"));
    bool has_output_max = jsv_value_int64(wanted, &output_max) == 0;
    return (struct envelope_options){
        .has_output_max = has_output_max,
        .output_max = (uint64_t)output_max,
        .record = jsv_value_bool(jsv_value_get(meta, JSV_STR("capture_provenance"))),
        .digests = jsv_value_bool(jsv_value_get(meta, JSV_STR("capture_artifacts"))),
        .full = full,
        .deterministic =
            jsv_value_type(deterministic) == JSV_TYPE_NONE || jsv_value_bool(deterministic),
        .mode_unknown = !full && !minimal,
        .parents = jsv_value_get(meta, JSV_STR("parents")),
    };
}

static bool is_there(struct jsv_value value)
{
    return jsv_value_type(value) != JSV_TYPE_NONE;
}

static struct envelope_issue ignored(const char *code, const char *message, const char *name)
{
    return (struct envelope_issue){
        .code = jsv_str_from(code),
        .message = jsv_str_from(message),
        .details = {{.name = "name", .text = jsv_str_from(name)}},
        .detail_count = 1,
    };
}

/* Warn of parts of _meta without effect. @return the number of warnings so far. */
static size_t warn_of_meta(struct jsv_value meta, struct envelope_issue *warnings, size_t count)
{
    static const char *const options[] = {"capture_provenance", "capture_artifacts"};
    if (is_there(meta) && jsv_value_type(meta) != JSV_TYPE_OBJECT) {
        warnings[count++] = ignored(
            "ADAPTER.REQUEST.META_IGNORED",
            "params._meta was ignored: it must be an object.",
            "_meta");
    }
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        struct jsv_value option = jsv_value_get(meta, jsv_str_from(options[i]));
        enum jsv_type type = jsv_value_type(option);
        if (is_there(option) && type != JSV_TYPE_BOOLEAN && type != JSV_TYPE_NULL) {
            warnings[count++] = ignored(
                "ADAPTER.PROVENANCE.OPTION_IGNORED",
                "An option in params._meta was ignored: it must be true or false.",
                options[i]);
        }
    }
    return count;
}

/* Warn of parts of a request without effect. @return the number of warnings. */
static size_t warn_of_request(const struct envelope_run *run, struct envelope_issue *warnings)
{
    struct jsv_value params = jsv_value_get(run->request, JSV_STR("params"));
    size_t count = warn_of_meta(jsv_value_get(params, JSV_STR("_meta")), warnings, 0);
    struct jsv_value tool = jsv_value_get(run->request, JSV_STR("tool"));
    struct jsv_str version = jsv_value_text(jsv_value_get(tool, JSV_STR("version")));
    if (version.size > 0 && !jsv_str_equal(version, run->tool_version)) {
        warnings[count++] = (struct envelope_issue){
            .code = JSV_STR("ADAPTER.TOOL.VERSION_DIFFERS"),
            .message = JSV_STR("The version of the tool differs from the one requested."),
            .details =
                {
                    {.name = "requested", .text = version},
                    {.name = "called", .text = run->tool_version},
                },
            .detail_count = 2,
        };
    }
    struct jsv_value preferences = jsv_value_get(run->request, JSV_STR("preferences"));
    if (is_there(jsv_value_get(preferences, JSV_STR("locale")))) {
        warnings[count++] = ignored(
            "ADAPTER.PREFERENCE.IGNORED",
            "A preference was ignored: tools do not support it.",
            "preferences.locale");
    }
    return count;
}

/* ---- first step: compute ---- */

static void claim(struct build *build, enum envelope_method method)
{
    build->record->methods |= 1u << method;
}

static void warn(struct build *build, const char *code, const char *message)
{
    assert(build->warning_count < WARNINGS_MAX);
    build->warnings[build->warning_count++] = (struct envelope_issue){
        .code = jsv_str_from(code),
        .message = jsv_str_from(message),
    };
}

static int make_run_id(const struct build *build)
{
    struct envelope_record *record = build->record;
    if (!record->options->deterministic) {
        os_uuid_random(record->run->random, record->run_id);
        return 0;
    }
    struct jsv_value params = jsv_value_get(record->run->request, JSV_STR("params"));
    struct jsv_buf seed;
    jsv_buf_init(&seed, &build->arena->allocator, SIZE_MAX);
    int r = envelope_seed_run(record->run->tool_name, params, build->arena, &seed);
    if (r == 0) {
        envelope_id_from_seed(ENVELOPE_ID_RUN, jsv_buf_str(&seed), record->run_id);
    }
    jsv_buf_done(&seed);
    return r;
}

static int digest_result(
    const struct envelope_result *result,
    struct jsv_arena *arena,
    struct envelope_digest *ret_digest)
{
    if (result->kind == ENVELOPE_RESULT_TEXT) {
        ret_digest->size = result->bytes.size;
        os_digest(result->bytes, ret_digest->hex);
        return 0;
    }
    if (jsv_value_type(result->value) == JSV_TYPE_NONE) {
        return envelope_digest_text(result->bytes, arena, ret_digest);
    }
    return envelope_digest_json(result->value, arena, ret_digest, NULL);
}

static int examine_output(struct build *build)
{
    struct envelope_record *record = build->record;
    if (record->result.kind == ENVELOPE_RESULT_NONE) {
        return 0;
    }
    claim(build, ENVELOPE_METHOD_REGISTER_OUTPUT);
    if (!record->options->digests && !record->options->full) {
        return 0;
    }
    int r = digest_result(&record->result, build->arena, &record->output_digest);
    if (r == -ERANGE) {
        warn(
            build,
            "ADAPTER.PROVENANCE.NO_DIGEST",
            "The result has no digest: a number in it is beyond the range of a double.");
        return 0;
    }
    record->has_output_digest = r == 0;
    if (r == 0 && record->options->digests) {
        claim(build, ENVELOPE_METHOD_DIGEST);
    }
    return r;
}

/* The artifacts of a request are references; their targets are not read. */
static void examine_inputs(struct build *build)
{
    bool unsound = false;
    struct jsv_iter iter = jsv_value_iter(build->record->artifacts);
    while (jsv_iter_next(&iter)) {
        claim(build, ENVELOPE_METHOD_REGISTER_INPUT);
        struct jsv_value digest = jsv_value_get(iter.value, JSV_STR("digest"));
        unsound |= jsv_value_type(digest) != JSV_TYPE_NONE && !envelope_digest_is_sound(digest);
    }
    if (unsound && build->record->options->digests) {
        warn(
            build,
            "ADAPTER.PROVENANCE.DIGEST_OMITTED",
            "An artifact's digest was left out: it must have full length and lower case.");
    }
}

/* Whether a value can name a parent. */
static bool is_parent(struct jsv_value value)
{
    struct jsv_str text = jsv_value_text(value);
    return text.size > 0 && jsv_utf8_count(text) <= PARENT_SIZE_MAX;
}

static void examine_parents(struct build *build)
{
    struct jsv_value parents = build->record->options->parents;
    enum jsv_type type = jsv_value_type(parents);
    bool refused = type != JSV_TYPE_NONE && type != JSV_TYPE_ARRAY;
    struct jsv_iter iter = jsv_value_iter(parents);
    while (!refused && jsv_iter_next(&iter)) {
        if (is_parent(iter.value)) {
            claim(build, ENVELOPE_METHOD_LINK_PARENT);
        } else {
            refused = true;
        }
    }
    if (refused) {
        build->record->methods &= ~(1u << ENVELOPE_METHOD_LINK_PARENT);
        warn(
            build,
            "ADAPTER.PROVENANCE.PARENTS_OMITTED",
            "parents was left out: it must be an array of strings of 1 to 200 characters.");
    }
}

static void examine_mode(struct build *build)
{
    if (build->record->options->full) {
        claim(build, ENVELOPE_METHOD_RECORD_DIGEST);
    }
    if (build->record->options->mode_unknown) {
        warn(
            build,
            "ADAPTER.PROVENANCE.MODE_UNKNOWN",
            "provenance_mode must be minimal or full; minimal was used.");
    }
}

static int examine(struct build *build, const struct envelope_answer *answer)
{
    build->warnings = jsv_arena_array(build->arena, WARNINGS_MAX, sizeof(*build->warnings));
    if (!build->warnings) {
        return -ENOMEM;
    }
    claim(build, ENVELOPE_METHOD_WRAP);
    claim(build, ENVELOPE_METHOD_ATTACH_RECORD);
    claim(build, ENVELOPE_METHOD_BUILD_RECORD);
    if (answer->errors.count > 0) {
        claim(build, ENVELOPE_METHOD_CAPTURE_ERRORS);
    }
    examine_mode(build);
    examine_inputs(build);
    examine_parents(build);
    int r = make_run_id(build);
    return r < 0 ? r : examine_output(build);
}

/* ---- second step: write ---- */

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

/* Append the record, all but `integrity`. @return 0, or the buffer's sticky error. */
static int write_record(const struct envelope_record *record, struct jsv_buf *out)
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

/* Insert integrity before the closing brace of the record that begins at start. */
static int add_integrity(size_t start, struct jsv_arena *arena, struct jsv_buf *out)
{
    struct envelope_digest digest;
    struct jsv_str text = {out->data + start, out->size - start};
    int r = envelope_digest_text(text, arena, &digest);
    if (r < 0) {
        return r;
    }
    out->size--;
    jsv_buf_append_str(out, JSV_STR(",\"integrity\":"));
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_object_begin(&writer);
    jsv_write_key(&writer, JSV_STR("record_digest"));
    envelope_digest_write(digest.hex, &writer);
    jsv_write_object_end(&writer);
    return jsv_buf_append_byte(out, '}');
}

/* Append the record of a run. @param ret_warnings About omitted parts. */
static int record_run(
    const struct envelope_run *run,
    const struct envelope_options *options,
    const struct envelope_answer *answer,
    struct jsv_arena *arena,
    struct jsv_buf *out,
    struct envelope_issues *ret_warnings)
{
    struct envelope_record record = {
        .run = run,
        .options = options,
        .result = envelope_payload(answer),
        .artifacts = jsv_value_get(run->request, JSV_STR("artifacts")),
    };
    struct build build = {.record = &record, .arena = arena};
    size_t start = out->size;
    int r = examine(&build, answer);
    if (r == 0) {
        r = write_record(&record, out);
    }
    if (r == 0 && options->full) {
        r = add_integrity(start, arena, out);
    }
    if (r == 0) {
        *ret_warnings = (struct envelope_issues){build.warnings, build.warning_count};
    }
    return r;
}

int envelope_answer_write(
    const struct envelope_run *run,
    const struct envelope_answer *answer,
    struct jsv_arena *arena,
    struct jsv_buf *out)
{
    struct envelope_options options = envelope_options_read(run->request);
    struct envelope_answer complete = {
        .result = answer->result,
        .errors = answer->errors,
        .request_id = jsv_value_get(run->request, JSV_STR("request_id")),
        .keeps_lines = answer->keeps_lines,
    };
    struct envelope_issue warnings[REQUEST_WARNINGS_MAX + WARNINGS_MAX];
    size_t warning_count = warn_of_request(run, warnings);
    struct jsv_buf record;
    jsv_buf_init(&record, &out->allocator, out->size_max);
    int r = 0;
    if (options.record && !envelope_passes_through(&complete)) {
        struct envelope_issues more = {0};
        r = record_run(run, &options, &complete, arena, &record, &more);
        complete.provenance = jsv_buf_str(&record);
        for (size_t i = 0; i < more.count; i++) {
            warnings[warning_count++] = more.items[i];
        }
    }
    complete.warnings = (struct envelope_issues){warnings, warning_count};
    if (r == 0) {
        r = envelope_write(&complete, out);
    }
    jsv_buf_done(&record);
    return r;
}
