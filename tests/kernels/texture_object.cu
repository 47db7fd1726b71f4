// texture_object.cu: reads A through a texture object, which is refused by name.
// SPDX-License-Identifier: MIT
// with grid N, M
// with block 1
// refused: cudaTextureObject_t
__global__ void sampled(cudaTextureObject_t A, const float *B, float *C, int M, int N, int K)
{
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += tex2D<float>(A, k, blockIdx.y) * B[k * N + blockIdx.x];
    C[blockIdx.y * N + blockIdx.x] = sum;
}
