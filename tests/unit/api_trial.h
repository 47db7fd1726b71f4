/* api_trial.h: a problem for gradus_gemm_run with operands of small integers, so that every sum is
 * exact, and what must come of it. SPDX-License-Identifier: MIT */
#ifndef API_TRIAL_H
#define API_TRIAL_H

#include "base/rng.h"
#include "cpu/bf16.h"
#include "own_bits.h"
#include "sanitized.h"

#include <gradus/gradus.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TRIAL_PAD = 3 };

struct trial {
    struct gradus_gemm g;
    struct gradus_epilogue epilogue;
    void *a, *b, *c, *before, *bias;
    double *a_wide, *b_wide; /* the same in double */
    int64_t c_count;         /* elements from the first to the last of all matrices C */
    int64_t a_gap, b_gap;    /* further elements between two of its rows, as it is stored */
};

static inline int64_t trial_bytes(enum gradus_type type)
{
    return type == GRADUS_F64                         ? 8
           : type == GRADUS_F32 || type == GRADUS_S32 ? 4
           : type == GRADUS_BF16                      ? 2
                                                      : 1;
}

static inline double trial_load(enum gradus_type type, const void *x, int64_t i)
{
    switch (type) {
    case GRADUS_F32:
        return ((const float *)x)[i];
    case GRADUS_F64:
        return ((const double *)x)[i];
    case GRADUS_BF16:
        return gr_bf16_to_f32(((const uint16_t *)x)[i]);
    case GRADUS_S8:
        return ((const int8_t *)x)[i];
    case GRADUS_U8:
        return ((const uint8_t *)x)[i];
    case GRADUS_S32:
        return ((const int32_t *)x)[i];
    case GRADUS_F16: /* only GPUs have these */
    case GRADUS_E4M3:
    case GRADUS_E5M2:
        break;
    }
    return 0;
}

static inline void trial_store(enum gradus_type type, void *x, int64_t i, double v)
{
    switch (type) {
    case GRADUS_F32:
        ((float *)x)[i] = (float)v;
        break;
    case GRADUS_F64:
        ((double *)x)[i] = v;
        break;
    case GRADUS_BF16:
        ((uint16_t *)x)[i] = gr_bf16_from_f32((float)v);
        break;
    case GRADUS_S8:
        ((int8_t *)x)[i] = (int8_t)v;
        break;
    case GRADUS_U8:
        ((uint8_t *)x)[i] = (uint8_t)(v < 0 ? -v : v);
        break;
    case GRADUS_S32:
        ((int32_t *)x)[i] = (int32_t)v;
        break;
    case GRADUS_F16:
    case GRADUS_E4M3:
    case GRADUS_E5M2:
        break;
    }
}

static inline void *trial_filled(enum gradus_type type, int64_t count, bool nan, struct gr_rng *rng)
{
    const bool floating = type == GRADUS_F32 || type == GRADUS_F64 || type == GRADUS_BF16;
    void *x = malloc((size_t)(count * trial_bytes(type)) + 8);
    for (int64_t i = 0; x && i < count; i++)
        trial_store(type, x, i, nan && floating ? NAN : (double)(gr_rng_next(rng) % 9) - 4);
    return x;
}

static inline double *trial_widened(enum gradus_type type, const void *x, int64_t count)
{
    double *wide = malloc((size_t)count * sizeof *wide + 8);
    for (int64_t i = 0; wide && i < count; i++)
        wide[i] = trial_load(type, x, i);
    return wide;
}

/* Sets the leading dimension and the stride of an operand; returns the elements of all matrices. */
static inline int64_t trial_lay(bool transposed, int64_t rows, int64_t cols, int64_t batch,
                                bool shared, int64_t gap, int64_t *ld, int64_t *stride)
{
    const int64_t runs = transposed ? cols : rows;
    *ld = (transposed ? rows : cols) + TRIAL_PAD + gap;
    *stride = shared ? 0 : runs * *ld + TRIAL_PAD;
    return runs * *ld + (batch - 1) * *stride;
}

/* Makes operands for g's types, layout, sizes, factors and batch; stride_a or stride_b -1 on entry:
 * one matrix for all. */
static inline void trial_make(struct trial *t, struct gr_rng *rng)
{
    struct gradus_gemm *g = &t->g;
    const bool col = g->layout == GRADUS_COL_MAJOR;
    const int64_t batch = g->batch > 1 ? g->batch : 1;
    const int64_t a = trial_lay(col != !!g->trans_a, g->m, g->k, batch, g->stride_a == -1, t->a_gap,
                                &g->lda, &g->stride_a);
    const int64_t b = trial_lay(col != !!g->trans_b, g->k, g->n, batch, g->stride_b == -1, t->b_gap,
                                &g->ldb, &g->stride_b);
    t->c_count = trial_lay(col, g->m, g->n, batch, false, 0, &g->ldc, &g->stride_c);
    g->a = t->a = trial_filled(g->a_type, a, false, rng);
    g->b = t->b = trial_filled(g->b_type, b, false, rng);
    t->a_wide = trial_widened(g->a_type, t->a, a);
    t->b_wide = trial_widened(g->b_type, t->b, b);
    g->c = t->c = trial_filled(g->c_type, t->c_count, g->beta == 0, rng);
    t->before = malloc((size_t)(t->c_count * trial_bytes(g->c_type)) + 8);
    memcpy(t->before, t->c, (size_t)(t->c_count * trial_bytes(g->c_type)));
    t->bias = trial_filled(g->sum_type, g->m > g->n ? g->m : g->n, false, rng);
}

static inline void trial_free(struct trial *t)
{
    free(t->a), free(t->b), free(t->a_wide), free(t->b_wide), free(t->c), free(t->before),
        free(t->bias);
}

