#include "log/log.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "log/metrics.h"
#include "log/redact.h"
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

/* How long the real clock is taken to run as the other one does. */
#define CLOCK_US 1000000

struct log_share {
    struct log_counters counters; /* first: it has cache lines of its own */
    struct log_share *next;
    struct log *log;
    struct log_page *page; /* NULL: no lines */
    uint64_t clock_us;     /* when the real clock was last looked at */
    int64_t clock_ms;      /* and what it said */
    struct log_mismatches mismatches;
};

struct log {
    struct log_options options;
    struct log_sink *sink; /* NULL: no lines */
    struct jsv_str names[SECRET_NAMES + ADDED_NAMES_MAX];
    struct log_secrets secrets;
    pthread_mutex_t lock;     /* of the list */
    struct log_share *shares; /* only grows */
    _Atomic(uint64_t) news;
};

/* ---- making and unmaking ---- */

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
    const struct log_sink_options options = {
        .root = log->options.dir,
        .file_size_max = log->options.file_size_max,
    };
    memcpy(log->names, secret_names, sizeof(secret_names));
    log->secrets = (struct log_secrets){
        .token = log->options.token,
        .names = log->names,
        .name_count = SECRET_NAMES,
    };
    int r = add_names(log, log->options.redact);
    return r < 0 || !options.root ? r : log_sink_new(&options, &log->sink);
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

/* Counters want to begin on a cache line, which allocators do not promise. */
#define SHARE_ALIGN _Alignof(struct log_share)

static void free_share(struct log_share *share)
{
    log_mismatches_done(&share->mismatches);
    void *memory = *((void **)((char *)share + sizeof(*share)));
    jsv_dealloc(os_allocator(), memory, sizeof(*share) + SHARE_ALIGN + sizeof(void *));
}

void log_free(struct log *log)
{
    if (!log) {
        return;
    }
    log_sink_free(log->sink);
    while (log->shares) {
        struct log_share *share = log->shares;
        log->shares = share->next;
        free_share(share);
    }
    pthread_mutex_destroy(&log->lock);
    jsv_dealloc(os_allocator(), log, sizeof(*log));
}

/* The block's own address stands behind the share. */
static struct log_share *alloc_share(void)
{
    size_t size = sizeof(struct log_share) + SHARE_ALIGN + sizeof(void *);
    char *memory = jsv_alloc(os_allocator(), size);
    if (!memory) {
        return NULL;
    }
    memset(memory, 0, size);
    size_t over = (uintptr_t)memory % SHARE_ALIGN;
    char *share = memory + (over > 0 ? SHARE_ALIGN - over : 0);
    memcpy(share + sizeof(struct log_share), &memory, sizeof(memory));
    return (struct log_share *)(void *)share;
}

int log_share_new(struct log *log, struct log_share **ret_share)
{
    struct log_share *share = alloc_share();
    if (!share) {
        return -ENOMEM;
    }
    share->log = log;
    log_mismatches_init(&share->mismatches);
    int r = log->sink ? log_page_new(log->sink, &share->page) : 0;
    if (r < 0) {
        free_share(share);
        return r;
    }
    pthread_mutex_lock(&log->lock);
    share->next = log->shares;
    log->shares = share;
    pthread_mutex_unlock(&log->lock);
    *ret_share = share;
    return 0;
}

/* ---- a loop's side ---- */

struct log *log_of(const struct log_share *share)
{
    return share->log;
}

bool log_has_lines(const struct log_share *share)
{
    return share->page;
}

bool log_is_deterministic(const struct log_share *share)
{
    return share->log->options.deterministic;
}

struct log_counters *log_counters_of(struct log_share *share)
{
    return &share->counters;
}

int64_t log_wall_ms(struct log_share *share, uint64_t now_us)
{
    if (share->clock_us == 0 || now_us - share->clock_us >= CLOCK_US) {
        share->clock_us = now_us;
        share->clock_ms = os_wall_ms();
    }
    return share->clock_ms + (int64_t)((now_us - share->clock_us) / 1000);
}

void log_write(struct log_share *share, const struct log_event *event)
{
    if (share->page) {
        log_page_write(share->page, event, &share->log->secrets);
    }
}

void log_share_set_namer(struct log_share *share, struct log_namer *namer)
{
    log_page_set_namer(share->page, namer);
}

bool log_ask(
    struct log_share *share, const struct log_event *event, const struct log_question *question)
{
    return log_page_ask(share->page, event, &share->log->secrets, question);
}

void log_mismatch_fill(const struct log_share *share, char *field, size_t size, struct jsv_str text)
{
    bool is_secret = log_holds_token(text, &share->log->secrets);
    log_mismatch_text(field, size, is_secret ? JSV_STR("[redacted]") : text);
}

bool log_note_mismatch(struct log_share *share, const struct log_mismatch *mismatch)
{
    bool is_new = log_mismatches_note(&share->mismatches, mismatch);
    if (is_new) {
        atomic_fetch_add(&share->log->news, 1);
    }
    return is_new;
}

uint64_t log_news(const struct log *log)
{
    return atomic_load(&log->news);
}

/* ---- looking ---- */

static struct log_share *first_share(struct log *log, size_t *ret_count)
{
    pthread_mutex_lock(&log->lock);
    struct log_share *first = log->shares;
    pthread_mutex_unlock(&log->lock);
    *ret_count = 0;
    for (struct log_share *share = first; share; share = share->next) {
        ++*ret_count;
    }
    return first;
}

int log_metrics_write(struct log *log, struct jsv_buf *out)
{
    struct log_share *sum = alloc_share();
    if (!sum) {
        return -ENOMEM;
    }
    size_t count;
    log_mismatches_init(&sum->mismatches);
    for (struct log_share *share = first_share(log, &count); share; share = share->next) {
        log_counters_add(&sum->counters, &share->counters);
    }
    struct log_totals totals = {
        .counters = &sum->counters,
        .loops = count,
        .now_ms = os_now_ms(),
        .log_lost = log->sink ? log_sink_lost(log->sink) : 0,
        .log_queued = log->sink ? log_sink_queued(log->sink) : 0,
    };
    log_totals_write(&totals, out);
    free_share(sum);
    return out->error;
}

int log_diagnostics_write(struct log *log, struct jsv_buf *out)
{
    size_t share_count;
    struct log_share *first = first_share(log, &share_count);
    size_t size = (share_count * LOG_MISMATCHES_MAX + 1) * sizeof(struct log_mismatch);
    struct log_mismatch *items = jsv_alloc(os_allocator(), size);
    if (!items) {
        return -ENOMEM;
    }
    size_t count = 0;
    for (struct log_share *share = first; share; share = share->next) {
        count += log_mismatches_copy(&share->mismatches, items + count);
    }
    count = log_mismatches_merge(items, count);
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_object_begin(&writer);
    jsv_write_key(&writer, JSV_STR("mismatches"));
    jsv_write_array_begin(&writer);
    for (size_t i = 0; i < count; i++) {
        log_mismatch_write(&items[i], &writer);
    }
    jsv_write_array_end(&writer);
    if (log->options.describe) {
        log->options.describe(log->options.owner, &writer);
    }
    jsv_write_object_end(&writer);
    jsv_dealloc(os_allocator(), items, size);
    return out->error;
}
