#include "cli/validate/check.h"

#include <errno.h>
#include <string.h>

#include "cli/input.h"
#include "cli/validate/files.h"
#include "cli/validate/source.h"
#include "cli/yaml.h"
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
            checking->check->schema,
            jsv_document_root(verdict->document),
            checking->worker->validator,
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
        checking->check->schema, text, worker->reader, worker->document, worker->validator, &error);
    if (r == -EBADMSG) {
        verdict.offset = error.offset;
        bool is_yaml = app_is_like_yaml(checking->name, text);
        say_broken(checking, &verdict, error.pointer, is_yaml ? APP_YAML_MESSAGE : error.message);
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
        .name = app_input_name(piece->file->name),
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
