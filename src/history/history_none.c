/* history_none.c: replaces the history in a build without SQLite. SPDX-License-Identifier: MIT */
#include "history/history.h"

#include "core/error.h"

#ifndef GRADUS_HAVE_SQLITE

static enum gradus_status refuse(struct gradus_error *error)
{
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "history: found a gradus built without SQLite, which keeps no history: apt-get "
                   "install libsqlite3-dev, then build again");
}

bool gr_history_is_built(void)
{
    return false;
}

const char *gr_history_sqlite_version(void)
{
    return "";
}

enum gradus_status gr_history_open(const char *path, bool to_write, struct gr_history **history,
                                   struct gradus_error *error)
{
    (void)path;
    (void)to_write;
    *history = NULL;
    return refuse(error);
}

const char *gr_history_notice(const struct gr_history *history)
{
    (void)history;
    return NULL;
}

void gr_history_close(struct gr_history *history)
{
    (void)history;
}

enum gradus_status gr_history_begin_run(struct gr_history *history, struct gr_history_run *run,
                                        struct gradus_error *error)
{
    (void)history;
    (void)run;
    return refuse(error);
}

enum gradus_status gr_history_end_run(struct gr_history *history, const struct gr_history_run *run,
                                      struct gradus_error *error)
{
    (void)history;
    (void)run;
    return refuse(error);
}

enum gradus_status gr_history_add(struct gr_history *history, const struct gr_history_entry *entry,
                                  struct gradus_error *error)
{
    (void)history;
    (void)entry;
    return refuse(error);
}

enum gradus_status gr_history_read(struct gr_history *history, const char *since,
                                   struct gr_history_list *list, struct gradus_error *error)
{
    (void)history;
    (void)since;
    *list = (struct gr_history_list){0};
    return refuse(error);
}

enum gradus_status gr_history_last(struct gr_history *history, const char *machine,
                                   const struct gr_history_entry *like, bool *found,
                                   struct gr_history_entry *last, struct gradus_error *error)
{
    (void)history;
    (void)machine;
    (void)like;
    *found = false;
    *last = (struct gr_history_entry){0};
    return refuse(error);
}

#endif
