/*
 * Noticing that what is served has changed on disk (inotify). One change
 * seldom comes alone: an editor writes, renames, removes. So the owner is told
 * once, when things have been quiet for a moment, and at the latest a second
 * after the first change.
 *
 * Directories below the examples' root are watched as well; links to
 * directories are not followed.
 */
#pragma once

struct app_watch;
struct catalog_options;
struct loop;

typedef void app_watch_changed(void *owner);

/**
 * Watch the roots of a catalog.
 * @param roots Must outlive the watch.
 * @return 0 or -errno; -ENOSPC when the system's watches are used up.
 */
int app_watch_new(
    struct loop *loop,
    const struct catalog_options *roots,
    app_watch_changed *changed,
    void *owner,
    struct app_watch **ret_watch);
/** Accepts NULL. */
void app_watch_free(struct app_watch *watch);

/** Watch directories that are new. @return 0 or -errno. */
int app_watch_refresh(struct app_watch *watch);
