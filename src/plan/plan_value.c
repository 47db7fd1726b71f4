/* plan_value.c: converts the parameters of a plan to the values that a kernel receives.
 * SPDX-License-Identifier: MIT */
#include "plan/plan_value.h"

#include "check/element.h"

/* Returns the number that a parameter of this role receives. */
static double number_of(const struct gr_launch *l, const struct gr_plan_parameter *p,
                        int64_t *whole)
{
    *whole = 0;
    switch (p->role) {
    case GR_ROLE_M:
        *whole = l->m;
        break;
    case GR_ROLE_N:
        *whole = l->n;
        break;
    case GR_ROLE_K:
        *whole = l->k;
        break;
    case GR_ROLE_LDA:
        *whole = l->lda;
        break;
    case GR_ROLE_LDB:
        *whole = l->ldb;
        break;
    case GR_ROLE_LDC:
        *whole = l->ldc;
        break;
    case GR_ROLE_ARG:
        *whole = l->args[p->index];
        break;
    case GR_ROLE_SIZE:
        *whole = l->sizes[p->index];
        break;
    case GR_ROLE_ALPHA:
        *whole = (int64_t)l->alpha;
        return l->alpha;
    case GR_ROLE_BETA:
        *whole = (int64_t)l->beta;
        return l->beta;
    default:
        *whole = (int64_t)p->number;
        return p->number;
    }
    return (double)*whole;
}

static uint64_t address_of(const struct gr_launch *l, const struct gr_scratch *scratch,
                           const struct gr_plan_parameter *p)
{
    switch (p->role) {
    case GR_ROLE_A:
        return (uintptr_t)l->a;
    case GR_ROLE_B:
        return (uintptr_t)l->b;
    case GR_ROLE_C:
        return (uintptr_t)l->c;
    case GR_ROLE_WORK:
        return (uintptr_t)scratch->buffer[p->index];
    default:
        return 0;
    }
}

void gr_plan_value(const struct gr_plan_parameter *p, const struct gr_launch *l,
                   const struct gr_scratch *scratch, union gr_plan_value *value)
{
    int64_t whole;
    double number = number_of(l, p, &whole);
    switch (p->value) {
    case GR_VALUE_INT8:
        value->int8 = (int8_t)whole;
        break;
    case GR_VALUE_INT16:
        value->int16 = (int16_t)whole;
        break;
    case GR_VALUE_INT32:
        value->int32 = (int32_t)whole;
        break;
    case GR_VALUE_INT64:
        value->int64 = whole;
        break;
    case GR_VALUE_F16:
        gr_element_put(GR_F16, &value->half, 0, number);
        break;
    case GR_VALUE_BF16:
        gr_element_put(GR_BF16, &value->half, 0, number);
        break;
    case GR_VALUE_F32:
        value->f32 = (float)number;
        break;
    case GR_VALUE_F64:
        value->f64 = number;
        break;
    default:
        value->address = address_of(l, scratch, p);
    }
}
