/*
 * Only the owner adds, so adding needs no locked instruction: a load and a
 * store that are whole. A row's names are written before the number of rows
 * says that it is there.
 */
#include "log/counters.h"

#include <stdio.h>
#include <string.h>

const uint64_t log_durations[LOG_DURATION_CLASSES - 1] = {LOG_DURATIONS};

static void add(log_counter *counter, uint64_t change)
{
    uint64_t before = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, before + change, memory_order_relaxed);
}

static size_t count_of(const atomic_size_t *count)
{
    return atomic_load_explicit(count, memory_order_acquire);
}

/* The row after the last is ready to be looked at. */
static void publish(atomic_size_t *count)
{
    size_t before = atomic_load_explicit(count, memory_order_relaxed);
    atomic_store_explicit(count, before + 1, memory_order_release);
}

static bool is_same(const char *a, const char *b)
{
    return a == b || strcmp(a, b) == 0;
}

/* ---- rows ---- */

/* More pairs than there is room for go into the last row. */
static struct log_kind_row *
kind_row(struct log_counters *counters, const char *dialect, const char *transport)
{
    size_t count = count_of(&counters->kind_count);
    for (size_t i = 0; i < count; i++) {
        struct log_kind_row *row = &counters->kinds[i];
        if (is_same(row->dialect, dialect) && is_same(row->transport, transport)) {
            return row;
        }
    }
    if (count == LOG_KINDS_MAX) {
        return &counters->kinds[count - 1];
    }
    counters->kinds[count].dialect = dialect;
    counters->kinds[count].transport = transport;
    publish(&counters->kind_count);
    return &counters->kinds[count];
}

static struct log_stage_row *
stage_row(struct log_counters *counters, const char *dialect, const char *stage)
{
    size_t count = count_of(&counters->stage_count);
    for (size_t i = 0; i < count; i++) {
        struct log_stage_row *row = &counters->stages[i];
        if (is_same(row->dialect, dialect) && is_same(row->stage, stage)) {
            return row;
        }
    }
    if (count == LOG_STAGES_MAX) {
        return &counters->stages[count - 1];
    }
    counters->stages[count].dialect = dialect;
    counters->stages[count].stage = stage;
    publish(&counters->stage_count);
    return &counters->stages[count];
}

static bool has_name(const struct log_tool_row *row, struct jsv_str name)
{
    return row->name[name.size] == '\0' && memcmp(row->name, name.data, name.size) == 0;
}

/* Names that are too long, and tools that are too many, share the last row. */
static struct log_tool_row *tool_row(struct log_counters *counters, struct jsv_str name)
{
    size_t count = count_of(&counters->tool_count);
    bool fits = name.size < LOG_TOOL_NAME_SIZE && count < LOG_TOOLS_MAX - 1;
    if (name.size >= LOG_TOOL_NAME_SIZE) {
        name = JSV_STR("other");
    }
    for (size_t i = 0; i < count; i++) {
        if (has_name(&counters->tools[i], name)) {
            return &counters->tools[i];
        }
    }
    if (count == LOG_TOOLS_MAX) {
        return &counters->tools[count - 1];
    }
    name = fits ? name : JSV_STR("other");
    snprintf(counters->tools[count].name, LOG_TOOL_NAME_SIZE, "%.*s", (int)name.size, name.data);
    publish(&counters->tool_count);
    return &counters->tools[count];
}

static struct log_transport_row *transport_row(struct log_counters *counters, const char *transport)
{
    size_t count = count_of(&counters->transport_count);
    for (size_t i = 0; i < count; i++) {
        if (is_same(counters->transports[i].transport, transport)) {
            return &counters->transports[i];
        }
    }
    if (count == LOG_TRANSPORTS_MAX) {
        return &counters->transports[count - 1];
    }
    counters->transports[count].transport = transport;
    publish(&counters->transport_count);
    return &counters->transports[count];
}

static struct log_refusal_row *
refusal_row(struct log_counters *counters, const char *transport, unsigned status)
{
    size_t count = count_of(&counters->refusal_count);
    for (size_t i = 0; i < count; i++) {
        struct log_refusal_row *row = &counters->refusals[i];
        if (is_same(row->transport, transport) && row->status == status) {
            return row;
        }
    }
    if (count == LOG_REFUSALS_MAX) {
        return &counters->refusals[count - 1];
    }
    counters->refusals[count].transport = transport;
    counters->refusals[count].status = status;
    publish(&counters->refusal_count);
    return &counters->refusals[count];
}

