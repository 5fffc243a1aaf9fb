/*
 * Input: two documents with a record separator (0x1e, which JSON never holds)
 * between them. Both are written, compared, made canonical, and the patch from
 * one to the other must lead there.
 */
#include <errno.h>

#include <jsv/json.h>

#include "fuzz.h"
#include "jsv/json/node.h"
#include "support/patch.h"

struct state {
    struct jsv_reader *reader;
    struct jsv_arena scratch;
};

/* A document made from a text that this library wrote, so it must be valid. */
static struct jsv_document *read_written(struct state *state, const struct jsv_buf *text)
{
    FUZZ_CHECK(text->error == 0);
    struct jsv_document *document = jsv_document_new(NULL);
    FUZZ_CHECK(document);
    FUZZ_CHECK(jsv_read(state->reader, document, jsv_buf_str(text), 0, NULL) == 0);
    return document;
}

static bool equal(struct state *state, struct jsv_value a, struct jsv_value b)
{
    int r = jsv_value_equal(a, b, &state->scratch);
    FUZZ_CHECK(r == 0 || r == 1);
    FUZZ_CHECK(jsv_value_equal(b, a, &state->scratch) == r);
    return r;
}

static void expect_written(struct state *state, struct jsv_buf *text, struct jsv_value value)
{
    struct jsv_document *document = read_written(state, text);
    FUZZ_CHECK(equal(state, jsv_document_root(document), value));
    jsv_document_free(document);
    jsv_buf_done(text);
}

static void check_writing(struct state *state, struct jsv_value value)
{
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, SIZE_MAX);
    struct jsv_writer writer = jsv_writer_on(&out);
    jsv_write_value(&writer, value);
    FUZZ_CHECK(out.size <= jsv_value_span(value).size);
    expect_written(state, &out, value);
    writer = jsv_writer_on(&out);
    jsv_write_pretty(&writer, value, 1);
    expect_written(state, &out, value);
}

static bool has_decimals(struct jsv_value value)
{
    const struct jsv_node *end = jsv_node_next(value.node);
    for (const struct jsv_node *node = value.node; node < end; node++) {
        if (jsv_node_type(node) == JSV_TYPE_NUMBER && jsv_node_flags(node) & JSV_NODE_DECIMAL) {
            return true;
        }
    }
    return false;
}

/* The canonical text of a canonical text is itself; without decimals nothing is rounded. */
static void check_canon(struct state *state, struct jsv_value value, enum jsv_canon form)
{
    struct jsv_buf first;
    struct jsv_buf second;
    jsv_buf_init(&first, NULL, SIZE_MAX);
    jsv_buf_init(&second, NULL, SIZE_MAX);
    struct jsv_value fault = {0};
    int r = jsv_canon_write(value, form, &state->scratch, &first, &fault);
    if (r < 0) {
        FUZZ_CHECK(r == -ERANGE && jsv_value_type(fault) == JSV_TYPE_NUMBER);
        FUZZ_CHECK(__builtin_isinf(jsv_value_double(fault)));
    } else {
        struct jsv_document *document = read_written(state, &first);
        struct jsv_value root = jsv_document_root(document);
        FUZZ_CHECK(has_decimals(value) || equal(state, root, value));
        FUZZ_CHECK(jsv_canon_write(root, form, &state->scratch, &second, NULL) == 0);
        FUZZ_CHECK(jsv_str_equal(jsv_buf_str(&first), jsv_buf_str(&second)));
        jsv_document_free(document);
    }
    for (size_t i = 0; form == JSV_CANON_ASCII && i < first.size; i++) {
        FUZZ_CHECK((unsigned char)first.data[i] < 0x80);
    }
    jsv_buf_done(&first);
    jsv_buf_done(&second);
}

static void check_sorted(struct jsv_value patch)
{
    struct jsv_str before = {0};
    struct jsv_iter iter = jsv_value_iter(patch);
    while (jsv_iter_next(&iter)) {
        struct jsv_str path = jsv_value_text(jsv_value_get(iter.value, JSV_STR("path")));
        FUZZ_CHECK(!before.data || jsv_str_compare(before, path) < 0);
        before = path;
    }
}

static void check_patch(struct state *state, struct jsv_value base, struct jsv_value target)
{
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    FUZZ_CHECK(jsv_diff_write(base, target, &state->scratch, &text) == 0);
    struct jsv_document *patch = read_written(state, &text);
    struct jsv_value root = jsv_document_root(patch);
    FUZZ_CHECK((jsv_value_count(root) == 0) == equal(state, base, target));
    check_sorted(root);
    struct jsv_buf result;
    jsv_buf_init(&result, NULL, SIZE_MAX);
    FUZZ_CHECK(patch_apply(base, root, &result));
    expect_written(state, &result, target);
    jsv_document_free(patch);
    jsv_buf_done(&text);
}

static void check_pair(struct state *state, struct jsv_value a, struct jsv_value b)
{
    FUZZ_CHECK(equal(state, a, a));
    check_writing(state, a);
    check_canon(state, a, JSV_CANON_UTF8);
    check_canon(state, a, JSV_CANON_ASCII);
    check_patch(state, a, b);
    check_patch(state, b, a);
    check_patch(state, a, a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jsv_str second = {(const char *)data, size};
    struct jsv_str first = fuzz_take(&second, FUZZ_SEPARATOR);
    if (first.size == size) {
        return 0;
    }

    struct state state = {.reader = jsv_reader_new(NULL, NULL)};
    jsv_arena_init(&state.scratch, NULL, SIZE_MAX);
    struct jsv_document *a = jsv_document_new(NULL);
    struct jsv_document *b = jsv_document_new(NULL);
    FUZZ_CHECK(state.reader && a && b);
    /* Members the reader has dropped must not come back when a value is written. */
    if (jsv_read(state.reader, a, first, JSV_READ_LAST_WINS, NULL) == 0 &&
        jsv_read(state.reader, b, second, JSV_READ_LAST_WINS, NULL) == 0) {
        check_pair(&state, jsv_document_root(a), jsv_document_root(b));
    }
    jsv_document_free(a);
    jsv_document_free(b);
    jsv_arena_done(&state.scratch);
    jsv_reader_free(state.reader);
    return 0;
}
