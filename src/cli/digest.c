/*
 * mcpgate digest: the SHA-256 of a document's canonical form, or of plain bytes.
 */
#include "envelope/digest.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <jsv/json.h>

#include "cli/args.h"
#include "cli/cli.h"
#include "cli/document.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/report.h"
#include "os/digest.h"
#include "os/sys.h"

enum digest_flags {
    DIGEST_TEXT = 1 << 0,
    DIGEST_VERIFY = 1 << 1,
};

/* Read at once from a file digested as it is; large enough that calls cost nothing. */
#define CHUNK_SIZE ((size_t)64 * 1024)

/* The longest: {"alg":"sha256","value":"…"} and a newline. */
#define RESULT_SIZE_MAX 256

#define HEX_SIZE (OS_DIGEST_HEX_SIZE + 1)

/* All functions below return 0, or an error that has been reported. */

/* ---- JSON ---- */

static int digest_document(
    struct app_cli *cli, const struct app_document *document, char ret_hex[static HEX_SIZE])
{
    struct jsv_value root = jsv_document_root(document->document);
    struct jsv_value fault;
    struct envelope_digest digest;
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, os_allocator(), SIZE_MAX);
    int r = envelope_digest_json(root, &scratch, &digest, &fault);
    jsv_arena_done(&scratch);
    if (r == -ERANGE) {
        app_document_report(
            cli,
            document,
            fault,
            "this number is too large for a double and has no canonical form");
        return r;
    }
    if (r < 0) {
        return app_output_failed(cli, r);
    }
    memcpy(ret_hex, digest.hex, HEX_SIZE);
    return 0;
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
        os_digest_add(digest, (struct jsv_str){chunk, (size_t)size});
    }
}

static int digest_open(struct app_cli *cli, const char *path, int fd, char ret_hex[static HEX_SIZE])
{
    struct os_digest digest;
    os_digest_init(&digest);
    int r = add_all(cli, path, fd, &digest);
    if (r == 0) {
        os_digest_finish(&digest, ret_hex);
    }
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
    envelope_digest_write(hex, &writer);
    jsv_buf_append_byte(&out, '\n');
    int r = app_output_buf(cli, &out);
    jsv_buf_done(&out);
    return r;
}

/* The digest that is expected: 64 digits, as printed, or with "sha256:" before them. */
static int parse_expected(struct app_cli *cli, const char *word, struct jsv_str *ret_hex)
{
    static const struct jsv_str prefix = JSV_STR("sha256:");
    struct jsv_str hex = jsv_str_from(word);
    if (hex.size > prefix.size && memcmp(hex.data, prefix.data, prefix.size) == 0) {
        hex = (struct jsv_str){hex.data + prefix.size, hex.size - prefix.size};
    }
    if (!envelope_digest_is_sha256(hex)) {
        app_report_usage(cli, "--verify: expected 64 lower-case hexadecimal digits, not", word);
        return -EINVAL;
    }
    *ret_hex = hex;
    return 0;
}

static enum app_exit
compare(struct app_cli *cli, const char *path, const char *hex, struct jsv_str expected)
{
    if (!expected.data || jsv_str_equal(jsv_str_from(hex), expected)) {
        return APP_EXIT_OK;
    }
    app_report_about(cli, app_input_name(path), "the digest differs from the expected one");
    return APP_EXIT_INVALID;
}

static enum app_exit digest_run(struct app_cli *cli, const struct app_args *args)
{
    const char *path = args->operand_count > 0 ? args->operands[0] : "-";
    const char *word = app_args_value(args, DIGEST_VERIFY);
    struct jsv_str expected = {0};
    if (word && parse_expected(cli, word, &expected) < 0) {
        return APP_EXIT_TROUBLE;
    }
    char hex[HEX_SIZE];
    int r = args->flags & DIGEST_TEXT ? digest_text(cli, path, hex) : digest_json(cli, path, hex);
    if (r == 0) {
        r = print_digest(cli, hex);
    }
    return r < 0 ? APP_EXIT_TROUBLE : compare(cli, path, hex, expected);
}

static const struct app_option options[] = {
    {.name = "text", .flag = DIGEST_TEXT, .help = "Digest the bytes as they are, JSON or not"},
    {.name = "verify",
     .flag = DIGEST_VERIFY,
     .value = "DIGEST",
     .help = "Exit with 1 unless this is the digest"},
    {0},
};

const struct app_command app_command_digest = {
    .name = "digest",
    .synopsis = "[FILE|-]",
    .summary = "Print the SHA-256 of a JSON document's canonical form",
    .details =
        "Documents that differ in white space, order of members or escapes have the same\n"
        "digest, printed as {\"alg\":\"sha256\",\"value\":\"<hex>\"}. So have 1.50 and 15e-1: a\n"
        "number with a fraction or an exponent counts by its value. An integer keeps its\n"
        "digits: 1e22 and 10000000000000000000000 differ. "
        "Without\n"
        "FILE, or with -, standard input is read. A number beyond the range of a double, such\n"
        "as 1e400, has no canonical form and is refused. The DIGEST to --verify is 64\n"
        "hexadecimal digits in lower case, with or without \"sha256:\" before them.\n",
    .options = options,
    .operand_min = 0,
    .operand_max = 1,
    .run = digest_run,
};
