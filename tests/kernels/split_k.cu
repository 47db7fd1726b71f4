// split_k.cu: three kernels in stanzas; together with tensor_map.cu it uses each line of the language that is for GPUs.
// SPDX-License-Identifier: MIT
//@ title    Split K
//@ idea     where M*N has too few tiles to fill the device, tiles along K fill it
//@ idea     a second kernel adds the partial products
//@ source   tests of the front matter
//@ type     f32, f64
//@ trans    nn, tn
//@ layout   A row, B col, C row
//@ arch     >= sm_70
//@ flags    -use_fast_math
//@ param    BM 64 {32,64,128}, BN 64 {32,64}, TM 4 {4,8}
//@ let      NT = (BM/TM)*BN
//@ require  NT<=1024, M%BM==0 && N%BN==0 "whole tiles only"
//@ require  aligned(A,16)
//@ arg      splits = clamp(2*SMS/(cdiv(M,BM)*cdiv(N,BN)), 1, 32)
//@ arg      depth = cdiv(K, splits)
//@ work     P = T[splits*M*N] zero
//@ work     order = s32[cdiv(M,BM)]
//@ kernel   fill_order once
//@ when     cdiv(M,BM) <= 1024
//@ grid     1
//@ block    cdiv(M,BM)
//@ kernel   split_pass
//@ grid     cdiv(N,BN), cdiv(M,BM), splits
//@ block    BN, BM/TM
//@ smem     (BM+BN)*8*4
//@ kernel   add_pass
//@ grid     cdiv(M*N,256)
//@ block    256
//@ args     M*N, splits, P, alpha, beta, C, ldc, N
//@ expect   spills == 0, split_pass.global.loads.sectors_per_request[A] <= 4.5 @sm_90

//    <-- depth --><-- depth -->      P[0] = A[:, 0:depth] * B[0:depth, :]
//   +------------+------------+      P[1] = A[:, depth:]  * B[depth:, :]
// M |   split 0  |  split 1   |      C    = alpha * (P[0] + P[1]) + beta * C
//   +------------+------------+

#include <cstdio>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        if ((call) != cudaSuccess)                                                                 \
            std::printf("%s failed {\n", #call);                                                   \
    } while (0)

constexpr int two(int x)
{
    return x + x;
}

__device__ static float half_of(float x)
{
    return x * two(1) / 4;
}

__global__ void fill_order(int M, int *order)
{
    if ((int)threadIdx.x < M)
        order[threadIdx.x] = threadIdx.x;
}

__global__ void __launch_bounds__(1024)
    split_pass(int M, int N, int K, const T *__restrict__ A, int lda, const T *__restrict__ B, int ldb,
               T *__restrict__ P, const int *order, int splits, int depth)
{
    int row = order[blockIdx.y] * BM + threadIdx.y * TM, col = blockIdx.x * BN + threadIdx.x;
    int begin = blockIdx.z * depth, end = min(K, begin + depth);
    for (int i = 0; i < TM; i++) {
        T sum = 0;
        for (int k = begin; k < end; k++)
            sum += A[(row + i) * lda + k] * B[col * ldb + k];
        P[((long)blockIdx.z * M + row + i) * N + col] = half_of(2) * sum;
    }
}

__global__ void add_pass(int count, int splits, const T *P, T alpha, T beta, T *C, int ldc, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    T sum = 0;
    for (int s = 0; s < splits; s++)
        sum += P[(long)s * count + i];
    T *c = &C[i / width * ldc + i % width];
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

static void launch(int M, int N, float *P)
{
    // host code: { braces in a comment, "and in" /* strings */
    const char *text = "}}} )) \" {{{";
    dim3 grid((N + 63) / 64, (M + 63) / 64, 2);
    (void)text;
    split_pass<<<grid, dim3(64, 16)>>>(M, N, 1, P, 1, P, 1, P, nullptr, 2, 1);
    CHECK(cudaDeviceSynchronize());
}

int main()
{
    const char *raw = R"x(int main() { "unbalanced )" )x";
    launch(64, 64, nullptr);
    return raw[0] == 'x';
}
