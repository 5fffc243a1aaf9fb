#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "os/list.h"

struct item {
    char name;
    struct item *next;
    struct item *previous;
};

static OS_LIST_OF(struct item) list;

/* Forwards and backwards. */
static void assert_list(const char *names)
{
    const char *at = names;
    for (const struct item *item = list.first; item; item = item->next) {
        assert_int_equal(item->name, *at++);
    }
    assert_int_equal(*at, '\0');
    for (const struct item *item = list.last; item; item = item->previous) {
        assert_int_equal(item->name, *--at);
    }
    assert_ptr_equal(at, names);
}

static void test_items_keep_their_order(void **state)
{
    (void)state;
    struct item a = {.name = 'a'};
    struct item b = {.name = 'b'};
    struct item c = {.name = 'c'};
    assert_list("");
    os_list_append(&list, &b);
    os_list_append(&list, &c);
    os_list_prepend(&list, &a);
    assert_list("abc");
    os_list_remove(&list, &b);
    assert_list("ac");
    assert_null(b.next);
    assert_null(b.previous);
    os_list_remove(&list, &a);
    assert_list("c");
    os_list_remove(&list, &c);
    assert_list("");
    os_list_prepend(&list, &c);
    os_list_append(&list, &a);
    os_list_remove(&list, &a);
    assert_list("c");
}

static void test_container_of_a_member(void **state)
{
    (void)state;
    struct item item = {0};
    assert_ptr_equal(os_container_of(&item.previous, struct item, previous), &item);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items_keep_their_order),
        cmocka_unit_test(test_container_of_a_member),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
