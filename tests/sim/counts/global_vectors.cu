// global_vectors.cu: vector accesses of global memory: one request, 8 or 16 bytes a lane.
// SPDX-License-Identifier: MIT
//@ grid     1
//@ block    32
//! size 64
__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int t = threadIdx.x;
    const float2 a = *(const float2 *)&A[2 * t];        // COUNT load global requests 1 bytes 8 sectors 8
    const float2 b = *(const float2 *)&A[16 * t];       // COUNT load global requests 1 bytes 8 sectors 32
    const float4 c = *(const float4 *)&A[4 * t + 1024]; // COUNT load global requests 1 bytes 16 sectors 16
    const float4 d = *(const float4 *)&B[64 * t];       // COUNT load global requests 1 bytes 16 sectors 32
    const float4 e = *(const float4 *)&B[t / 2 * 4];    // COUNT load global requests 1 bytes 16 sectors 8
    const float4 f = *(const float4 *)&B[4 * t + 4];    // COUNT load global requests 1 bytes 16 sectors 17
    const float4 out = {a.x + b.x + c.x + d.x + e.x + f.x, a.y + b.y + c.y + d.y + e.y + f.y,
                        c.z + d.z + e.z + f.z, c.w + d.w + e.w + f.w};
    *(float4 *)&C[4 * t] = out; // COUNT store global requests 1 bytes 16 sectors 16
}
