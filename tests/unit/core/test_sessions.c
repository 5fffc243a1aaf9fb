#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/limits.h"
#include "core/sessions.h"
#include "os/sys.h"
#include "unit/os/fault.h"

static struct jsv_str add(struct core_sessions *sessions, char ret_id[static 64])
{
    struct dialect_session *session = dialect_session_new(MCP_VERSION_2025_06_18);
    assert_non_null(session);
    uint64_t retry_ms;
    assert_int_equal(core_sessions_add(sessions, session, &retry_ms), 0);
    memcpy(ret_id, session->id, sizeof(session->id));
    dialect_session_release(session);
    return jsv_str_from(ret_id);
}

static bool has(struct core_sessions *sessions, struct jsv_str id)
{
    struct dialect_session *session = core_sessions_find(sessions, id);
    dialect_session_release(session);
    return session;
}

static void test_added_found_removed(void **state)
{
    (void)state;
    struct core_sessions *sessions = core_sessions_new();
    char first[64];
    char second[64];
    struct jsv_str id = add(sessions, first);
    struct jsv_str other = add(sessions, second);
    assert_int_equal(id.size, DIALECT_SESSION_ID_SIZE);
    assert_false(jsv_str_equal(id, other));
    assert_true(has(sessions, id));
    assert_true(core_sessions_remove(sessions, id));
    assert_false(core_sessions_remove(sessions, id));
    assert_false(has(sessions, id));
    assert_true(has(sessions, other));
    core_sessions_free(sessions);
    core_sessions_free(NULL);
}

static void test_invalid_ids(void **state)
{
    (void)state;
    struct core_sessions *sessions = core_sessions_new();
    assert_false(has(sessions, JSV_STR("")));
    assert_false(has(sessions, JSV_STR("short")));
    assert_false(has(sessions, JSV_STR("0123456789abcdef0123456789abcdef0")));
    assert_false(has(sessions, JSV_STR("\xff\xff\xff\xff~~~~~~~~~~~~~~~~~~~~~~~~~~~~")));
    core_sessions_free(sessions);
}

static uint64_t now;

static uint64_t test_clock(void)
{
    return now;
}

static struct os_sys table;

static int stop_the_clock(void **state)
{
    (void)state;
    now = 1000;
    table = os_sys_real;
    table.now_ms = test_clock;
    os_sys = &table;
    return 0;
}

static int start_the_clock(void **state)
{
    (void)state;
    os_sys = &os_sys_real;
    return 0;
}

#define CLOCK_TEST(test) cmocka_unit_test_setup_teardown(test, stop_the_clock, start_the_clock)

/* @return when there may be room; 0: there is. */
static uint64_t try_to_add(struct core_sessions *sessions)
{
    struct dialect_session *session = dialect_session_new(MCP_VERSION_2025_06_18);
    uint64_t retry_ms = 0;
    int r = core_sessions_add(sessions, session, &retry_ms);
    assert_int_equal(r, retry_ms > 0 ? -ENOSPC : 0);
    dialect_session_release(session);
    return retry_ms;
}

/* Full but for one session, with one that was used. */
static struct core_sessions *almost_full(char ret_id[static 64])
{
    struct core_sessions *sessions = core_sessions_new();
    add(sessions, ret_id);
    for (size_t i = 2; i < CORE_SESSIONS_MAX; i++) {
        assert_int_equal(try_to_add(sessions), 0);
    }
    assert_true(has(sessions, jsv_str_from(ret_id)));
    return sessions;
}

static void test_many_new_sessions_do_not_end_used_ones(void **state)
{
    (void)state;
    char id[64];
    struct core_sessions *sessions = almost_full(id);
    assert_int_equal(try_to_add(sessions), 0);
    assert_int_equal(try_to_add(sessions), CORE_SESSION_UNUSED_MS);
    now += CORE_SESSION_UNUSED_MS - 1;
    assert_int_equal(try_to_add(sessions), 1);
    now++;
    for (size_t i = 1; i < CORE_SESSIONS_MAX; i++) {
        assert_int_equal(try_to_add(sessions), 0); /* in place of one that was never used */
    }
    assert_int_equal(try_to_add(sessions), CORE_SESSION_UNUSED_MS);
    assert_true(has(sessions, jsv_str_from(id)));
    core_sessions_free(sessions);
}

