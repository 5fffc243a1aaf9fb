/*
 * A page is two buffers: loops fill the front one, the thread writes the back
 * one, and they change places under the page's lock, which is held for a line
 * or for the change. The thread sleeps until somebody starts a page, then
 * gives the others GATHER_MS to add to it, so that few writes carry many
 * lines and a reader sees each of them soon.
 *
 * In a page each line stands behind a small head and before its question, if
 * it has one. The thread fills in the ids and moves the lines together, in
 * place, so that what is left is the text of the file.
 */
#include "log/sink.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "jsv/base/alloc.h"
#include "log/files.h"
#include "log/text.h"
#include "os/sys.h"

/* How long a line may wait for company. */
#define GATHER_MS 20

/* A page as large as this does not wait. */
#define PAGE_HURRY ((size_t)256 * 1024)

/* Lines beyond it are lost: the disk is slower than the messages come. */
#define PAGE_MAX ((size_t)4 * 1024 * 1024)

/* Questions beyond it are not taken: the thread has this much to do. */
#define QUESTIONS_MAX ((size_t)1024 * 1024)

/* Between two tries to write to a disk that refused. */
#define RETRY_MS 1000

/* Between two warnings: a disk may refuse, take and refuse again. */
#define WARN_MS 60000

struct log_page {
    struct log_page *next;
    struct log_sink *sink;
    struct log_namer *namer; /* the thread's */
    pthread_mutex_t lock;
    struct jsv_buf front;
    size_t lines;          /* in it */
    size_t lost;           /* that found no room in it */
    size_t question_bytes; /* in it */
    struct jsv_buf back;
};

/* Stands before each line of a page. */
struct line_head {
    uint32_t line_size;
    uint32_t question_size; /* stands behind the line; 0: nothing is blank */
    uint32_t blanks[LOG_IDS];
};

struct log_sink {
    struct log_files files;
    pthread_mutex_t lock; /* of what follows, up to the thread */
    pthread_cond_t changed;
    struct log_page *pages;
    bool is_started; /* some page is */
    bool is_urgent;  /* some page is nearly full */
    bool is_ending;
    pthread_t thread;
    /* The thread's own. */
    bool is_failing;
    uint64_t retry_ms;
    bool has_warned;
    uint64_t warned_ms;
    uint64_t lost_told;
    atomic_uint_fast64_t lost;
};

/* ---- the loops' side ---- */

static void wake(struct log_sink *sink, bool is_urgent)
{
    pthread_mutex_lock(&sink->lock);
    sink->is_started = true;
    sink->is_urgent = sink->is_urgent || is_urgent;
    pthread_cond_signal(&sink->changed);
    pthread_mutex_unlock(&sink->lock);
}

static size_t size_of(const struct log_question *question)
{
    return question->head.size + question->body.size;
}

static int append_entry(
    struct jsv_buf *out,
    const struct log_event *event,
    const struct log_secrets *secrets,
    const struct log_question *question)
{
    struct line_head head = {.question_size = (uint32_t)size_of(question)};
    size_t start = out->size;
    size_t line = start + sizeof(head);
    jsv_buf_append(out, &head, sizeof(head));
    int r = log_event_write(event, secrets, out, head.blanks);
    head.line_size = (uint32_t)(out->size - line);
    r = r < 0 ? r : jsv_buf_append_str(out, question->head);
    r = r < 0 ? r : jsv_buf_append_str(out, question->body);
    if (r < 0) {
        out->size = start;
        out->error = 0; /* no memory now is no reason to have none later */
        return r;
    }
    memcpy(out->data + start, &head, sizeof(head));
    return 0;
}

/* Put an entry into the page, or lose it. */
static void put_entry(
    struct log_page *page,
    const struct log_event *event,
    const struct log_secrets *secrets,
    const struct log_question *question)
{
    size_t size = size_of(question);
    bool has_room = PAGE_MAX - page->front.size >= sizeof(struct line_head) + LOG_LINE_MAX + size;
    if (has_room && append_entry(&page->front, event, secrets, question) == 0) {
        page->lines++;
        page->question_bytes += size;
    } else {
        page->lost++;
    }
}

bool log_page_ask(
    struct log_page *page,
    const struct log_event *event,
    const struct log_secrets *secrets,
    const struct log_question *question)
{
    pthread_mutex_lock(&page->lock);
    size_t before = page->front.size;
    bool is_taken = size_of(question) <= QUESTIONS_MAX - page->question_bytes;
    if (is_taken) {
        put_entry(page, event, secrets, question);
    }
    size_t after = page->front.size;
    bool is_first = before == 0 && page->lines + page->lost == 1;
    pthread_mutex_unlock(&page->lock);
    if (is_first || (before < PAGE_HURRY && after >= PAGE_HURRY)) {
        wake(page->sink, !is_first);
    }
    return is_taken;
}

