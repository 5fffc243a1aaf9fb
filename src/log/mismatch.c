#include "log/mismatch.h"

#include <stdlib.h>
#include <string.h>

#include "log/event.h"

void log_mismatch_text(char *field, size_t size, struct jsv_str text)
{
    size_t length = text.size < size ? text.size : size - 1;
    while (length > 0 && length < text.size && ((unsigned char)text.data[length] & 0xC0) == 0x80) {
        length--;
    }
    if (length > 0) {
        memcpy(field, text.data, length);
    }
    field[length] = '\0';
}

void log_mismatches_init(struct log_mismatches *mismatches)
{
    *mismatches = (struct log_mismatches){.lock = PTHREAD_MUTEX_INITIALIZER};
}

void log_mismatches_done(struct log_mismatches *mismatches)
{
    pthread_mutex_destroy(&mismatches->lock);
}

static bool is_same(const struct log_mismatch *a, const struct log_mismatch *b)
{
    return strcmp(a->pointer, b->pointer) == 0 && strcmp(a->schema_path, b->schema_path) == 0 &&
           strcmp(a->tool, b->tool) == 0 && strcmp(a->client, b->client) == 0 &&
           strcmp(a->status, b->status) == 0 && strcmp(a->message, b->message) == 0 &&
           strcmp(a->dialect, b->dialect) == 0;
}

static void add_to(struct log_mismatch *to, const struct log_mismatch *from)
{
    to->count += from->count;
    to->first_ms = from->first_ms < to->first_ms ? from->first_ms : to->first_ms;
    to->last_ms = from->last_ms > to->last_ms ? from->last_ms : to->last_ms;
}

bool log_mismatches_note(struct log_mismatches *mismatches, const struct log_mismatch *mismatch)
{
    pthread_mutex_lock(&mismatches->lock);
    struct log_mismatch *place = &mismatches->items[0];
    for (size_t i = 0; i < LOG_MISMATCHES_MAX; i++) {
        struct log_mismatch *item = &mismatches->items[i];
        if (item->count > 0 && is_same(item, mismatch)) {
            place = item;
            break;
        }
        if (item->last_ms < place->last_ms) {
            place = item; /* free, or the oldest */
        }
    }
    bool is_new = place->count == 0 || !is_same(place, mismatch);
    if (is_new) {
        *place = *mismatch;
    } else {
        add_to(place, mismatch);
    }
    pthread_mutex_unlock(&mismatches->lock);
    return is_new;
}

size_t log_mismatches_copy(
    struct log_mismatches *mismatches, struct log_mismatch ret_items[static LOG_MISMATCHES_MAX])
{
    size_t count = 0;
    pthread_mutex_lock(&mismatches->lock);
    for (size_t i = 0; i < LOG_MISMATCHES_MAX; i++) {
        if (mismatches->items[i].count > 0) {
            ret_items[count++] = mismatches->items[i];
        }
    }
    pthread_mutex_unlock(&mismatches->lock);
    return count;
}

static int compare_latest(const void *a, const void *b)
{
    const struct log_mismatch *first = a;
    const struct log_mismatch *second = b;
    return (first->last_ms < second->last_ms) - (first->last_ms > second->last_ms);
}

size_t log_mismatches_merge(struct log_mismatch *items, size_t count)
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
    jsv_write_key(writer, name);
    jsv_write_string(writer, jsv_str_from(time));
}

void log_mismatch_write(const struct log_mismatch *mismatch, struct jsv_writer *writer)
{
    jsv_write_object_begin(writer);
    write_text(writer, JSV_STR("dialect"), mismatch->dialect);
    write_text(writer, JSV_STR("stage"), mismatch->stage);
    write_text(writer, JSV_STR("status"), mismatch->status);
    write_text(writer, JSV_STR("tool"), mismatch->tool);
    write_text(writer, JSV_STR("client"), mismatch->client);
    jsv_write_key(writer, JSV_STR("pointer"));
    jsv_write_string(writer, jsv_str_from(mismatch->pointer));
    write_text(writer, JSV_STR("schemaPath"), mismatch->schema_path);
    write_text(writer, JSV_STR("message"), mismatch->message);
    jsv_write_key(writer, JSV_STR("count"));
    jsv_write_uint64(writer, mismatch->count);
    write_time(writer, JSV_STR("first"), mismatch->first_ms);
    write_time(writer, JSV_STR("last"), mismatch->last_ms);
    jsv_write_object_end(writer);
}
