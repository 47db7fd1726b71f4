/* step.h: an instruction that is prepared for execution: the function that executes it, and the
 * places of its operands. SPDX-License-Identifier: MIT */
#ifndef MACHINE_STEP_H
#define MACHINE_STEP_H

#include "machine/warp.h"

#include <stdbool.h>

/* A source operand. Its words are consecutive vectors: those of a register and the registers after
 * it, from `slot` on; or, if `fixed` is not null, those of a constant or an immediate, which are
 * the same in all lanes (two vectors, for up to 64 bits). */
struct gr_source {
    const gr_lanes *fixed;
    uint32_t slot;
    /* As they are written; their meaning depends on the instruction. */
    bool negated, absolute, inverted;
    uint8_t select; /* for packed operands: which part is read, as defined by the instruction */
};

struct gr_step;
/* Executes the step for the lanes of `active`, which is never 0. These are the lanes of warp->mask
 * for which the guard is true; for a uniform instruction, all 32. */
typedef void gr_step_fn(struct gr_warp *warp, const struct gr_step *step, uint32_t active);

enum { GR_SOURCES = 4 };

struct gr_step {
    gr_step_fn *run;
    uint8_t guard, guard_flip; /* the slot of the guard predicate; 1: it is inverted */
    bool uniform;              /* executed once for the warp, whatever its mask is */
    uint16_t d, d2;            /* the slots of the first registers of the results */
    uint8_t p_out[2];          /* the slots of predicates that are written */
    uint8_t p_in[3];           /* the slots of predicates that are read */
    uint8_t p_in_flip;         /* bit i: p_in[i] is inverted */
    uint8_t lut, lut2;         /* the truth tables of LOP3 and PLOP3 */
    uint8_t kind,
        /* A comparison, a function or a mode: defined by the function that executes the step. */
        rounding;
    uint8_t bytes; /* the size of one lane's access */
    /* The number of steps from this one on that are executed by all lanes of the current path and
     * only compute; at most 255. */
    uint8_t straight;
    uint8_t ffmas;  /* how many of these, from this one on, are FFMA by the same function */
    uint32_t flags; /* flags that the function defines */
    int64_t value;  /* an offset, an immediate or a target */
    void *form;     /* further data for the function, which the program frees; may be null */
    struct gr_source s[GR_SOURCES];
};

static inline const gr_lanes *gr_source_of(const struct gr_warp *warp,
                                           const struct gr_source *source)
{
    return source->fixed ? source->fixed : &warp->v[source->slot];
}

#endif
