/* pair_touch.h: the parent's pair of inputs as an operand set of the worker's holds it by now.
 * SPDX-License-Identifier: MIT */
#ifndef MEASURE_PAIR_TOUCH_H
#define MEASURE_PAIR_TOUCH_H

#include "check/pair.h"
#include "measure/touch.h"

/* Undone by gr_pair_untouch. Start with {0}. */
struct gr_pair_touches {
    struct gr_pair_touch {
        int operand;
        int64_t at;
        uint64_t old;
    } * list;
    int count;
    struct gr_reference *untouched; /* the pair's own */
};

/* The size of an element of A ('A') or B of a pair; NaN where one is not finite. */
double gr_pair_typical(const struct gr_pair *pair, char operand);

/* Touches `pair`, its reference included, as set `set` was: `all` of the touches up to number
 * `ordinal`, or that one. */
enum gradus_status gr_pair_touch(struct gr_pair *pair, const struct gr_touch_plan *plan, int set,
                                 uint32_t ordinal, bool all, struct gr_pair_touches *touches,
                                 struct gradus_error *error);
void gr_pair_untouch(struct gr_pair *pair, const struct gr_touch_plan *plan,
                     struct gr_pair_touches *touches);

#endif
