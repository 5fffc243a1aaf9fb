/*
 * Input: bytes as a peer would send them. They go through the whole pipeline
 * over a connection in memory, cut into pieces as the first byte says. Every
 * answer is one line of JSON; there is at most one for each line that was
 * sent; and how the bytes are cut makes no difference to them.
 */
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "core/conn.h"
#include "core/limits.h"
#include "core/sessions.h"
#include "core/worker.h"
#include "envelope/schemas.h"
#include "fuzz.h"
#include "loop/loop.h"
#include "mcp/definitions.h"
#include "os/sys.h"

static struct loop *loop;
static struct core_worker *worker;
static struct core_settings settings;
static struct jsv_reader *reader;
static struct jsv_document *document;

struct talk {
    struct core_conn conn;
    struct jsv_buf answers;
    size_t count;
};

static struct talk *talk_of(struct core_conn *conn)
{
    return (struct talk *)((char *)conn - offsetof(struct talk, conn));
}

static void check_line(struct jsv_str text)
{
    struct jsv_error error;
    FUZZ_CHECK(!memchr(text.data, '\n', text.size));
    FUZZ_CHECK(jsv_read(reader, document, text, 0, &error) == 0);
}

static void take_message(struct core_conn *conn, struct jsv_str text)
{
    struct talk *talk = talk_of(conn);
    check_line(text);
    jsv_buf_append_str(&talk->answers, text);
    jsv_buf_append_byte(&talk->answers, '\n');
}

static void take_answer(struct core_conn *conn, const struct core_answer *answer)
{
    if (answer->text.data) {
        talk_of(conn)->count++;
        take_message(conn, answer->text);
    }
}

static bool can_push(struct core_conn *conn)
{
    (void)conn;
    return true;
}

static void ignore(struct core_conn *conn)
{
    (void)conn;
}

static const struct core_conn_ops peer = {
    .answer = take_answer,
    .push = take_message,
    .can_push = can_push,
    .hang_up = ignore,
    .resume = ignore,
    .idle = ignore,
};

/* Times and chance are in some answers, and both conversations have to be the same. */
static uint64_t no_microseconds(void)
{
    return 0;
}

static int64_t no_time(void)
{
    return 0;
}

static ssize_t no_chance(void *out, size_t size)
{
    memset(out, 0, size);
    return (ssize_t)size;
}

static void stop_clocks(void)
{
    static struct os_sys fixed_sys;
    fixed_sys = os_sys_real;
    fixed_sys.now_us = no_microseconds;
    fixed_sys.wall_seconds = no_time;
    fixed_sys.wall_ms = no_time;
    fixed_sys.getrandom = no_chance;
    os_sys = &fixed_sys;
}

static void start(void)
{
    stop_clocks();
    struct mcp_fault fault;
    struct catalog *catalog;
    const char *wrong;
    struct catalog_options options = {0};
    options.tools = tools_descriptors(&options.tool_count);
    FUZZ_CHECK(catalog_load(&options, NULL, NULL, NULL, &catalog, &wrong) == 0);
    FUZZ_CHECK(mcp_definitions_new(NULL, &settings.definitions, &fault) == 0);
    FUZZ_CHECK(envelope_schemas_new(NULL, &settings.envelopes) == 0);
    settings.sessions = core_sessions_new();
    settings.tools.batch_max = CORE_BATCH_MAX;
    FUZZ_CHECK(loop_new(&loop) == 0);
    FUZZ_CHECK(core_worker_new(loop, &settings, catalog, &worker) == 0);
    const struct jsv_limits limits = {.depth_max = 2 * CORE_DEPTH_MAX};
    reader = jsv_reader_new(NULL, &limits);
    document = jsv_document_new(NULL);
}

/* @param piece Bytes handed in at a time; 0: all. */
static struct talk converse(struct jsv_str bytes, size_t piece)
{
    struct talk talk = {0};
    struct rpc_frames frames;
    struct rpc_frame frame;
    jsv_buf_init(&talk.answers, NULL, SIZE_MAX);
    rpc_frames_init(&frames, CORE_FRAME_SIZE_MAX);
    core_conn_init(&talk.conn, &peer, worker, CORE_TRANSPORT_SOCKET);
    while (bytes.size > 0) {
        char *data;
        size_t room;
        FUZZ_CHECK(rpc_frames_space(&frames, &data, &room) == 0);
        size_t size = bytes.size < room ? bytes.size : room;
        size = piece > 0 && size > piece ? piece : size;
        memcpy(data, bytes.data, size);
        rpc_frames_filled(&frames, size);
        while (rpc_frames_next(&frames, &frame)) {
            core_handle(&talk.conn, &frame);
        }
        bytes.data += size;
        bytes.size -= size;
    }
    if (rpc_frames_last(&frames, &frame)) {
        core_handle(&talk.conn, &frame);
    }
    core_conn_finish(&talk.conn);
    core_conn_done(&talk.conn);
    rpc_frames_done(&frames);
    return talk;
}

static size_t count_lines(struct jsv_str bytes)
{
    size_t count = 1;
    for (size_t i = 0; i < bytes.size; i++) {
        count += bytes.data[i] == '\n';
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!worker) {
        start();
    }
    if (size < 1) {
        return 0;
    }
    struct jsv_str bytes = {(const char *)data + 1, size - 1};
    struct talk whole = converse(bytes, 0);
    struct talk cut = converse(bytes, 1 + data[0] % 64);
    FUZZ_CHECK(whole.count <= count_lines(bytes));
    FUZZ_CHECK(jsv_str_equal(jsv_buf_str(&whole.answers), jsv_buf_str(&cut.answers)));
    jsv_buf_done(&whole.answers);
    jsv_buf_done(&cut.answers);
    return 0;
}
