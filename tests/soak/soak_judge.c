/* soak_judge.c: a soaked problem's result against a plain loop in double.
 * SPDX-License-Identifier: MIT */
#include "sanitized.h"
#include "soak/soak_problem.h"
#include "soak/soak_vector.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint16_t bf16_of(double value)
{
    const float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    if (isnan(value))
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

double soak_get(enum gradus_type type, const void *x, int64_t i)
{
    switch (type) {
    case GRADUS_F32:
        return ((const float *)x)[i];
    case GRADUS_F64:
        return ((const double *)x)[i];
    case GRADUS_S8:
        return ((const int8_t *)x)[i];
    case GRADUS_U8:
        return ((const uint8_t *)x)[i];
    case GRADUS_S32:
        return ((const int32_t *)x)[i];
    default: {
        const uint32_t bits = (uint32_t)((const uint16_t *)x)[i] << 16;
        float f;
        memcpy(&f, &bits, sizeof f);
        return f;
    }
    }
}

void soak_set(enum gradus_type type, void *x, int64_t i, double value)
{
    switch (type) {
    case GRADUS_F32:
        ((float *)x)[i] = (float)value;
        break;
    case GRADUS_F64:
        ((double *)x)[i] = value;
        break;
    case GRADUS_S8:
        ((int8_t *)x)[i] = (int8_t)value;
        break;
    case GRADUS_U8:
        ((uint8_t *)x)[i] = (uint8_t)value;
        break;
    case GRADUS_S32:
        ((int32_t *)x)[i] = (int32_t)value;
        break;
    default:
        ((uint16_t *)x)[i] = bf16_of(value);
    }
}

struct soak_strides soak_strides_of(const struct soak_problem *p)
{
    const struct gradus_gemm *g = &p->g;
    const bool col = g->layout == GRADUS_COL_MAJOR;
    const bool a_transposed = col != !!g->trans_a, b_transposed = col != !!g->trans_b;
    return (struct soak_strides){
        .a_row = a_transposed ? 1 : g->lda,
        .a_col = a_transposed ? g->lda : 1,
        .b_row = b_transposed ? 1 : g->ldb,
        .b_col = b_transposed ? g->ldb : 1,
        .c_row = col ? 1 : g->ldc,
        .c_col = col ? g->ldc : 1,
    };
}

/* A as rows and B as columns of doubles, side by side along k. */
static double *gathered(enum gradus_type type, const char *x, int64_t lanes, int64_t k,
                        int64_t lane, int64_t step)
{
    double *y = malloc(sizeof *y * (size_t)(lanes * k + 1));
    if (!y)
        abort();
    for (int64_t i = 0; i < lanes; i++)
        for (int64_t p = 0; p < k; p++)
            y[i * k + p] = soak_get(type, x, i * lane + p * step);
    return y;
}

/* The wanted element and how far the found one may be from it. */
struct wanted {
    double value, within;
};

static double unit_of(enum gradus_type sum_type)
{
    return sum_type == GRADUS_F64 ? DBL_EPSILON : FLT_EPSILON;
}

static struct wanted activated(const struct soak_problem *p, double x, double within)
{
    const enum gradus_activation how = p->g.epilogue ? p->epilogue.activation : GRADUS_LINEAR;
    if (how == GRADUS_RELU)
        return (struct wanted){x < 0 ? 0 : x, within};
    if (how == GRADUS_GELU) /* its slope is 1.13 at most */
        return (struct wanted){0.5 * x * erfc(-x * M_SQRT1_2),
                               1.13 * within + 8 * unit_of(p->g.sum_type) * fabs(x)};
    return (struct wanted){x, within};
}

static double modulo_2_32(double x)
{
    return (int32_t)(uint32_t)(uint64_t)(int64_t)x;
}

static UNWATCHED struct wanted element(const struct soak_problem *p, const double *a,
                                       const double *b, double c, double bias)
{
    const struct gradus_gemm *g = &p->g;
    double sum = 0, size = 0;
    for (int64_t i = 0; i < g->k && g->alpha != 0; i++) {
        sum += a[i] * b[i];
        size += fabs(a[i] * b[i]);
    }
    double x = (g->k && g->alpha != 0 ? g->alpha * sum : 0) + (g->beta != 0 ? g->beta * c : 0);
    x += bias;
    if (g->sum_type == GRADUS_S32)
        x = modulo_2_32(x);
    size = fabs(g->alpha) * size + (g->beta != 0 ? fabs(g->beta * c) : 0) + fabs(bias);
    const double root = sqrt((double)g->k) / 8;
    double within = 16 * (root > 1 ? root : 1) * unit_of(g->sum_type) * size;
    if (p->exact)
        within = 0;
    struct wanted w = activated(p, x, within);
    if (g->c_type == GRADUS_BF16)
        w.within += 0x1p-8 * fabs(w.value) + FLT_MIN;
    return w;
}

static bool right(double found, struct wanted w)
{
    if (isnan(w.value))
        return isnan(found);
    if (isinf(w.value))
        return found == w.value;
    return fabs(found - w.value) <= w.within;
}

/* What lies between rows of C, and between matrices of a batch. */
static bool padding_unchanged(const struct soak_problem *p, char text[SOAK_TEXT])
{
    const int64_t bytes = soak_bytes(p->g.c_type), count = p->c.bytes / bytes;
    const int64_t row = p->g.layout == GRADUS_COL_MAJOR ? p->g.m : p->g.n;
    bool *owned = calloc((size_t)count + 1, sizeof *owned), unchanged = true;
    if (!owned)
        abort();
    for (int64_t m = 0; m < p->batch; m++)
        for (int64_t i = 0; i < p->c_one; i += p->g.ldc)
            memset(owned + p->c_at[m] + i, 1, (size_t)row);
    for (int64_t i = 0; i < count && unchanged; i++)
        if (!owned[i] &&
            memcmp(p->c.block + i * bytes, p->c_before + i * bytes, (size_t)bytes) != 0) {
            snprintf(text, SOAK_TEXT, "C is written between its rows, at element %lld",
                     (long long)i);
            unchanged = false;
        }
    free(owned);
    return unchanged;
}

/* Rows i to i+m and columns j to j+n of a C. */
struct part {
    int64_t i, m, j, n;
};

/* `a` has the part's rows, `b` its columns. */
static bool elements_right(const struct soak_problem *p, int64_t which, const struct part *part,
                           const double *a, const double *b, char text[SOAK_TEXT])
{
    const struct gradus_gemm *g = &p->g;
    const bool col = g->layout == GRADUS_COL_MAJOR;
    const void *bias = g->epilogue ? p->epilogue.bias : NULL;
    for (int64_t y = 0; y < part->m; y++)
        for (int64_t x = 0; x < part->n; x++) {
            const int64_t i = part->i + y, j = part->j + x;
            const int64_t at = p->c_at[which] + (col ? j * g->ldc + i : i * g->ldc + j);
            const struct wanted w =
                element(p, a + y * g->k, b + x * g->k, soak_get(g->c_type, p->c_before, at),
                        bias ? soak_get(g->sum_type, bias, p->epilogue.bias_per_row ? i : j) : 0);
            const double found = soak_get(g->c_type, p->c.block, at);
            if (!right(found, w)) {
                snprintf(text, SOAK_TEXT,
                         "matrix %lld [%lld,%lld]: found %.17g, wanted %.17g within %.3g",
                         (long long)which, (long long)i, (long long)j, found, w.value, w.within);
                return false;
            }
        }
    return true;
}

static bool part_right(const struct soak_problem *p, int64_t which, struct part part,
                       char text[SOAK_TEXT])
{
    const struct gradus_gemm *g = &p->g;
    const struct soak_strides s = soak_strides_of(p);
    const char *at_a = (const char *)p->a_array[which] + part.i * s.a_row * soak_bytes(g->a_type);
    const char *at_b = (const char *)p->b_array[which] + part.j * s.b_col * soak_bytes(g->b_type);
    double *a = gathered(g->a_type, at_a, part.m, p->a_one ? g->k : 0, s.a_row, s.a_col);
    double *b = gathered(g->b_type, at_b, part.n, p->b_one ? g->k : 0, s.b_col, s.b_row);
    const bool is_right = elements_right(p, which, &part, a, b, text);
    free(a), free(b);
    return is_right;
}

double soak_whole = 8e6;

/* The last lines, where the edges of tiles are, and some others. */
static int64_t line_at(struct gr_rng *rng, int64_t count, int band, int64_t lines)
{
    return band == 0 ? count - lines : (int64_t)(gr_rng_next(rng) % (uint64_t)(count - lines + 1));
}

/* Of a large matrix, bands of whole rows and of whole columns, and the product with a vector. */
static bool large_right(const struct soak_problem *p, int64_t which, char text[SOAK_TEXT])
{
    enum { BANDS = 4, LINES = 2 };
    const struct gradus_gemm *g = &p->g;
    const int64_t rows = g->m < LINES ? g->m : LINES, columns = g->n < LINES ? g->n : LINES;
    struct gr_rng rng = {p->inputs + (uint64_t)which};
    for (int band = 0; band < BANDS; band++) {
        const struct part across = {line_at(&rng, g->m, band, rows), rows, 0, g->n};
        const struct part down = {0, g->m, line_at(&rng, g->n, band, columns), columns};
        if (!part_right(p, which, across, text) || !part_right(p, which, down, text))
            return false;
    }
    return soak_times_vector_right(p, which, text);
}

static bool matrix_right(const struct soak_problem *p, int64_t which, char text[SOAK_TEXT])
{
    const struct gradus_gemm *g = &p->g;
    if ((double)g->m * (double)g->n * (double)g->k > soak_whole)
        return large_right(p, which, text);
    return part_right(p, which, (struct part){0, g->m, 0, g->n}, text);
}

bool soak_judge(const struct soak_problem *p, char text[SOAK_TEXT])
{
    snprintf(text, SOAK_TEXT, "memory beside C is written");
    if (!guarded_intact(&p->c))
        return false;
    snprintf(text, SOAK_TEXT, "memory beside the workspace is written");
    if (p->g.workspace && !guarded_intact(&p->workspace))
        return false;
    snprintf(text, SOAK_TEXT, "A or B is written");
    if (gr_hash(p->a.block, (uint64_t)p->a.bytes, gr_hash(p->b.block, (uint64_t)p->b.bytes, 1)) !=
        p->inputs)
        return false;
    if (!padding_unchanged(p, text))
        return false;
    for (int64_t i = 0; i < p->batch; i++)
        if (!matrix_right(p, i, text))
            return false;
    return true;
}