void log_page_write(
    struct log_page *page, const struct log_event *event, const struct log_secrets *secrets)
{
    static const struct log_question nothing;
    log_page_ask(page, event, secrets, &nothing);
}

void log_page_set_namer(struct log_page *page, struct log_namer *namer)
{
    page->namer = namer;
}

/* ---- trouble ---- */

/* Room for a path and a reason. */
#define DETAIL_SIZE 512

static void warn(struct log_sink *sink, const char *why)
{
    uint64_t now = os_now_ms();
    if (sink->has_warned && now - sink->warned_ms < WARN_MS) {
        return;
    }
    char detail[DETAIL_SIZE];
    snprintf(detail, sizeof(detail), "%s: %s", sink->files.root, why);
    log_text_warning("log_lost", "detail", jsv_str_from(detail));
    sink->has_warned = true;
    sink->warned_ms = now;
}

static void lose(struct log_sink *sink, uint64_t lines)
{
    atomic_fetch_add_explicit(&sink->lost, lines, memory_order_relaxed);
}

static void fail(struct log_sink *sink, int error)
{
    if (!sink->is_failing) {
        warn(sink, strerror(-error));
    }
    sink->is_failing = true;
    sink->retry_ms = os_now_ms() + RETRY_MS;
}

static void recover(struct log_sink *sink)
{
    if (!sink->is_failing) {
        return;
    }
    uint64_t lost = log_sink_lost(sink);
    char count[24];
    snprintf(count, sizeof(count), "%llu", (unsigned long long)(lost - sink->lost_told));
    log_text_warning("log_recovered", "lost", jsv_str_from(count));
    sink->lost_told = lost;
    sink->is_failing = false;
}

/* ---- the thread's side ---- */

static void
fill_in(struct log_namer *namer, char *line, const struct line_head *head, struct jsv_str question)
{
    char ids[LOG_IDS][LOG_ID_SIZE];
    namer->name(namer, question, ids);
    for (size_t i = 0; i < LOG_IDS; i++) {
        if (head->blanks[i] > 0) {
            memcpy(line + head->blanks[i], ids[i], LOG_ID_SIZE);
        }
    }
}

/* Make text of a page's entries. @return its size. */
static size_t make_text(struct log_namer *namer, struct jsv_buf *entries)
{
    size_t size = 0;
    size_t at = 0;
    while (at < entries->size) {
        struct line_head head;
        memcpy(&head, entries->data + at, sizeof(head));
        char *line = entries->data + at + sizeof(head);
        if (head.question_size > 0) {
            fill_in(
                namer, line, &head, (struct jsv_str){line + head.line_size, head.question_size});
        }
        memmove(entries->data + size, line, head.line_size);
        size += head.line_size;
        at += sizeof(head) + head.line_size + head.question_size;
    }
    return size;
}

static size_t count_lines(struct jsv_str text)
{
    size_t count = 0;
    const char *end = text.data + text.size;
    for (const char *at = text.data; text.size > 0 && at < end; count++) {
        at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    }
    return count;
}

static void write_lines(struct log_sink *sink, struct jsv_str text)
{
    size_t written = 0;
    int r = -EAGAIN;
    if (!sink->is_failing || os_now_ms() >= sink->retry_ms) {
        r = log_files_write(&sink->files, text, &written);
    }
    if (r == 0) {
        recover(sink);
        return;
    }
    if (r != -EAGAIN) {
        fail(sink, r);
    }
    lose(sink, count_lines((struct jsv_str){text.data + written, text.size - written}));
}

static void empty_page(struct log_sink *sink, struct log_page *page)
{
    pthread_mutex_lock(&page->lock);
    struct jsv_buf full = page->front;
    page->front = page->back;
    page->back = full;
    size_t lost = page->lost;
    page->lines = page->lost = page->question_bytes = 0;
    pthread_mutex_unlock(&page->lock);
    if (lost > 0) {
        lose(sink, lost);
        warn(sink, "messages come faster than the disk takes them");
    }
    if (full.size > 0) {
        write_lines(sink, (struct jsv_str){full.data, make_text(page->namer, &full)});
        jsv_buf_reset(&page->back);
    }
}

