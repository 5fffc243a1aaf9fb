/*
 * Lines out of bytes, however these arrive.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "os/sys.h"
#include "rpc/frame.h"
#include "rpc/pool.h"
#include "support/json_fixture.h"

#define LIMIT 64

static void give(struct rpc_frames *frames, const char *bytes, size_t size)
{
    while (size > 0) {
        char *data;
        size_t room;
        assert_int_equal(rpc_frames_space(frames, &data, &room), 0);
        assert_true(room > 0);
        size_t part = size < room ? size : room;
        memcpy(data, bytes, part);
        rpc_frames_filled(frames, part);
        bytes += part;
        size -= part;
    }
}

static void expect(struct rpc_frames *frames, const char *line)
{
    struct rpc_frame frame;
    assert_true(rpc_frames_next(frames, &frame));
    assert_false(frame.oversize);
    assert_int_equal(frame.text.size, strlen(line));
    assert_memory_equal(frame.text.data, line, strlen(line));
}

static void expect_none(struct rpc_frames *frames)
{
    struct rpc_frame frame;
    assert_false(rpc_frames_next(frames, &frame));
}

static void expect_oversize(struct rpc_frames *frames)
{
    struct rpc_frame frame;
    assert_true(rpc_frames_next(frames, &frame));
    assert_true(frame.oversize);
}

static void lines_end_with_lf_or_crlf(void **state)
{
    (void)state;
    struct rpc_frames frames;
    rpc_frames_init(&frames, LIMIT);
    give(&frames, "a\nbc\r\n\n  \r\n\t\nd\n", 16);
    expect(&frames, "a");
    expect(&frames, "bc");
    expect(&frames, "d");
    expect_none(&frames);
    rpc_frames_done(&frames);
}

static void every_split_gives_the_same_lines(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":1}\r\n\r\nsecond line\nthird\r\n";
    for (size_t split = 0; split < sizeof(text) - 1; split++) {
        struct rpc_frames frames;
        struct rpc_frame frame;
        struct jsv_buf seen;
        jsv_buf_init(&seen, NULL, 1024);
        rpc_frames_init(&frames, LIMIT);
        for (int part = 0; part < 2; part++) {
            size_t from = part == 0 ? 0 : split;
            size_t to = part == 0 ? split : sizeof(text) - 1;
            give(&frames, text + from, to - from);
            while (rpc_frames_next(&frames, &frame)) {
                jsv_buf_append_str(&seen, frame.text);
                jsv_buf_append_byte(&seen, '|');
            }
        }
        assert_true(jsv_str_equal(jsv_buf_str(&seen), JSV_STR("{\"a\":1}|second line|third|")));
        jsv_buf_done(&seen);
        rpc_frames_done(&frames);
    }
}

static void last_line_may_lack_its_end(void **state)
{
    (void)state;
    struct rpc_frames frames;
    struct rpc_frame frame;
    rpc_frames_init(&frames, LIMIT);
    give(&frames, "a\nlast\r", 7);
    expect(&frames, "a");
    expect_none(&frames);
    assert_true(rpc_frames_last(&frames, &frame));
    assert_int_equal(frame.text.size, 4);
    assert_false(rpc_frames_last(&frames, &frame));
    rpc_frames_done(&frames);
    rpc_frames_init(&frames, LIMIT);
    assert_false(rpc_frames_last(&frames, &frame));
    rpc_frames_done(&frames);
}

static void the_limit_is_exact(void **state)
{
    (void)state;
    char line[LIMIT + 4];
    memset(line, 'x', sizeof(line));
    for (int crlf = 0; crlf < 2; crlf++) {
        struct rpc_frames frames;
        rpc_frames_init(&frames, LIMIT);
        give(&frames, line, LIMIT);
        expect_none(&frames);
        give(&frames, &"\r\n"[1 - crlf], (size_t)crlf + 1);
        struct rpc_frame frame;
        assert_true(rpc_frames_next(&frames, &frame));
        assert_false(frame.oversize);
        assert_int_equal(frame.text.size, LIMIT);
        give(&frames, line, LIMIT + 1);
        expect_oversize(&frames);
        give(&frames, "\nnext\n", 6);
        expect(&frames, "next");
        expect_none(&frames);
        rpc_frames_done(&frames);
    }
}

static void oversize_is_reported_once_and_at_once(void **state)
{
    (void)state;
    struct rpc_frames frames;
    char line[LIMIT + 1];
    memset(line, 'x', sizeof(line));
    rpc_frames_init(&frames, LIMIT);
    give(&frames, line, sizeof(line));
    expect_oversize(&frames);
    for (int i = 0; i < 1000; i++) {
        give(&frames, line, sizeof(line));
        expect_none(&frames);
    }
    assert_true(frames.chunk->capacity <= LIMIT + 2);
    struct rpc_frame frame;
    assert_false(rpc_frames_last(&frames, &frame));
    give(&frames, "\nnext\n", 6);
    expect(&frames, "next");
    rpc_frames_done(&frames);
}

static void a_retained_frame_stays_as_it_is(void **state)
{
    (void)state;
    struct rpc_frames frames;
    struct rpc_frame frame;
    rpc_frames_init(&frames, LIMIT);
    give(&frames, "keep me\nand ", 12);
    assert_true(rpc_frames_next(&frames, &frame));
    struct rpc_chunk *chunk = rpc_chunk_retain(frame.chunk);
    give(&frames, "me\n", 3);
    assert_ptr_not_equal(frames.chunk, chunk);
    expect(&frames, "and me");
    assert_memory_equal(frame.text.data, "keep me", 7);
    rpc_chunk_release(chunk);
    rpc_chunk_release(NULL);
    rpc_frames_done(&frames);
}

static void long_lines_grow_the_memory_and_short_ones_give_it_back(void **state)
{
    (void)state;
    size_t size = (size_t)1 << 20;
    char *line = malloc(size + 1);
    struct rpc_frames frames;
    struct rpc_frame frame;
    memset(line, 'y', size);
    line[size] = '\n';
    rpc_frames_init(&frames, size);
    give(&frames, line, size + 1);
    assert_true(rpc_frames_next(&frames, &frame));
    assert_int_equal(frame.text.size, size);
    assert_true(frames.chunk->capacity <= size + 2);
    give(&frames, "a\n", 2);
    assert_true(frames.chunk->capacity < 64 * 1024);
    expect(&frames, "a");
    rpc_frames_done(&frames);
    free(line);
}

static void many_lines_in_one_chunk_are_not_copied(void **state)
{
    (void)state;
    struct rpc_frames frames;
    struct rpc_frame frame;
    rpc_frames_init(&frames, LIMIT);
    give(&frames, "one\ntwo\nthree\n", 14);
    const char *data = frames.chunk->data;
    assert_true(rpc_frames_next(&frames, &frame));
    assert_ptr_equal(frame.text.data, data);
    assert_true(rpc_frames_next(&frames, &frame));
    assert_ptr_equal(frame.text.data, data + 4);
    rpc_frames_done(&frames);
}

static void empty_chunks_return_to_the_pool(void **state)
{
    (void)state;
    struct rpc_pool pool;
    struct rpc_frames frames;
    struct rpc_frames others;
    rpc_pool_init(&pool);
    rpc_frames_init(&frames, 100000);
    rpc_frames_init(&others, 100000);
    rpc_frames_share(&frames, &pool);
    rpc_frames_share(&others, &pool);
    give(&frames, "one\n", 4);
    const struct rpc_chunk *chunk = frames.chunk;
    expect(&frames, "one");
    assert_int_equal(pool.chunk_count, 0); /* there might be another line in it */
    expect_none(&frames);
    assert_null(frames.chunk);
    assert_int_equal(pool.chunk_count, 1);
    assert_ptr_equal(pool.chunks[0], chunk);
    give(&others, "two\n", 4);
    assert_ptr_equal(others.chunk, chunk);
    assert_int_equal(pool.chunk_count, 0);
    give(&frames, "th", 2); /* at the same time */
    assert_ptr_not_equal(frames.chunk, chunk);
    expect(&others, "two");
    expect_none(&others);
    expect_none(&frames);
    give(&frames, "ree\n", 4);
    expect(&frames, "three");
    expect_none(&frames);
    assert_null(frames.chunk);
    assert_int_equal(pool.chunk_count, 2);
    assert_ptr_equal(pool.chunks[0], chunk);
    rpc_frames_done(&frames);
    rpc_frames_done(&others);
    rpc_pool_done(&pool);
}

