/*
 * Reading the text of a schema.
 *
 * A schema with two members of the same name is refused, as any such text is,
 * unless the registry was told to let the last one count. Then each member that
 * does not count is worth a warning that names both places.
 */
#include <errno.h>
#include <stdio.h>

#include "jsv/json/reader.h"
#include "jsv/json/sort.h"
#include "jsv/json/value.h"
#include "jsv/schema/registry/parts.h"
#include "jsv/schema/report/message.h"

#define MESSAGE_MAX 256

/* ---- duplicates ---- */

/* A place in a text, for people; columns count characters. */
struct position {
    size_t offset;
    size_t line;
    size_t column;
};

/* Move on to an offset behind. */
static void move_to(struct position *position, struct jsv_str text, size_t offset)
{
    for (; position->offset < offset; position->offset++) {
        char byte = text.data[position->offset];
        if (byte == '\n') {
            position->line++;
            position->column = 1;
        } else if (((unsigned char)byte & 0xC0) != 0x80) {
            position->column++;
        }
    }
}

/* The name that begins at an offset, if it is still in the document; else NULL. */
static const struct jsv_node *find_name(const struct jsv_document *document, size_t offset)
{
    const struct jsv_node *node = jsv_document_nodes(document);
    const struct jsv_node *end = jsv_node_next(node);
    for (; node < end; node++) {
        if (jsv_node_type(node) == JSV_TYPE_STRING &&
            jsv_value_offset((struct jsv_value){document, node}) == offset) {
            return node;
        }
    }
    return NULL;
}

/*
 * Warn of one member. @param at The place of the one that does not count.
 * @return 0 or -ENOMEM.
 */
static int warn_dropped(
    struct jsv_registry *registry,
    const struct jsv_source *source,
    const struct jsv_dropped *dropped,
    const struct position *at)
{
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, &registry->allocator, JSV_REGISTRY_MEMORY_MAX);
    const struct jsv_node *name = find_name(source->document, dropped->kept);
    struct jsv_str pointer =
        name ? jsv_node_pointer(&scratch, source->document, name) : JSV_STR("");
    char text[MESSAGE_MAX];
    int size = snprintf(
        text,
        sizeof(text),
        "duplicate member; the one in line %zu, column %zu does not count, the last one does",
        at->line,
        at->column);
    if (pointer.data) {
        const struct jsv_schema_fault note = {
            .uri = source->uri,
            .pointer = pointer,
            .message = {text, (size_t)size},
            .offset = dropped->kept,
            .missing = {"", 0},
        };
        registry->options.listener(registry->options.listener_context, JSV_NOTE_WARNING, &note);
    }
    jsv_arena_done(&scratch);
    return pointer.data ? 0 : -ENOMEM;
}

static int compare_nothing(const void *context, const void *a, const void *b)
{
    (void)context;
    (void)a;
    (void)b;
    return 0;
}

/* The place among sorted ones of that at an offset; the count when there is none. */
static size_t find_offset(const struct jsv_sort_item *sorted, size_t count, size_t offset)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle].word < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && sorted[low].word == offset ? low : count;
}

/* Sort by place, and let each lead to the member that counts: the next one may be dropped, too. */
static const struct jsv_sort_item *
sort_dropped(struct jsv_arena *scratch, struct jsv_dropped *items, size_t count)
{
    struct jsv_sort_item *sorted = jsv_arena_array(scratch, 2 * count, sizeof(*sorted));
    if (!sorted) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = (struct jsv_sort_item){items[i].offset, &items[i]};
    }
    jsv_sort(sorted, sorted + count, count, compare_nothing, NULL);
    for (size_t i = count; i-- > 0;) {
        const struct jsv_dropped *item = sorted[i].item;
        size_t next = find_offset(sorted, count, item->kept);
        if (next < count) {
            items[item - items].kept = ((const struct jsv_dropped *)sorted[next].item)->kept;
        }
    }
    return sorted;
}

/* Warn of all of them, in the order of the text. */
static int warn_all(
    struct jsv_registry *registry, const struct jsv_source *source, const struct jsv_buf *dropped)
{
    struct jsv_dropped *items = (struct jsv_dropped *)(void *)dropped->data;
    size_t count = dropped->size / sizeof(*items);
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, &registry->allocator, JSV_REGISTRY_MEMORY_MAX);
    const struct jsv_sort_item *sorted = sort_dropped(&scratch, items, count);
    int r = sorted ? 0 : -ENOMEM;
    struct position position = {0, 1, 1};
    for (size_t i = 0; r == 0 && i < count; i++) {
        const struct jsv_dropped *item = sorted[i].item;
        move_to(&position, source->text, item->offset);
        r = warn_dropped(registry, source, item, &position);
    }
    jsv_arena_done(&scratch);
    return r;
}

/* ---- reading ---- */

static int
read_leniently(struct jsv_registry *registry, struct jsv_source *source, struct jsv_error *error)
{
    struct jsv_reader *reader = registry->reader;
    struct jsv_buf dropped;
    jsv_buf_init(&dropped, &registry->allocator, JSV_REGISTRY_MEMORY_MAX);
    reader->dropped = registry->options.listener ? &dropped : NULL;
    int r = jsv_read(reader, source->document, source->text, JSV_READ_LAST_WINS, error);
    reader->dropped = NULL;
    if (r == 0 && dropped.error) {
        r = -ENOMEM;
    }
    if (r == 0 && dropped.size > 0) {
        r = warn_all(registry, source, &dropped);
    }
    jsv_buf_done(&dropped);
    return r;
}

int jsv_source_read(
    struct jsv_registry *registry, struct jsv_source *source, struct jsv_schema_fault *reterr_fault)
{
    struct jsv_error error;
    int r = registry->options.allow_duplicates
                ? read_leniently(registry, source, &error)
                : jsv_read(registry->reader, source->document, source->text, 0, &error);
    if (r == -EBADMSG && reterr_fault) {
        error.pointer = jsv_registry_copy(registry, error.pointer);
        if (!error.pointer.data) {
            return -ENOMEM;
        }
        *reterr_fault = (struct jsv_schema_fault){
            .uri = source->uri,
            .pointer = error.pointer,
            .message = jsv_str_from(error.message),
            .offset = error.offset,
            .missing = {"", 0},
            .json = error,
        };
    }
    return r;
}
