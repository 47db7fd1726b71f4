/* explain.h: what can be told of a kernel without running it. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include "backend/backend.h"
#include "records/explanation.h"
#include "records/trace.h"
#include "gpu/rtc.h"
#include "records/follow.h"
#include "model/device.h"

struct gr_explain {
    const struct gr_variant *variant;
    const struct gr_problem *problem;
    const struct gr_build *build;
    const struct gr_device *device;
    const char *arch;    /* compiled for; "sm_90a" */
    bool simulate;       /* its launches too, where they can be */
    int64_t simulate_ns; /* for that; blocks that stand for others are traced in any case */
    const struct gr_follower *follower; /* told of "compiling" and "simulating"; may be null */
    int threads;                        /* of this machine, for that; 0: all */
    bool scaled;                        /* look for faults with alpha and beta besides */
    bool races;                         /* through global memory are looked for: on one thread */
    bool edges;                         /* look for faults at small edge shapes besides */
    bool reach;       /* look for indices of 32 bits that overflow at greater sizes besides */
    bool strict;      /* reading C at beta 0 is a fault, as it is of a built-in kernel */
    bool code_wanted; /* machine code is what is asked for: where NVRTC refuses the file, fail */
};

/* What was made on the way. Freed with gr_explained_free. */
struct gr_explained {
    struct gr_explanation explanation;
    struct gr_rtc_code cubin; /* length 0: there is no compiler, or it refuses the file */
    char *skip;            /* why there is no machine code, and how to get it; null: there is */
    char *refused;         /* why the kernel cannot be launched for this problem; null: it can */
    bool impossible;       /* and it is the device that refuses, not the file's `require` */
    char notes[256];       /* of the build */
    struct gr_trace traces[GR_MAX_STANZAS]; /* one a launch that was simulated */
    int trace_count;
    struct gr_findings edges; /* faults at other shapes than the problem's, and at other scales */
    struct gr_findings overflows; /* of indices of 32 bits, here or at greater sizes */
    char *untraced; /* why it was not simulated, or not all of it; null: it was, or was not asked to
                       be */
    bool died;      /* the kernel crashed or did not end under simulation: `untraced` says how */
    bool endless;   /* it did not end */
};

/* Compiles the kernel where a compiler is found, lets every analysis tell its part, and judges the
 * `expect` lines. A file that NVRTC refuses and the simulator's compiler takes is explained by the
 * simulator alone. COMPILE: the compiler's words are in error->log. */
enum gradus_status gr_explain(const struct gr_explain *ask, struct gr_explained *explained,
                              struct gradus_error *error);
/* What the device gives to the kernel's expressions. */
struct gr_givens gr_explain_givens(const struct gr_device *device);
void gr_explained_free(struct gr_explained *explained);

#endif
