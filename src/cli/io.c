#include "cli/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/report.h"
#include "os/file.h"
#include "os/sys.h"

/* Limit for a pointer in a message, which shows less of it. */
#define POINTER_SIZE_MAX 4096

/* ---- input ---- */

static bool is_stdin(const char *path)
{
    return strcmp(path, "-") == 0;
}

const char *cli_input_name(const char *path)
{
    return is_stdin(path) ? "<stdin>" : path;
}

int cli_input_open(struct cli *cli, const char *path)
{
    if (is_stdin(path)) {
        return cli->in_fd;
    }
    int fd = os_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        cli_report_errno(cli, path, fd);
    }
    return fd;
}

void cli_input_report(const struct cli *cli, const char *path, int error)
{
    if (error == -EFBIG) {
        cli_report_about(cli, cli_input_name(path), "larger than the limit of 1 GiB");
    } else {
        cli_report_errno(cli, cli_input_name(path), error);
    }
}

int cli_input_read(struct cli *cli, const char *path, struct jsv_buf *out)
{
    int fd = cli_input_open(cli, path);
    if (fd < 0) {
        return fd;
    }
    int r = os_file_read(fd, out);
    os_close(fd);
    if (r < 0) {
        cli_input_report(cli, path, r);
    }
    return r;
}

static bool ends_in(const char *name, const char *ending)
{
    size_t size = strlen(name);
    size_t ending_size = strlen(ending);
    return size > ending_size && strcmp(name + size - ending_size, ending) == 0;
}

static bool starts_with(struct jsv_str text, const char *start)
{
    size_t size = strlen(start);
    return text.size >= size && memcmp(text.data, start, size) == 0;
}

struct jsv_str cli_take_line(struct jsv_str *text)
{
    const char *newline = memchr(text->data, '\n', text->size);
    size_t size = newline ? (size_t)(newline - text->data) : text->size;
    struct jsv_str line = {text->data, size};
    size += newline != NULL;
    *text = (struct jsv_str){text->data + size, text->size - size};
    if (line.size > 0 && line.data[line.size - 1] == '\r') {
        line.size--;
    }
    return line;
}

bool cli_is_blank(struct jsv_str line)
{
    for (size_t i = 0; i < line.size; i++) {
        if (line.data[i] != ' ' && line.data[i] != '\t' && line.data[i] != '\r') {
            return false;
        }
    }
    return true;
}

/* An unquoted name, and a colon before a blank or the end of the line: "type: object". */
static bool is_member(struct jsv_str line)
{
    size_t size = 0;
    while (size < line.size && line.data[size] != ':' && line.data[size] > ' ') {
        size++;
    }
    bool is_name = size > 0 && !strchr("{}[],\"'", line.data[0]) && size < line.size;
    return is_name && line.data[size] == ':' &&
           (size + 1 == line.size || line.data[size + 1] == ' ');
}

bool cli_is_like_yaml(const char *name, struct jsv_str text)
{
    if (ends_in(name, ".yaml") || ends_in(name, ".yml")) {
        return true;
    }
    while (text.size > 0) {
        struct jsv_str line = cli_take_line(&text);
        if (line.size == 0 || line.data[0] == '#') {
            continue;
        }
        return starts_with(line, "---") || starts_with(line, "%YAML") || starts_with(line, "- ") ||
               is_member(line);
    }
    return false;
}

/* ---- documents ---- */

static void
report_refused(struct cli *cli, const struct cli_document *document, const struct jsv_error *error)
{
    struct cli_spot spot = {
        .name = document->name,
        .text = jsv_buf_str(&document->text),
        .offset = error->offset,
        .line = error->line,
        .column = error->column,
        .pointer = error->pointer,
    };
    bool is_yaml = cli_is_like_yaml(document->name, spot.text);
    cli_report_spot(cli, &spot, is_yaml ? CLI_YAML_MESSAGE : error->message.data);
}

