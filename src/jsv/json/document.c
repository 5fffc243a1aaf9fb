/*
 * A document's block: nodes grow from below, decoded strings from above. When
 * they meet, both move into a block of at least twice the size, so the cost of
 * moving stays linear in the document, and a document that is read into again
 * soon owns a block that fits without asking the allocator.
 */
#include <errno.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "jsv/json/reader.h"

struct jsv_document *jsv_document_new(const struct jsv_allocator *allocator)
{
    struct jsv_allocator own = jsv_allocator_or_default(allocator);
    struct jsv_document *document = jsv_alloc(&own, sizeof(*document));
    if (!document) {
        return NULL;
    }
    *document = (struct jsv_document){.allocator = own};
    return document;
}

void jsv_document_free(struct jsv_document *document)
{
    if (!document) {
        return;
    }
    struct jsv_allocator own = document->allocator;
    jsv_dealloc(&own, document->block, document->block_size);
    jsv_dealloc(&own, document->copy, document->copy_size);
    jsv_dealloc(&own, document, sizeof(*document));
}

size_t jsv_document_memory(const struct jsv_document *document)
{
    return document ? sizeof(*document) + document->block_size + document->copy_size : 0;
}

struct jsv_value jsv_document_root(const struct jsv_document *document)
{
    return (struct jsv_value){document, document->node_count ? jsv_document_nodes(document) : NULL};
}

size_t jsv_reader_memory_max(const struct jsv_reader *reader, size_t held)
{
    size_t others = reader->document->block_size + reader->document->copy_size +
                    reader->decoding.capacity + reader->large_table_size - held;
    /* a document filled by another reader may hold more than this one allows */
    return others < reader->limits.memory_max ? reader->limits.memory_max - others : 0;
}

int jsv_document_copy_text(struct jsv_reader *reader, struct jsv_str *text)
{
    struct jsv_document *document = reader->document;
    if (text->size > document->copy_size) {
        if (text->size > jsv_reader_memory_max(reader, document->copy_size)) {
            return -ENOMEM;
        }
        char *copy = jsv_alloc(&document->allocator, text->size);
        if (!copy) {
            return -ENOMEM;
        }
        jsv_dealloc(&document->allocator, document->copy, document->copy_size);
        document->copy = copy;
        document->copy_size = text->size;
    }
    memmove(document->copy, text->data, text->size); /* it may be a part of the last text */
    text->data = document->copy;
    return 0;
}

int jsv_document_grow(struct jsv_reader *reader, size_t node_count, size_t size)
{
    struct jsv_document *document = reader->document;
    size_t nodes_size = node_count * sizeof(struct jsv_node);
    size_t needed = nodes_size + 2 * sizeof(struct jsv_node) + reader->decoded_size + size;
    if (needed <= document->block_size) {
        return 0;
    }
    size_t memory_max = jsv_reader_memory_max(reader, document->block_size);
    size_t wanted = 2 * needed;
    if (wanted > memory_max) {
        wanted = memory_max & ~(sizeof(struct jsv_node) - 1);
    }
    wanted = (wanted + sizeof(struct jsv_node) - 1) & ~(sizeof(struct jsv_node) - 1);
    if (wanted < needed) {
        return -ENOMEM;
    }
    char *block = jsv_alloc(&document->allocator, wanted);
    if (!block) {
        return -ENOMEM;
    }
    if (document->block) {
        memcpy(block, document->block, nodes_size);
        memcpy(
            block + wanted - reader->decoded_size,
            document->block + document->block_size - reader->decoded_size,
            reader->decoded_size);
        jsv_dealloc(&document->allocator, document->block, document->block_size);
    }
    document->block = block;
    document->block_size = wanted;
    return 0;
}
