// sim_ptx_mma.cu: inline PTX: a matrix multiply-add of a warp.
// SPDX-License-Identifier: MIT
//@ arch     >= sm_80
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    32
//! exit 3
//! says not modelled
//! says mma
//! says LINE
//! code exit 1
//! code runs wrong
__global__ void gemm(int M, int N, int K, float alpha, const float *A, int lda, const float *B,
                     int ldb, float beta, float *C, int ldc)
{
    float d[4] = {0, 0, 0, 0};
    unsigned a[4] = {0, 0, 0, 0}, b[2] = {0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " // HERE
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    if (threadIdx.x == 0 && M * N * K > 0)
        C[0] = d[0] * alpha + beta * A[0] * B[0] * lda * ldb * ldc;
}
