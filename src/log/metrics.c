#include "log/metrics.h"

#include <stdio.h>

#include "jsv/json/write.h"

/* ---- the format ---- */

struct label {
    const char *name;
    const char *value;
};

static void put(struct jsv_buf *out, const char *text)
{
    jsv_buf_append_str(out, jsv_str_from(text));
}

static void put_number(struct jsv_buf *out, uint64_t number)
{
    char digits[JSV_DIGITS_MAX];
    char *end = digits + sizeof(digits);
    const char *first = jsv_digits_before(end, number);
    jsv_buf_append(out, first, (size_t)(end - first));
}

/* Seconds, of microseconds, with six digits behind the point. */
static void put_seconds(struct jsv_buf *out, uint64_t microseconds)
{
    char fraction[7] = ".000000";
    uint64_t rest = microseconds % 1000000;
    for (size_t i = 6; i > 0; i--) {
        fraction[i] = (char)('0' + rest % 10);
        rest /= 10;
    }
    put_number(out, microseconds / 1000000);
    jsv_buf_append(out, fraction, sizeof(fraction));
}

static void put_family(struct jsv_buf *out, const char *name, const char *type, const char *help)
{
    const char *const pieces[] = {
        "# HELP mcpgate_", name, " ", help, "\n# TYPE mcpgate_", name, " ", type, "\n"};
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        put(out, pieces[i]);
    }
}

/* Backslash, quote and line end are all the format escapes. */
static void put_label_value(struct jsv_buf *out, const char *value)
{
    for (; *value != '\0'; value++) {
        if (*value == '\n') {
            put(out, "\\n");
        } else {
            if (*value == '\\' || *value == '"') {
                jsv_buf_append_byte(out, '\\');
            }
            jsv_buf_append_byte(out, *value);
        }
    }
}

/* "mcpgate_name{label="value",…} " and the value is next. */
static void
put_sample(struct jsv_buf *out, const char *name, const struct label *labels, size_t label_count)
{
    put(out, "mcpgate_");
    put(out, name);
    for (size_t i = 0; i < label_count; i++) {
        put(out, i == 0 ? "{" : ",");
        put(out, labels[i].name);
        put(out, "=\"");
        put_label_value(out, labels[i].value);
        put(out, "\"");
    }
    put(out, label_count > 0 ? "} " : " ");
}

static void put_count(
    struct jsv_buf *out,
    const char *name,
    const struct label *labels,
    size_t label_count,
    uint64_t count)
{
    put_sample(out, name, labels, label_count);
    put_number(out, count);
    jsv_buf_append_byte(out, '\n');
}

/* A family of one sample without labels. */
static void put_single(
    struct jsv_buf *out, const char *name, const char *type, const char *help, uint64_t value)
{
    put_family(out, name, type, help);
    put_count(out, name, NULL, 0, value);
}

/* ---- the families ---- */

static void put_kinds(const struct log_counters *counters, struct jsv_buf *out)
{
    size_t count = atomic_load(&counters->kind_count);
    put_family(out, "requests_total", "counter", "Messages, by dialect and transport.");
    for (size_t i = 0; i < count; i++) {
        const struct log_kind_row *row = &counters->kinds[i];
        const struct label labels[] = {{"dialect", row->dialect}, {"transport", row->transport}};
        put_count(out, "requests_total", labels, 2, log_counter_get(&row->requests));
    }
    put_family(out, "failures_total", "counter", "Messages that failed or were refused.");
    for (size_t i = 0; i < count; i++) {
        const struct log_kind_row *row = &counters->kinds[i];
        const struct label labels[] = {{"dialect", row->dialect}, {"transport", row->transport}};
        put_count(out, "failures_total", labels, 2, log_counter_get(&row->failures));
    }
}

static void put_stages(const struct log_counters *counters, struct jsv_buf *out)
{
    size_t count = atomic_load(&counters->stage_count);
    put_family(out, "stage_failures_total", "counter", "The same, by where they stopped.");
    for (size_t i = 0; i < count; i++) {
        const struct log_stage_row *row = &counters->stages[i];
        const struct label labels[] = {{"dialect", row->dialect}, {"stage", row->stage}};
        put_count(out, "stage_failures_total", labels, 2, log_counter_get(&row->failures));
    }
}

static void put_tools(const struct log_counters *counters, struct jsv_buf *out)
{
    size_t count = atomic_load(&counters->tool_count);
    put_family(out, "tool_requests_total", "counter", "Messages that call a tool, by tool.");
    for (size_t i = 0; i < count; i++) {
        const struct label label = {"tool", counters->tools[i].name};
        put_count(
            out, "tool_requests_total", &label, 1, log_counter_get(&counters->tools[i].requests));
    }
    put_family(out, "tool_failures_total", "counter", "Those of them that failed.");
    for (size_t i = 0; i < count; i++) {
        const struct label label = {"tool", counters->tools[i].name};
        put_count(
            out, "tool_failures_total", &label, 1, log_counter_get(&counters->tools[i].failures));
    }
}

