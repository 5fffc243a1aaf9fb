/*
 * Only its own loop adds to a counter, so adding needs no locked instruction:
 * a load and a store, each atomic. A row's labels are written before the
 * number of rows makes it visible.
 */
#include "log/counters.h"

#include <stdio.h>
#include <string.h>

#include "jsv/json/write.h"

static const uint64_t duration_bounds[LOG_DURATION_BUCKETS - 1] = {LOG_DURATIONS};

static uint64_t get(const log_counter *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static void add(log_counter *counter, uint64_t change)
{
    atomic_store_explicit(counter, get(counter) + change, memory_order_relaxed);
}

static bool is_same(const char *a, const char *b)
{
    return a == b || strcmp(a, b) == 0;
}

/* @param is_copied The second label may be gone after the call. */
static struct log_row *
find_row(struct log_table *table, const char *first, const char *second, bool is_copied)
{
    size_t count = atomic_load_explicit(&table->count, memory_order_acquire);
    for (size_t i = 0; i < count; i++) {
        struct log_row *row = &table->rows[i];
        if (is_same(row->labels[0], first) && is_same(row->labels[1], second)) {
            return row;
        }
    }
    if (count >= LOG_ROWS_MAX - 1 && !is_same(second, "other")) {
        return find_row(table, first, "other", false);
    }
    if (count == LOG_ROWS_MAX) {
        return &table->rows[count - 1];
    }
    struct log_row *row = &table->rows[count];
    row->labels[0] = first;
    row->labels[1] = second;
    if (is_copied) {
        snprintf(row->copy, sizeof(row->copy), "%s", second);
        row->labels[1] = row->copy;
    }
    atomic_store_explicit(&table->count, count + 1, memory_order_release);
    return row;
}

/* ---- counting ---- */

static struct log_row *tool_row(struct log_counters *counters, struct jsv_str tool)
{
    char name[LOG_LABEL_SIZE] = "other";
    if (tool.size < sizeof(name)) {
        memcpy(name, tool.data, tool.size);
        name[tool.size] = '\0';
    }
    return find_row(&counters->tools, "", name, true);
}

void log_count_outcome(struct log_counters *counters, const struct log_outcome *outcome)
{
    size_t bucket = 0;
    while (bucket < LOG_DURATION_BUCKETS - 1 && outcome->duration_us > duration_bounds[bucket]) {
        bucket++;
    }
    add(&counters->durations[bucket], 1);
    add(&counters->duration_sum_us, outcome->duration_us);
    add(&counters->input_bytes, outcome->input_bytes);
    add(&counters->output_bytes, outcome->output_bytes);
    struct log_row *kind = find_row(&counters->kinds, outcome->dialect, outcome->transport, false);
    add(&kind->counts[0], 1);
    add(&kind->counts[1], outcome->failed);
    if (outcome->tool.data) {
        struct log_row *tool = tool_row(counters, outcome->tool);
        add(&tool->counts[0], 1);
        add(&tool->counts[1], outcome->failed);
    }
    if (outcome->failed) {
        add(&find_row(&counters->stages, outcome->dialect, outcome->stage, false)->counts[0], 1);
    }
}

void log_count_connection(struct log_counters *counters, const char *transport, int change)
{
    struct log_row *row = find_row(&counters->connections, "", transport, false);
    add(&row->counts[change > 0 ? 0 : 1], 1);
}

void log_count_refusal(struct log_counters *counters, const char *transport, unsigned status)
{
    char text[JSV_DIGITS_MAX + 1] = "";
    if (status > 0) {
        snprintf(text, sizeof(text), "%u", status);
    }
    add(&find_row(&counters->refusals, transport, text, true)->counts[0], 1);
}

void log_count_waiting(struct log_counters *counters, int change)
{
    add(&counters->waiting, (uint64_t)(int64_t)change);
}

void log_count_program(struct log_counters *counters, int change)
{
    add(change > 0 ? &counters->programs_started : &counters->programs_ended, 1);
}

void log_count_snapshot(struct log_counters *counters, uint64_t now_ms)
{
    atomic_store_explicit(&counters->snapshot_ms, now_ms, memory_order_relaxed);
}

/* ---- adding up ---- */

static void add_rows(struct log_table *sum, const struct log_table *table)
{
    size_t count = atomic_load_explicit(&table->count, memory_order_acquire);
    for (size_t i = 0; i < count; i++) {
        const struct log_row *row = &table->rows[i];
        struct log_row *to = find_row(sum, row->labels[0], row->labels[1], false);
        add(&to->counts[0], get(&row->counts[0]));
        add(&to->counts[1], get(&row->counts[1]));
    }
}

void log_counters_add(struct log_counters *sum, const struct log_counters *counters)
{
    add_rows(&sum->kinds, &counters->kinds);
    add_rows(&sum->stages, &counters->stages);
    add_rows(&sum->tools, &counters->tools);
    add_rows(&sum->connections, &counters->connections);
    add_rows(&sum->refusals, &counters->refusals);
    for (size_t i = 0; i < LOG_DURATION_BUCKETS; i++) {
        add(&sum->durations[i], get(&counters->durations[i]));
    }
    add(&sum->duration_sum_us, get(&counters->duration_sum_us));
    add(&sum->input_bytes, get(&counters->input_bytes));
    add(&sum->output_bytes, get(&counters->output_bytes));
    add(&sum->waiting, get(&counters->waiting));
    add(&sum->programs_ended, get(&counters->programs_ended)); /* before those started: not more */
    add(&sum->programs_started, get(&counters->programs_started));
    if (get(&counters->snapshot_ms) > get(&sum->snapshot_ms)) {
        log_count_snapshot(sum, get(&counters->snapshot_ms));
    }
}

/* ---- the text format ---- */

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

static void format_seconds(uint64_t microseconds, char ret_text[static 32])
{
    snprintf(
        ret_text,
        32,
        "%llu.%06u",
        (unsigned long long)(microseconds / 1000000),
        (unsigned)(microseconds % 1000000));
}

static void put_family(struct jsv_buf *out, const char *name, const char *type, const char *help)
{
    const char *const pieces[] = {
        "# HELP mcpgate_", name, " ", help, "\n# TYPE mcpgate_", name, " ", type, "\n"};
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        put(out, pieces[i]);
    }
}

