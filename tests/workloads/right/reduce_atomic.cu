// A sum, each thread adding its element to one number in global memory. SPDX-License-Identifier: MIT
//@ size N = 1024
//@ array in x f32[N], inout sum f32[1]
//@ flop N
//@ grid cdiv(N,256)
//@ block 256
//! verdict advice
//! says 32 threads of a warp add to 1 element of sum
//! fact flops 1024
//! fact bytes 4104
//! size N=1000
// 32 warps: a request loads 4 sectors, and adds to one.
__global__ void reduce(const float *x, float *sum, int N)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < N) {
        float mine = x[i]; // COUNT load global requests 32 sectors 128 sectors_ideal 128
        atomicAdd(sum, mine); // COUNT atomic global requests 32 sectors 32
    }
}
