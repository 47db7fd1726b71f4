// 08_library.c: the library itself, through its public interface. SPDX-License-Identifier: MIT
//@ title    libgradus
//@ after    07_threads
//@ idea     the same five loops, with balanced blocks, fast packing, and small products unpacked
//@ type     f32, f64
//@ type     A=bf16 B=bf16 C=f32 ACC=f32, A=s8 B=s8 C=s32 ACC=s32, A=u8 B=s8 C=s32 ACC=s32
//@ trans    nn, nt, tn, tt
//@ source   src/cpu/gemm_packed.c and what it calls
//
// After 07_threads: the parts that the rungs omit. Blocks are equal parts, so that the last one is
// not much smaller; packing transposes squares in registers; buffers in 2 MB pages are kept from
// call to call; the number of tasks depends on the number of threads; many products up to about
// 512^3 are not packed at all (src/cpu/gemm_paths.c).
// Tiles: chosen by the library for the machine. Intensity: as in 06_packing; it is bounded by the
// multiply-add units.
//
//     gradus_gemm_run -> validate -> small: micro-kernels on the operands in place
//                                 -> thin or deep: a path of its own (src/cpu/gemm_paths.c)
//                                 -> else:  the five loops over the team
#include <gradus/gradus.h>

#include "ukr.h"

// The library's name for T, the type of A. If A is u8, B is s8; gradus_gemm_init chooses the type
// of C.
#define TYPE                                                                                       \
    _Generic((T)0, float: GRADUS_F32, double: GRADUS_F64, unsigned short: GRADUS_BF16,              \
             signed char: GRADUS_S8, unsigned char: GRADUS_U8)

void library(int64_t M, int64_t N, int64_t K, double alpha, const void *A, int64_t lda,
             const void *B, int64_t ldb, double beta, void *C, int64_t ldc, struct gr_team *team)
{
    struct gradus_gemm gemm;
    gradus_gemm_init(&gemm, TYPE);
    gemm.b_type = TYPE == GRADUS_U8 ? GRADUS_S8 : TYPE;
    gemm.trans_a = TA, gemm.trans_b = TB;
    gemm.m = M, gemm.n = N, gemm.k = K;
    gemm.alpha = alpha, gemm.beta = beta;
    gemm.a = A, gemm.lda = lda;
    gemm.b = B, gemm.ldb = ldb;
    gemm.c = C, gemm.ldc = ldc;
    gemm.threads = team->threads;
    gradus_gemm_run(&gemm, 0);
}
