#include "log/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "os/sys.h"

/* Secret in every log, whatever the operator adds. */
static const struct jsv_str secret_names[] = {
    JSV_STR("auth"),
    JSV_STR("_auth"),
    JSV_STR("authorization"),
    JSV_STR("token"),
    JSV_STR("access_token"),
    JSV_STR("refresh_token"),
    JSV_STR("id_token"),
    JSV_STR("password"),
    JSV_STR("secret"),
    JSV_STR("client_secret"),
    JSV_STR("api_key"),
    JSV_STR("apikey"),
    JSV_STR("private_key"),
    JSV_STR("cookie"),
};

#define SECRET_NAMES (sizeof(secret_names) / sizeof(secret_names[0]))

/* Names an operator may add: each is compared with each member of an error's details. */
#define ADDED_NAMES_MAX 50

/* How long the real time is computed from the monotonic clock, because reading it costs a second
 * call. */
#define CLOCK_US 1000000

struct log_local {
    struct log_counters counters;
    struct log_local *next;
    struct log *log;
    struct log_buffer *buffer;                     /* NULL: no lines */
    uint64_t clock_us;                             /* when the real clock was last read */
    int64_t clock_ms;                              /* and its time then */
    pthread_mutex_t lock;                          /* of the problems */
    struct log_problem problems[LOG_PROBLEMS_MAX]; /* those with a count of 0 are free */
};

struct log {
    struct log_options options;
    struct log_sink *sink; /* NULL: no lines */
    struct jsv_str names[SECRET_NAMES + ADDED_NAMES_MAX];
    struct log_secrets secrets;
    pthread_mutex_t lock;     /* of the list */
    struct log_local *locals; /* only grows */
    _Atomic(uint64_t) new_problems;
};

/* ---- life ---- */

static struct jsv_str trim(struct jsv_str text)
{
    while (text.size > 0 && text.data[0] == ' ') {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && text.data[text.size - 1] == ' ') {
        text.size--;
    }
    return text;
}

/* @return 0; -E2BIG when there are too many. */
static int add_names(struct log *log, const char *list)
{
    while (list && *list != '\0') {
        size_t size = strcspn(list, ",");
        struct jsv_str name = trim((struct jsv_str){list, size});
        if (name.size > 0) {
            if (log->secrets.name_count == SECRET_NAMES + ADDED_NAMES_MAX) {
                return -E2BIG;
            }
            log->names[log->secrets.name_count++] = name;
        }
        list += size + (list[size] == ',');
    }
    return 0;
}

static int start(struct log *log)
{
    memcpy(log->names, secret_names, sizeof(secret_names));
    log->secrets = (struct log_secrets){
        .token = log->options.token,
        .names = log->names,
        .name_count = SECRET_NAMES,
    };
    int r = add_names(log, log->options.redact);
    return r < 0 || !log->options.dir
               ? r
               : log_sink_new(log->options.dir, log->options.file_size_max, &log->sink);
}

int log_new(const struct log_options *options, struct log **ret_log)
{
    struct log *log = jsv_alloc(os_allocator(), sizeof(*log));
    if (!log) {
        return -ENOMEM;
    }
    *log = (struct log){.options = *options, .lock = PTHREAD_MUTEX_INITIALIZER};
    int r = start(log);
    if (r < 0) {
        log_free(log);
        return r;
    }
    *ret_log = log;
    return 0;
}

static void free_local(struct log_local *local)
{
    pthread_mutex_destroy(&local->lock);
    jsv_dealloc(os_allocator(), local, sizeof(*local));
}

void log_free(struct log *log)
{
    if (!log) {
        return;
    }
    log_sink_free(log->sink);
    while (log->locals) {
        struct log_local *local = log->locals;
        log->locals = local->next;
        free_local(local);
    }
    pthread_mutex_destroy(&log->lock);
    jsv_dealloc(os_allocator(), log, sizeof(*log));
}

int log_local_new(struct log *log, struct log_local **ret_local)
{
    struct log_local *local = jsv_alloc(os_allocator(), sizeof(*local));
    if (!local) {
        return -ENOMEM;
    }
    memset(local, 0, sizeof(*local));
    local->log = log;
    pthread_mutex_init(&local->lock, NULL);
    int r = log->sink ? log_buffer_new(log->sink, &local->buffer) : 0;
    if (r < 0) {
        free_local(local);
        return r;
    }
    pthread_mutex_lock(&log->lock);
    local->next = log->locals;
    log->locals = local;
    pthread_mutex_unlock(&log->lock);
    *ret_local = local;
    return 0;
}

