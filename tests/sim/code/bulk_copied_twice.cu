// bulk_copied_twice.cu: a row is copied in bulk once more, to where it is still to arrive.
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
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared(to)), "l"(from), "r"(bytes), "r"(shared(barrier)) : "memory"); // FAULT race As; WITH race As
}

__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ __align__(128) float As[32][16];
    __shared__ unsigned long long full;
    const int tx = threadIdx.x, ty = threadIdx.y, row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
    float sum[8] = {0};
    if (tx == 0 && ty == 0) {
        init(&full, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    for (int k0 = 0; k0 < K; k0 += 16) {
        if (tx == 0 && ty == 0) {
            expect(&full, FIXED ? 32 * 64 : 33 * 64);
            for (int i = 0; i < 32; i++)
                copy(As[i], A + (size_t)(row0 + i) * K + k0, 64, &full);
            if (!FIXED)
                copy(As[31], A + (size_t)(row0 + 31) * K + k0, 64, &full);
        }
        await(&full, k0 / 16 % 2);
        for (int i = 0; i < 8; i++)
            for (int k = 0; k < 16; k++)
                sum[i] += As[ty * 8 + i][k] * B[(size_t)(k0 + k) * N + col0 + tx];
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        C[(size_t)(row0 + ty * 8 + i) * N + col0 + tx] = sum[i];
}
