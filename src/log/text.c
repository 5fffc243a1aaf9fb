/*
 * A line is made in fixed memory and written by one call, so lines of several
 * threads never mix. It is no longer than a pipe takes in one piece, and is
 * written only when the descriptor is ready: a pipe that is ready has room for
 * that much. So nothing here blocks and nothing here fails; lines that could
 * not be written are counted instead.
 */
#include "log/text.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jsv/base/utf8.h"
#include "log/event.h"
#include "os/sys.h"

/* A pipe takes this much in one piece. */
#define LINE_SIZE_MAX PIPE_BUF

/* Reserved for the end of a line that is cut: a quote and the line end. */
#define LINE_END_SIZE 2

struct line {
    char data[LINE_SIZE_MAX];
    size_t size;
    bool full;
};

static struct {
    pthread_mutex_t mutex;
    size_t lost; /* lines since the last one that was written */
    bool torn;   /* the last line written lacks its end */
} output = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* ---- making a line ---- */

/* Append all of a text or none of it: a cut splits neither a character nor an escape. */
static void put(struct line *line, const char *data, size_t size)
{
    line->full = line->full || line->size + size > LINE_SIZE_MAX - LINE_END_SIZE;
    if (!line->full) {
        memcpy(line->data + line->size, data, size);
        line->size += size;
    }
}

static void put_string(struct line *line, const char *string)
{
    put(line, string, strlen(string));
}

/* C0, DEL and C1, which terminals obey even as UTF-8. */
static bool is_control(uint32_t code_point)
{
    return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
}

/* The first character of a text; each byte that is not UTF-8 counts as U+FFFD. */
static size_t next_character(struct jsv_str text, uint32_t *ret_code_point)
{
    size_t size = jsv_utf8_sequence(text);
    if (size == 0) {
        *ret_code_point = 0xFFFD;
        return 1;
    }
    jsv_utf8_decode(text, ret_code_point);
    return size;
}

static bool needs_quotes(struct jsv_str value)
{
    bool needs = value.size == 0;
    while (!needs && value.size > 0) {
        uint32_t code_point;
        size_t size = next_character(value, &code_point);
        needs = is_control(code_point) || code_point == ' ' || code_point == '"' ||
                code_point == '\\' || code_point == 0xFFFD;
        value.data += size;
        value.size -= size;
    }
    return needs;
}

/* Values without quotes have none of the characters that are escaped. */
static void put_character(struct line *line, const char *bytes, size_t size, uint32_t code)
{
    char escape[8];
    if (code == '"' || code == '\\') {
        escape[0] = '\\';
        escape[1] = (char)code;
        put(line, escape, 2);
    } else if (is_control(code) || code == 0xFFFD) {
        snprintf(escape, sizeof(escape), "\\u%04x", (unsigned)code);
        put(line, escape, 6);
    } else {
        put(line, bytes, size);
    }
}

static void put_value(struct line *line, struct jsv_str value)
{
    bool is_quoted = needs_quotes(value);
    if (is_quoted) {
        put(line, "\"", 1);
        is_quoted = !line->full;
    }
    while (value.size > 0 && !line->full) {
        uint32_t code_point;
        size_t size = next_character(value, &code_point);
        put_character(line, value.data, size, code_point);
        value.data += size;
        value.size -= size;
    }
    if (is_quoted) {
        line->data[line->size++] = '"'; /* the space is reserved */
    }
}

/* A name is left out when no part of its value fits. */
static void put_field(struct line *line, const struct log_field *field)
{
    size_t before = line->size;
    put(line, " ", 1);
    put_string(line, field->name);
    put(line, "=", 1);
    size_t named = line->size;
    put_value(line, field->value);
    if (line->full && line->size == named) {
        line->size = before;
    }
}

static void
make_line(struct line *line, const char *event, const struct log_field *fields, size_t count)
{
    line->size = 0;
    line->full = false;
    put_string(line, "mcp:");
    put_string(line, event);
    for (size_t i = 0; i < count && !line->full; i++) {
        put_field(line, &fields[i]);
    }
    line->data[line->size++] = '\n';
}

/* ---- writing a line ---- */

/* @return whether all of it was written */
static bool write_line(const struct line *line)
{
    ssize_t written = os_write_now(STDERR_FILENO, line->data, line->size);
    output.torn = output.torn || (written > 0 && (size_t)written < line->size);
    return written > 0 && (size_t)written == line->size;
}

/* End a line that was cut and report lost lines. @return whether that is done. */
static bool catch_up(void)
{
    if (output.torn && os_write_now(STDERR_FILENO, "\n", 1) != 1) {
        return false;
    }
    output.torn = false;
    if (output.lost == 0) {
        return true;
    }
    char number[24];
    snprintf(number, sizeof(number), "%zu", output.lost);
    const struct log_field fields[] = {
        {"reason", JSV_STR("lines_lost")},
        {"count", jsv_str_from(number)},
    };
    struct line line;
    make_line(&line, "warning", fields, 2);
    if (!write_line(&line)) {
        return false;
    }
    output.lost = 0;
    return true;
}

void log_text(const char *event, const struct log_field *fields, size_t count)
{
    struct line line;
    make_line(&line, event, fields, count);
    pthread_mutex_lock(&output.mutex);
    if (!catch_up() || !write_line(&line)) {
        output.lost++;
    }
    pthread_mutex_unlock(&output.mutex);
}

void log_text_warning(const char *reason, const char *name, struct jsv_str value)
{
    const struct log_field fields[] = {
        {"reason", jsv_str_from(reason)},
        {name, value},
    };
    log_text("warning", fields, 2);
}

void log_text_error(const char *reason, struct jsv_str detail)
{
    const struct log_field fields[] = {
        {"reason", jsv_str_from(reason)},
        {"detail", detail},
    };
    log_text("error", fields, 2);
}

void log_timestamp(char ret_text[static LOG_TIMESTAMP_SIZE])
{
    char time[LOG_TIME_SIZE];
    int64_t milliseconds;
    bool fits = !__builtin_mul_overflow(os_wall_seconds(), 1000, &milliseconds);
    log_time_format(fits ? milliseconds : 0, time);
    memcpy(ret_text, time, LOG_TIMESTAMP_SIZE - 2); /* without milliseconds */
    memcpy(ret_text + LOG_TIMESTAMP_SIZE - 2, "Z", 2);
}
