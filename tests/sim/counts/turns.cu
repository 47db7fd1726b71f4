// turns.cu: a lane that leaves an access out waits for its neighbours before its next turn of the loop.
// SPDX-License-Identifier: MIT
//@ grid     1
//@ block    32
//! size 64
__global__ void patterns(int M, int N, int K, const float *A, const float *B, float *C)
{
    const int t = threadIdx.x;
    float sum = 0;
    // Even lanes in even turns, odd lanes in odd ones: 4 requests of 16 lanes.
#pragma unroll 1
    for (int k = 0; k < 4; k++)
        if ((t + k) % 2 == 0)
            sum += A[64 * k + t]; // COUNT load global requests 4 lanes 64 sectors 16
    // Lane t goes round t % 2 + 1 times in each turn: a request of 32 lanes, and one of 16 lanes, 64 floats on.
#pragma unroll 1
    for (int k = 0; k < K / 16; k++)
#pragma unroll 1
        for (int i = 0; i <= t % 2; i++)
            sum += B[128 * k + 64 * i + t]; // COUNT load global requests 8 lanes 192 sectors 32
    // The last half of the lanes goes on to the next turn early.
#pragma unroll 1
    for (int k = 0; k < K / 16; k++) {
        sum *= 2;
        if (t >= 16 && sum > 0)
            continue;
        C[64 * k + t] = sum; // COUNT store global requests 4 lanes 64 sectors 8
    }
    C[1024 + t] = sum;
}
