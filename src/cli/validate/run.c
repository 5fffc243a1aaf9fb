/*
 * The pieces of input are a ring of jobs, divided by three counters that only
 * grow:
 *
 *     written <= started <= given
 *
 * Jobs up to `written` are finished, those up to `started` belong to a thread or
 * are checked, those up to `given` wait. The next job is written when the ring
 * is full, when the input has nothing to read right now (so that single
 * documents in a pipe are answered at once), or when the input has ended.
 *
 * A thread is started only when a job would have to wait. If none can be
 * started, the reading thread checks the pieces itself.
 */
#include "cli/validate/run.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/io.h"
#include "cli/report.h"
#include "cli/validate/source.h"
#include "os/interrupt.h"
#include "os/sys.h"

/* After a larger document a worker's memory is freed. */
#define KEEP_TEXT_SIZE_MAX ((size_t)1 << 20)

/* A larger output buffer is not kept. */
#define KEEP_OUT_SIZE_MAX ((size_t)1 << 20)

/* Jobs for each thread: one being checked, one waiting, one being written. */
#define JOBS_PER_THREAD 3

/* Limit on the text of all jobs, not counting the last one: files may be large. */
#define BYTES_IN_FLIGHT_MAX ((uint64_t)64 << 20)

/* ---- one document ---- */

/*
 * Documents may have 1 GiB, and only the user waits, who can interrupt. So this
 * is far more than a server allows: about four minutes, and enough memory to
 * compare the items of the largest array.
 */
static const struct jsv_validator_limits limits = {
    .steps_max = 10000000000,
    .memory_max = (size_t)16 << 30,
};

static int worker_prepare(struct validate_worker *worker)
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

/* The check of one piece. */
struct checking {
    const struct validate_options *options;
    struct validate_worker *worker;
    const char *name;
    struct jsv_buf *out;
    struct validate_counts *counts;
};

static void write_result(const struct checking *checking, const struct validate_verdict *verdict)
{
    validate_output_write(
        verdict, checking->options->format, checking->options->colour, checking->out);
}

/* Report a document that could not be checked. */
static void write_broken(
    const struct checking *checking,
    struct validate_verdict verdict,
    const struct jsv_problem *problem)
{
    verdict.problems = (struct jsv_problems){problem, 1, 0};
    write_result(checking, &verdict);
    checking->counts->broken++;
}

static int check_text(const struct checking *checking, struct jsv_str text, size_t line)
{
    struct validate_worker *worker = checking->worker;
    const struct jsv_schema *schema = checking->options->schema;
    struct validate_verdict verdict = {.name = checking->name, .line = line, .text = text};
    struct jsv_error error;
    int r = jsv_validate_text(
        worker->validator, schema, worker->reader, worker->document, text, &error);
    if (r == -EBADMSG) {
        bool is_yaml = cli_is_like_yaml(checking->name, text);
        const struct jsv_problem problem = {
            .path = error.pointer,
            .message = is_yaml ? JSV_STR(CLI_YAML_MESSAGE) : error.message,
            .offset = error.offset,
        };
        write_broken(checking, verdict, &problem);
        return 0;
    }
    verdict.is_json = true;
    if (r == 0) {
        r = jsv_validate_report(
            worker->validator, schema, jsv_document_root(worker->document), &verdict.problems);
    }
    if (r >= 0) {
        checking->counts->valid += r == 1;
        write_result(checking, &verdict);
    } else if (r == -ELOOP || r == -ETIME) {
        const struct jsv_problem problem = {
            .message = r == -ELOOP ? JSV_STR("takes too many steps to validate")
                                   : JSV_STR("takes a pattern too many steps to match"),
        };
        write_broken(checking, verdict, &problem);
    } else {
        return r;
    }
    return 0;
}

static int check_document(const struct checking *checking, struct jsv_str text, size_t line)
{
    checking->counts->documents++;
    int r = worker_prepare(checking->worker);
    r = r < 0 ? r : check_text(checking, text, line);
    if (text.size > KEEP_TEXT_SIZE_MAX) {
        validate_worker_done(checking->worker);
    }
    return r;
}

/* ---- one piece ---- */

static void write_long_line(const struct checking *checking, size_t line)
{
    const struct validate_verdict verdict = {.name = checking->name, .line = line};
    checking->counts->documents++;
    const struct jsv_problem problem = {
        .message = JSV_STR("this line is longer than the limit of 16 MiB")};
    write_broken(checking, verdict, &problem);
}

