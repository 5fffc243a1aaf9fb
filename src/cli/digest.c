/*
 * mcpgate digest: the SHA-256 of a document's canonical form, or of plain bytes.
 */
#include "envelope/digest.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <jsv/json.h>

#include "cli/cli.h"
#include "cli/io.h"
#include "cli/report.h"
#include "os/digest.h"
#include "os/sys.h"

/* Large enough that system calls cost nothing. */
#define CHUNK_SIZE ((size_t)64 * 1024)

#define HEX_SIZE (OS_DIGEST_HEX_SIZE + 1)

/* Functions below that return an int return 0, or a reported error. */

/* ---- JSON ---- */

static int
digest_document(struct cli *cli, const struct cli_document *document, char ret_hex[static HEX_SIZE])
{
    struct jsv_value root = jsv_document_root(document->document);
    struct jsv_value wrong;
    struct envelope_digest digest;
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, os_allocator(), SIZE_MAX);
    int r = envelope_digest_json(root, &scratch, &digest, &wrong);
    jsv_arena_done(&scratch);
    if (r == -ERANGE) {
        cli_document_report(
            cli, document, wrong, "number too large for a double: it has no canonical form");
        return r;
    }
    if (r < 0) {
        return cli_output_failed(cli, r);
    }
    memcpy(ret_hex, digest.hex, HEX_SIZE);
    return 0;
}

static int digest_json(struct cli *cli, const char *path, char ret_hex[static HEX_SIZE])
{
    struct cli_document document;
    int r = cli_document_load(cli, path, &document);
    if (r < 0) {
        return r;
    }
    r = digest_document(cli, &document, ret_hex);
    cli_document_done(&document);
    return r;
}

/* ---- bytes, read in pieces ---- */

static int digest_text(struct cli *cli, const char *path, char ret_hex[static HEX_SIZE])
{
    char chunk[CHUNK_SIZE];
    struct os_digest digest;
    int fd = cli_input_open(cli, path);
    if (fd < 0) {
        return fd;
    }
    os_digest_init(&digest);
    ssize_t size;
    while ((size = os_read(fd, chunk, sizeof(chunk))) > 0) {
        os_digest_add(&digest, (struct jsv_str){chunk, (size_t)size});
    }
    os_close(fd);
    if (size < 0) {
        cli_report_errno(cli, cli_input_name(path), (int)size);
        return (int)size;
    }
    os_digest_finish(&digest, ret_hex);
    return 0;
}

/* ---- the command ---- */

static int print_digest(struct cli *cli, const char *hex)
{
    struct jsv_buf out;
    cli_output_init(&out);
    struct jsv_writer writer = jsv_writer_on(&out);
    envelope_digest_write(hex, &writer);
    jsv_buf_append_byte(&out, '\n');
    return cli_output_finish(cli, &out);
}

/* 64 digits, with or without "sha256:" before them. */
static int parse_expected(struct cli *cli, const char *word, struct jsv_str *ret_hex)
{
    static const struct jsv_str prefix = JSV_STR("sha256:");
    struct jsv_str hex = jsv_str_from(word);
    if (hex.size > prefix.size && memcmp(hex.data, prefix.data, prefix.size) == 0) {
        hex = (struct jsv_str){hex.data + prefix.size, hex.size - prefix.size};
    }
    if (!envelope_digest_is_sha256(hex)) {
        cli_report_usage(cli, "--verify: expected 64 lower-case hexadecimal digits, not", word);
        return -EINVAL;
    }
    *ret_hex = hex;
    return 0;
}

static enum app_exit
compare(struct cli *cli, const char *path, const char *hex, struct jsv_str expected)
{
    if (!expected.data || jsv_str_equal(jsv_str_from(hex), expected)) {
        return APP_EXIT_OK;
    }
    cli_report_about(cli, cli_input_name(path), "the digest is not the expected one");
    return APP_EXIT_INVALID;
}

static enum app_exit run(struct cli *cli, const struct cli_args *args)
{
    const char *path = cli_args_input(args);
    const char *word = cli_args_value(args, CLI_FLAG(DIGEST_VERIFY));
    struct jsv_str expected = {0};
    if (word && parse_expected(cli, word, &expected) < 0) {
        return APP_EXIT_TROUBLE;
    }
    char hex[HEX_SIZE];
    int r = args->flags & CLI_FLAG(DIGEST_TEXT) ? digest_text(cli, path, hex)
                                                : digest_json(cli, path, hex);
    if (r == 0) {
        r = print_digest(cli, hex);
    }
    return r < 0 ? APP_EXIT_TROUBLE : compare(cli, path, hex, expected);
}

static const struct cli_option options[] = {
#define CLI_DIGEST CLI_OPTION_ROW
#include "cli/options.def"
    {0},
};

const struct cli_command cli_command_digest = {
    .name = "digest",
    .synopsis = "[FILE|-]",
    .summary = "Print the SHA-256 of a JSON document's canonical form",
    .details =
        "Documents that differ only in white space, order of members or escapes have the same\n"
        "digest, printed as {\"alg\":\"sha256\",\"value\":\"<hex>\"}. Numbers with a fraction or "
        "an\n"
        "exponent are compared by value, so 1.50 and 15e-1 are equal; integers keep their digits,\n"
        "so 1e22 and 10000000000000000000000 differ. A number beyond the range of a double, such\n"
        "as 1e400, has no canonical form and is an error. Without FILE, or with -, standard input\n"
        "is read. The DIGEST for --verify is 64 lower-case hexadecimal digits, with or without\n"
        "\"sha256:\" before them.\n",
    .options = options,
    .operand_max = 1,
    .run = run,
};
