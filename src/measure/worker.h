/* worker.h: the state of the worker process, for the files that implement it: worker.c serves
 * requests, samples.c takes samples. SPDX-License-Identifier: MIT */
#ifndef MEASURE_WORKER_H
#define MEASURE_WORKER_H

#include "base/rng.h"
#include "measure/mirror.h"
#include "measure/protocol.h"
#include "measure/touch.h"
#include "measure/work_guard.h"
#include "peer/peer.h"

struct gr_caller;  /* measure/sample_callers.c */
struct gr_callers; /* measure/callers.h */

/* A loaded kernel. */
struct gr_worker_kernel {
    struct gr_artifact artifact;
    void *loaded;             /* by the backend; null: none */
    bool bound;               /* it has a work item of its own */
    struct gr_work_item item; /* for bursts in which several kernels take turns */
};

struct gr_worker {
    int threads; /* of each product */
    int callers; /* that compute at the same time in a sample; 0: one */
    struct gr_caller *caller;
    struct gr_callers *crew;
    int *calls; /* of each caller in the last sample */
    struct gr_mirror mirror;
    struct gr_mailbox *mailbox;
    const struct gr_backend *backend;
    void *device; /* opened by the backend */
    struct gr_worker_kernel kernels[GR_MAX_KERNELS];
    struct gr_peer *peers[GR_MAX_PEERS];
    int peer_count;
    struct gr_work_guard work_guard; /* of a trial's buffers */
    struct gr_scratch scratch; /* the buffers of all kernels, which use them one after another */
    double touch_ns;
    uint64_t touch_seed; /* of the following members */
    struct gr_rng rng;
    struct gr_touched touched[GR_MAX_SETS];
    struct gr_touch_step steps[GR_TOUCH_STEPS];
};

/* The operands and scalars of an item, and its share of the `work` buffers. */
struct gr_launch gr_worker_launch(const struct gr_worker *worker, const struct gr_work_item *item);
struct gr_scratch gr_worker_scratch(const struct gr_worker *worker,
                                    const struct gr_work_item *item);

/* A work item with operand set `set` of the rotation, and a launch with its operands. */
struct gr_work_item gr_worker_rotated(const struct gr_request *request, int set);
void gr_worker_take_set(const struct gr_worker *worker, const struct gr_request *request, int set,
                        struct gr_launch *launch);

/* The work item of candidate `e` of a burst: its arguments, buffers and plan. */
const struct gr_work_item *gr_worker_item(const struct gr_worker *worker,
                                          const struct gr_request *request, int e);
/* Is it a kernel that has a work item of its own? Then others may have used its buffers. */
bool gr_worker_takes_turns(const struct gr_worker *worker, int candidate);

/* Submits one GEMM of one candidate; and what runs before its first GEMM: its buffers are made, and
 * its untimed launches run. */
enum gradus_status gr_worker_enqueue(struct gr_worker *worker, int candidate,
                                     const struct gr_work_item *item, struct gr_launch *launch,
                                     const struct gr_scratch *scratch, struct gradus_error *error);
enum gradus_status gr_worker_prepare(struct gr_worker *worker, int candidate,
                                     const struct gr_work_item *item, struct gradus_error *error);

/* Runs a burst of interleaved samples, as a GR_OP_TIME request describes it. */
enum gradus_status gr_worker_time(struct gr_worker *worker, const struct gr_request *request,
                                  struct gr_reply *reply, struct gradus_error *error);

#endif