static struct timespec in_ms(uint64_t milliseconds)
{
    uint64_t at = os_now_us() + milliseconds * 1000;
    return (struct timespec){
        .tv_sec = (time_t)(at / 1000000),
        .tv_nsec = (long)(at % 1000000 * 1000),
    };
}

/* Wait for a line, then for others. @return whether this is the last time; pages are there. */
static bool wait_for_lines(struct log_sink *sink, struct log_page **ret_pages)
{
    pthread_mutex_lock(&sink->lock);
    while (!sink->is_started && !sink->is_ending) {
        pthread_cond_wait(&sink->changed, &sink->lock);
    }
    struct timespec deadline = in_ms(GATHER_MS);
    int r = 0;
    while (!sink->is_urgent && !sink->is_ending && r != ETIMEDOUT) {
        r = pthread_cond_timedwait(&sink->changed, &sink->lock, &deadline);
    }
    bool is_last = sink->is_ending;
    sink->is_started = sink->is_urgent = false;
    *ret_pages = sink->pages;
    pthread_mutex_unlock(&sink->lock);
    return is_last;
}

static void *run(void *argument)
{
    struct log_sink *sink = argument;
    struct log_page *pages;
    bool is_last;
    int r = log_files_open(&sink->files);
    if (r < 0) {
        fail(sink, r);
    }
    do {
        is_last = wait_for_lines(sink, &pages);
        for (struct log_page *page = pages; page; page = page->next) {
            empty_page(sink, page);
        }
    } while (!is_last);
    return NULL;
}

/* ---- making and unmaking ---- */

int log_page_new(struct log_sink *sink, struct log_page **ret_page)
{
    struct log_page *page = jsv_alloc(os_allocator(), sizeof(*page));
    if (!page) {
        return -ENOMEM;
    }
    *page = (struct log_page){.sink = sink, .lock = PTHREAD_MUTEX_INITIALIZER};
    jsv_buf_init(&page->front, os_allocator(), PAGE_MAX);
    jsv_buf_init(&page->back, os_allocator(), PAGE_MAX);
    pthread_mutex_lock(&sink->lock);
    page->next = sink->pages;
    sink->pages = page;
    pthread_mutex_unlock(&sink->lock);
    *ret_page = page;
    return 0;
}

static void free_page(struct log_page *page)
{
    if (page->namer) {
        page->namer->free(page->namer);
    }
    jsv_buf_done(&page->front);
    jsv_buf_done(&page->back);
    pthread_mutex_destroy(&page->lock);
    jsv_dealloc(os_allocator(), page, sizeof(*page));
}

static void free_sink(struct log_sink *sink)
{
    while (sink->pages) {
        struct log_page *page = sink->pages;
        sink->pages = page->next;
        free_page(page);
    }
    log_files_done(&sink->files);
    pthread_cond_destroy(&sink->changed);
    pthread_mutex_destroy(&sink->lock);
    jsv_dealloc(os_allocator(), sink, sizeof(*sink));
}

/* Waiting is by the clock that only goes forward. */
static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

int log_sink_new(const struct log_sink_options *options, struct log_sink **ret_sink)
{
    struct log_sink *sink = jsv_alloc(os_allocator(), sizeof(*sink));
    if (!sink) {
        return -ENOMEM;
    }
    *sink = (struct log_sink){.lock = PTHREAD_MUTEX_INITIALIZER};
    init_condition(&sink->changed);
    log_files_init(&sink->files, options->root, options->file_size_max);
    int r = os_thread_start(&sink->thread, run, sink);
    if (r < 0) {
        free_sink(sink);
        return r;
    }
    *ret_sink = sink;
    return 0;
}

void log_sink_free(struct log_sink *sink)
{
    if (!sink) {
        return;
    }
    pthread_mutex_lock(&sink->lock);
    sink->is_ending = true;
    pthread_cond_signal(&sink->changed);
    pthread_mutex_unlock(&sink->lock);
    pthread_join(sink->thread, NULL);
    free_sink(sink);
}

uint64_t log_sink_lost(const struct log_sink *sink)
{
    return atomic_load_explicit(&sink->lost, memory_order_relaxed);
}

uint64_t log_sink_queued(struct log_sink *sink)
{
    uint64_t queued = 0;
    pthread_mutex_lock(&sink->lock);
    for (struct log_page *page = sink->pages; page; page = page->next) {
        pthread_mutex_lock(&page->lock);
        queued += page->front.size;
        pthread_mutex_unlock(&page->lock);
    }
    pthread_mutex_unlock(&sink->lock);
    return queued;
}
