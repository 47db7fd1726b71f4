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
    struct gr_workspace workspace;  /* its `threads` is 0 where no memory could be had */
    struct gr_workspace *source;    /* where it came from and goes back to, or null */
    struct gradus_context *context; /* which was entered, or null */
    struct gr_fp fp; /* of the caller, whose traps wait until the resources are given back */
};

/* The threads that a call may use if its work is worth `worth` of them. It asks for nothing: a call
 * may find fewer. */
int gr_call_threads(const struct gradus_gemm *gemm, int worth);
/* Gets so many threads, and the memory that the call brought, or else the context's or the
 * library's own. A context that another call is in serves no second one: that call has its own
 * thread alone. */
void gr_call_resources_take(struct gr_call_resources *resources, const struct gradus_gemm *gemm,
                            int threads);
void gr_call_resources_give(struct gr_call_resources *resources);

/* Lent memory begins here: the workspace that a caller brings has any alignment. */
enum { GR_LENT_ALIGNMENT = 64 };

#endif
