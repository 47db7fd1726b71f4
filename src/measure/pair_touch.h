/* pair_touch.h: updates the parent's pair of inputs to the present content of one of the
 * worker's operand sets. SPDX-License-Identifier: MIT */
#ifndef MEASURE_PAIR_TOUCH_H
#define MEASURE_PAIR_TOUCH_H

#include "check/pair.h"
#include "measure/touch.h"

/* What gr_pair_untouch needs to restore the pair. Start with {0}. */
struct gr_pair_touches {
    struct gr_pair_touch {
        int operand;
        int64_t at;
        uint64_t old;
    } * list;
    int count;
    struct gr_reference *untouched; /* the pair's original reference */
};

/* The typical magnitude of an element of A ('A') or B of a pair; NaN if an element is not
 * finite. */
double gr_pair_typical(const struct gr_pair *pair, char operand);

/* Applies to `pair` and its reference the touches that operand set `set` has had: all up to
 * number `ordinal` if `all`, else only that one. */
enum gradus_status gr_pair_touch(struct gr_pair *pair, const struct gr_touch_plan *plan, int set,
                                 uint32_t ordinal, bool all, struct gr_pair_touches *touches,
                                 struct gradus_error *error);
void gr_pair_untouch(struct gr_pair *pair, const struct gr_touch_plan *plan,
                     struct gr_pair_touches *touches);

#endif