static inline double trial_activated(enum gradus_activation activation, double x)
{
    if (activation == GRADUS_RELU)
        return x < 0 ? 0 : x;
    if (activation == GRADUS_GELU_TANH)
        return x / (1 + exp(-1.5957691216057307 * (x + 0.044715 * x * x * x)));
    return activation == GRADUS_GELU ? 0.5 * x * erfc(-x / sqrt(2)) : x;
}

static UNWATCHED double trial_dot(const double *a, int64_t a_step, const double *b, int64_t b_step,
                                  int64_t count)
{
    double sum = 0;
    for (int64_t p = 0; p < count; p++)
        sum += a[p * a_step] * b[p * b_step];
    return sum;
}

/* Element i,j of C of the batch's product z, which lies at `where` in C. */
static inline double trial_wanted(const struct trial *t, int64_t z, int64_t i, int64_t j,
                                  int64_t where)
{
    const struct gradus_gemm *g = &t->g;
    const bool col = g->layout == GRADUS_COL_MAJOR;
    const double *a = t->a_wide + z * g->stride_a, *b = t->b_wide + z * g->stride_b;
    const int64_t a_step = col != !!g->trans_a ? g->lda : 1;
    const int64_t b_step = col != !!g->trans_b ? 1 : g->ldb;
    a += col != !!g->trans_a ? i : i * g->lda;
    b += col != !!g->trans_b ? j * g->ldb : j;
    double x = g->alpha * trial_dot(a, a_step, b, b_step, g->alpha != 0 ? g->k : 0);
    if (g->beta != 0)
        x += g->beta * trial_load(g->c_type, t->before, where);
    if (!g->epilogue)
        return x;
    if (g->epilogue->bias)
        x += trial_load(g->sum_type, g->epilogue->bias, g->epilogue->bias_per_row ? i : j);
    return trial_activated(g->epilogue->activation, x);
}

/* As C can hold it. */
static inline double trial_rounded(enum gradus_type type, double x)
{
    return type == GRADUS_BF16 ? gr_bf16_to_f32(gr_bf16_from_f32((float)x)) : x;
}

/* Whether every element of C is what it must be, and padding what it was; says where not. */
static inline bool trial_is_right(const struct trial *t, char why[256])
{
    const struct gradus_gemm *g = &t->g;
    const bool col = g->layout == GRADUS_COL_MAJOR;
    const int64_t runs = col ? g->n : g->m, run = col ? g->m : g->n;
    const bool near = g->epilogue && g->epilogue->activation >= GRADUS_GELU;
    const double eps = g->c_type == GRADUS_F64    ? 0x1p-45
                       : g->c_type == GRADUS_BF16 ? 0x1p-7
                                                  : 0x1p-22;
    for (int64_t where = 0; where < t->c_count; where++) {
        const int64_t z = g->batch > 1 ? where / g->stride_c : 0;
        const int64_t r = (where - z * g->stride_c) / g->ldc,
                      s = (where - z * g->stride_c) % g->ldc;
        const bool padding = r >= runs || s >= run;
        const double want =
            padding ? trial_load(g->c_type, t->before, where)
                    : trial_rounded(g->c_type, trial_wanted(t, z, col ? s : r, col ? r : s, where));
        const double got = trial_load(g->c_type, t->c, where);
        const double off = near && !padding ? eps * fabs(want) + 0x1p-126 : 0;
        if (fabs(got - want) <= off || (padding && isnan(got) && isnan(want)))
            continue;
        snprintf(
            why, 256,
            "types %d %d %d layout %d trans %d%d %dx%dx%d alpha %g beta %g threads %d batch %d: "
            "product %d at %d,%d got %.17g, want %.17g",
            (int)g->a_type, (int)g->b_type, (int)g->c_type, (int)g->layout, g->trans_a, g->trans_b,
            (int)g->m, (int)g->n, (int)g->k, g->alpha, g->beta, g->threads, (int)g->batch, (int)z,
            (int)r, (int)s, got, want);
        return false;
    }
    return true;
}

/* Types of A, B and C that go together. */
static const enum gradus_type trial_kinds[][3] = {
    {GRADUS_F32, GRADUS_F32, GRADUS_F32},   {GRADUS_F64, GRADUS_F64, GRADUS_F64},
    {GRADUS_BF16, GRADUS_BF16, GRADUS_F32}, {GRADUS_S8, GRADUS_S8, GRADUS_S32},
    {GRADUS_U8, GRADUS_S8, GRADUS_S32},     {GRADUS_BF16, GRADUS_BF16, GRADUS_BF16},
    {GRADUS_S8, GRADUS_U8, GRADUS_S32},     {GRADUS_U8, GRADUS_U8, GRADUS_S32}};
enum { TRIAL_KINDS = sizeof trial_kinds / sizeof *trial_kinds };

/* Variant v of 8: layout and transposes. */
static inline struct gradus_gemm trial_shape(int kind, int v, int64_t m, int64_t n, int64_t k)
{
    struct gradus_gemm g;
    gradus_gemm_init(&g, trial_kinds[kind][0]);
    g.b_type = trial_kinds[kind][1];
    g.c_type = trial_kinds[kind][2];
    g.layout = v & 1 ? GRADUS_COL_MAJOR : GRADUS_ROW_MAJOR;
    g.trans_a = v >> 1 & 1;
    g.trans_b = v >> 2 & 1;
    g.m = m, g.n = n, g.k = k;
    return g;
}

/* Factors that keep sums exact; with integers, whole ones. */
static inline void trial_scale(struct gradus_gemm *g, double alpha, double beta)
{
    const bool whole = g->sum_type == GRADUS_S32;
    g->alpha = whole ? ceil(alpha) : alpha;
    g->beta = whole ? ceil(beta) : beta;
}

#endif
