/*
 * The pieces go round:
 *
 *     read -> give to the pool -> take the oldest, done -> write -> read …
 *
 * A piece is taken when as many are under way as may be, when the input has
 * nothing to read right now (so that whoever types or pipes single documents
 * gets an answer to each), or when it has ended.
 */
#include "cli/validate/run.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/pool.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/validate/files.h"
#include "cli/validate/source.h"
#include "os/interrupt.h"
#include "os/sys.h"

/* Pieces under way for each thread: one it works on, one that waits, one being written. */
#define JOBS_PER_THREAD 3

/* Text under way at most, beyond the piece that is read last: files may be large. */
#define BYTES_UNDER_WAY_MAX ((uint64_t)64 << 20)

/* An output buffer that has become larger is not kept. */
#define KEEP_OUT_SIZE_MAX ((size_t)1 << 20)

struct job {
    struct validate_piece piece;
    struct jsv_buf out;
    struct validate_counts counts;
    int error;
};

struct run {
    struct app_cli *cli;
    const struct validate_wishes *wishes;
    struct jsv_arena arena; /* holds jobs and workers */
    struct validate_source source;
    struct app_pool *pool;
    struct app_progress progress;
    struct job *jobs;
    size_t job_count;
    size_t given; /* pieces, since the start */
    struct validate_worker *workers;
    size_t worker_count;
    uint64_t under_way;   /* bytes */
    uint64_t done;        /* bytes */
    bool ended;           /* the input has */
    bool shares_terminal; /* results and progress go to the same place */
    struct validate_sum sum;
};

/* ---- by the threads of the pool ---- */

static void work(void *context, void *argument, unsigned worker)
{
    struct run *run = context;
    struct job *job = argument;
    job->counts = (struct validate_counts){0};
    job->error = validate_check_piece(
        &run->wishes->check, &run->workers[worker], &job->piece, &job->out, &job->counts);
}

/* ---- pieces that could not be read ---- */

/* Why something found in a directory is skipped, which is not a failure; NULL: it is one. */
static const char *why_skipped(const struct validate_piece *piece)
{
    if (!piece->file->directory) {
        return NULL;
    }
    switch (piece->error) {
    case -EXDEV:
        return "skipped: this link leaves the directory";
    case -EISDIR:
        return "skipped: a link to a directory";
    case -EBADFD:
        return "skipped: not a regular file";
    default:
        return NULL;
    }
}

static void report_unread(struct run *run, const struct validate_piece *piece)
{
    const char *name = piece->file->name;
    const char *why = why_skipped(piece);
    app_progress_hide(&run->progress);
    if (why) {
        app_report_about(run->cli, name, why);
        return;
    }
    run->sum.unread++;
    if (piece->error == -ENODATA) {
        app_report_about(run->cli, name, "no *.json files in this directory");
    } else {
        app_input_report(run->cli, name, piece->error);
    }
}

/* ---- by the thread that owns the run ---- */

/* Read a piece and give it to the pool. */
static int give(struct run *run)
{
    struct job *job = &run->jobs[run->given % run->job_count];
    validate_piece_reset(&job->piece);
    jsv_buf_reset(&job->out);
    if (job->out.capacity > KEEP_OUT_SIZE_MAX) {
        jsv_buf_done(&job->out);
    }
    int r = validate_source_next(&run->source, &job->piece);
    if (r <= 0) {
        run->ended = r == 0;
        return r;
    }
    run->given++;
    run->under_way += job->piece.text.size;
    app_pool_give(run->pool, job);
    return 0;
}

static void add_up(struct run *run, const struct job *job)
{
    run->sum.counts.documents += job->counts.documents;
    run->sum.counts.valid += job->counts.valid;
    run->sum.counts.broken += job->counts.broken;
    run->under_way -= job->piece.text.size;
    run->done += job->piece.size;
}