/* "mcpgate_name" */
static void put_name(struct jsv_buf *out, const char *name)
{
    put(out, "mcpgate_");
    put(out, name);
}

/* {label="value". The format escapes backslash, quote and line end. */
static void put_label(struct jsv_buf *out, const char *before, const char *name, const char *value)
{
    put(out, before);
    put(out, name);
    put(out, "=\"");
    for (; *value != '\0'; value++) {
        if (*value == '\\' || *value == '"' || *value == '\n') {
            jsv_buf_append_byte(out, '\\');
        }
        jsv_buf_append_byte(out, *value == '\n' ? 'n' : *value);
    }
    put(out, "\"");
}

static void put_value(struct jsv_buf *out, const char *before, uint64_t value)
{
    put(out, before);
    put_number(out, value);
    put(out, "\n");
}

/* How many of the first kind have no counterpart in the second, which is read first. */
static uint64_t difference(const log_counter *more, const log_counter *less)
{
    uint64_t subtrahend = get(less);
    uint64_t minuend = get(more);
    return minuend > subtrahend ? minuend - subtrahend : 0;
}

/* ---- the families ---- */

enum shown {
    FIRST,
    SECOND,
    DIFFERENCE,
};

/* A metric with a sample for each row of a table. */
struct family {
    const char *name;
    const char *type;
    const char *help;
    const struct log_table *table;
    const char *labels[2];
    enum shown shown;
};

static void put_rows(struct jsv_buf *out, const struct family *family)
{
    const struct log_table *table = family->table;
    put_family(out, family->name, family->type, family->help);
    size_t count = atomic_load(&table->count);
    for (size_t i = 0; i < count; i++) {
        const struct log_row *row = &table->rows[i];
        put_name(out, family->name);
        const char *before = "{";
        if (family->labels[0]) {
            put_label(out, before, family->labels[0], row->labels[0]);
            before = ",";
        }
        put_label(out, before, family->labels[1], row->labels[1]);
        uint64_t value = family->shown == DIFFERENCE ? difference(&row->counts[0], &row->counts[1])
                                                     : get(&row->counts[family->shown]);
        put_value(out, "} ", value);
    }
}

static void put_single(
    struct jsv_buf *out, const char *name, const char *type, const char *help, uint64_t value)
{
    put_family(out, name, type, help);
    put_name(out, name);
    put_value(out, " ", value);
}

static void put_durations(struct jsv_buf *out, const struct log_counters *counters)
{
    uint64_t sum = 0;
    char seconds[32] = "";
    put_family(
        out,
        "request_duration_seconds",
        "histogram",
        "Time spent on a message, without the time it waited behind others.");
    for (size_t i = 0; i < LOG_DURATION_BUCKETS; i++) {
        if (i < LOG_DURATION_BUCKETS - 1) {
            format_seconds(duration_bounds[i], seconds);
        }
        sum += get(&counters->durations[i]);
        put_name(out, "request_duration_seconds_bucket");
        put_label(out, "{", "le", i < LOG_DURATION_BUCKETS - 1 ? seconds : "+Inf");
        put_value(out, "} ", sum);
    }
    format_seconds(get(&counters->duration_sum_us), seconds);
    put_name(out, "request_duration_seconds_sum ");
    put(out, seconds);
    put(out, "\n");
    put_name(out, "request_duration_seconds_count");
    put_value(out, " ", sum);
}

static void put_snapshot_age(struct jsv_buf *out, const struct log_totals *totals)
{
    uint64_t since = get(&totals->counters->snapshot_ms);
    char seconds[32];
    format_seconds(
        since > 0 && totals->now_ms > since ? (totals->now_ms - since) * 1000 : 0, seconds);
    put_family(
        out, "snapshot_age_seconds", "gauge", "Time since schemas, examples and tools were read.");
    put_name(out, "snapshot_age_seconds ");
    put(out, seconds);
    put(out, "\n");
}

void log_totals_write(const struct log_totals *totals, struct jsv_buf *out)
{
    const struct log_counters *counters = totals->counters;
#define ROWS(name, type, table, first, second, shown, help)                                        \
    put_rows(out, &(struct family){#name, #type, help, &counters->table, {first, second}, shown});
#define SINGLE(name, type, value, help) put_single(out, #name, #type, help, value);
#include "log/metrics.def"
    put_durations(out, counters);
    put_snapshot_age(out, totals);
}
