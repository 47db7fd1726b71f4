/* step.h: an instruction made ready to be executed: the function that executes it, and where its
 * operands are. SPDX-License-Identifier: MIT */
#ifndef MACHINE_STEP_H
#define MACHINE_STEP_H

#include "machine/warp.h"

#include <stdbool.h>

/* A source operand. Its words are vectors that follow one another: of a register and those after
 * it, from `slot` on; or, if `fixed` is not null, of a constant or an immediate, whose words are
 * the same in all lanes (two vectors, so that it may have 64 bits). */
struct gr_source {
    const gr_lanes *fixed;
    uint32_t slot;
    bool negated, absolute, inverted; /* as they are written; what they mean is the instruction's */
    uint8_t select;                   /* of packed operands: which part, as its instruction says */
};

struct gr_step;
/* Executes the step for the lanes of `active`: those of warp->mask for which the guard is true, or
 * of a uniform instruction all 32. It is not 0. */
typedef void gr_step_fn(struct gr_warp *warp, const struct gr_step *step, uint32_t active);

enum { GR_SOURCES = 4 };

struct gr_step {
    gr_step_fn *run;
    uint8_t guard, guard_flip; /* slot of the predicate; 1: it is inverted */
    bool uniform;              /* executed once for the warp, whatever its mask is */
    uint16_t d, d2;            /* slots of the results' first registers */
    uint8_t p_out[2];          /* slots of predicates that are written */
    uint8_t p_in[3];           /* and read */
    uint8_t p_in_flip;         /* bit i: p_in[i] is inverted */
    uint8_t lut, lut2;         /* tables of LOP3 and PLOP3 */
    uint8_t kind,
        rounding;  /* a comparison, a function, a mode: the function that executes it says */
    uint8_t bytes; /* of an access of one lane */
    /* How many steps from this one on are executed by all lanes that are here, and only compute;
     * at most 255. */
    uint8_t straight;
    uint8_t ffmas;  /* and how many of these are FFMA by the same function, this one first */
    uint32_t flags; /* what else the function needs */
    int64_t value;  /* an offset, an immediate, a target */
    void *form; /* what the function needs beyond all that; the program frees it. Null: nothing */
    struct gr_source s[GR_SOURCES];
};

static inline const gr_lanes *gr_source_of(const struct gr_warp *warp,
                                           const struct gr_source *source)
{
    return source->fixed ? source->fixed : &warp->v[source->slot];
}

#endif