/* Write what is to be said about the oldest piece. @return 0, or a reported error. */
static int take(struct run *run)
{
    struct job *job = app_pool_take(run->pool);
    add_up(run, job);
    if (job->error < 0) {
        app_progress_hide(&run->progress);
        return app_output_failed(run->cli, job->error);
    }
    if (job->piece.kind == VALIDATE_UNREAD) {
        report_unread(run, &job->piece);
    }
    if (job->out.size > 0) {
        if (run->shares_terminal) {
            app_progress_hide(&run->progress);
        }
        int r = app_output_write(run->cli, jsv_buf_str(&job->out));
        if (r < 0) {
            return r;
        }
    }
    app_progress_update(&run->progress, run->sum.counts.documents, run->done);
    return 0;
}

static bool must_take(const struct run *run)
{
    size_t count = app_pool_count(run->pool);
    return count > 0 && (count == run->job_count || run->under_way > BYTES_UNDER_WAY_MAX ||
                         run->ended || !validate_source_is_ready(&run->source));
}

static int go_round(struct run *run)
{
    int r = 0;
    while (r == 0 && !(run->ended && app_pool_count(run->pool) == 0)) {
        if (os_interrupt_signal() != 0) {
            return -EINTR;
        }
        if (must_take(run)) {
            r = take(run);
            continue;
        }
        r = give(run);
        if (r < 0 && r != -EINTR) {
            app_progress_hide(&run->progress);
            app_output_failed(run->cli, r);
        }
    }
    return r;
}

/* ---- beginning and end ---- */

static void *zeroed(struct run *run, size_t count, size_t size)
{
    void *memory = jsv_arena_array(&run->arena, count, size);
    return memory ? memset(memory, 0, count * size) : NULL;
}

/* @return 0 or -ENOMEM; end() is due either way. */
static int begin(struct run *run, const struct validate_files *files)
{
    const struct validate_wishes *wishes = run->wishes;
    unsigned threads = wishes->threads > 1 ? wishes->threads : 0;
    run->job_count = threads > 0 ? (size_t)threads * JOBS_PER_THREAD : 1;
    run->worker_count = (size_t)threads + 1;
    validate_source_init(&run->source, files, run->cli->in_fd);
    run->source.line_size_max = wishes->check.line_size_max;
    app_progress_init(
        &run->progress,
        wishes->progress ? run->cli->err_fd : -1,
        files->size_unknown ? 0 : files->size);
    run->shares_terminal = wishes->progress && os_isatty(run->cli->out_fd);
    jsv_arena_init(&run->arena, os_allocator(), SIZE_MAX);
    run->jobs = zeroed(run, run->job_count, sizeof(*run->jobs));
    run->workers = zeroed(run, run->worker_count, sizeof(*run->workers));
    run->pool = app_pool_new(threads, run->job_count, work, run);
    if (!run->jobs || !run->workers || !run->pool) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < run->job_count; i++) {
        validate_piece_init(&run->jobs[i].piece);
        jsv_buf_init(&run->jobs[i].out, os_allocator(), APP_OUTPUT_SIZE_MAX);
    }
    return 0;
}

static void end(struct run *run)
{
    app_pool_free(run->pool); /* first: its threads use the rest */
    app_progress_hide(&run->progress);
    for (size_t i = 0; run->jobs && i < run->job_count; i++) {
        validate_piece_done(&run->jobs[i].piece);
        jsv_buf_done(&run->jobs[i].out);
    }
    for (size_t i = 0; run->workers && i < run->worker_count; i++) {
        validate_worker_done(&run->workers[i]);
    }
    validate_source_done(&run->source);
    jsv_arena_done(&run->arena);
}

int validate_run(
    struct app_cli *cli,
    const struct validate_wishes *wishes,
    const struct validate_files *files,
    struct validate_sum *ret_sum)
{
    struct run run = {.cli = cli, .wishes = wishes};
    int r = begin(&run, files);
    r = r < 0 ? app_output_failed(cli, r) : go_round(&run);
    end(&run);
    *ret_sum = run.sum;
    return r;
}
