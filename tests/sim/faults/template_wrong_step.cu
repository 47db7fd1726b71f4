// template_wrong_step.cu: a template of a tiled kernel, in which A moves by the rows of the tile, not by its columns.
// SPDX-License-Identifier: MIT
//@ param    FIXED 0 {0,1}
//@ require  M%64==0 && N%64==0 && K%16==0
//@ kernel   tiled<64,64,16,4,4>
//@ grid     N/64, M/64
//@ block    256
//! size 64x64x64
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
    tiled(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    const uint threadCol = threadIdx.x % (BN / TN), threadRow = threadIdx.x / (BN / TN);
    const uint rowA = threadIdx.x / (BK / 4), colA = threadIdx.x % (BK / 4) * 4;
    const uint rowB = threadIdx.x / (BN / 4), colB = threadIdx.x % (BN / 4) * 4;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float results[TM * TN] = {0.0f};
    float regM[TM], regN[TN];
    for (int bk = 0; bk < K; bk += BK) {
        const float4 a = reinterpret_cast<const float4 *>(&A[rowA * K + colA])[0]; // FAULT bounds A
        const float4 b = reinterpret_cast<const float4 *>(&B[rowB * N + colB])[0];
        As[(colA + 0) * BM + rowA] = a.x;
        As[(colA + 1) * BM + rowA] = a.y;
        As[(colA + 2) * BM + rowA] = a.z;
        As[(colA + 3) * BM + rowA] = a.w;
        reinterpret_cast<float4 *>(&Bs[rowB * BN + colB])[0] = b;
        __syncthreads();
        A += FIXED ? BK : BM;
        B += BK * N;
        for (int dot = 0; dot < BK; ++dot) {
            for (int i = 0; i < TM; ++i)
                regM[i] = As[dot * BM + threadRow * TM + i];
            for (int i = 0; i < TN; ++i)
                regN[i] = Bs[dot * BN + threadCol * TN + i];
            for (int m = 0; m < TM; ++m)
                for (int n = 0; n < TN; ++n)
                    results[m * TN + n] += regM[m] * regN[n];
        }
        __syncthreads();
    }
    for (int m = 0; m < TM; ++m) {
        float4 *c = reinterpret_cast<float4 *>(&C[(threadRow * TM + m) * N + threadCol * TN]);
        float4 four = {0, 0, 0, 0};
        if (beta != 0)
            four = *c;
        four.x = alpha * results[m * TN] + beta * four.x;
        four.y = alpha * results[m * TN + 1] + beta * four.y;
        four.z = alpha * results[m * TN + 2] + beta * four.z;
        four.w = alpha * results[m * TN + 3] + beta * four.w;
        *c = four;
    }
}
