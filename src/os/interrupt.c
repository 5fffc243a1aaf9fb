#include "os/interrupt.h"

#include <signal.h>

#include "os/sys.h"

static volatile sig_atomic_t noted;

/* The handling of each signal before it was watched. */
static struct watch {
    int number;
    bool watched;
    struct sigaction before;
} watches[] = {
    {.number = SIGINT},
    {.number = SIGTERM},
};

#define WATCH_COUNT (sizeof(watches) / sizeof(watches[0]))

static void note(int number)
{
    noted = number;
}

/* A signal that is ignored stays so: shells do that for background processes. */
static int watch_one(struct watch *watch)
{
    int r = os_sys->sigaction(watch->number, NULL, &watch->before);
    if (r < 0 || watch->before.sa_handler == SIG_IGN) {
        return r;
    }
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    r = os_sys->sigaction(watch->number, &action, NULL);
    watch->watched = r == 0;
    return r;
}

int os_interrupt_watch(void)
{
    for (size_t i = 0; i < WATCH_COUNT; i++) {
        int r = watch_one(&watches[i]);
        if (r < 0) {
            os_interrupt_unwatch();
            return r;
        }
    }
    return 0;
}

int os_interrupt_signal(void)
{
    return noted;
}

void os_interrupt_unwatch(void)
{
    for (size_t i = 0; i < WATCH_COUNT; i++) {
        if (watches[i].watched) {
            (void)os_sys->sigaction(watches[i].number, &watches[i].before, NULL);
            watches[i].watched = false;
        }
    }
    noted = 0;
}

int os_interrupt_die(void)
{
    int number = noted;
    os_interrupt_unwatch();
    (void)os_sys->raise(number);
    return 128 + number;
}
