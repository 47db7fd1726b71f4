/* request.h: the request for an explanation, and its results. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_REQUEST_H
#define EXPLAIN_REQUEST_H

#include "backend/backend.h"
#include "code/code.h"
#include "records/explanation.h"
#include "records/trace.h"
#include "gpu/rtc.h"
#include "plan/workload.h"
#include "records/follow.h"
#include "model/device.h"

struct gr_explain {
    const struct gr_variant *variant;
    const struct gr_problem *problem;
    const struct gr_build *build;
    const struct gr_device *device;
    const char *arch;      /* the target: "sm_90a" */
    bool simulate;         /* also trace its launches, if possible */
    enum gr_engine engine; /* GR_ENGINE_BOTH: the counts are those of the machine code, if there is
                              any, and the faults those of the source */
    /* Set by gr_simulate: the machine code that is executed. */
    const struct gr_code *code;
    const struct gr_rtc_code *cubin;
    /* The time limit for tracing; blocks that represent others are traced even beyond it. */
    int64_t simulate_ns;
    bool all_blocks; /* every block is traced, beyond that limit too, and none represents others */
    const struct gr_follower *follower; /* receives "compiling" and "simulating"; may be null */
    int threads;                        /* host threads for tracing; 0: all */
    bool scaled;                        /* also look for faults with other alpha and beta */
    bool races;       /* look for races through global memory, which takes a single thread */
    bool edges;       /* also look for faults at small edge shapes */
    bool reach;       /* also look for 32-bit indices that overflow at larger sizes */
    bool strict;      /* reading C with beta 0 is a fault, as it is for a built-in kernel */
    bool code_wanted; /* machine code is required: fail if NVRTC rejects the file */
};

/* The results besides the explanation. Free it with gr_explained_free. */
struct gr_explained {
    struct gr_workload workload; /* what the kernel computes at this problem */
    struct gr_explanation explanation;
    struct gr_rtc_code cubin; /* length 0: there is no compiler, or it rejects the file */
    char *skip;      /* why there is no machine code, and how to get it; null if there is */
    char *refused;   /* why the kernel cannot be launched for this problem; null if it can */
    bool impossible; /* the device refuses the launch, not a `require` of the file */
    char notes[256]; /* about the build */
    struct gr_trace traces[GR_MAX_STANZAS]; /* one per simulated launch */
    int trace_count;
    struct gr_findings edges;     /* faults at other shapes, or with other alpha and beta */
    struct gr_findings overflows; /* of 32-bit indices, at this size or larger ones */
    /* Why the kernel was not simulated, or only in part; null if it was, or if this was not
     * requested. */
    char *untraced;
    char *unexecuted; /* why the machine code was not executed, so that the counts are those of the
                         source; null if it was executed, or is not NVIDIA's */
    bool code_died;   /* the kernel crashed in its machine code; `unexecuted` says how */
    bool died; /* the kernel crashed or did not terminate in the simulation; `untraced` says how */
    bool endless; /* it did not terminate */
};

#endif
