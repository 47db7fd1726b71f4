/* pair_touch.c: repeats the touches of an operand set on the parent's copy of its inputs.
 * SPDX-License-Identifier: MIT */
#include "measure/pair_touch.h"

#include "core/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double gr_pair_typical(const struct gr_pair *pair, char operand)
{
    const struct gr_problem *p = &pair->problem;
    const void *elements = operand == 'A' ? pair->a : pair->b;
    int64_t rows = gr_problem_rows(p, operand), cols = gr_problem_cols(p, operand);
    double squares = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            double value = gr_element(gr_problem_type(p, operand), elements,
                                      i * gr_problem_ld(p, operand) + j);
            squares += isfinite(value) ? value * value : (double)NAN;
        }
    return sqrt(squares / fmax(1, (double)rows * (double)cols));
}

/* The address of an element of A (0) or B (1). */
static unsigned char *element(const struct gr_pair *pair, const struct gr_touch_plan *plan,
                              int operand, int64_t at)
{
    return (unsigned char *)(operand == 0 ? pair->a : pair->b) + at * plan->operand[operand].bytes;
}

/* Writes the new element, and remembers the old one. */
static void write_touch(struct gr_pair *pair, const struct gr_touch_plan *plan,
                        const struct gr_touch *touch, struct gr_pair_touch *kept)
{
    size_t bytes = (size_t)plan->operand[touch->operand].bytes;
    unsigned char *at = element(pair, plan, touch->operand, touch->at);
    *kept = (struct gr_pair_touch){touch->operand, touch->at, 0};
    memcpy(&kept->old, at, bytes);
    memcpy(at, &touch->value, bytes);
}

/* The same, and updates the reference. */
static void follow_touch(struct gr_pair *pair, const struct gr_touch_plan *plan,
                         const struct gr_touch *touch, struct gr_pair_touch *kept)
{
    const char operand = "AB"[touch->operand];
    const int64_t ld = plan->operand[touch->operand].ld;
    const double old = gr_element(gr_problem_type(&pair->problem, operand),
                                  element(pair, plan, touch->operand, touch->at), 0);
    write_touch(pair, plan, touch, kept);
    gr_reference_change(pair->reference, operand, touch->at / ld, touch->at % ld, old);
}

enum gradus_status gr_pair_touch(struct gr_pair *pair, const struct gr_touch_plan *plan, int set,
                                 uint32_t ordinal, bool all, struct gr_pair_touches *touches,
                                 struct gradus_error *error)
{
    uint32_t first = all ? 1 : ordinal;
    *touches = (struct gr_pair_touches){0};
    if (!plan->on || ordinal == 0)
        return GRADUS_OK;
    /* A GPU computes many products, so the same set may have been touched many times; then the
     * reference is computed anew. */
    const bool anew = ordinal - first > gr_reference_worth_changes(pair->reference);
    touches->list = malloc((size_t)(ordinal - first + 1) * sizeof *touches->list);
    struct gr_reference *touched = NULL;
    if (touches->list && !anew)
        touched = gr_reference_copy(pair->reference);
    if (!touches->list || (!anew && !touched)) {
        free(touches->list);
        *touches = (struct gr_pair_touches){0};
        return gr_fail_memory(error, "the reference of an operand set", 0);
    }
    touches->untouched = pair->reference;
    if (!anew)
        pair->reference = touched;
    for (uint32_t i = first; i <= ordinal; i++) {
        const struct gr_touch touch = gr_touch_of(plan, set, i);
        (anew ? write_touch : follow_touch)(pair, plan, &touch, &touches->list[touches->count++]);
    }
    if (!anew)
        return GRADUS_OK;
    enum gradus_status status = gr_reference_again(touches->untouched, &touched, error);
    pair->reference = touched;
    if (status != GRADUS_OK)
        gr_pair_untouch(pair, plan, touches);
    return status;
}

void gr_pair_untouch(struct gr_pair *pair, const struct gr_touch_plan *plan,
                     struct gr_pair_touches *touches)
{
    if (!touches->untouched)
        return;
    gr_reference_free(pair->reference);
    pair->reference = touches->untouched;
    while (touches->count-- > 0) {
        const struct gr_pair_touch *last = &touches->list[touches->count];
        memcpy(element(pair, plan, last->operand, last->at), &last->old,
               (size_t)plan->operand[last->operand].bytes);
    }
    free(touches->list);
    *touches = (struct gr_pair_touches){0};
}
