/* view.c: reads stored matrices as lines of float64 numbers. SPDX-License-Identifier: MIT */
#include "check/view.h"

#include "check/check.h"
#include "check/element.h"

#include <math.h>
#include <string.h>

struct gr_view gr_view_of(const struct gr_problem *problem, char operand, const void *elements)
{
    enum gr_dtype type = gr_problem_type(problem, operand);
    struct gr_view stored = {.type = type, .rounded = type, .elements = elements, .step = 1};
    stored.lines = gr_problem_rows(problem, operand);
    stored.length = gr_problem_cols(problem, operand);
    stored.line_step = gr_problem_ld(problem, operand);
    bool transposed = (operand == 'A' && problem->trans_a) || (operand == 'B' && !problem->trans_b);
    return transposed ? gr_view_transposed(stored) : stored;
}

struct gr_view gr_view_dense(const double *elements, int64_t lines, int64_t length)
{
    return (struct gr_view){GR_F64, GR_F64, elements, lines, length, length, 1};
}

struct gr_view gr_view_transposed(struct gr_view view)
{
    struct gr_view transposed = view;
    transposed.lines = view.length;
    transposed.length = view.lines;
    transposed.line_step = view.step;
    transposed.step = view.line_step;
    return transposed;
}

void gr_view_read(const struct gr_view *view, int64_t line, int64_t from, int64_t count,
                  double *out)
{
    int64_t first = line * view->line_step + from * view->step, step = view->step;
    if (view->type == GR_F32) {
        const float *p = (const float *)view->elements + first;
        if (step == 1)
            for (int64_t i = 0; i < count; i++)
                out[i] = (double)p[i];
        else
            for (int64_t i = 0; i < count; i++)
                out[i] = (double)p[i * step];
    } else if (view->type == GR_F64) {
        const double *p = (const double *)view->elements + first;
        for (int64_t i = 0; i < count; i++)
            out[i] = p[i * step];
    } else if (view->type == GR_BF16) { /* the upper half of a float */
        const uint16_t *p = (const uint16_t *)view->elements + first;
        for (int64_t i = 0; i < count; i++) {
            const uint32_t bits = (uint32_t)p[i * step] << 16;
            float value;
            memcpy(&value, &bits, sizeof value);
            out[i] = (double)value;
        }
    } else {
        for (int64_t i = 0; i < count; i++)
            out[i] = gr_element(view->type, view->elements, first + i * step);
    }
    if (view->rounded != view->type)
        for (int64_t i = 0; i < count; i++)
            out[i] = gr_round_to(view->rounded, out[i]);
}

double gr_view_at(const struct gr_view *view, int64_t line, int64_t position)
{
    double value;
    gr_view_read(view, line, position, 1, &value);
    return value;
}

void gr_view_dot(const struct gr_view *x, int64_t i, const struct gr_view *y, int64_t j,
                 double *product, double *absolute)
{
    enum { CHUNK = 256 };
    double p[CHUNK], q[CHUNK];
    *product = *absolute = 0;
    for (int64_t from = 0; from < x->length; from += CHUNK) {
        int64_t count = x->length - from < CHUNK ? x->length - from : CHUNK;
        gr_view_read(x, i, from, count, p);
        gr_view_read(y, j, from, count, q);
        for (int64_t l = 0; l < count; l++) {
            *product += p[l] * q[l];
            *absolute += fabs(p[l] * q[l]);
        }
    }
}
