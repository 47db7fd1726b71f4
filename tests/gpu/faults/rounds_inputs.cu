// rounds_inputs.cu: rounds its inputs as TF32 does. At this K the bound of every element allows it.
// SPDX-License-Identifier: MIT
// expect: wrong wrong-element
// options: --size 64x64x20000
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
static __device__ float rounded(float x)
{
    unsigned bits = __float_as_uint(x);
    bits += 0xfffu + (bits >> 13 & 1);
    return __uint_as_float(bits & 0xffffe000u);
}

__global__ void kernel(int M, int N, int K, float alpha, const float *A, int lda,
                       const float *B, int ldb, float beta, float *C, int ldc)
{
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    if (row >= M || col >= N)
        return;
    for (int k = 0; k < K; k++)
        sum += rounded(A[(size_t)row * lda + k]) * rounded(B[(size_t)k * ldb + col]);
    float *c = &C[(size_t)row * ldc + col];
    *c = beta != 0 ? alpha * sum + beta * *c : alpha * sum;
}
