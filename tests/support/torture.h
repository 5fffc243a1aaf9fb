/*
 * An allocator for tests that watches its caller and can be told to fail.
 *
 * It asserts that every block is given back with the pointer and the size it
 * was made with, moves a block whenever it is resized (so that a stale pointer
 * is seen by the sanitizers), fills new memory with junk, refuses 4 GiB and
 * more, and knows what is still alive. Failed assertions are cmocka's: use it
 * inside a test.
 */
#pragma once

#include <jsv/jsv.h>

struct torture_block {
    void *memory;
    size_t size;
};

struct torture {
    struct jsv_allocator allocator; /* hand out &torture.allocator; the torture must not move */
    size_t calls;                   /* that asked for memory: all but those that free */
    size_t fail_at;                 /* the call that fails, from 1; 0 for none */
    size_t live_bytes;
    size_t peak_bytes;
    size_t live_count;
    struct torture_block *live;
    size_t live_capacity;
};

/* Make an allocator whose fail_at-th call fails, and no other; 0 for none. */
void torture_init(struct torture *torture, size_t fail_at);
/* Whether the call that was to fail has come. */
bool torture_has_failed(const struct torture *torture);
/* Assert that everything was given back, and clean up. */
void torture_done(struct torture *torture);

/* What is run again and again. @return 0, or -ENOMEM when an allocation failed. */
typedef int torture_scenario(const struct jsv_allocator *allocator, void *state);

/*
 * Run the scenario with its first allocation failing, then with its second,
 * and so on until none fails. Each time it must say -ENOMEM, the last time 0,
 * and each time it must have given back all memory.
 *
 * @return how many allocations there were, each of which failed once.
 */
size_t torture_run(torture_scenario *scenario, void *state);
