/* analysis.h: the interface of an analysis: it writes one section of an explanation. Each
 * analysis is one file: analysis_<name>.c defines `const struct gr_analysis gr_analysis_<name>`,
 * and the build finds it by its name. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_ANALYSIS_H
#define EXPLAIN_ANALYSIS_H

#include "catalog/variant.h"
#include "code/cubin.h"
#include "records/explanation.h"
#include "plan/workload.h"
#include "records/plan.h"
#include "records/trace.h"
#include "model/device.h"
#include "model/floors.h"
#include "model/occupancy.h"

/* The input of an analysis: one stanza of a kernel, for a problem on a device. Nothing is owned. */
struct gr_analysis_input {
    const struct gr_variant *variant;
    const struct gr_problem *problem;
    const struct gr_device_values *device_values;
    const struct gr_device *device;
    const struct gr_stanza *stanza;
    /* The operations of the whole kernel, and the bytes that it must move; 0 if unknown. */
    double flops, bytes;
    const struct gr_workload *workload; /* the arrays of the kernel; null: those of a GEMM */
    /* Null if the stanza cannot be launched; the reason has been reported. */
    const struct gr_plan_launch *launch;
    const struct gr_code *code;
    const struct gr_code_kernel *kernel; /* from `code`; null if there is no compiler */
    const struct gr_trace *trace;        /* of this stanza's launch; null if it was not simulated */
    bool strict;                         /* reading C with beta 0 is a fault */
    /* The machine code of a stanza uses tensor cores, or without a compiler the source. */
    bool uses_tensor_cores;
};

struct gr_analysis {
    int order; /* the position of its section, in ascending order */
    const char *title;
    bool of_problem; /* the result is the same for all stanzas, so only the first is analyzed */
    /* Returns false if the data that it needs is missing. There is no section then. */
    bool (*applies)(const struct gr_analysis_input *input);
    void (*explain)(const struct gr_analysis_input *input, struct gr_section *section);
};

/* The value of the kernel's parameter or `let` with this name; false if there is none. */
bool gr_input_value(const struct gr_analysis_input *input, const char *name, int64_t *value);
/* Does the stanza take pointers to A and B? */
bool gr_input_multiplies(const struct gr_analysis_input *input);
/* Is it known what the stanza computes? This is true for a stanza that multiplies, and for every
 * stanza of a kernel that states its operations itself. */
bool gr_input_computes(const struct gr_analysis_input *input);
/* Does the source name their instructions or their headers, mma.sync, wgmma, nvcuda::wmma? */
bool gr_source_uses_tensor_cores(const char *source);
/* The floors of this kernel, by the units that it multiplies with; no arithmetic (gflops 0) for
 * tensor cores whose rate is not known. */
struct gr_floors gr_input_floors(const struct gr_analysis_input *input);
/* The floors of any kernel: by tensor cores, if these multiply the types and their rate is known.
 */
struct gr_floors gr_input_least_floors(const struct gr_analysis_input *input, bool *tensor);
/* The threads, and the blocks, of the launch, which must not be null. */
int64_t gr_input_threads(const struct gr_analysis_input *input);
int64_t gr_input_blocks(const struct gr_analysis_input *input);
/* The static and dynamic shared memory of a block; `kernel` and `launch` must not be null. */
int64_t gr_input_smem_bytes(const struct gr_analysis_input *input);
/* The resources that a block of the launch needs; `kernel` and `launch` must not be null. */
struct gr_block_needs gr_input_needs(const struct gr_analysis_input *input);
/* Is it an AMD device? Texts then use AMD's terms: compute units, wavefronts, LDS. */
bool gr_input_is_amd(const struct gr_analysis_input *input);

#endif
