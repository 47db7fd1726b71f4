/* pair_touch.c: the touches of a set, done again on the parent's copy of its inputs. SPDX-License-Identifier: MIT */
#include "lab/pair_touch.h"

#include "base/error.h"

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

/* Puts other bytes into an element; the reference follows. */
static void put(struct gr_pair *pair, const struct gr_touch_plan *plan, int operand, int64_t at,
                const void *bytes)
{
    const struct gr_problem *p = &pair->problem;
    enum gr_dtype type = gr_problem_type(p, "AB"[operand]);
    int64_t ld = plan->operand[operand].ld;
    unsigned char *elements = operand == 0 ? pair->a : pair->b;
    double old = gr_element(type, elements, at);
    memcpy(elements + at * plan->operand[operand].bytes, bytes,
           (size_t)plan->operand[operand].bytes);
    gr_reference_change(pair->reference, "AB"[operand], at / ld, at % ld, old);
}

enum gradus_status gr_pair_touch(struct gr_pair *pair, const struct gr_touch_plan *plan, int set,
                                 uint32_t ordinal, bool all, struct gr_pair_touches *touches,
                                 struct gradus_error *error)
{
    uint32_t first = all ? 1 : ordinal;
    *touches = (struct gr_pair_touches){0};
    if (!plan->on || ordinal == 0)
        return GRADUS_OK;
    touches->list = malloc((size_t)(ordinal - first + 1) * sizeof *touches->list);
    if (!touches->list)
        return gr_fail_memory(error, "what was changed in the operands", ordinal);
    for (uint32_t i = first; i <= ordinal; i++) {
        struct gr_touch touch = gr_touch_of(plan, set, i);
        struct gr_pair_touch *now = &touches->list[touches->count++];
        const unsigned char *elements = touch.operand == 0 ? pair->a : pair->b;
        size_t size = (size_t)plan->operand[touch.operand].bytes;
        *now = (struct gr_pair_touch){touch.operand, touch.at, 0};
        memcpy(&now->old, elements + (size_t)touch.at * size, size);
        put(pair, plan, touch.operand, touch.at, &touch.value);
    }
    return GRADUS_OK;
}

void gr_pair_untouch(struct gr_pair *pair, const struct gr_touch_plan *plan,
                     struct gr_pair_touches *touches)
{
    while (touches->count-- > 0) {
        const struct gr_pair_touch *last = &touches->list[touches->count];
        put(pair, plan, last->operand, last->at, &last->old);
    }
    free(touches->list);
    *touches = (struct gr_pair_touches){0};
}
