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
    assert_int_equal(core_sessions_add(sessions, session), 0);
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

static void test_ids_that_are_none(void **state)
{
    (void)state;
    struct core_sessions *sessions = core_sessions_new();
    assert_false(has(sessions, JSV_STR("")));
    assert_false(has(sessions, JSV_STR("short")));
    assert_false(has(sessions, JSV_STR("0123456789abcdef0123456789abcdef0")));
    assert_false(has(sessions, JSV_STR("\xff\xff\xff\xff~~~~~~~~~~~~~~~~~~~~~~~~~~~~")));
    core_sessions_free(sessions);
}

static uint64_t now = 1000;

static uint64_t test_clock(void)
{
    return now++;
}

/* When there are as many as there may be, the one that was not used for longest makes room. */
static void test_oldest_makes_room(void **state)
{
    (void)state;
    struct os_sys table = os_sys_real;
    table.now_ms = test_clock;
    os_sys = &table;
    struct core_sessions *sessions = core_sessions_new();
    char first[64];
    char second[64];
    char id[64];
    add(sessions, first);
    add(sessions, second);
    for (size_t i = 2; i < CORE_SESSIONS_MAX; i++) {
        add(sessions, id);
    }
    assert_true(has(sessions, jsv_str_from(first))); /* now used more recently than the second */
    add(sessions, id);
    assert_true(has(sessions, jsv_str_from(first)));
    assert_false(has(sessions, jsv_str_from(second)));
    core_sessions_free(sessions);
    os_sys = &os_sys_real;
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

/* Told once for all that happened meanwhile; the session itself knows whether it has ended. */
static void test_listeners_are_told(void **state)
{
    (void)state;
    struct core_sessions *sessions = core_sessions_new();
    struct loop *loop;
    assert_int_equal(loop_new(&loop), 0);
    struct ear ear = {.listener = {.loop = loop, .told = on_told}};
    struct ear other = {.listener = {.loop = loop, .told = on_told}};
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
    struct os_sys table = os_sys_real;
    table.getrandom = no_random;
    struct core_sessions *sessions = core_sessions_new();
    struct dialect_session *session = dialect_session_new(MCP_VERSION_2025_06_18);
    os_sys = &table;
    assert_int_equal(core_sessions_add(sessions, session), -EIO);
    os_sys = &os_sys_real;
    dialect_session_release(session);
    core_sessions_free(sessions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_added_found_removed),
        cmocka_unit_test(test_ids_that_are_none),
        cmocka_unit_test(test_oldest_makes_room),
        cmocka_unit_test(test_listeners_are_told),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_no_random_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
