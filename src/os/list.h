/*
 * Doubly linked lists through the items themselves, which have members `next`
 * and `previous` of their own type:
 *
 *     struct peer { struct peer *next; struct peer *previous; … };
 *     OS_LIST_OF(struct peer) peers;    of zero bytes: empty
 *
 *     os_list_append(&peers, peer);
 *     for (struct peer *peer = peers.first; peer; peer = peer->next) { … }
 *     os_list_remove(&peers, peer);
 *
 * Nothing is allocated. Arguments are evaluated more than once.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define OS_LIST_OF(type)                                                                           \
    struct {                                                                                       \
        type *first;                                                                               \
        type *last;                                                                                \
    }

#define os_list_append(list, item)                                                                 \
    do {                                                                                           \
        (item)->next = NULL;                                                                       \
        (item)->previous = (list)->last;                                                           \
        *((list)->last ? &(list)->last->next : &(list)->first) = (item);                           \
        (list)->last = (item);                                                                     \
    } while (0)

#define os_list_prepend(list, item)                                                                \
    do {                                                                                           \
        (item)->previous = NULL;                                                                   \
        (item)->next = (list)->first;                                                              \
        *((list)->first ? &(list)->first->previous : &(list)->last) = (item);                      \
        (list)->first = (item);                                                                    \
    } while (0)

/* The item must be in this list. */
#define os_list_remove(list, item)                                                                 \
    do {                                                                                           \
        *((item)->previous ? &(item)->previous->next : &(list)->first) = (item)->next;             \
        *((item)->next ? &(item)->next->previous : &(list)->last) = (item)->previous;              \
        (item)->next = (item)->previous = NULL;                                                    \
    } while (0)

/** The struct of a type that `pointer` points to a member of. */
#define os_container_of(pointer, type, member)                                                     \
    ((type *)((uintptr_t)(pointer)-offsetof(type, member)))
