// warps_of_blocks.cu: blocks are cut into warps of 32 in the order x, y, z; the last may have fewer lanes.
// SPDX-License-Identifier: MIT
//@ grid     3
//@ block    12, 4
//! size 64
__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int x = threadIdx.x, y = threadIdx.y, t = y * 12 + x, base = blockIdx.x * 1024;
    float sum = 0;
    // 48 threads: a warp of 32 lanes and one of 16, in each of 3 blocks.
    sum += A[base + t]; // COUNT load global requests 6 lanes 144 sectors 18
    // Rows of 64 floats. The first warp has rows 0 and 1 whole (12 floats: 2 sectors each) and 8 floats of row 2 (1 sector);
    // the second has the last 4 of row 2 (1 sector) and row 3 (2 sectors): 5 + 3 sectors a block.
    sum += A[base + 64 * y + x]; // COUNT load global requests 6 lanes 144 sectors 24
    if (y == 3)
        sum += B[x]; // COUNT load global requests 3 lanes 36 sectors 6
    if (y < 3)
        sum += B[64 + t]; // COUNT load global requests 6 lanes 108 sectors 15
    C[blockIdx.x * 48 + t] = sum; // COUNT store global requests 6 lanes 144 sectors 18
}