static void test_an_idle_session_is_ended_for_another(void **state)
{
    (void)state;
    char id[64];
    char other[64];
    struct core_sessions *sessions = almost_full(id);
    now += 10;
    add(sessions, other);
    now += CORE_SESSION_UNUSED_MS;
    /* all have been used now, and one most recently */
    struct dialect_session *stream = core_sessions_find(sessions, jsv_str_from(other));
    for (size_t i = 2; i < CORE_SESSIONS_MAX; i++) {
        char used[64];
        add(sessions, used);
        assert_true(has(sessions, jsv_str_from(used)));
    }
    uint64_t left = CORE_SESSION_IDLE_MS - CORE_SESSION_UNUSED_MS - 10;
    assert_int_equal(try_to_add(sessions), left);
    now += left;
    assert_int_equal(try_to_add(sessions), 0);
    assert_false(has(sessions, jsv_str_from(id)));
    /* a session with a stream is in use, however long ago its last request was */
    now += CORE_SESSION_IDLE_MS;
    for (size_t i = 1; i < CORE_SESSIONS_MAX; i++) {
        assert_int_equal(try_to_add(sessions), 0);
    }
    assert_true(try_to_add(sessions) > 0);
    assert_true(has(sessions, jsv_str_from(other)));
    dialect_session_release(stream);
    core_sessions_free(sessions);
}

/* A removed session leaves room at once, although the last search found none. */
static void test_an_ended_session_frees_its_place(void **state)
{
    (void)state;
    char id[64];
    struct core_sessions *sessions = almost_full(id);
    assert_int_equal(try_to_add(sessions), 0);
    assert_int_equal(try_to_add(sessions), CORE_SESSION_UNUSED_MS);
    assert_true(core_sessions_remove(sessions, jsv_str_from(id)));
    assert_int_equal(try_to_add(sessions), 0);
    core_sessions_free(sessions);
}

/* A new session can be ended before used ones, although the last search found none. */
static void test_an_unused_session_is_ended_first(void **state)
{
    (void)state;
    char id[64];
    struct core_sessions *sessions = core_sessions_new();
    for (size_t i = 0; i < CORE_SESSIONS_MAX; i++) {
        add(sessions, id);
        assert_true(has(sessions, jsv_str_from(id)));
    }
    assert_int_equal(try_to_add(sessions), CORE_SESSION_IDLE_MS);
    assert_true(core_sessions_remove(sessions, jsv_str_from(id)));
    assert_int_equal(try_to_add(sessions), 0);
    assert_int_equal(try_to_add(sessions), CORE_SESSION_UNUSED_MS);
    now += CORE_SESSION_UNUSED_MS;
    assert_int_equal(try_to_add(sessions), 0);
    core_sessions_free(sessions);
}

/* The clock is read before the lock is held, so another thread may have used it later than now. */
static void test_a_session_used_a_moment_later_is_not_old(void **state)
{
    (void)state;
    char id[64];
    struct core_sessions *sessions = core_sessions_new();
    now += 5;
    add(sessions, id);
    now -= 5;
    assert_int_equal(try_to_add(sessions), 0);
    assert_true(has(sessions, jsv_str_from(id)));
    core_sessions_free(sessions);
}