/* ---- counting ---- */

static size_t duration_class(uint64_t duration_us)
{
    size_t class = 0;
    while (class < LOG_DURATION_CLASSES - 1 && duration_us > log_durations[class]) {
        class ++;
    }
    return class;
}

void log_count_outcome(struct log_counters *counters, const struct log_outcome *outcome)
{
    struct log_kind_row *kind = kind_row(counters, outcome->dialect, outcome->transport);
    add(&kind->requests, 1);
    add(&counters->durations[duration_class(outcome->duration_us)], 1);
    add(&counters->duration_sum_us, outcome->duration_us);
    add(&counters->input_bytes, outcome->input_bytes);
    add(&counters->output_bytes, outcome->output_bytes);
    struct log_tool_row *tool = outcome->tool.data ? tool_row(counters, outcome->tool) : NULL;
    if (tool) {
        add(&tool->requests, 1);
        add(&tool->failures, outcome->failed);
    }
    if (outcome->failed) {
        add(&kind->failures, 1);
        add(&stage_row(counters, outcome->dialect, outcome->stage)->failures, 1);
    }
}

void log_count_connection(struct log_counters *counters, const char *transport, int change)
{
    struct log_transport_row *row = transport_row(counters, transport);
    add(change > 0 ? &row->opened : &row->closed, 1);
}

void log_count_refusal(struct log_counters *counters, const char *transport, unsigned status)
{
    add(&refusal_row(counters, transport, status)->count, 1);
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

static void add_rows(struct log_counters *sum, const struct log_counters *counters)
{
    size_t count = count_of(&counters->kind_count);
    for (size_t i = 0; i < count; i++) {
        const struct log_kind_row *row = &counters->kinds[i];
        struct log_kind_row *to = kind_row(sum, row->dialect, row->transport);
        add(&to->requests, log_counter_get(&row->requests));
        add(&to->failures, log_counter_get(&row->failures));
    }
    count = count_of(&counters->stage_count);
    for (size_t i = 0; i < count; i++) {
        const struct log_stage_row *row = &counters->stages[i];
        add(&stage_row(sum, row->dialect, row->stage)->failures, log_counter_get(&row->failures));
    }
    count = count_of(&counters->tool_count);
    for (size_t i = 0; i < count; i++) {
        const struct log_tool_row *row = &counters->tools[i];
        struct log_tool_row *to = tool_row(sum, jsv_str_from(row->name));
        add(&to->requests, log_counter_get(&row->requests));
        add(&to->failures, log_counter_get(&row->failures));
    }
    count = count_of(&counters->transport_count);
    for (size_t i = 0; i < count; i++) {
        const struct log_transport_row *row = &counters->transports[i];
        struct log_transport_row *to = transport_row(sum, row->transport);
        add(&to->opened, log_counter_get(&row->opened));
        add(&to->closed, log_counter_get(&row->closed));
    }
    count = count_of(&counters->refusal_count);
    for (size_t i = 0; i < count; i++) {
        const struct log_refusal_row *row = &counters->refusals[i];
        add(&refusal_row(sum, row->transport, row->status)->count, log_counter_get(&row->count));
    }
}

void log_counters_add(struct log_counters *sum, const struct log_counters *counters)
{
    add_rows(sum, counters);
    for (size_t i = 0; i < LOG_DURATION_CLASSES; i++) {
        add(&sum->durations[i], log_counter_get(&counters->durations[i]));
    }
    add(&sum->duration_sum_us, log_counter_get(&counters->duration_sum_us));
    add(&sum->input_bytes, log_counter_get(&counters->input_bytes));
    add(&sum->output_bytes, log_counter_get(&counters->output_bytes));
    add(&sum->waiting, log_counter_get(&counters->waiting));
    add(&sum->programs_ended, log_counter_get(&counters->programs_ended));
    add(&sum->programs_started, log_counter_get(&counters->programs_started));
    uint64_t snapshot_ms = log_counter_get(&counters->snapshot_ms);
    if (snapshot_ms > log_counter_get(&sum->snapshot_ms)) {
        log_count_snapshot(sum, snapshot_ms);
    }
}