static int parse_with(struct cli *cli, struct cli_document *document, struct jsv_reader *reader)
{
    struct jsv_error error;
    document->document = jsv_document_new(os_allocator());
    int r = -ENOMEM;
    if (reader && document->document) {
        r = jsv_read(reader, document->document, jsv_buf_str(&document->text), 0, &error);
    }
    if (r == -EBADMSG) {
        report_refused(cli, document, &error);
    } else if (r < 0) {
        cli_report_errno(cli, document->name, r);
    }
    return r;
}

int cli_document_parse(struct cli *cli, struct cli_document *document)
{
    struct jsv_reader *reader = jsv_reader_new(os_allocator(), NULL);
    int r = parse_with(cli, document, reader);
    jsv_reader_free(reader);
    return r;
}

int cli_document_load(struct cli *cli, const char *path, struct cli_document *ret_document)
{
    struct cli_document document = {.name = cli_input_name(path)};
    jsv_buf_init(&document.text, os_allocator(), CLI_INPUT_SIZE_MAX);
    int r = cli_input_read(cli, path, &document.text);
    if (r == 0) {
        r = cli_document_parse(cli, &document);
    }
    if (r < 0) {
        cli_document_done(&document);
        return r;
    }
    *ret_document = document;
    return 0;
}

void cli_document_done(struct cli_document *document)
{
    if (document) {
        jsv_document_free(document->document);
        document->document = NULL;
        jsv_buf_done(&document->text);
    }
}

static bool contains(struct jsv_value value, size_t offset)
{
    return offset - jsv_value_offset(value) < jsv_value_span(value).size;
}

/* Append the pointer of the innermost value at an offset. */
static void put_pointer(struct jsv_buf *pointer, struct jsv_value value, size_t offset)
{
    struct jsv_iter iter = jsv_value_iter(value);
    size_t index = 0;
    while (jsv_iter_next(&iter)) {
        if (!contains(iter.value, offset)) {
            index++;
            continue;
        }
        if (jsv_value_type(iter.key) == JSV_TYPE_STRING) {
            jsv_pointer_push(pointer, jsv_value_text(iter.key));
        } else {
            jsv_pointer_push_index(pointer, index);
        }
        iter = jsv_value_iter(iter.value);
        index = 0;
    }
}

void cli_document_report(
    struct cli *cli,
    const struct cli_document *document,
    struct jsv_value value,
    const char *message)
{
    struct jsv_str text = jsv_buf_str(&document->text);
    size_t offset = jsv_value_offset(value);
    struct jsv_position position = jsv_position_in(text, 1);
    jsv_position_move(&position, offset);
    struct jsv_buf pointer;
    jsv_buf_init(&pointer, os_allocator(), POINTER_SIZE_MAX);
    put_pointer(&pointer, jsv_document_root(document->document), offset);
    struct cli_spot spot = {
        .name = document->name,
        .text = text,
        .offset = offset,
        .line = position.line,
        .column = position.column,
        .pointer = jsv_buf_str(&pointer),
    };
    cli_report_spot(cli, &spot, message);
    jsv_buf_done(&pointer);
}

/* ---- output ---- */

void cli_output_init(struct jsv_buf *out)
{
    jsv_buf_init(out, os_allocator(), CLI_OUTPUT_SIZE_MAX);
}

static int written(struct cli *cli, int r)
{
    if (r < 0) {
        cli_report_errno(cli, "cannot write to standard output", r);
    }
    return r;
}

int cli_output_write(struct cli *cli, struct jsv_str text)
{
    return written(cli, os_write_all(cli->out_fd, text.data, text.size));
}

int cli_output_failed(struct cli *cli, int error)
{
    if (error == -ENOBUFS) {
        cli_report(cli, "the result is larger than the limit of 3 GiB");
    } else {
        cli_report_errno(cli, "cannot compute the result", error);
    }
    return error;
}

int cli_output_buf(struct cli *cli, const struct jsv_buf *text)
{
    if (text->error != 0) {
        return cli_output_failed(cli, text->error);
    }
    return cli_output_write(cli, jsv_buf_str(text));
}

int cli_output_finish(struct cli *cli, struct jsv_buf *text)
{
    int r = cli_output_buf(cli, text);
    jsv_buf_done(text);
    return r;
}

int cli_output_close(struct cli *cli)
{
    return written(cli, os_close(cli->out_fd));
}
