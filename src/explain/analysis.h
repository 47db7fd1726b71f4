/* analysis.h: one way to look at a kernel. One file an analysis: analysis_<name>.c defines `const
 * struct gr_analysis gr_analysis_<name>` and the build finds it by name. SPDX-License-Identifier:
 * MIT */
#ifndef EXPLAIN_ANALYSIS_H
#define EXPLAIN_ANALYSIS_H

#include "catalog/variant.h"
#include "code/cubin.h"
#include "records/explanation.h"
#include "records/plan.h"
#include "records/trace.h"
#include "model/device.h"

/* What is looked at: a stanza of a kernel for a problem on a device. Nothing is owned. */
struct gr_specimen {
    const struct gr_variant *variant;
    const struct gr_problem *problem;
    const struct gr_givens *givens;
    const struct gr_device *device;
    const struct gr_stanza *stanza;
    const struct gr_plan_launch *launch; /* null: it cannot be launched so (the reason is said) */
    const struct gr_code *code;
    const struct gr_code_kernel *kernel; /* in `code`; null: there is no compiler */
    const struct gr_trace *trace;        /* of this stanza's launch; null: it was not simulated */
    bool strict;                         /* reading C at beta 0 is a fault */
};

struct gr_analysis {
    int order; /* of its section, ascending */
    const char *title;
    bool of_problem; /* the same for all stanzas: asked once */
    /* False where the specimen lacks what it needs: there is no section then. */
    bool (*applies)(const struct gr_specimen *specimen);
    void (*explain)(const struct gr_specimen *specimen, struct gr_section *section);
};

/* The kernel's parameter or `let` of that name; false where there is none. */
bool gr_specimen_value(const struct gr_specimen *specimen, const char *name, int64_t *value);
/* True when the stanza takes A and B, by pointer. */
bool gr_specimen_multiplies(const struct gr_specimen *specimen);
/* Threads and blocks of the launch, which is not null. */
int64_t gr_specimen_threads(const struct gr_specimen *specimen);
int64_t gr_specimen_blocks(const struct gr_specimen *specimen);
/* Static and dynamic shared memory of a block; `kernel` and `launch` are not null. */
int64_t gr_specimen_smem_bytes(const struct gr_specimen *specimen);

#endif
