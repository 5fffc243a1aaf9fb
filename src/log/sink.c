/*
 * A buffer has a front, which the loop fills, and a back, which the thread
 * writes. They are swapped under the buffer's lock, which is held for one line
 * or for the swap. The thread sleeps until a buffer gets its first line, then
 * waits GATHER_MS for more, so that few writes carry many lines and a reader
 * still sees each of them soon.
 *
 * In a buffer each line has a small header before it and the source of its ids
 * behind it, if it has one. The thread fills in the ids and moves the lines
 * together in place: the result is the text of the file.
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

/* How long a line waits for more. */
#define GATHER_MS 20

/* A buffer as large as this is written at once. */
#define BUFFER_HURRY ((size_t)256 * 1024)

/* Lines beyond it are lost: the disk is slower than the messages. */
#define BUFFER_MAX ((size_t)4 * 1024 * 1024)

/* Sources beyond it are refused: the thread has fallen behind. */
#define SOURCES_MAX ((size_t)1024 * 1024)

/* Between two attempts to write after an error. */
#define RETRY_MS 1000

/* Between two warnings: a disk may fail, recover and fail again. */
#define WARN_MS 60000

struct log_buffer {
    struct log_buffer *next;
    struct log_sink *sink;
    struct log_id_generator *generator; /* used by the thread */
    pthread_mutex_t lock;
    struct jsv_buf front;
    size_t lines;        /* in it */
    size_t lost;         /* that did not fit */
    size_t source_bytes; /* in it */
    struct jsv_buf back;
};

/* Before each line of a buffer. */
struct line_head {
    uint32_t line_size;
    uint32_t source_size; /* behind the line; 0: no blanks */
    uint32_t blanks[LOG_IDS];
};

