/* touch.h: no two products that are timed are the same. Before each of them one element of A or of B becomes another, and one of C
 * is spoiled: a few instructions and three cache lines, so that the caches stay as they were, and yet who does not read all
 * of A and B, or leaves C alone, is wrong. SPDX-License-Identifier: MIT */
#ifndef LAB_TOUCH_H
#define LAB_TOUCH_H

#include "core/problem.h"

enum { GR_TOUCH_VALUES = 4 };

/* What is touched, as a function of the operand set and of how often it was before: the worker does it, and the parent knows what
 * the operands are by then. */
struct gr_touch_plan {
    bool on;
    uint64_t seed; /* another one whenever the sets were filled anew */
    struct {
        int64_t elements, cols, ld;
        int bytes;                            /* of an element */
        unsigned char value[GR_TOUCH_VALUES]; /* each byte of the new element */
    } operand[3];                             /* A, B, C */
};

/* Touch number `ordinal`, from 1 on, of a set. Places are elements from the start of the operand. */
struct gr_touch {
    int operand; /* 0: A, 1: B */
    int64_t at;
    unsigned char value;
    int64_t c_at;
};

/* The touches of an operand set so far. On the host the element before the last touch is put back, so that a set differs from
 * what it was filled with in one element. */
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
    uint64_t value;
    int bytes;
};

/* Steps are given out by as many at most; a sample of more products goes round. */
enum { GR_TOUCH_STEPS = 1024 };

/* `typical`: the size of an element of A, and of B. New elements are so large that what they change in C is
 * beyond its bound, or as large as the type holds. */
void gr_touch_plan_make(const struct gr_problem *problem, const double typical[2], uint64_t seed,
                        struct gr_touch_plan *plan);

struct gr_touch gr_touch_of(const struct gr_touch_plan *plan, int set, uint32_t ordinal);

/* Makes the next `count` touches of a set ready, whose operands are at those addresses of the host. */
void gr_touch_prepare(const struct gr_touch_plan *plan, int set, void *const operands[3],
                      struct gr_touched *touched, int count, struct gr_touch_step *steps);

/* Does number i of the `count` steps that were prepared last. */
void gr_touch_step(const struct gr_touch_plan *plan, const struct gr_touch_step *steps, int i,
                   struct gr_touched *touched);

/* An element of C that the last touch of A or B changes the value of; `which` chooses. */
void gr_touch_reaches(const struct gr_touch_plan *plan, const struct gr_problem *problem,
                      const struct gr_touch *touch, uint64_t which, int64_t *row, int64_t *col);

#endif
