/* touch.h: makes all timed GEMMs different. Before each of them one element of A or B is changed
 * and one of C is overwritten. That takes a few instructions and three cache lines, so the
 * caches hardly change, and yet a kernel that does not read all of A and B, or does not write C,
 * gives a wrong result. SPDX-License-Identifier: MIT */
#ifndef MEASURE_TOUCH_H
#define MEASURE_TOUCH_H

#include "records/problem.h"

#include <string.h>

enum { GR_TOUCH_VALUES = 4 };

/* The changes, as a function of the operand set and of the number of earlier changes. The worker
 * makes them, and the parent can compute the present operands. */
struct gr_touch_plan {
    bool on;
    uint64_t seed; /* differs each time the sets are filled */
    struct {
        int64_t elements, cols, ld;
        int bytes; /* of an element */
        /* Every byte of the new element, but for the bits `varied`. */
        unsigned char value[GR_TOUCH_VALUES];
        /* The bits of `value` that may vary; 0 on a device, whose memory is set byte by byte. */
        uint64_t varied;
    } operand[3];     /* A, B, C */
    uint64_t spoiled; /* the value that overwrites an element of C */
};

/* Touch number `ordinal` (from 1) of a set. Places are element indices from the start of the
 * operand. */
struct gr_touch {
    int operand; /* 0: A, 1: B */
    int64_t at;
    uint64_t value; /* the new element, in its low bytes */
    int64_t c_at;
};

/* The touches that an operand set has had so far. On the host a touch restores the element that
 * the previous one changed, so that a set differs from its initial content in one element. */
struct gr_touched {
    uint32_t ordinal; /* of the last touch */
    /* Of the touches prepared last; prepared: the highest ordinal of all. */
    uint32_t first, prepared;
    unsigned char *at; /* the element that the last touch changed; null: none */
    uint64_t old;      /* its previous value */
    int bytes;
};

/* A prepared touch: the part that must be done between two GEMMs that are timed together. */
struct gr_touch_step {
    unsigned char *at, *c_at;
    uint64_t value, old; /* the new and the previous value of the element */
    int bytes;
};

/* The largest number of prepared steps; a sample of more GEMMs reuses them cyclically. */
enum { GR_TOUCH_STEPS = 1024 };

/* `typical`: the typical magnitudes of an element of A and of B. New elements are so large that
 * their effect on C exceeds its error bound, or as large as the type allows. `bytewise`: all
 * bytes of an element are equal. */
void gr_touch_plan_make(const struct gr_problem *problem, const double typical[2], bool bytewise,
                        uint64_t seed, struct gr_touch_plan *plan);

struct gr_touch gr_touch_of(const struct gr_touch_plan *plan, int set, uint32_t ordinal);

/* Prepares the next `count` touches of a set whose operands are at those host addresses. */
void gr_touch_prepare(const struct gr_touch_plan *plan, int set, void *const operands[3],
                      struct gr_touched *touched, int count, struct gr_touch_step *steps);

/* Undoes the last touch of the set, before the first of the prepared ones is applied. */
void gr_touch_undo(struct gr_touched *touched);

/* Records that prepared touch number t was the last one that was applied. */
void gr_touch_done(const struct gr_touch_step *steps, int t, struct gr_touched *touched);

/* An element of C whose value the last touch of A or B changes; `which` selects one of them. */
void gr_touch_reaches(const struct gr_touch_plan *plan, const struct gr_problem *problem,
                      const struct gr_touch *touch, uint64_t which, int64_t *row, int64_t *col);

/* Copies a few bytes without a call of memcpy. */
static inline void gr_touch_copy(void *to, const void *from, int bytes)
{
    switch (bytes) {
    case 1:
        memcpy(to, from, 1);
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    default:
        memcpy(to, from, 8);
    }
}

/* Applies prepared touch number t and undoes number t - 1. It is inline because it runs between
 * timed GEMMs. */
static inline void gr_touch_step(const struct gr_touch_plan *plan, struct gr_touch_step *steps,
                                 int t)
{
    struct gr_touch_step *step = &steps[t % GR_TOUCH_STEPS];
    const struct gr_touch_step *last = &steps[(unsigned)(t - 1) % GR_TOUCH_STEPS];
    if (t > 0)
        gr_touch_copy(last->at, &last->old, last->bytes);
    gr_touch_copy(&step->old, step->at, step->bytes);
    gr_touch_copy(step->at, &step->value, step->bytes);
    gr_touch_copy(step->c_at, &plan->spoiled, plan->operand[2].bytes);
}

#endif
