// tensor_map.cu: tensor maps, a cluster, mixed types and a template, for the front-matter reader.
// SPDX-License-Identifier: MIT
//@ title    Tensor maps
//@ type     A=bf16 B=bf16 C=bf16 ACC=f32, A=f16 B=f16 C=f16
//@ math     bf16
//@ layout   B col
//@ arch     sm_90a
//@ param    BM 128 {64,128}, BN 128 {128}, BK 64
//@ let      STAGES = 3, NT = 128
//@ require  SMEM_MAX >= STAGES*(BM+BN)*BK*2 "three stages of both tiles"
//@ map      tmA = A[BM,BK] swizzle128, tmB = B[BN,BK] swizzle128
//@ map      tmC = C[BM,BN]
//@ kernel   gemm<BM,BN,BK>
//@ grid     cdiv(M,BM)*cdiv(N,BN)
//@ block    NT
//@ cluster  2,1,1
//@ smem     STAGES*(BM+BN)*BK*2
//@ expect   regs <= 168 @sm_90a

struct CUtensorMap_st {
    unsigned long long opaque[16];
};
typedef struct CUtensorMap_st CUtensorMap;

template <const int bm, const int bn, const int bk>
__global__ void gemm(int M, int N, int K, const __grid_constant__ CUtensorMap tmA,
                     const __grid_constant__ CUtensorMap tmB, const CUtensorMap *tmC)
{
}