static void put_durations(const struct log_counters *counters, struct jsv_buf *out)
{
    uint64_t sum = 0;
    put_family(
        out,
        "request_duration_seconds",
        "histogram",
        "The message's own time, without the time it waited behind others.");
    for (size_t i = 0; i < LOG_DURATION_CLASSES; i++) {
        struct jsv_buf end;
        jsv_buf_init(&end, &out->allocator, 64);
        if (i < LOG_DURATION_CLASSES - 1) {
            put_seconds(&end, log_durations[i]);
        } else {
            put(&end, "+Inf");
        }
        jsv_buf_append_byte(&end, '\0');
        const struct label label = {"le", end.error == 0 ? end.data : "+Inf"};
        sum += log_counter_get(&counters->durations[i]);
        put_count(out, "request_duration_seconds_bucket", &label, 1, sum);
        jsv_buf_done(&end);
    }
    put_sample(out, "request_duration_seconds_sum", NULL, 0);
    put_seconds(out, log_counter_get(&counters->duration_sum_us));
    jsv_buf_append_byte(out, '\n');
    put_count(out, "request_duration_seconds_count", NULL, 0, sum);
}

static void put_connections(const struct log_counters *counters, struct jsv_buf *out)
{
    size_t count = atomic_load(&counters->transport_count);
    put_family(out, "connections", "gauge", "Connections that are open, by transport.");
    for (size_t i = 0; i < count; i++) {
        const struct log_transport_row *row = &counters->transports[i];
        const struct label label = {"transport", row->transport};
        uint64_t closed = log_counter_get(&row->closed);
        uint64_t opened = log_counter_get(&row->opened);
        put_count(out, "connections", &label, 1, opened > closed ? opened - closed : 0);
    }
    put_family(out, "connections_opened_total", "counter", "Connections so far, by transport.");
    for (size_t i = 0; i < count; i++) {
        const struct log_transport_row *row = &counters->transports[i];
        const struct label label = {"transport", row->transport};
        put_count(out, "connections_opened_total", &label, 1, log_counter_get(&row->opened));
    }
}

static void put_refusals(const struct log_counters *counters, struct jsv_buf *out)
{
    size_t count = atomic_load(&counters->refusal_count);
    put_family(out, "refusals_total", "counter", "Requests refused before they became messages.");
    for (size_t i = 0; i < count; i++) {
        const struct log_refusal_row *row = &counters->refusals[i];
        char status[JSV_DIGITS_MAX + 1] = "";
        const struct label labels[] = {{"transport", row->transport}, {"status", status}};
        if (row->status > 0) {
            snprintf(status, sizeof(status), "%u", row->status);
        }
        put_count(out, "refusals_total", labels, 2, log_counter_get(&row->count));
    }
}

static void put_programs(const struct log_counters *counters, struct jsv_buf *out)
{
    uint64_t ended = log_counter_get(&counters->programs_ended);
    uint64_t started = log_counter_get(&counters->programs_started);
    put_single(
        out,
        "child_processes",
        "gauge",
        "Programs of external tools that run.",
        started > ended ? started - ended : 0);
    put_single(out, "child_processes_started_total", "counter", "Such programs so far.", started);
}

static void put_snapshot(const struct log_totals *totals, struct jsv_buf *out)
{
    uint64_t since = log_counter_get(&totals->counters->snapshot_ms);
    put_family(out, "snapshot_age_seconds", "gauge", "Since what is served was last read.");
    put_sample(out, "snapshot_age_seconds", NULL, 0);
    put_seconds(out, since > 0 && totals->now_ms > since ? (totals->now_ms - since) * 1000 : 0);
    jsv_buf_append_byte(out, '\n');
}

void log_totals_write(const struct log_totals *totals, struct jsv_buf *out)
{
    const struct log_counters *counters = totals->counters;
    put_kinds(counters, out);
    put_stages(counters, out);
    put_tools(counters, out);
    put_durations(counters, out);
    put_connections(counters, out);
    put_refusals(counters, out);
    put_single(
        out,
        "requests_waiting",
        "gauge",
        "Requests that wait for a tool or for their turn.",
        log_counter_get(&counters->waiting));
    put_programs(counters, out);
    put_single(
        out,
        "input_bytes_total",
        "counter",
        "Bytes of messages.",
        log_counter_get(&counters->input_bytes));
    put_single(
        out,
        "output_bytes_total",
        "counter",
        "Bytes of answers.",
        log_counter_get(&counters->output_bytes));
    put_single(out, "loops", "gauge", "Event loops.", totals->loops);
    put_snapshot(totals, out);
    put_single(
        out, "log_lines_lost_total", "counter", "Lines the log could not keep.", totals->log_lost);
    put_single(
        out, "log_queued_bytes", "gauge", "Lines that wait to be written.", totals->log_queued);
}
