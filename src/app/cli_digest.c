/*
 * mcpgate digest: the SHA-256 of a document's canonical form, or of plain bytes.
 */
#include <errno.h>
#include <stdint.h>

#include <jsv/json.h>

#include "app/cli.h"
#include "app/document.h"
#include "app/input.h"
#include "app/output.h"
#include "app/report.h"
#include "os/digest.h"
#include "os/sys.h"

enum digest_flags {
    DIGEST_TEXT = 1 << 0,
};

/* Read at once from a file digested as it is; large enough that calls cost nothing. */
#define CHUNK_SIZE ((size_t)64 * 1024)

/* The longest: {"alg":"sha256","value":"…"} and a newline. */
#define RESULT_SIZE_MAX 256

#define HEX_SIZE (OS_DIGEST_HEX_SIZE + 1)

/* All functions below return 0, or an error that has been reported. */

/* ---- JSON ---- */

static int
write_canonical(struct app_cli *cli, const struct app_document *document, struct jsv_buf *out)
{
    struct jsv_value root = jsv_document_root(document->document);
    struct jsv_value fault;
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, os_allocator(), SIZE_MAX);
    int r = jsv_canon_write(root, JSV_CANON_UTF8, &scratch, out, &fault);
    jsv_arena_done(&scratch);
    if (r == -ERANGE) {
        app_document_report(cli, document, fault, "this number is beyond the range of a double");
        return r;
    }
    return r < 0 ? app_output_failed(cli, r) : 0;
}

static int digest_document(
    struct app_cli *cli, const struct app_document *document, char ret_hex[static HEX_SIZE])
{
    struct jsv_buf canonical;
    jsv_buf_init(&canonical, os_allocator(), APP_OUTPUT_SIZE_MAX);
    int r = write_canonical(cli, document, &canonical);
    if (r == 0) {
        r = os_digest(jsv_buf_str(&canonical), ret_hex);
        r = r < 0 ? app_output_failed(cli, r) : 0;
    }
    jsv_buf_done(&canonical);
    return r;
}

static int digest_json(struct app_cli *cli, const char *path, char ret_hex[static HEX_SIZE])
{
    struct app_document document;
    int r = app_document_load(cli, path, &document);
    if (r < 0) {
        return r;
    }
    r = digest_document(cli, &document, ret_hex);
    app_document_done(&document);
    return r;
}

/* ---- plain bytes, of any number: nothing is kept of them ---- */

static int add_all(struct app_cli *cli, const char *path, int fd, struct os_digest *digest)
{
    char chunk[CHUNK_SIZE];
    for (;;) {
        ssize_t size = os_read(fd, chunk, sizeof(chunk));
        if (size < 0) {
            app_report_errno(cli, app_input_name(path), (int)size);
        }
        if (size <= 0) {
            return (int)size;
        }
        int r = os_digest_add(digest, (struct jsv_str){chunk, (size_t)size});
        if (r < 0) {
            return app_output_failed(cli, r);
        }
    }
}

static int digest_open(struct app_cli *cli, const char *path, int fd, char ret_hex[static HEX_SIZE])
{
    struct os_digest digest;
    int r = os_digest_init(&digest);
    if (r < 0) {
        app_output_failed(cli, r);
    } else {
        r = add_all(cli, path, fd, &digest);
    }
    if (r == 0) {
        r = os_digest_finish(&digest, ret_hex);
        r = r < 0 ? app_output_failed(cli, r) : 0;
    }
    os_digest_done(&digest);
    return r;
}

static int digest_text(struct app_cli *cli, const char *path, char ret_hex[static HEX_SIZE])
{
    int fd = app_input_open(cli, path);
    if (fd < 0) {
        return fd;
    }
    int r = digest_open(cli, path, fd, ret_hex);
    os_close(fd);
    return r;
}

/* ---- the command ---- */

static int print_digest(struct app_cli *cli, const char *hex)
{
    struct jsv_buf out;
    jsv_buf_init(&out, os_allocator(), RESULT_SIZE_MAX);
    struct jsv_writer writer = jsv_writer_on(&out);
    jsv_write_object_begin(&writer);
    jsv_write_key(&writer, JSV_STR("alg"));
    jsv_write_string(&writer, JSV_STR("sha256"));
    jsv_write_key(&writer, JSV_STR("value"));
    jsv_write_string(&writer, jsv_str_from(hex));
    jsv_write_object_end(&writer);
    jsv_buf_append_byte(&out, '\n');
    int r = app_output_buf(cli, &out);
    jsv_buf_done(&out);
    return r;
}

static enum app_exit digest_run(struct app_cli *cli, const struct app_args *args)
{
    const char *path = args->operand_count > 0 ? args->operands[0] : "-";
    char hex[HEX_SIZE];
    int r = args->flags & DIGEST_TEXT ? digest_text(cli, path, hex) : digest_json(cli, path, hex);
    if (r == 0) {
        r = print_digest(cli, hex);
    }
    return r < 0 ? APP_EXIT_TROUBLE : APP_EXIT_OK;
}

static const struct app_option options[] = {
    {.name = "text", .flag = DIGEST_TEXT, .help = "Digest the bytes as they are, JSON or not"},
    {0},
};

const struct app_command app_command_digest = {
    .name = "digest",
    .synopsis = "[FILE|-]",
    .summary = "Print the SHA-256 of a JSON document's canonical form",
    .details =
        "Documents that differ in white space, order of members, escapes or the spelling of\n"
        "numbers have the same digest, printed as {\"alg\":\"sha256\",\"value\":\"<hex>\"}. "
        "Without\n"
        "FILE, or with -, standard input is read. A number beyond the range of a double, such\n"
        "as 1e400, has no canonical form and is refused.\n",
    .options = options,
    .operand_min = 0,
    .operand_max = 1,
    .run = digest_run,
};
