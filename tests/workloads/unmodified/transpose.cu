// transpose.cu: a transpose without front matter, for docs/kernels-howto.md. SPDX-License-Identifier: MIT
__global__ void transpose(const float *in, float *out, int N, int M)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (y < N && x < M)
        out[x * N + y] = in[y * M + x];
}
