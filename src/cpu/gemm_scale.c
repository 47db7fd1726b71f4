/* gemm_scale.c: products that only scale C, because alpha or k is 0: C = beta * C.
 * SPDX-License-Identifier: MIT */
#include "cpu/bf16.h"
#include "cpu/gemm.h"

enum { STRIP = 256 };

/* C may have another type than the sums, so strips of sums are computed, to which the epilogue is
 * applied before they are stored. */
#define DEFINE_SCALE(name, T, S, load, store, number)                                              \
    static void scale_strip_##name(const struct gr_product *p, int64_t i, int64_t j, int64_t n)    \
    {                                                                                              \
        T *c = (T *)p->c + i * p->ldc + j;                                                         \
        const S beta = p->beta.number;                                                             \
        S sums[STRIP];                                                                             \
        for (int64_t x = 0; x < n; x++)                                                            \
            sums[x] = beta == 0 ? 0 : (S)(beta * load(c[x]));                                      \
        if (p->finishes)                                                                           \
            gr_gemm_finish(p, sums, STRIP, i, 1, j, n);                                            \
        for (int64_t x = 0; x < n; x++)                                                            \
            c[x] = store(sums[x]);                                                                 \
    }

#define AS_IT_IS(x) (x)
/* Multiplication modulo 2^32, because the overflow of signed numbers is undefined. */
#define UNSIGNED(x) ((uint32_t)(x))
DEFINE_SCALE(f32, float, float, AS_IT_IS, AS_IT_IS, f32)
DEFINE_SCALE(f64, double, double, AS_IT_IS, AS_IT_IS, f64)
DEFINE_SCALE(bf16, uint16_t, float, gr_bf16_to_f32, gr_bf16_from_f32, f32)
DEFINE_SCALE(s32, int32_t, int32_t, UNSIGNED, AS_IT_IS, s32)

static bool changes_nothing(const struct gr_product *p)
{
    if (p->finishes)
        return false;
    switch (p->sum_type) {
    case GRADUS_F64:
        return p->beta.f64 == 1;
    case GRADUS_S32:
        return p->beta.s32 == 1;
    default:
        return p->beta.f32 == 1;
    }
}

void gr_gemm_scale(const struct gr_product *p)
{
    void (*const strip)(const struct gr_product *, int64_t, int64_t, int64_t) =
        p->c_type == GRADUS_F64    ? scale_strip_f64
        : p->c_type == GRADUS_BF16 ? scale_strip_bf16
        : p->c_type == GRADUS_S32  ? scale_strip_s32
                                   : scale_strip_f32;
    if (changes_nothing(p))
        return;
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j += STRIP)
            strip(p, i, j, p->n - j < STRIP ? p->n - j : STRIP);
}