/* So many read before the first is worked on; one more than that gives its memory back. */
static void a_round_of_readers_is_served(void **state)
{
    (void)state;
    static struct rpc_frames readers[RPC_POOL_SPARES_MAX + 1];
    struct rpc_pool pool;
    rpc_pool_init(&pool);
    for (size_t i = 0; i < RPC_POOL_SPARES_MAX + 1; i++) {
        rpc_frames_init(&readers[i], 100000);
        rpc_frames_share(&readers[i], &pool);
        give(&readers[i], "line\n", 5);
    }
    for (size_t i = 0; i < RPC_POOL_SPARES_MAX + 1; i++) {
        expect(&readers[i], "line");
        expect_none(&readers[i]);
        assert_null(readers[i].chunk);
        assert_int_equal(pool.chunk_count, i < RPC_POOL_SPARES_MAX ? i + 1 : RPC_POOL_SPARES_MAX);
        rpc_frames_done(&readers[i]);
    }
    rpc_pool_done(&pool);
}

static void a_kept_buffer_is_not_shared(void **state)
{
    (void)state;
    struct rpc_pool pool;
    struct rpc_frames frames;
    struct rpc_frame frame;
    rpc_pool_init(&pool);
    rpc_frames_init(&frames, 100000);
    rpc_frames_share(&frames, &pool);
    give(&frames, "kept\n", 5);
    assert_true(rpc_frames_next(&frames, &frame));
    rpc_chunk_retain(frame.chunk);
    expect_none(&frames);
    assert_int_equal(pool.chunk_count, 0);
    give(&frames, "other\n", 6);
    expect(&frames, "other");
    expect_none(&frames);
    assert_true(jsv_str_equal(frame.text, JSV_STR("kept")));
    rpc_chunk_release(frame.chunk);
    rpc_frames_done(&frames);
    rpc_pool_done(&pool);
}

