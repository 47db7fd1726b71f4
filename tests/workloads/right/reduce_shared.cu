// A sum for each 256 elements, as a tree in shared memory. SPDX-License-Identifier: MIT
//@ size N = 1024
//@ array in x f32[N], out sums f32[cdiv(N,256)]
//@ flop N - cdiv(N,256)
//@ grid cdiv(N,256)
//@ block 128
//! verdict clean
//! fact flops 1020
//! fact bytes 4112
//! size N=1000
// 4 blocks of 4 warps. The steps of the tree have 64, 32, 16, 8, 4, 2 and 1 threads, which are 2 + 6 warps a block: 32 in all,
// and each loads twice and stores once. Neighbouring threads are in neighbouring banks.
__global__ void reduce(const float *x, float *sums, int N)
{
    __shared__ float part[128];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    float first = i < N ? x[i] : 0; // COUNT load global requests 16 sectors 64 sectors_ideal 64
    float second = i + 128 < N ? x[i + 128] : 0; // COUNT load global requests 16 sectors 64 sectors_ideal 64
    part[t] = first + second; // COUNT store shared requests 16 wavefronts 16 conflicts 0
    __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s]; // COUNT load shared requests 64 wavefronts 64; COUNT store shared requests 32 wavefronts 32
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = part[0]; // COUNT store global requests 4 sectors 4; COUNT load shared requests 4 wavefronts 4
}
