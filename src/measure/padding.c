/* padding.c: determines which leading dimensions may be enlarged, and by how much.
 * SPDX-License-Identifier: MIT */
#include "measure/padding.h"

#include "core/error.h"

#include <stdio.h>
#include <string.h>

static int64_t *ld_of(struct gr_problem *p, int operand)
{
    return operand == 0 ? &p->lda : operand == 1 ? &p->ldb : &p->ldc;
}

static bool admits(const struct gr_variant *variant, const struct gr_problem *problem)
{
    struct gradus_error why = {0};
    const bool ok = !variant || gr_variant_admits(variant, problem, NULL, &why) == GRADUS_OK;
    gradus_error_clear(&why);
    return ok;
}

/* A different amount for each operand, so that swapped leading dimensions are detected, and odd
 * if the kernel does not require more, so that wrong assumptions about alignment are detected
 * too. */
static int64_t longer(int64_t ld, int operand, int64_t unit)
{
    static const int64_t odd[] = {5, 7, 6}, even[] = {2, 3, 1};
    if (unit == 1)
        return ld + odd[operand];
    return (ld + unit - 1) / unit * unit + even[operand] * unit;
}

/* The smallest unit, from `unit` on, by which this operand alone may be padded; 0: none. */
static int64_t unit_of(const struct gr_variant *variant, const struct gr_problem *problem,
                       int operand, int64_t unit)
{
    for (; unit <= GR_PADDING_UNIT_MOST; unit *= 2) {
        struct gr_problem p = *problem;
        *ld_of(&p, operand) = longer(*ld_of(&p, operand), operand, unit);
        if (admits(variant, &p))
            return unit;
    }
    return 0;
}

bool gr_padding_of(const struct gr_variant *variant, const struct gr_problem *problem, int64_t unit,
                   struct gr_problem *padded)
{
    bool any = false;
    *padded = *problem;
    for (int i = 0; i < 3; i++) {
        struct gr_problem before = *padded;
        int64_t step = unit_of(variant, problem, i, unit);
        if (step == 0)
            continue;
        *ld_of(padded, i) = longer(*ld_of(padded, i), i, step);
        for (int j = 0; j < i; j++)
            *ld_of(padded, i) += *ld_of(padded, i) == *ld_of(padded, j) ? 3 * step : 0;
        if (admits(variant, padded))
            any = true;
        else
            *padded = before;
    }
    for (int64_t step = unit; !any && step <= GR_PADDING_UNIT_MOST; step *= 2) {
        int64_t ld = 0; /* equal leading dimensions, for a kernel that requires lda == ldb */
        for (int i = 0; i < 3; i++)
            ld = *ld_of(padded, i) > ld ? *ld_of(padded, i) : ld;
        struct gr_problem p = *problem;
        p.lda = p.ldb = p.ldc = longer(ld, 2, step);
        any = admits(variant, &p);
        if (any)
            *padded = p;
    }
    return any;
}

void gr_padding_excluded(const struct gr_variant *variant, const struct gr_problem *problem,
                         char names[24])
{
    struct gr_problem padded;
    *names = 0;
    if (!variant)
        return;
    struct gr_kernel free_kernel = *variant->kernel; /* without the requirements of its author */
    struct gr_variant freed = *variant;
    free_kernel.require_count = 0;
    freed.kernel = &free_kernel;
    struct gr_problem dense = *problem;
    const bool any = gr_padding_of(variant, problem, 1, &padded);
    for (int i = 0; i < 3; i++) {
        const bool tried = any && *ld_of(&padded, i) != *ld_of(&dense, i);
        if (tried || unit_of(&freed, problem, i, 1) == 0)
            continue;
        const size_t used = strlen(names);
        snprintf(names + used, 24 - used, "%sld%c", used ? ", " : "",
                 variant->kernel->mirrored ? "bac"[i] : "abc"[i]);
    }
}
