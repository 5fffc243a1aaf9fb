/*
 * Watches the served directories for changes (inotify). Changes usually come in
 * bursts: an editor writes, renames, removes. So the callback runs once, when
 * nothing has changed for a moment, and at the latest one second after the
 * first change.
 *
 * Subdirectories of the examples directory are watched as well; links to
 * directories are not followed.
 */
#pragma once

struct app_watch;
struct catalog_options;
struct loop;

typedef void app_watch_changed(void *owner);

/**
 * Watch the directories of a catalog.
 * @param roots Must outlive the watch.
 * @return 0 or -errno; -ENOSPC when the system allows no more watches.
 */
int app_watch_new(
    struct loop *loop,
    const struct catalog_options *roots,
    app_watch_changed *changed,
    void *owner,
    struct app_watch **ret_watch);
/** Accepts NULL. */
void app_watch_free(struct app_watch *watch);

/** Also watch new subdirectories. @return 0 or -errno. */
int app_watch_refresh(struct app_watch *watch);
