/* touch.h: no two products that are timed are the same. Before each of them one element of A or of
 * B becomes another, and one of C is spoiled: a few instructions and three cache lines, so that the
 * caches stay as they were, and yet who does not read all of A and B, or leaves C alone, is wrong.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_TOUCH_H
#define MEASURE_TOUCH_H

#include "records/problem.h"

#include <string.h>

enum { GR_TOUCH_VALUES = 4 };

/* What is touched, as a function of the operand set and of how often it was before: the worker does
 * it, and the parent knows what the operands are by then. */
struct gr_touch_plan {
    bool on;
    uint64_t seed; /* another one whenever the sets were filled anew */
    struct {
        int64_t elements, cols, ld;
        int bytes;                            /* of an element */
        unsigned char value[GR_TOUCH_VALUES]; /* each byte of the new element, */
        uint64_t varied; /* but for these bits, which are any; a device's memory is set byte by
                            byte, and 0 */
    } operand[3];        /* A, B, C */
    uint64_t spoiled;    /* what an element of C is spoiled with */
};

/* Touch number `ordinal`, from 1 on, of a set. Places are elements from the start of the operand.
 */
struct gr_touch {
    int operand; /* 0: A, 1: B */
    int64_t at;
    uint64_t value; /* the new element, as far as it has bytes */
    int64_t c_at;
};

/* The touches of an operand set so far. On the host the element before the last touch is put back,
 * so that a set differs from what it was filled with in one element. */
struct gr_touched {
    uint32_t ordinal;         /* of the last touch */
    uint32_t first, prepared; /* of those made ready last, and the highest of all */
    unsigned char *at;        /* the element that the last touch replaced; null: there is none */
    uint64_t old;             /* what it was */
    int bytes;
};

/* A touch made ready: what is left to do of it between two products that are timed together. */
struct gr_touch_step {
    unsigned char *at, *c_at;
    uint64_t value, old; /* of the element; what it was */
    int bytes;
};

/* Steps are given out by as many at most; a sample of more products goes round. */
enum { GR_TOUCH_STEPS = 1024 };

/* `typical`: the size of an element of A, and of B. New elements are so large that what they change
 * in C is beyond its bound, or as large as the type holds. `bytewise`: all bytes of an element are
 * equal. */
void gr_touch_plan_make(const struct gr_problem *problem, const double typical[2], bool bytewise,
                        uint64_t seed, struct gr_touch_plan *plan);

struct gr_touch gr_touch_of(const struct gr_touch_plan *plan, int set, uint32_t ordinal);

/* Makes the next `count` touches of a set ready, whose operands are at those addresses of the host.
 */
void gr_touch_prepare(const struct gr_touch_plan *plan, int set, void *const operands[3],
                      struct gr_touched *touched, int count, struct gr_touch_step *steps);

/* Takes the last touch of the set back, before the first of those that are ready. */
void gr_touch_undo(struct gr_touched *touched);

/* Notes what touch number t of those that were made ready last was the last that was done. */
void gr_touch_done(const struct gr_touch_step *steps, int t, struct gr_touched *touched);

/* An element of C that the last touch of A or B changes the value of; `which` chooses. */
void gr_touch_reaches(const struct gr_touch_plan *plan, const struct gr_problem *problem,
                      const struct gr_touch *touch, uint64_t which, int64_t *row, int64_t *col);

/* A copy of a size that is known to be small. */
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

/* Does touch number t of those that were made ready last, and takes number t - 1 back. In line: it
 * is between products. */
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
