#include "torture.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define JUNK 0xA5

/* More than any test needs: a caller that asks for so much must be able to hear no. */
#define SIZE_REFUSED ((size_t)1 << 32)

static size_t find_block(const struct torture *torture, const void *memory)
{
    /* Backwards: what was made last is mostly given back first. */
    size_t i = torture->live_count;
    while (i > 0 && torture->live[i - 1].memory != memory) {
        i--;
    }
    assert_int_not_equal(i, 0);
    return i - 1;
}

static void *make_block(struct torture *torture, size_t size)
{
    if (torture->live_count == torture->live_capacity) {
        torture->live_capacity = torture->live_capacity * 2 + 16;
        torture->live = realloc(torture->live, torture->live_capacity * sizeof torture->live[0]);
        assert_non_null(torture->live);
    }
    void *memory = malloc(size);
    assert_non_null(memory);
    memset(memory, JUNK, size);
    torture->live[torture->live_count++] = (struct torture_block){memory, size};
    torture->live_bytes += size;
    if (torture->live_bytes > torture->peak_bytes) {
        torture->peak_bytes = torture->live_bytes;
    }
    return memory;
}

static void drop_block(struct torture *torture, size_t index)
{
    struct torture_block *block = &torture->live[index];
    torture->live_bytes -= block->size;
    free(block->memory);
    *block = torture->live[--torture->live_count];
}

static void *torture_resize(void *context, void *memory, size_t old_size, size_t new_size)
{
    struct torture *torture = context;
    size_t index = 0;
    if (memory) {
        index = find_block(torture, memory);
        assert_int_equal(torture->live[index].size, old_size);
    } else {
        assert_int_equal(old_size, 0);
        assert_int_not_equal(new_size, 0);
    }
    if (new_size >= SIZE_REFUSED || (new_size > 0 && ++torture->calls == torture->fail_at)) {
        return NULL;
    }
    void *moved = new_size > 0 ? make_block(torture, new_size) : NULL;
    if (memory && moved) {
        memcpy(moved, memory, old_size < new_size ? old_size : new_size);
    }
    if (memory) {
        drop_block(torture, index);
    }
    return moved;
}

void torture_init(struct torture *torture, size_t fail_at)
{
    *torture = (struct torture){
        .allocator = {.resize = torture_resize, .context = torture},
        .fail_at = fail_at,
    };
}

bool torture_has_failed(const struct torture *torture)
{
    return torture->fail_at > 0 && torture->calls >= torture->fail_at;
}

void torture_done(struct torture *torture)
{
    assert_int_equal(torture->live_count, 0);
    assert_int_equal(torture->live_bytes, 0);
    free(torture->live);
    torture->live = NULL;
    torture->live_capacity = 0;
}

size_t torture_run(torture_scenario *scenario, void *state)
{
    for (size_t fail_at = 1;; fail_at++) {
        struct torture torture;
        torture_init(&torture, fail_at);
        int error = scenario(&torture.allocator, state);
        bool failed = torture_has_failed(&torture);
        assert_int_equal(error, failed ? -ENOMEM : 0);
        torture_done(&torture);
        if (!failed) {
            return torture.calls;
        }
    }
}
