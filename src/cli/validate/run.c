#include "cli/validate/run.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/io.h"
#include "cli/report.h"
#include "cli/validate/pool.h"
#include "cli/validate/source.h"
#include "os/interrupt.h"
#include "os/sys.h"

/* What reading a larger document has made of the worker's memory is given back. */
#define KEEP_TEXT_SIZE_MAX ((size_t)1 << 20)

/* ---- workers ---- */

/*
 * Documents are whatever the user has, up to 1 GiB, and nobody waits for an
 * answer but the user, who can interrupt. So far more than a server would
 * allow: some four minutes, and what telling apart the items of the largest
 * array takes.
 */
static const struct jsv_validator_limits limits = {
    .steps_max = 10000000000,
    .memory_max = (size_t)16 << 30,
};

static int prepare(struct validate_worker *worker)
{
    if (!worker->reader) {
        worker->reader = jsv_reader_new(os_allocator(), NULL);
    }
    if (!worker->document) {
        worker->document = jsv_document_new(os_allocator());
    }
    if (!worker->validator) {
        worker->validator = jsv_validator_new(os_allocator(), &limits);
    }
    return worker->reader && worker->document && worker->validator ? 0 : -ENOMEM;
}

void validate_worker_done(struct validate_worker *worker)
{
    jsv_validator_free(worker->validator);
    jsv_document_free(worker->document);
    jsv_reader_free(worker->reader);
    *worker = (struct validate_worker){0};
}

/* ---- one document ---- */

/* What is being done for one piece. */
struct checking {
    const struct validate_check *check;
    struct validate_worker *worker;
    const char *name;
    struct jsv_buf *out;
    struct validate_counts *counts;
};

static void say(const struct checking *checking, const struct validate_verdict *verdict)
{
    validate_output_write(verdict, checking->check->format, checking->check->colour, checking->out);
}

/* Say one thing about a document that could not be checked. */
static void say_broken(
    const struct checking *checking,
    const struct validate_verdict *verdict,
    struct jsv_str path,
    const char *message)
{
    const struct jsv_problem problem = {.path = path, .message = jsv_str_from(message)};
    struct validate_verdict broken = *verdict;
    broken.problems = (struct jsv_problems){&problem, 1, 0};
    say(checking, &broken);
    checking->counts->broken++;
}

/* @param error What validating returned. @return it, unless it is the document's own. */
static int
give_up(const struct checking *checking, const struct validate_verdict *verdict, int error)
{
    if (error == -ELOOP) {
        say_broken(checking, verdict, JSV_STR(""), "takes too many steps to validate");
    } else if (error == -ETIME) {
        say_broken(checking, verdict, JSV_STR(""), "takes a pattern too many steps to match");
    } else {
        return error;
    }
    return 0;
}

/* @param valid What validating returned. */
static int say_verdict(const struct checking *checking, struct validate_verdict *verdict, int valid)
{
    if (valid == 0) {
        valid = jsv_validate_report(
            checking->worker->validator,
            checking->check->schema,
            jsv_document_root(verdict->document),
            &verdict->problems);
    }
    if (valid < 0) {
        return give_up(checking, verdict, valid);
    }
    checking->counts->valid += valid == 1;
    say(checking, verdict);
    return 0;
}

static int check_text(const struct checking *checking, struct jsv_str text, size_t line)
{
    struct validate_worker *worker = checking->worker;
    struct validate_verdict verdict = {.name = checking->name, .line = line, .text = text};
    struct jsv_error error;
    int r = jsv_validate_text(
        worker->validator, checking->check->schema, worker->reader, worker->document, text, &error);
    if (r == -EBADMSG) {
        verdict.offset = error.offset;
        bool is_yaml = cli_is_like_yaml(checking->name, text);
        say_broken(
            checking, &verdict, error.pointer, is_yaml ? CLI_YAML_MESSAGE : error.message.data);
        return 0;
    }
    verdict.document = worker->document;
    return say_verdict(checking, &verdict, r);
}

static int check_document(const struct checking *checking, struct jsv_str text, size_t line)
{
    checking->counts->documents++;
    int r = prepare(checking->worker);
    if (r == 0) {
        r = check_text(checking, text, line);
    }
    if (text.size > KEEP_TEXT_SIZE_MAX) {
        validate_worker_done(checking->worker);
    }
    return r;
}

/* ---- lines ---- */

/* The white space of JSON, without the line break. */
static bool is_blank(struct jsv_str line)
{
    for (size_t i = 0; i < line.size; i++) {
        if (line.data[i] != ' ' && line.data[i] != '\t' && line.data[i] != '\r') {
            return false;
        }
    }
    return true;
}

static void say_long(const struct checking *checking, size_t line)
{
    struct validate_verdict verdict = {.name = checking->name, .line = line};
    checking->counts->documents++;
    say_broken(checking, &verdict, JSV_STR(""), "this line is longer than the limit of 16 MiB");
}

static int check_line(const struct checking *checking, struct jsv_str text, size_t line)
{
    if (text.size > checking->check->line_size_max) {
        say_long(checking, line);
        return 0;
    }
    return is_blank(text) ? 0 : check_document(checking, text, line);
}