static int check_lines(const struct checking *checking, struct jsv_str text, size_t line)
{
    int r = 0;
    for (; r == 0 && text.size > 0; line++) {
        struct jsv_str document = cli_take_line(&text);
        if (document.size > checking->options->line_size_max) {
            write_long_line(checking, line);
        } else if (!cli_is_blank(document)) {
            r = check_document(checking, document, line);
        }
    }
    return r;
}

int validate_check_piece(
    const struct validate_options *options,
    struct validate_worker *worker,
    const struct validate_piece *piece,
    struct jsv_buf *out,
    struct validate_counts *counts)
{
    struct checking checking = {
        .options = options,
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
        write_long_line(&checking, piece->line);
        break;
    case VALIDATE_UNREAD:
        break;
    }
    return r < 0 ? r : out->error;
}

/* ---- threads ---- */

struct job {
    struct validate_piece piece;
    struct jsv_buf out;
    struct validate_counts counts;
    int error;
    bool is_done;
};

struct thread {
    struct run *run;
    pthread_t thread;
    struct validate_worker worker;
};

struct run {
    struct cli *cli;
    const struct validate_options *options;
    struct jsv_arena arena; /* holds jobs and threads */
    struct validate_source source;
    struct cli_progress progress;
    struct validate_worker worker; /* of the reading thread */
    struct validate_counts counts;
    uint64_t bytes_in_flight;
    uint64_t bytes_done;
    bool input_ended;
    bool shares_terminal; /* results and progress go to the same terminal */

    struct job *jobs;
    size_t job_count;
    struct thread *threads;
    unsigned thread_count;
    unsigned threads_max; /* lowered when one cannot be started */
    pthread_mutex_t lock; /* of the counters, and is_done of all jobs */
    pthread_cond_t job_given;
    pthread_cond_t job_done;
    size_t written;
    size_t started;
    size_t given;
    unsigned idle; /* threads that wait for a job */
    bool is_ending;
};

static struct job *job_at(struct run *run, size_t number)
{
    return &run->jobs[number % run->job_count];
}

/* Only for the reading thread, which changes both counters. */
static size_t jobs_in_flight(const struct run *run)
{
    return run->given - run->written;
}

/* Check the next waiting job. The lock is held before and after, but not during the check. */
static void check_next(struct run *run, struct validate_worker *worker)
{
    struct job *job = job_at(run, run->started++);
    pthread_mutex_unlock(&run->lock);
    job->counts = (struct validate_counts){0};
    job->error = validate_check_piece(run->options, worker, &job->piece, &job->out, &job->counts);
    pthread_mutex_lock(&run->lock);
    job->is_done = true;
    pthread_cond_signal(&run->job_done);
}

static void *thread_main(void *argument)
{
    struct thread *thread = argument;
    struct run *run = thread->run;
    pthread_mutex_lock(&run->lock);
    while (!run->is_ending) {
        if (run->started < run->given) {
            check_next(run, &thread->worker);
            continue;
        }
        run->idle++;
        pthread_cond_wait(&run->job_given, &run->lock);
        run->idle--;
    }
    pthread_mutex_unlock(&run->lock);
    return NULL;
}

static void start_thread(struct run *run)
{
    if (run->thread_count == run->threads_max) {
        return;
    }
    struct thread *thread = &run->threads[run->thread_count];
    thread->run = run;
    if (os_thread_start(&thread->thread, thread_main, thread) == 0) {
        run->thread_count++;
    } else {
        run->threads_max = run->thread_count;
    }
}

/* Let a thread check the job with the number `given`. */
static void give(struct run *run)
{
    pthread_mutex_lock(&run->lock);
    job_at(run, run->given)->is_done = false;
    run->given++;
    if (run->given - run->started > run->idle) {
        start_thread(run);
    }
    if (run->thread_count == 0) {
        check_next(run, &run->worker);
    } else {
        pthread_cond_signal(&run->job_given);
    }
    pthread_mutex_unlock(&run->lock);
}

/* Wait for the oldest job. */
static struct job *take(struct run *run)
{
    pthread_mutex_lock(&run->lock);
    struct job *job = job_at(run, run->written);
    while (!job->is_done) {
        pthread_cond_wait(&run->job_done, &run->lock);
    }
    run->written++;
    pthread_mutex_unlock(&run->lock);
    return job;
}

/* Running checks are finished, waiting jobs are dropped. */
static void end_threads(struct run *run)
{
    pthread_mutex_lock(&run->lock);
    run->is_ending = true;
    pthread_cond_broadcast(&run->job_given);
    pthread_mutex_unlock(&run->lock);
    for (unsigned i = 0; i < run->thread_count; i++) {
        pthread_join(run->threads[i].thread, NULL);
        validate_worker_done(&run->threads[i].worker);
    }
    pthread_cond_destroy(&run->job_done);
    pthread_cond_destroy(&run->job_given);
    pthread_mutex_destroy(&run->lock);
}

