/* child.h: the parent's end of a worker: spawning it, asking it, and learning how it died.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_CHILD_H
#define MEASURE_CHILD_H

#include "measure/protocol.h"

#include <sys/types.h>

/* How a worker ended when it should not have. */
enum gr_death {
    GR_DEATH_NONE,
    GR_DEATH_SIGNAL,
    GR_DEATH_EXIT,
    GR_DEATH_TIMEOUT,
    GR_DEATH_FAULT /* a kernel's fault on a device has cost the worker its context */
};

struct gr_child {
    pid_t pid;    /* 0: none */
    int lifeline; /* base/spawn.h */
    int socket;
    int mailbox_fd;
    int threads;
    struct gr_mailbox *mailbox;
    struct gr_arena *arena; /* not owned */
    enum gr_death death;    /* of the last worker */
    int death_code;         /* signal or exit status */
    char death_text[512];   /* of a fault */
};

/* Spawns this program's own binary (GRADUS_WORKER names another) as a worker on `arena`. */
enum gradus_status gr_child_start(struct gr_child *child, struct gr_arena *arena, int threads,
                                  struct gradus_error *error);
/* Asks and waits for the answer, at most limit_ns. The worker's own failures come back as its
 * status and text. CRASHED, TIMED_OUT: the worker is gone, child->death says how;
 * INTERRUPTED (base/stop.h): it is gone as well. */
enum gradus_status gr_child_ask(struct gr_child *child, const struct gr_request *request,
                                struct gr_reply *reply, int64_t limit_ns,
                                struct gradus_error *error);
/* Ends the worker, if any, and frees what the child holds. */
void gr_child_stop(struct gr_child *child);

#endif