/* ---- for a loop ---- */

struct log *log_of(const struct log_local *local)
{
    return local->log;
}

bool log_has_lines(const struct log_local *local)
{
    return local->buffer;
}

bool log_is_deterministic(const struct log_local *local)
{
    return local->log->options.deterministic;
}

struct log_counters *log_counters_of(struct log_local *local)
{
    return &local->counters;
}

int64_t log_wall_ms(struct log_local *local, uint64_t now_us)
{
    if (local->clock_us == 0 || now_us - local->clock_us >= CLOCK_US) {
        local->clock_us = now_us;
        local->clock_ms = os_wall_ms();
    }
    return local->clock_ms + (int64_t)((now_us - local->clock_us) / 1000);
}

void log_write(struct log_local *local, const struct log_event *event)
{
    if (local->buffer) {
        log_buffer_write(local->buffer, event, &local->log->secrets);
    }
}

void log_set_id_generator(struct log_local *local, struct log_id_generator *generator)
{
    log_buffer_set_id_generator(local->buffer, generator);
}

bool log_write_blank(
    struct log_local *local, const struct log_event *event, const struct log_id_source *source)
{
    return log_buffer_write_blank(local->buffer, event, &local->log->secrets, source);
}

/* ---- problems ---- */

void log_problem_fill(const struct log_local *local, char *field, size_t size, struct jsv_str text)
{
    text = log_holds_token(text, &local->log->secrets) ? JSV_STR("[redacted]") : text;
    size_t length = text.size < size ? text.size : size - 1;
    while (length > 0 && length < text.size && ((unsigned char)text.data[length] & 0xC0) == 0x80) {
        length--; /* the next byte continues a character */
    }
    if (length > 0) {
        memcpy(field, text.data, length);
    }
    field[length] = '\0';
}

static bool is_same(const struct log_problem *a, const struct log_problem *b)
{
    return strcmp(a->pointer, b->pointer) == 0 && strcmp(a->schema_path, b->schema_path) == 0 &&
           strcmp(a->tool, b->tool) == 0 && strcmp(a->client, b->client) == 0 &&
           strcmp(a->status, b->status) == 0 && strcmp(a->message, b->message) == 0 &&
           strcmp(a->dialect, b->dialect) == 0;
}

static void add_to(struct log_problem *to, const struct log_problem *from)
{
    to->count += from->count;
    to->first_ms = from->first_ms < to->first_ms ? from->first_ms : to->first_ms;
    to->last_ms = from->last_ms > to->last_ms ? from->last_ms : to->last_ms;
}

/* @return whether it is new. */
static bool note_problem(struct log_local *local, const struct log_problem *problem)
{
    pthread_mutex_lock(&local->lock);
    struct log_problem *place = &local->problems[0];
    for (size_t i = 0; i < LOG_PROBLEMS_MAX; i++) {
        struct log_problem *item = &local->problems[i];
        if (item->count > 0 && is_same(item, problem)) {
            place = item;
            break;
        }
        if (item->last_ms < place->last_ms) {
            place = item; /* free, or the oldest */
        }
    }
    bool is_new = place->count == 0 || !is_same(place, problem);
    if (is_new) {
        *place = *problem;
    } else {
        add_to(place, problem);
    }
    pthread_mutex_unlock(&local->lock);
    return is_new;
}

static size_t
copy_problems(struct log_local *local, struct log_problem ret_items[static LOG_PROBLEMS_MAX])
{
    size_t count = 0;
    pthread_mutex_lock(&local->lock);
    for (size_t i = 0; i < LOG_PROBLEMS_MAX; i++) {
        if (local->problems[i].count > 0) {
            ret_items[count++] = local->problems[i];
        }
    }
    pthread_mutex_unlock(&local->lock);
    return count;
}

static int compare_latest(const void *a, const void *b)
{
    const struct log_problem *first = a;
    const struct log_problem *second = b;
    return (first->last_ms < second->last_ms) - (first->last_ms > second->last_ms);
}