static void the_rest_of_a_long_line_is_not_kept(void **state)
{
    (void)state;
    struct rpc_pool pool;
    struct rpc_frames frames;
    char line[LIMIT + 1];
    memset(line, 'x', sizeof(line));
    rpc_pool_init(&pool);
    rpc_frames_init(&frames, LIMIT);
    rpc_frames_share(&frames, &pool);
    give(&frames, line, sizeof(line));
    expect_oversize(&frames);
    give(&frames, line, sizeof(line));
    expect_none(&frames);
    assert_null(frames.chunk);
    give(&frames, "x\ngood\n", 7);
    expect(&frames, "good");
    rpc_frames_done(&frames);
    rpc_pool_done(&pool);
}

static unsigned allocations_left;

static void *poor_resize(void *memory, size_t size)
{
    if (size > 0 && allocations_left == 0) {
        return NULL;
    }
    allocations_left -= size > 0;
    return os_sys_real.resize(memory, size);
}

static void without_memory_nothing_is_lost(void **state)
{
    (void)state;
    struct os_sys poor = os_sys_real;
    struct rpc_frames frames;
    char *data;
    size_t room;
    char line[20000];
    memset(line, 'x', sizeof(line));
    poor.resize = poor_resize;
    os_sys = &poor;
    allocations_left = 0;
    rpc_frames_init(&frames, 100000);
    assert_int_equal(rpc_frames_space(&frames, &data, &room), -ENOMEM);
    allocations_left = 1;
    assert_int_equal(rpc_frames_space(&frames, &data, &room), 0);
    memset(data, 'x', room);
    rpc_frames_filled(&frames, room);
    assert_int_equal(rpc_frames_space(&frames, &data, &room), -ENOMEM);
    allocations_left = 10;
    give(&frames, line, sizeof(line));
    give(&frames, "\n", 1);
    struct rpc_frame frame;
    assert_true(rpc_frames_next(&frames, &frame));
    assert_true(frame.text.size > sizeof(line));
    rpc_frames_done(&frames);
    os_sys = &os_sys_real;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_with_lf_or_crlf),
        cmocka_unit_test(every_split_gives_the_same_lines),
        cmocka_unit_test(last_line_may_lack_its_end),
        cmocka_unit_test(the_limit_is_exact),
        cmocka_unit_test(oversize_is_reported_once_and_at_once),
        cmocka_unit_test(a_retained_frame_stays_as_it_is),
        cmocka_unit_test(long_lines_grow_the_memory_and_short_ones_give_it_back),
        cmocka_unit_test(many_lines_in_one_chunk_are_not_copied),
        cmocka_unit_test(empty_chunks_return_to_the_pool),
        cmocka_unit_test(a_round_of_readers_is_served),
        cmocka_unit_test(a_kept_buffer_is_not_shared),
        cmocka_unit_test(the_rest_of_a_long_line_is_not_kept),
        cmocka_unit_test(without_memory_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
