// bulk_wrong_parity.cu: rows are copied in bulk to two stages, and a wait for the phase of the other parity ends at once.
// SPDX-License-Identifier: MIT
//@ type     f32
//@ arch     sm_90a
//@ param    FIXED 0 {0,1}
//@ grid     cdiv(N,32), cdiv(M,32)
//@ block    32, 4
//@ require  M % 32 == 0 && N % 32 == 0 && K % 16 == 0
//! size 32x64x32
__device__ inline unsigned shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ inline void init(unsigned long long *barrier, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(barrier)), "r"(count));
}

__device__ inline void expect(unsigned long long *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(barrier)), "r"(bytes) : "memory");
}

__device__ inline void await(unsigned long long *barrier, unsigned parity)
{
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again;\n"
                 "}\n" ::"r"(shared(barrier)),
                 "r"(parity)
                 : "memory");
}

__device__ inline void copy(void *to, const void *from, unsigned bytes, unsigned long long *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared(to)), "l"(from), "r"(bytes), "r"(shared(barrier)) : "memory"); // WITH race As; WITH race Bs
}

__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ __align__(128) float As[2][32][16], Bs[2][16][32];
    __shared__ unsigned long long full[2];
    const int tx = threadIdx.x, ty = threadIdx.y, row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
    float sum[8] = {0};
    if (tx == 0 && ty == 0) {
        init(&full[0], 1);
        init(&full[1], 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    for (int k0 = -16; k0 < K; k0 += 16) {
        const int next = k0 + 16, to = next / 16 % 2, now = 1 - to;
        if (tx == 0 && ty == 0 && next < K) {
            expect(&full[to], 4096);
            for (int i = 0; i < 32; i++)
                copy(As[to][i], A + (size_t)(row0 + i) * K + next, 64, &full[to]);
            for (int i = 0; i < 16; i++)
                copy(Bs[to][i], B + (size_t)(next + i) * N + col0, 128, &full[to]);
        }
        if (k0 < 0)
            continue;
        await(&full[now], FIXED ? k0 / 32 % 2 : 1 - k0 / 32 % 2);
        for (int i = 0; i < 8; i++)
            for (int k = 0; k < 16; k++)
                sum[i] += As[now][ty * 8 + i][k] * Bs[now][k][tx]; // FAULT race As; FAULT race Bs
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        C[(size_t)(row0 + ty * 8 + i) * N + col0 + tx] = sum[i];
}
