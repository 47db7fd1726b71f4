// shared_quads.cu: 16-byte accesses of shared memory go in 4 quarter-warps.
// SPDX-License-Identifier: MIT
//@ grid     1
//@ block    32
//! size 64
__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ __align__(16) float words[2048];
    const int t = threadIdx.x;
    const float4 *quads = (const float4 *)words;
    for (int i = t; i < 2048; i += 32)
        words[i] = A[i]; // COUNT store shared requests 64 wavefronts 64 conflicts 0
    __syncthreads();
    const float4 a = quads[t];       // COUNT load shared requests 1 bytes 16 wavefronts 4 wavefronts_ideal 4 conflicts 0
    const float4 b = quads[2 * t];   // COUNT load shared requests 1 bytes 16 wavefronts 8 conflicts 4
    const float4 c = quads[4 * t];   // COUNT load shared requests 1 bytes 16 wavefronts 16 conflicts 12
    const float4 d = quads[8 * t];   // COUNT load shared requests 1 bytes 16 wavefronts 32 conflicts 28
    const float4 e = quads[9 * t];   // COUNT load shared requests 1 bytes 16 wavefronts 4 conflicts 0
    const float4 f = quads[500 - t]; // COUNT load shared requests 1 bytes 16 wavefronts 4 conflicts 0
    // What neighbours, or lanes two apart, share lets a half of the warp go at once.
    const float4 g = quads[7];                         // COUNT load shared requests 1 bytes 16 wavefronts 2 wavefronts_ideal 2 conflicts 0
    const float4 h = quads[t / 2];                     // COUNT load shared requests 1 bytes 16 wavefronts 2 conflicts 0
    const float4 i = quads[t % 2 + t / 4 * 2];         // COUNT load shared requests 1 bytes 16 wavefronts 2 conflicts 0
    const float4 j = quads[t % 8];                     // COUNT load shared requests 1 bytes 16 wavefronts 4 conflicts 0
    const float4 k = quads[t < 16 ? t / 4 * 8 : 9];    // COUNT load shared requests 1 bytes 16 wavefronts 5 wavefronts_ideal 2 conflicts 3
    const float x = a.x + b.x + c.x + d.x + e.x + f.x + g.x + h.x + i.x + j.x + k.x, y = a.y + b.y + c.y + d.y + e.y + f.y + g.y + h.y + i.y + j.y + k.y;
    const float z = a.z + b.z + c.z + d.z + e.z + f.z + g.z + h.z + i.z + j.z + k.z, w = a.w + b.w + c.w + d.w + e.w + f.w + g.w + h.w + i.w + j.w + k.w;
    C[t] = x + y + z + w;
}
