/* child.h: the parent's side of a worker process: starts it, sends requests, and finds out how
 * it died. Kernels run in a worker, so that one that crashes or hangs costs its own row only.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_CHILD_H
#define MEASURE_CHILD_H

#include "measure/protocol.h"

#include <sys/types.h>

/* How a worker ended unexpectedly. */
enum gr_death {
    GR_DEATH_NONE,
    GR_DEATH_SIGNAL,
    GR_DEATH_EXIT,
    GR_DEATH_TIMEOUT,
    GR_DEATH_FAULT /* a kernel's fault on a device destroyed the worker's context */
};

struct gr_child {
    pid_t pid;    /* 0: none */
    int lifeline; /* base/spawn.h */
    int socket;
    int mailbox_fd;
    int threads, callers;
    struct gr_mailbox *mailbox;
    struct gr_arena *arena; /* shared with the worker; not owned */
    enum gr_death death;    /* of the last worker */
    int death_code;         /* the signal or the exit status */
    char death_text[512];   /* describes a device's fault */
};

/* Starts this program's own binary (or the one in GRADUS_WORKER) as a worker that shares
 * `arena`. */
enum gradus_status gr_child_start(struct gr_child *child, struct gr_arena *arena, int threads,
                                  int callers, struct gradus_error *error);
/* Sends a request and waits for the reply, at most limit_ns. An error in the worker is returned
 * as this call's error. CRASHED, TIMED_OUT: the worker is gone, and child->death says how;
 * INTERRUPTED (base/stop.h): it is gone too. */
enum gradus_status gr_child_ask(struct gr_child *child, const struct gr_request *request,
                                struct gr_reply *reply, int64_t limit_ns,
                                struct gradus_error *error);
/* Ends the worker if there is one, and frees what the child holds. */
void gr_child_stop(struct gr_child *child);

#endif