static int check_lines(const struct checking *checking, struct jsv_str text, size_t line)
{
    int r = 0;
    while (r == 0 && text.size > 0) {
        const char *newline = memchr(text.data, '\n', text.size);
        size_t size = newline ? (size_t)(newline - text.data) : text.size;
        r = check_line(checking, (struct jsv_str){text.data, size}, line++);
        size += newline != NULL;
        text = (struct jsv_str){text.data + size, text.size - size};
    }
    return r;
}

int validate_check_piece(
    const struct validate_check *check,
    struct validate_worker *worker,
    const struct validate_piece *piece,
    struct jsv_buf *out,
    struct validate_counts *counts)
{
    struct checking checking = {
        .check = check,
        .worker = worker,
        .name = cli_input_name(piece->file->name),
        .out = out,
        .counts = counts,
    };
    int r = 0;
    switch (piece->kind) {
    case VALIDATE_WHOLE:
        r = check_document(&checking, jsv_buf_str(&piece->text), piece->line);
        break;
    case VALIDATE_LINES:
        r = check_lines(&checking, jsv_buf_str(&piece->text), piece->line);
        break;
    case VALIDATE_LONG_LINE:
        say_long(&checking, piece->line);
        break;
    case VALIDATE_UNREAD:
        break;
    }
    return r < 0 ? r : out->error;
}

/* ==== run.c ==== */

/*
 * The pieces go round:
 *
 *     read -> give to the pool -> take the oldest, done -> write -> read …
 *
 * A piece is taken when as many are under way as may be, when the input has
 * nothing to read right now (so that whoever types or pipes single documents
 * gets an answer to each), or when it has ended.
 */
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
    struct cli *cli;
    const struct validate_wishes *wishes;
    struct jsv_arena arena; /* holds jobs and workers */
    struct validate_source source;
    struct cli_pool *pool;
    struct cli_progress progress;
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
    cli_progress_hide(&run->progress);
    if (why) {
        cli_report_about(run->cli, name, why);
        return;
    }
    run->sum.unread++;
    if (piece->error == -ENODATA) {
        cli_report_about(run->cli, name, "no *.json files in this directory");
    } else {
        cli_input_report(run->cli, name, piece->error);
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
    cli_pool_give(run->pool, job);
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
    struct job *job = cli_pool_take(run->pool);
    add_up(run, job);
    if (job->error < 0) {
        cli_progress_hide(&run->progress);
        return cli_output_failed(run->cli, job->error);
    }
    if (job->piece.kind == VALIDATE_UNREAD) {
        report_unread(run, &job->piece);
    }
    if (job->out.size > 0) {
        if (run->shares_terminal) {
            cli_progress_hide(&run->progress);
        }
        int r = cli_output_write(run->cli, jsv_buf_str(&job->out));
        if (r < 0) {
            return r;
        }
    }
    cli_progress_update(&run->progress, run->sum.counts.documents, run->done);
    return 0;
}

static bool must_take(const struct run *run)
{
    size_t count = cli_pool_count(run->pool);
    return count > 0 && (count == run->job_count || run->under_way > BYTES_UNDER_WAY_MAX ||
                         run->ended || !validate_source_is_ready(&run->source));
}

static int go_round(struct run *run)
{
    int r = 0;
    while (r == 0 && !(run->ended && cli_pool_count(run->pool) == 0)) {
        if (os_interrupt_signal() != 0) {
            return -EINTR;
        }
        if (must_take(run)) {
            r = take(run);
            continue;
        }
        r = give(run);
        if (r < 0 && r != -EINTR) {
            cli_progress_hide(&run->progress);
            cli_output_failed(run->cli, r);
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
    cli_progress_init(
        &run->progress,
        wishes->progress ? run->cli->err_fd : -1,
        files->size_unknown ? 0 : files->size);
    run->shares_terminal = wishes->progress && os_isatty(run->cli->out_fd);
    jsv_arena_init(&run->arena, os_allocator(), SIZE_MAX);
    run->jobs = zeroed(run, run->job_count, sizeof(*run->jobs));
    run->workers = zeroed(run, run->worker_count, sizeof(*run->workers));
    run->pool = cli_pool_new(threads, run->job_count, work, run);
    if (!run->jobs || !run->workers || !run->pool) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < run->job_count; i++) {
        validate_piece_init(&run->jobs[i].piece);
        jsv_buf_init(&run->jobs[i].out, os_allocator(), CLI_OUTPUT_SIZE_MAX);
    }
    return 0;
}

static void end(struct run *run)
{
    cli_pool_free(run->pool); /* first: its threads use the rest */
    cli_progress_hide(&run->progress);
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
    struct cli *cli,
    const struct validate_wishes *wishes,
    const struct validate_files *files,
    struct validate_sum *ret_sum)
{
    struct run run = {.cli = cli, .wishes = wishes};
    int r = begin(&run, files);
    r = r < 0 ? cli_output_failed(cli, r) : go_round(&run);
    end(&run);
    *ret_sum = run.sum;
    return r;
}
