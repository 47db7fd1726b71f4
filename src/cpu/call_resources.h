/* call_resources.h: the threads and the memory of one call. SPDX-License-Identifier: MIT */
#ifndef CPU_CALL_RESOURCES_H
#define CPU_CALL_RESOURCES_H

#include "cpu/fp_state.h"
#include "cpu/workspace.h"

#include <gradus/gradus.h>

/* A context is a workspace that one call at a time may enter. */
struct gradus_context {
    struct gr_workspace workspace;
    _Atomic(int) entered;
};

struct gr_call_resources {
    struct gr_workspace workspace;  /* its `threads` is 0 if there was no memory for it */
    struct gr_workspace *source;    /* the workspace that it is a copy of, or null */
    struct gradus_context *context; /* the context that the call has entered, or null */
    struct gr_fp fp; /* the caller's, whose traps are off until the resources are given back */
};

/* The number of threads that a call may use if its work keeps `worth` of them busy. No threads are
 * reserved, so the call may get fewer. */
int gr_call_threads(const struct gradus_gemm *gemm, int worth);
/* Takes `threads` threads, and memory: that of the call's workspace, else that of its context, else
 * the library's own. A context serves one call at a time; a second call gets only its own
 * thread. */
void gr_call_resources_take(struct gr_call_resources *resources, const struct gradus_gemm *gemm,
                            int threads);
void gr_call_resources_give(struct gr_call_resources *resources);

/* The part of a workspace that is used begins at a multiple of this, since the caller's address may
 * have any alignment. */
enum { GR_LENT_ALIGNMENT = 64 };

#endif
