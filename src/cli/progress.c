#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>

#include "os/sys.h"

/* A run that is over sooner needs no progress; and nobody can read faster. */
#define FIRST_MS 200
#define EVERY_MS 100

#define BAR_CELLS 20

#define ERASE_TO_END "\033[K"

/* The longest line: the bar and four numbers of 20 digits. */
#define LINE_SIZE_MAX 256

void app_progress_init(struct app_progress *progress, int fd, uint64_t total)
{
    uint64_t now = os_now_ms();
    *progress = (struct app_progress){
        .fd = fd,
        .total = total,
        .start_ms = now,
        .next_ms = now + FIRST_MS,
    };
}

/* "[####....]  40%  " */
static int put_bar(char *line, size_t size, double part)
{
    char cells[BAR_CELLS + 1];
    for (int i = 0; i < BAR_CELLS; i++) {
        cells[i] = i < (int)(part * BAR_CELLS) ? '#' : '.';
    }
    cells[BAR_CELLS] = '\0';
    return snprintf(line, size, "[%s] %3d%%  ", cells, (int)(part * 100));
}

/* "  1:05 left" */
static int put_remaining(char *line, size_t size, double part, uint64_t elapsed_ms)
{
    uint64_t seconds = (uint64_t)((double)elapsed_ms * (1 - part) / part / 1000);
    uint64_t hours = seconds / 3600;
    uint64_t minutes = seconds / 60 % 60;
    seconds %= 60;
    return hours > 0 ? snprintf(
                           line,
                           size,
                           "  %" PRIu64 ":%02" PRIu64 ":%02" PRIu64 " left",
                           hours,
                           minutes,
                           seconds)
                     : snprintf(line, size, "  %" PRIu64 ":%02" PRIu64 " left", minutes, seconds);
}

static void draw(struct app_progress *progress, uint64_t documents, uint64_t done, uint64_t now)
{
    char line[LINE_SIZE_MAX];
    size_t size = 1;
    uint64_t elapsed_ms = now - progress->start_ms;
    double part = progress->total > 0 ? (double)done / (double)progress->total : 0;
    part = part < 1 ? part : 1; /* a file may have grown */
    line[0] = '\r';
    if (part > 0) {
        size += (size_t)put_bar(line + size, sizeof(line) - size, part);
    }
    size += (size_t)snprintf(
        line + size,
        sizeof(line) - size,
        "%" PRIu64 " documents  %" PRIu64 "/s",
        documents,
        documents * 1000 / elapsed_ms);
    if (part > 0) {
        size += (size_t)put_remaining(line + size, sizeof(line) - size, part, elapsed_ms);
    }
    size += (size_t)snprintf(line + size, sizeof(line) - size, ERASE_TO_END);
    /* If it fails, there is nothing to see; the results are elsewhere. */
    (void)os_write_all(progress->fd, line, size);
    progress->drawn = true;
    progress->next_ms = now + EVERY_MS;
}

void app_progress_update(struct app_progress *progress, uint64_t documents, uint64_t done)
{
    if (progress->fd < 0) {
        return;
    }
    uint64_t now = os_now_ms();
    if (now >= progress->next_ms) {
        draw(progress, documents, done, now);
    }
}

void app_progress_hide(struct app_progress *progress)
{
    static const char erase[] = "\r" ERASE_TO_END;
    if (progress->drawn) {
        (void)os_write_all(progress->fd, erase, sizeof(erase) - 1);
        progress->drawn = false;
    }
}
