/* soak_vector.c: Freivalds' check. All numbers are multiples of a quarter below 2^53, so that it is
 * exact in double. SPDX-License-Identifier: MIT */
#include "soak/soak_vector.h"

#include "sanitized.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* y = X * s, or what is left out where X is not to be read: rows x columns with these strides. */
static UNWATCHED void multiply(double *y, enum gradus_type type, const void *x, int64_t rows,
                               int64_t columns, int64_t row, int64_t column, const double *s)
{
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int64_t j = 0; j < columns; j++)
            sum += s[j] * soak_get(type, x, i * row + j * column);
        y[i] = sum;
    }
}

struct vectors {
    double *signs, *b, *a, *before, *found;
};

static struct vectors vectors_of(const struct gradus_gemm *g)
{
    const size_t size = sizeof(double) * (size_t)(g->m + g->n + g->k);
    struct vectors v = {malloc(size), malloc(size), malloc(size), malloc(size), malloc(size)};
    if (!v.signs || !v.b || !v.a || !v.before || !v.found)
        abort();
    return v;
}

static void free_vectors(struct vectors *v)
{
    free(v->signs), free(v->b), free(v->a), free(v->before), free(v->found);
}

/* The bias of a row of C, times the signs. */
static double bias_of(const struct soak_problem *p, int64_t i, const double *signs)
{
    const void *bias = p->g.epilogue ? p->epilogue.bias : NULL;
    double sum = 0;
    for (int64_t j = 0; bias && j < p->g.n; j++)
        sum += signs[j] * soak_get(p->g.sum_type, bias, p->epilogue.bias_per_row ? i : j);
    return sum;
}

static bool rows_equal(const struct soak_problem *p, const struct vectors *v, char text[SOAK_TEXT])
{
    const struct gradus_gemm *g = &p->g;
    const double modulus = g->sum_type == GRADUS_S32 ? 0x1p32 : INFINITY;
    for (int64_t i = 0; i < g->m; i++) {
        const double old = g->beta != 0 ? g->beta * v->before[i] : 0;
        const double wanted = g->alpha * v->a[i] + old + bias_of(p, i, v->signs);
        if (fmod(v->found[i] - wanted, modulus) != 0) {
            snprintf(text, SOAK_TEXT, "row %lld of C times a vector: found %.17g, wanted %.17g",
                     (long long)i, v->found[i], wanted);
            return false;
        }
    }
    return true;
}

bool soak_times_vector_right(const struct soak_problem *p, int64_t which, char text[SOAK_TEXT])
{
    const struct gradus_gemm *g = &p->g;
    if (!p->exact || p->special || (g->epilogue && p->epilogue.activation != GRADUS_LINEAR))
        return true;
    const struct soak_strides s = soak_strides_of(p);
    const char *c = p->c.block, *before = p->c_before;
    const int64_t at = p->c_at[which] * soak_bytes(g->c_type);
    struct vectors v = vectors_of(g);
    struct gr_rng rng = {p->inputs + (uint64_t)which};
    for (int64_t j = 0; j < g->n; j++)
        v.signs[j] = gr_rng_next(&rng) >> 63 ? 1 : -1;
    multiply(v.b, g->b_type, p->b_array[which], g->k, g->n, s.b_row, s.b_col, v.signs);
    multiply(v.a, g->a_type, p->a_array[which], g->m, g->k, s.a_row, s.a_col, v.b);
    if (g->beta != 0)
        multiply(v.before, g->c_type, before + at, g->m, g->n, s.c_row, s.c_col, v.signs);
    multiply(v.found, g->c_type, c + at, g->m, g->n, s.c_row, s.c_col, v.signs);
    const bool is_right = rows_equal(p, &v, text);
    free_vectors(&v);
    return is_right;
}