/* Sort by time, the latest first, and join equal ones. @return how many are left. */
static size_t merge_problems(struct log_problem *items, size_t count)
{
    size_t kept = 0;
    if (count > 0) {
        qsort(items, count, sizeof(*items), compare_latest);
    }
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        while (same < kept && !is_same(&items[same], &items[i])) {
            same++;
        }
        if (same < kept) {
            add_to(&items[same], &items[i]);
        } else {
            memmove(&items[kept++], &items[i], sizeof(*items));
        }
    }
    return kept;
}

static void write_text(struct jsv_writer *writer, struct jsv_str name, const char *text)
{
    jsv_write_key(writer, name);
    if (text[0] == '\0') {
        jsv_write_null(writer);
    } else {
        jsv_write_string(writer, jsv_str_from(text));
    }
}

static void write_time(struct jsv_writer *writer, struct jsv_str name, int64_t wall_ms)
{
    char time[LOG_TIME_SIZE];
    log_time_format(wall_ms, time);
    jsv_write_member_string(writer, name, jsv_str_from(time));
}

static void write_problem(const struct log_problem *problem, struct jsv_writer *writer)
{
    jsv_write_object_begin(writer);
    write_text(writer, JSV_STR("dialect"), problem->dialect);
    write_text(writer, JSV_STR("stage"), problem->stage);
    write_text(writer, JSV_STR("status"), problem->status);
    write_text(writer, JSV_STR("tool"), problem->tool);
    write_text(writer, JSV_STR("client"), problem->client);
    jsv_write_member_string(writer, JSV_STR("pointer"), jsv_str_from(problem->pointer));
    write_text(writer, JSV_STR("schemaPath"), problem->schema_path);
    write_text(writer, JSV_STR("message"), problem->message);
    jsv_write_member_uint64(writer, JSV_STR("count"), problem->count);
    write_time(writer, JSV_STR("first"), problem->first_ms);
    write_time(writer, JSV_STR("last"), problem->last_ms);
    jsv_write_object_end(writer);
}

bool log_note_problem(struct log_local *local, const struct log_problem *problem)
{
    bool is_new = note_problem(local, problem);
    if (is_new) {
        atomic_fetch_add(&local->log->new_problems, 1);
    }
    return is_new;
}

uint64_t log_new_problems(const struct log *log)
{
    return atomic_load(&log->new_problems);
}

/* ---- for readers ---- */

static struct log_local *first_local(struct log *log, size_t *ret_count)
{
    pthread_mutex_lock(&log->lock);
    struct log_local *first = log->locals;
    pthread_mutex_unlock(&log->lock);
    *ret_count = 0;
    for (struct log_local *local = first; local; local = local->next) {
        ++*ret_count;
    }
    return first;
}

int log_metrics_write(struct log *log, struct jsv_buf *out)
{
    struct log_counters *sum = jsv_alloc(os_allocator(), sizeof(*sum));
    if (!sum) {
        return -ENOMEM;
    }
    memset(sum, 0, sizeof(*sum));
    size_t count;
    for (struct log_local *local = first_local(log, &count); local; local = local->next) {
        log_counters_add(sum, &local->counters);
    }
    struct log_totals totals = {
        .counters = sum,
        .loops = count,
        .now_ms = os_now_ms(),
        .log_lost = log->sink ? log_sink_lost(log->sink) : 0,
        .log_queued = log->sink ? log_sink_queued(log->sink) : 0,
    };
    log_totals_write(&totals, out);
    jsv_dealloc(os_allocator(), sum, sizeof(*sum));
    return out->error;
}

int log_diagnostics_write(struct log *log, struct jsv_buf *out)
{
    size_t local_count;
    struct log_local *first = first_local(log, &local_count);
    size_t size = (local_count * LOG_PROBLEMS_MAX + 1) * sizeof(struct log_problem);
    struct log_problem *items = jsv_alloc(os_allocator(), size);
    if (!items) {
        return -ENOMEM;
    }
    size_t count = 0;
    for (struct log_local *local = first; local; local = local->next) {
        count += copy_problems(local, items + count);
    }
    count = merge_problems(items, count);
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_object_begin(&writer);
    jsv_write_member_array_begin(&writer, JSV_STR("mismatches"));
    for (size_t i = 0; i < count; i++) {
        write_problem(&items[i], &writer);
    }
    jsv_write_array_end(&writer);
    if (log->options.describe) {
        log->options.describe(log->options.owner, &writer);
    }
    jsv_write_object_end(&writer);
    jsv_dealloc(os_allocator(), items, size);
    return out->error;
}
