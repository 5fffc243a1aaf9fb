/*
 * Input: a pointer, a line feed, a document. Resolving the pointer never does
 * anything but answer, and the pointer of every value of the document, built
 * on the way to it, resolves to that value.
 */
#include <errno.h>

#include <jsv/json.h>

#include "fuzz.h"

#define DEPTH_MAX 64

static void check_pointer(struct jsv_value root, struct jsv_str pointer)
{
    struct jsv_value value = {0};
    int r = jsv_pointer_get(root, pointer, &value);
    FUZZ_CHECK(r == 0 || r == -EINVAL || r == -ENOENT);
    FUZZ_CHECK((r == 0) == (value.node != NULL));
    FUZZ_CHECK(r != 0 || pointer.size == 0 || pointer.data[0] == '/');
}

/* One open container and the size of its pointer. */
struct level {
    struct jsv_iter iter;
    size_t pointer_size;
    size_t index;
};

static void check_all_values(struct jsv_value root)
{
    struct level levels[DEPTH_MAX + 1];
    struct jsv_buf pointer;
    jsv_buf_init(&pointer, NULL, SIZE_MAX);
    size_t depth = 1;
    levels[0] = (struct level){.iter = jsv_value_iter(root)};
    while (depth > 0) {
        struct level *level = &levels[depth - 1];
        pointer.size = level->pointer_size;
        if (!jsv_iter_next(&level->iter)) {
            depth--;
            continue;
        }
        if (level->iter.object) {
            jsv_pointer_push(&pointer, jsv_value_text(level->iter.key));
        } else {
            jsv_pointer_push_index(&pointer, level->index++);
        }
        struct jsv_value found = {0};
        FUZZ_CHECK(jsv_pointer_get(root, jsv_buf_str(&pointer), &found) == 0);
        FUZZ_CHECK(found.node == level->iter.value.node);
        levels[depth++] = (struct level){
            .iter = jsv_value_iter(found),
            .pointer_size = pointer.size,
        };
    }
    jsv_buf_done(&pointer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jsv_str text = {(const char *)data, size};
    struct jsv_str pointer = fuzz_take(&text, '\n');

    struct jsv_limits limits = {.depth_max = DEPTH_MAX};
    struct jsv_reader *reader = jsv_reader_new(NULL, &limits);
    struct jsv_document *document = jsv_document_new(NULL);
    FUZZ_CHECK(reader && document);
    jsv_read(reader, document, text, 0, NULL);
    check_pointer(jsv_document_root(document), pointer);
    check_all_values(jsv_document_root(document));
    jsv_document_free(document);
    jsv_reader_free(reader);
    return 0;
}
