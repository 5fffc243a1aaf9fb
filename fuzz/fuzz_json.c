/*
 * The reader on any bytes at all. All kernels must agree on what they make of
 * a text; what is accepted must survive being written and read again, whole
 * and value by value; what is refused must be refused at a place in the text.
 */
#include <errno.h>
#include <string.h>

#include "fuzz.h"
#include "jsv/json/pointer.h"
#include "jsv/json/reader.h"

/* Text that is read again for the sake of single values; more would only be slow. */
#define SPANS_MAX 65536

enum {
    KERNELS_MAX = 3
};

static struct {
    struct jsv_reader *readers[KERNELS_MAX]; /* one for each kernel this machine runs */
    struct jsv_document *documents[KERNELS_MAX];
    size_t count;
    struct jsv_reader *narrow; /* with limits that are soon met */
    struct jsv_reader *other;
    struct jsv_document *again;
    struct jsv_arena scratch;
    struct jsv_buf text;
    struct jsv_buf out;
} fuzz;

static void add_kernel(jsv_scan_kernel *kernel)
{
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    FUZZ_CHECK(reader && document);
    reader->kernel = kernel;
    fuzz.readers[fuzz.count] = reader;
    fuzz.documents[fuzz.count++] = document;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    add_kernel(jsv_scan_portable);
#if defined(__x86_64__)
    add_kernel(jsv_scan_sse2);
    if (jsv_scan_kernel_best() == jsv_scan_avx2) {
        add_kernel(jsv_scan_avx2);
    }
#endif
    struct jsv_limits narrow = {
        .size_max = 1000, .memory_max = 2000, .depth_max = 5, .number_size_max = 12};
    fuzz.narrow = jsv_reader_new(NULL, &narrow);
    fuzz.other = jsv_reader_new(NULL, NULL);
    fuzz.again = jsv_document_new(NULL);
    FUZZ_CHECK(fuzz.narrow && fuzz.other && fuzz.again);
    jsv_arena_init(&fuzz.scratch, NULL, SIZE_MAX);
    jsv_buf_init(&fuzz.text, NULL, SIZE_MAX);
    jsv_buf_init(&fuzz.out, NULL, SIZE_MAX);
    return 0;
}

static bool same_bytes(const void *a, const void *b, size_t size)
{
    return size == 0 || memcmp(a, b, size) == 0;
}

/* ---- refused ---- */

static bool is_limit(enum jsv_error_code code)
{
    return code == JSV_ERROR_TEXT_TOO_LARGE || code == JSV_ERROR_TOO_DEEP ||
           code == JSV_ERROR_NUMBER_TOO_LONG || code == JSV_ERROR_MEMORY;
}

static void check_error(struct jsv_str text, const struct jsv_error *error)
{
    FUZZ_CHECK(error->offset <= text.size);
    FUZZ_CHECK(error->line >= 1 && error->column >= 1);
    FUZZ_CHECK(error->code != JSV_ERROR_NONE && error->message.size > 0);
    FUZZ_CHECK(jsv_pointer_is_valid(error->pointer));
}

static void check_same_error(const struct jsv_error *a, const struct jsv_error *b)
{
    FUZZ_CHECK(a->code == b->code && a->offset == b->offset);
    FUZZ_CHECK(a->line == b->line && a->column == b->column);
    FUZZ_CHECK(jsv_str_equal(a->pointer, b->pointer));
}

/* ---- accepted ---- */

/* Tapes of equal texts are equal, byte for byte, but for strings that hold escapes. */
static void check_same_tape(const struct jsv_document *a, const struct jsv_document *b)
{
    size_t size = a->node_count * sizeof(struct jsv_node);
    FUZZ_CHECK(a->node_count == b->node_count);
    FUZZ_CHECK(same_bytes(a->block, b->block, size));
}

static void check_equal(struct jsv_value a, struct jsv_value b)
{
    jsv_arena_reset(&fuzz.scratch);
    FUZZ_CHECK(jsv_value_equal(a, b, &fuzz.scratch) == 1);
}

/* What the buffer holds reads as this value. */
static void check_reads_as(struct jsv_value value)
{
    FUZZ_CHECK(fuzz.text.error == 0);
    FUZZ_CHECK(jsv_read(fuzz.other, fuzz.again, jsv_buf_str(&fuzz.text), 0, NULL) == 0);
    check_equal(value, jsv_document_root(fuzz.again));
}

