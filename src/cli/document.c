#include "cli/document.h"

#include <errno.h>

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/position.h"
#include "cli/report.h"
#include "cli/yaml.h"
#include "os/sys.h"

/* Ceiling for a pointer that is only shown: a message shows less of it. */
#define POINTER_SIZE_MAX 4096

/* ---- reading ---- */

static void report_refused(
    struct app_cli *cli, const struct app_document *document, const struct jsv_error *error)
{
    struct app_spot spot = {
        .name = document->name,
        .text = jsv_buf_str(&document->text),
        .offset = error->offset,
        .line = error->line,
        .column = error->column,
        .pointer = error->pointer,
    };
    bool is_yaml = app_is_like_yaml(document->name, spot.text);
    app_report_spot(cli, &spot, is_yaml ? APP_YAML_MESSAGE : error->message);
}

static int parse_with(struct app_cli *cli, struct app_document *document, struct jsv_reader *reader)
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
        app_report_errno(cli, document->name, r);
    }
    return r;
}

int app_document_parse(struct app_cli *cli, struct app_document *document)
{
    struct jsv_reader *reader = jsv_reader_new(os_allocator(), NULL);
    int r = parse_with(cli, document, reader);
    jsv_reader_free(reader);
    return r;
}

int app_document_load(struct app_cli *cli, const char *path, struct app_document *ret_document)
{
    struct app_document document = {.name = app_input_name(path)};
    jsv_buf_init(&document.text, os_allocator(), APP_INPUT_SIZE_MAX);
    int r = app_input_read(cli, path, &document.text);
    if (r == 0) {
        r = app_document_parse(cli, &document);
    }
    if (r < 0) {
        app_document_done(&document);
        return r;
    }
    *ret_document = document;
    return 0;
}

void app_document_done(struct app_document *document)
{
    if (document) {
        jsv_document_free(document->document);
        document->document = NULL;
        jsv_buf_done(&document->text);
    }
}

/* ---- where a value is ---- */

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

void app_document_report(
    struct app_cli *cli,
    const struct app_document *document,
    struct jsv_value value,
    const char *message)
{
    struct jsv_str text = jsv_buf_str(&document->text);
    size_t offset = jsv_value_offset(value);
    struct app_position position = app_position_in(text, 1);
    app_position_move(&position, offset);
    struct jsv_buf pointer;
    jsv_buf_init(&pointer, os_allocator(), POINTER_SIZE_MAX);
    put_pointer(&pointer, jsv_document_root(document->document), offset);
    struct app_spot spot = {
        .name = document->name,
        .text = text,
        .offset = offset,
        .line = position.line,
        .column = position.column,
        .pointer = jsv_buf_str(&pointer),
    };
    app_report_spot(cli, &spot, message);
    jsv_buf_done(&pointer);
}
