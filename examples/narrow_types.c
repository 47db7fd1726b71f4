/* narrow_types.c: products of 8-bit integers with exact 32-bit sums, and of bfloat16 with float
 * sums. It prints:
 *
 *  > s32: 32385 -32385
 *  > f32: 0.5
 *
 * SPDX-License-Identifier: MIT */
#include <gradus/gradus.h>
#include <stdio.h>

int main(void)
{
    const uint8_t levels[] = {255, 0};            /* 1 x 2 */
    const int8_t weights[] = {127, -127, 99, 99}; /* 2 x 2 */
    int32_t sums[2];                              /* 1 x 2 */
    struct gradus_gemm gemm;
    gradus_gemm_init(&gemm, GRADUS_U8); /* C and sums: s32 */
    gemm.b_type = GRADUS_S8;
    gemm.m = 1, gemm.n = 2, gemm.k = 2;
    gemm.a = levels, gemm.lda = 2;
    gemm.b = weights, gemm.ldb = 2;
    gemm.c = sums, gemm.ldc = 2;
    if (gradus_gemm_run(&gemm, NULL))
        return 1;
    printf("s32: %d %d\n", (int)sums[0], (int)sums[1]);

    const float wide[] = {0.25f, -0.5f, 1, -0.5f};
    uint16_t narrow[4];
    float dot;
    gradus_bf16_from_f32(wide, narrow, 4);
    gradus_gemm_init(&gemm, GRADUS_BF16); /* C and sums: f32 */
    gemm.m = 1, gemm.n = 1, gemm.k = 2;
    gemm.a = narrow, gemm.lda = 2;
    gemm.b = narrow + 2, gemm.ldb = 1;
    gemm.c = &dot, gemm.ldc = 1;
    if (gradus_gemm_run(&gemm, NULL))
        return 1;
    printf("f32: %g\n", dot);
    return 0;
}