static void test_sessions_age(void **state)
{
    (void)state;
    struct core_sessions *sessions = core_sessions_new();
    char first[64];
    char second[64];
    char third[64];
    add(sessions, first);
    add(sessions, second);
    add(sessions, third);
    struct dialect_session *stream = core_sessions_find(sessions, jsv_str_from(second));
    struct dialect_session *forgotten = core_sessions_find(sessions, jsv_str_from(third));
    dialect_session_release(forgotten); /* the directory has it still */
    now += CORE_SESSION_AGE_MS - 1;
    assert_true(has(sessions, jsv_str_from(first)));
    now++;
    assert_true(has(sessions, jsv_str_from(first)));
    assert_true(has(sessions, jsv_str_from(second)));
    assert_false(has(sessions, jsv_str_from(third)));
    now += CORE_SESSION_AGE_MS;
    add(sessions, third); /* and all that are too old go */
    assert_false(core_sessions_remove(sessions, jsv_str_from(first)));
    assert_true(core_sessions_remove(sessions, jsv_str_from(second)));
    dialect_session_release(stream);
    core_sessions_free(sessions);
}

struct ear {
    struct core_sessions_listener listener;
    unsigned heard;
};

static void on_told(struct core_sessions_listener *listener)
{
    ((struct ear *)listener)->heard++;
    loop_stop(listener->loop);
}

/* One call for all changes meanwhile; is_over of the session tells what happened. */
static void test_listeners_are_told(void **state)
{
    (void)state;
    struct core_sessions *sessions = core_sessions_new();
    struct loop *loop;
    assert_int_equal(loop_new(&loop), 0);
    struct ear ear = {.listener = {.loop = loop, .changed = on_told}};
    struct ear other = {.listener = {.loop = loop, .changed = on_told}};
    core_sessions_join(sessions, &ear.listener);
    core_sessions_join(sessions, &other.listener);
    core_sessions_leave(sessions, &other.listener);
    core_sessions_leave(sessions, &other.listener);
    char first[64];
    char second[64];
    add(sessions, first);
    add(sessions, second);
    struct dialect_session *session = core_sessions_find(sessions, jsv_str_from(first));
    assert_false(session->is_over);
    assert_true(core_sessions_remove(sessions, jsv_str_from(first)));
    assert_true(core_sessions_remove(sessions, jsv_str_from(second)));
    assert_true(session->is_over);
    assert_int_equal(loop_run(loop), 0);
    assert_int_equal(ear.heard, 1);
    assert_int_equal(other.heard, 0);
    add(sessions, second);
    assert_true(core_sessions_remove(sessions, jsv_str_from(second)));
    assert_int_equal(loop_run(loop), 0);
    assert_int_equal(ear.heard, 2);
    core_sessions_tell(sessions);
    core_sessions_tell(sessions);
    assert_int_equal(loop_run(loop), 0);
    assert_int_equal(ear.heard, 3);
    dialect_session_release(session);
    core_sessions_leave(sessions, &ear.listener);
    loop_free(loop);
    core_sessions_free(sessions);
}

static void test_no_memory(void **state)
{
    (void)state;
    fault_arm(FAULT_RESIZE, 1, ENOMEM);
    assert_null(core_sessions_new());
    assert_true(fault.hit);
    fault_disarm();
}

static ssize_t no_random(void *out, size_t size)
{
    (void)out;
    (void)size;
    return -EIO;
}

static void test_no_random_numbers(void **state)
{
    (void)state;
    table = os_sys_real;
    table.getrandom = no_random;
    struct core_sessions *sessions = core_sessions_new();
    struct dialect_session *session = dialect_session_new(MCP_VERSION_2025_06_18);
    os_sys = &table;
    uint64_t retry_ms;
    assert_int_equal(core_sessions_add(sessions, session, &retry_ms), -EIO);
    os_sys = &os_sys_real;
    dialect_session_release(session);
    core_sessions_free(sessions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_added_found_removed),
        cmocka_unit_test(test_invalid_ids),
        CLOCK_TEST(test_many_new_sessions_do_not_end_used_ones),
        CLOCK_TEST(test_an_idle_session_is_ended_for_another),
        CLOCK_TEST(test_an_ended_session_frees_its_place),
        CLOCK_TEST(test_an_unused_session_is_ended_first),
        CLOCK_TEST(test_a_session_used_a_moment_later_is_not_old),
        CLOCK_TEST(test_sessions_age),
        cmocka_unit_test(test_listeners_are_told),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_no_random_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
