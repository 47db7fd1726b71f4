// texture.cu: reads A through a texture, which is not supported. SPDX-License-Identifier: MIT
// expect: skip -
// options: --size 128
//@ grid     cdiv(N,16), cdiv(M,16)
//@ block    16, 16
__global__ void kernel(int M, int N, int K, const float *A, const float *B, float *C)
{
    C[0] = tex1Dfetch<float>((cudaTextureObject_t)0, 1) + A[0] * B[0];
}