static void check_written(struct jsv_value root)
{
    jsv_buf_reset(&fuzz.text);
    struct jsv_writer writer = jsv_writer_on(&fuzz.text);
    jsv_write_value(&writer, root);
    check_reads_as(root);
    for (unsigned indent = 0; indent < 3; indent += 2) {
        jsv_buf_reset(&fuzz.text);
        writer = jsv_writer_on(&fuzz.text);
        jsv_write_pretty(&writer, root, indent);
        check_reads_as(root);
    }
}

/* The canonical form can be read, and is its own canonical form. */
static void check_canonical(struct jsv_value root, enum jsv_canon form)
{
    jsv_arena_reset(&fuzz.scratch);
    jsv_buf_reset(&fuzz.text);
    int r = jsv_canon_write(root, form, &fuzz.scratch, &fuzz.text, NULL);
    FUZZ_CHECK(r == 0 || r == -ERANGE);
    if (r < 0) {
        return;
    }
    FUZZ_CHECK(jsv_read(fuzz.other, fuzz.again, jsv_buf_str(&fuzz.text), 0, NULL) == 0);
    jsv_arena_reset(&fuzz.scratch);
    jsv_buf_reset(&fuzz.out);
    struct jsv_value again = jsv_document_root(fuzz.again);
    FUZZ_CHECK(jsv_canon_write(again, form, &fuzz.scratch, &fuzz.out, NULL) == 0);
    FUZZ_CHECK(jsv_str_equal(jsv_buf_str(&fuzz.text), jsv_buf_str(&fuzz.out)));
}

static void check_no_difference(struct jsv_value root)
{
    jsv_arena_reset(&fuzz.scratch);
    jsv_buf_reset(&fuzz.out);
    FUZZ_CHECK(jsv_diff_write(root, root, &fuzz.scratch, &fuzz.out) == 0);
    FUZZ_CHECK(jsv_str_equal(jsv_buf_str(&fuzz.out), JSV_STR("[]")));
}

/* Each value's own text, names included, reads as that value. */
static void check_spans(const struct jsv_document *document, unsigned flags)
{
    const struct jsv_node *nodes = jsv_document_nodes(document);
    size_t total = 0;
    for (size_t i = 0; i < document->node_count && total < SPANS_MAX; i++) {
        struct jsv_value value = {document, &nodes[i]};
        struct jsv_str span = jsv_value_span(value);
        FUZZ_CHECK(span.size > 0 && span.data == document->text + jsv_value_offset(value));
        FUZZ_CHECK(jsv_read(fuzz.other, fuzz.again, span, flags, NULL) == 0);
        check_equal(value, jsv_document_root(fuzz.again));
        total += span.size;
    }
}

/* ---- both ---- */

static void check_narrow(struct jsv_str text, unsigned flags, int r, const struct jsv_error *error)
{
    struct jsv_error narrow;
    int narrow_r = jsv_read(fuzz.narrow, fuzz.again, text, flags, &narrow);
    if (narrow_r == 0) {
        FUZZ_CHECK(r == 0);
        check_equal(jsv_document_root(fuzz.documents[0]), jsv_document_root(fuzz.again));
        return;
    }
    check_error(text, &narrow);
    if (!is_limit(narrow.code)) {
        FUZZ_CHECK(r < 0);
        check_same_error(&narrow, error);
    }
}

static void check_text(struct jsv_str text, unsigned flags)
{
    struct jsv_error first;
    int r = jsv_read(fuzz.readers[0], fuzz.documents[0], text, flags, &first);
    FUZZ_CHECK(r == 0 || r == -EBADMSG);
    for (size_t i = 1; i < fuzz.count; i++) {
        struct jsv_error error;
        FUZZ_CHECK(jsv_read(fuzz.readers[i], fuzz.documents[i], text, flags, &error) == r);
        if (r < 0) {
            check_same_error(&first, &error);
        } else {
            check_same_tape(fuzz.documents[0], fuzz.documents[i]);
        }
    }
    check_narrow(text, flags, r, &first);
    struct jsv_value root = jsv_document_root(fuzz.documents[0]);
    if (r < 0) {
        FUZZ_CHECK(jsv_value_type(root) == JSV_TYPE_NONE);
        check_error(text, &first);
        return;
    }
    check_written(root);
    check_canonical(root, JSV_CANON_UTF8);
    check_canonical(root, JSV_CANON_ASCII);
    check_no_difference(root);
    check_spans(fuzz.documents[0], flags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jsv_str text = {(const char *)data, size};
    check_text(text, 0);
    check_text(text, JSV_READ_LAST_WINS);
    return 0;
}