/* ---- reading and writing ---- */

static int read_piece(struct run *run)
{
    struct job *job = job_at(run, run->given);
    validate_piece_reset(&job->piece);
    jsv_buf_reset(&job->out);
    if (job->out.capacity > KEEP_OUT_SIZE_MAX) {
        jsv_buf_done(&job->out);
    }
    int r = validate_source_next(&run->source, &job->piece);
    if (r > 0) {
        run->bytes_in_flight += job->piece.text.size;
        give(run);
        return 0;
    }
    run->input_ended = r == 0;
    if (r < 0 && r != -EINTR) {
        cli_progress_hide(&run->progress);
        cli_output_failed(run->cli, r);
    }
    return r;
}

/* Why a file in a directory is skipped, which is not an error; NULL: it is one. */
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
    run->counts.unread++;
    if (piece->error == -ENODATA) {
        cli_report_about(run->cli, name, "no *.json files in this directory");
    } else {
        cli_input_report(run->cli, name, piece->error);
    }
}

/* Write the results of the oldest job. @return 0, or a reported error. */
static int write_results(struct run *run)
{
    const struct job *job = take(run);
    run->counts.documents += job->counts.documents;
    run->counts.valid += job->counts.valid;
    run->counts.broken += job->counts.broken;
    run->bytes_in_flight -= job->piece.text.size;
    run->bytes_done += job->piece.size;
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
    cli_progress_update(&run->progress, run->counts.documents, run->bytes_done);
    return 0;
}

static bool must_write(const struct run *run)
{
    size_t count = jobs_in_flight(run);
    return count > 0 && (count == run->job_count || run->bytes_in_flight > BYTES_IN_FLIGHT_MAX ||
                         run->input_ended || !validate_source_is_ready(&run->source));
}

static int process(struct run *run)
{
    int r = 0;
    while (r == 0 && !(run->input_ended && jobs_in_flight(run) == 0)) {
        if (os_interrupt_signal() != 0) {
            return -EINTR;
        }
        r = must_write(run) ? write_results(run) : read_piece(run);
    }
    return r;
}

/* ---- start and end ---- */

static void *alloc_zeroed(struct run *run, size_t count, size_t size)
{
    void *memory = jsv_arena_array(&run->arena, count, size);
    return memory ? memset(memory, 0, count * size) : NULL;
}

/* @return 0 or -ENOMEM; end() must be called either way. */
static int begin(struct run *run, const struct validate_files *files)
{
    const struct validate_options *options = run->options;
    run->threads_max = options->threads > 1 ? options->threads : 0;
    run->job_count = run->threads_max > 0 ? (size_t)run->threads_max * JOBS_PER_THREAD : 1;
    validate_source_init(&run->source, files, run->cli->in_fd);
    run->source.line_size_max = options->line_size_max;
    cli_progress_init(
        &run->progress,
        options->progress ? run->cli->err_fd : -1,
        files->size_unknown ? 0 : files->size);
    run->shares_terminal = options->progress && os_isatty(run->cli->out_fd);
    jsv_arena_init(&run->arena, os_allocator(), SIZE_MAX);
    run->jobs = alloc_zeroed(run, run->job_count, sizeof(*run->jobs));
    run->threads = alloc_zeroed(run, (size_t)run->threads_max + 1, sizeof(*run->threads));
    if (!run->jobs || !run->threads) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < run->job_count; i++) {
        validate_piece_init(&run->jobs[i].piece);
        cli_output_init(&run->jobs[i].out);
    }
    return 0;
}

static void end(struct run *run)
{
    end_threads(run); /* first, because they use the rest */
    cli_progress_hide(&run->progress);
    for (size_t i = 0; run->jobs && i < run->job_count; i++) {
        validate_piece_done(&run->jobs[i].piece);
        jsv_buf_done(&run->jobs[i].out);
    }
    validate_worker_done(&run->worker);
    validate_source_done(&run->source);
    jsv_arena_done(&run->arena);
}

int validate_run(
    struct cli *cli,
    const struct validate_options *options,
    const struct validate_files *files,
    struct validate_counts *ret_counts)
{
    struct run run = {
        .cli = cli,
        .options = options,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .job_given = PTHREAD_COND_INITIALIZER,
        .job_done = PTHREAD_COND_INITIALIZER,
    };
    int r = begin(&run, files);
    r = r < 0 ? cli_output_failed(cli, r) : process(&run);
    end(&run);
    *ret_counts = run.counts;
    return r;
}