struct log_sink {
    struct log_files files;
    pthread_mutex_t lock; /* of what follows, up to the thread */
    pthread_cond_t changed;
    struct log_buffer *buffers;
    bool is_started; /* a buffer has lines */
    bool is_urgent;  /* a buffer is nearly full */
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

/* ---- for the loops ---- */

static void wake(struct log_sink *sink, bool is_urgent)
{
    pthread_mutex_lock(&sink->lock);
    sink->is_started = true;
    sink->is_urgent = sink->is_urgent || is_urgent;
    pthread_cond_signal(&sink->changed);
    pthread_mutex_unlock(&sink->lock);
}

static size_t size_of(const struct log_id_source *source)
{
    return source->head.size + source->body.size;
}

static int append_entry(
    struct jsv_buf *out,
    const struct log_event *event,
    const struct log_secrets *secrets,
    const struct log_id_source *source)
{
    struct line_head head = {.source_size = (uint32_t)size_of(source)};
    size_t start = out->size;
    size_t line = start + sizeof(head);
    jsv_buf_append(out, &head, sizeof(head));
    int r = log_event_write(event, secrets, out, head.blanks);
    head.line_size = (uint32_t)(out->size - line);
    r = r < 0 ? r : jsv_buf_append_str(out, source->head);
    r = r < 0 ? r : jsv_buf_append_str(out, source->body);
    if (r < 0) {
        out->size = start;
        out->error = 0; /* there may be memory for the next line */
        return r;
    }
    memcpy(out->data + start, &head, sizeof(head));
    return 0;
}

/* Append an entry, or lose it. */
static void put_entry(
    struct log_buffer *buffer,
    const struct log_event *event,
    const struct log_secrets *secrets,
    const struct log_id_source *source)
{
    size_t size = size_of(source);
    bool has_room =
        BUFFER_MAX - buffer->front.size >= sizeof(struct line_head) + LOG_LINE_MAX + size;
    if (has_room && append_entry(&buffer->front, event, secrets, source) == 0) {
        buffer->lines++;
        buffer->source_bytes += size;
    } else {
        buffer->lost++;
    }
}

bool log_buffer_write_blank(
    struct log_buffer *buffer,
    const struct log_event *event,
    const struct log_secrets *secrets,
    const struct log_id_source *source)
{
    pthread_mutex_lock(&buffer->lock);
    size_t before = buffer->front.size;
    bool is_taken = size_of(source) <= SOURCES_MAX - buffer->source_bytes;
    if (is_taken) {
        put_entry(buffer, event, secrets, source);
    }
    size_t after = buffer->front.size;
    bool is_first = before == 0 && buffer->lines + buffer->lost == 1;
    pthread_mutex_unlock(&buffer->lock);
    if (is_first || (before < BUFFER_HURRY && after >= BUFFER_HURRY)) {
        wake(buffer->sink, !is_first);
    }
    return is_taken;
}

void log_buffer_write(
    struct log_buffer *buffer, const struct log_event *event, const struct log_secrets *secrets)
{
    static const struct log_id_source none;
    log_buffer_write_blank(buffer, event, secrets, &none);
}

void log_buffer_set_id_generator(struct log_buffer *buffer, struct log_id_generator *generator)
{
    buffer->generator = generator;
}

/* ---- errors ---- */

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

/* ---- the thread ---- */

static void fill_in(
    struct log_id_generator *generator,
    char *line,
    const struct line_head *head,
    struct jsv_str source)
{
    char ids[LOG_IDS][LOG_ID_SIZE];
    generator->generate(generator, source, ids);
    for (size_t i = 0; i < LOG_IDS; i++) {
        if (head->blanks[i] > 0) {
            memcpy(line + head->blanks[i], ids[i], LOG_ID_SIZE);
        }
    }
}

/* Turn a buffer's entries into text. @return its size. */
static size_t make_text(struct log_id_generator *generator, struct jsv_buf *entries)
{
    size_t size = 0;
    size_t at = 0;
    while (at < entries->size) {
        struct line_head head;
        memcpy(&head, entries->data + at, sizeof(head));
        char *line = entries->data + at + sizeof(head);
        if (head.source_size > 0) {
            fill_in(
                generator, line, &head, (struct jsv_str){line + head.line_size, head.source_size});
        }
        memmove(entries->data + size, line, head.line_size);
        size += head.line_size;
        at += sizeof(head) + head.line_size + head.source_size;
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

static void empty_buffer(struct log_sink *sink, struct log_buffer *buffer)
{
    pthread_mutex_lock(&buffer->lock);
    struct jsv_buf full = buffer->front;
    buffer->front = buffer->back;
    buffer->back = full;
    size_t lost = buffer->lost;
    buffer->lines = buffer->lost = buffer->source_bytes = 0;
    pthread_mutex_unlock(&buffer->lock);
    if (lost > 0) {
        lose(sink, lost);
        warn(sink, "the disk is slower than the messages; lines are dropped");
    }
    if (full.size > 0) {
        write_lines(sink, (struct jsv_str){full.data, make_text(buffer->generator, &full)});
        jsv_buf_reset(&buffer->back);
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

/* Wait for a line, then for more. @return whether the sink is ending. */
static bool wait_for_lines(struct log_sink *sink, struct log_buffer **ret_buffers)
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
    *ret_buffers = sink->buffers;
    pthread_mutex_unlock(&sink->lock);
    return is_last;
}

static void *run(void *argument)
{
    struct log_sink *sink = argument;
    struct log_buffer *buffers;
    bool is_last;
    int r = log_files_open(&sink->files);
    if (r < 0) {
        fail(sink, r);
    }
    do {
        is_last = wait_for_lines(sink, &buffers);
        for (struct log_buffer *buffer = buffers; buffer; buffer = buffer->next) {
            empty_buffer(sink, buffer);
        }
    } while (!is_last);
    return NULL;
}

/* ---- life ---- */

int log_buffer_new(struct log_sink *sink, struct log_buffer **ret_buffer)
{
    struct log_buffer *buffer = jsv_alloc(os_allocator(), sizeof(*buffer));
    if (!buffer) {
        return -ENOMEM;
    }
    *buffer = (struct log_buffer){.sink = sink, .lock = PTHREAD_MUTEX_INITIALIZER};
    jsv_buf_init(&buffer->front, os_allocator(), BUFFER_MAX);
    jsv_buf_init(&buffer->back, os_allocator(), BUFFER_MAX);
    pthread_mutex_lock(&sink->lock);
    buffer->next = sink->buffers;
    sink->buffers = buffer;
    pthread_mutex_unlock(&sink->lock);
    *ret_buffer = buffer;
    return 0;
}

static void free_buffer(struct log_buffer *buffer)
{
    if (buffer->generator) {
        buffer->generator->free(buffer->generator);
    }
    jsv_buf_done(&buffer->front);
    jsv_buf_done(&buffer->back);
    pthread_mutex_destroy(&buffer->lock);
    jsv_dealloc(os_allocator(), buffer, sizeof(*buffer));
}

static void free_sink(struct log_sink *sink)
{
    while (sink->buffers) {
        struct log_buffer *buffer = sink->buffers;
        sink->buffers = buffer->next;
        free_buffer(buffer);
    }
    log_files_done(&sink->files);
    pthread_cond_destroy(&sink->changed);
    pthread_mutex_destroy(&sink->lock);
    jsv_dealloc(os_allocator(), sink, sizeof(*sink));
}

/* Waits use the monotonic clock. */
static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

int log_sink_new(const char *root, uint64_t file_size_max, struct log_sink **ret_sink)
{
    struct log_sink *sink = jsv_alloc(os_allocator(), sizeof(*sink));
    if (!sink) {
        return -ENOMEM;
    }
    *sink = (struct log_sink){.lock = PTHREAD_MUTEX_INITIALIZER};
    init_condition(&sink->changed);
    log_files_init(&sink->files, root, file_size_max);
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
    for (struct log_buffer *buffer = sink->buffers; buffer; buffer = buffer->next) {
        pthread_mutex_lock(&buffer->lock);
        queued += buffer->front.size;
        pthread_mutex_unlock(&buffer->lock);
    }
    pthread_mutex_unlock(&sink->lock);
    return queued;
}
