// instructions.cu: kernels that between them use many instructions, for the decoder's test. They are compiled and
// disassembled, never run. SPDX-License-Identifier: MIT
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <stdint.h>
#include <stdio.h>

extern "C" {

__global__ void integers(int *out, const int *a, const unsigned *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = a[i], y = a[i + n];
    unsigned u = b[i], v = b[i + 7];
    int r = x * y + n;
    r += __mulhi(x, y) ^ __umulhi(u, v);
    r += min(x, y) - max((int)u, y) + abs(x);
    r += __popc(u) + __clz(x) + __ffs(y) + __brev(v);
    r ^= __byte_perm(u, v, n) + __funnelshift_l(u, v, n) + __funnelshift_r(u, v, 5);
    r += (x & y) | (~x & n);
    r += x << (y & 31);
    r += u >> (v & 31);
    r += x >> 3;
    r += (u / 7) + (v % 13) + x / (y | 1);
    r += __sad(x, y, u) + __usad(u, v, 3) + __vabsdiffu4(u, v);
    r += __dp4a(x, y, r) + __dp2a_lo(x, y, r) + __hadd(x, y) + __rhadd(x, y);
    r += (x > y) ? n : (u < v) + (x != n) * 3;
    out[i] = r;
}

__global__ void longs(long long *out, const long long *a, const unsigned long long *b, int s)
{
    int i = threadIdx.x;
    long long x = a[i], y = a[i + 1];
    unsigned long long u = b[i];
    long long r = x * y + (x << s) + (long long)(u >> s) + (x >> s);
    r += __mul64hi(x, y) + x / (y | 1) + (long long)(u % 1000003);
    r += x < y ? x : y;
    r += __popcll(u) + __clzll(x) + __brevll(u);
    out[i] = r;
}

__global__ void floats(float *out, const float *a, float k)
{
    int i = threadIdx.x;
    float x = a[i], y = a[i + 1];
    float r = x * y + k;
    r += __fadd_rd(x, y) + __fmul_ru(x, k) + __fmaf_rz(x, y, r) + __fadd_rn(x, 1e10f);
    r += fminf(x, y) + fmaxf(x, -k) + fabsf(x) - sqrtf(y) + rsqrtf(fabsf(k));
    r += sinf(x) + __cosf(y) + exp2f(x) + __logf(y) + tanhf(x) + 1.0f / y + x / k;
    r += floorf(x) + ceilf(y) + truncf(k) + rintf(x) + __saturatef(y);
    r += (x > y) ? x : k;
    r += isnan(x) ? 1 : 0;
    r += (float)(int)x + (float)(unsigned)y + (float)(long long)k + (float)(short)i + (float)(unsigned char)i;
    r += __int2float_rz(i) + __float2int_ru(x) + __float2uint_rd(y);
    out[i] = r;
}

__global__ void doubles(double *out, const double *a, float f)
{
    int i = threadIdx.x;
    double x = a[i], y = a[i + 1];
    double r = fma(x, y, (double)f);
    r += fmin(x, y) + fmax(x, 2.5) + fabs(y) + sqrt(x) + 1.0 / y + exp(x);
    r += (x < y) ? x : -y;
    r += (double)i + (double)(long long)x + (double)(unsigned)i + __dadd_rz(x, y) + __dmul_ru(x, y);
    r += floor(x) + (float)y + (int)x;
    out[i] = r;
}

__global__ void halves(__half2 *out, const __half2 *a, const __half *h, __nv_bfloat162 *bout, const __nv_bfloat162 *b)
{
    int i = threadIdx.x;
    __half2 x = a[i], y = a[i + 1];
    __half2 r = __hfma2(x, y, x);
    r = __hadd2(r, __hmul2(x, y));
    r = __hadd2(r, __float2half2_rn(1.5f));
    r = __hfma2_relu(r, y, x);
    r = __hadd2(r, __hgt2(x, y));
    r = __hadd2(r, __half2half2(h[i]));
    if (__hbgt2(x, y))
        r = __hneg2(r);
#if __CUDA_ARCH__ >= 800
    r = __hmax2(r, __hmin2(x, y));
    __nv_bfloat162 p = b[i], q = b[i + 1];
    __nv_bfloat162 s = __hfma2(p, q, p);
    s = __hmax2(s, __hadd2(p, q));
    bout[i] = __hmul2(s, __float2bfloat162_rn(0.5f));
#endif
    out[i] = h2exp2(r);
}

__global__ void memory(char *c, short *s, int *w, int2 *d, int4 *q, const int4 *__restrict__ read, volatile int *v)
{
    __shared__ int4 tile[256];
    __shared__ char bytes[256];
    int i = threadIdx.x;
    tile[i] = read[i];
    bytes[i] = c[i];
    __syncthreads();
    c[i] = bytes[255 - i];
    s[i] = s[i + 1] + ((short *)tile)[i];
    w[i] = v[i] + ((int *)tile)[i * 3];
    d[i] = ((int2 *)tile)[i];
    q[i] = tile[255 - i];
    v[i] = __ldg((const int *)read + i) + __ldcs(w + 300 + i) + __ldcg(w + 400 + i) + __ldlu(w + 500 + i);
    __stwt(w + 600 + i, 1);
    __stcs(w + 700 + i, 2);
    __stcg(w + 800 + i, 3);
    __threadfence();
    __threadfence_system();
    __threadfence_block();
}

__global__ void atomics(int *a, unsigned *u, float *f, double *d, unsigned long long *l, __half2 *h)
{
    __shared__ int s[32];
    int i = threadIdx.x;
    s[i & 31] = 0;
    __syncthreads();
    atomicAdd(a, i);
    a[i + 9] = atomicAdd(a + 1, i) + atomicMin(a + 2, i) + atomicExch(a + 3, i) + atomicCAS(a + 4, i, 5);
    u[i + 9] = atomicInc(u, 7) + atomicDec(u + 1, 3) + atomicMax(u + 2, i) + atomicXor(u + 3, i);
    f[i + 9] = atomicAdd(f, 1.0f);
    atomicAdd(d, 1.0);
    atomicAdd(f + 1, 2.0f);
    l[i + 9] = atomicAdd(l, 1ull) + atomicCAS(l + 1, 2ull, 3ull) + atomicMax(l + 2, 3ull);
    atomicAdd(h, __float2half2_rn(1.0f));
    a[i + 99] = atomicAdd(s + (i & 31), 1) + atomicCAS(s + 1, i, 2) + atomicOr_system(a + 6, 1) + atomicAnd_block(a + 7, 3);
    atomicMax(s + 2, i);
}

__global__ void warps(int *out, float *f, unsigned long long *t)
{
    int i = threadIdx.x, x = out[i];
    int r = __shfl_sync(~0u, x, 3) + __shfl_up_sync(~0u, x, 1) + __shfl_down_sync(~0u, x, 2) + __shfl_xor_sync(~0u, x, 16);
    r += __ballot_sync(~0u, x > 3) + __any_sync(~0u, x) + __all_sync(~0u, x) + __activemask();
    r += __match_any_sync(~0u, x);
    int whole;
    r += __match_all_sync(~0u, x, &whole) + whole;
#if __CUDA_ARCH__ >= 800
    r += __reduce_add_sync(~0u, x) + __reduce_min_sync(~0u, (unsigned)x) + __reduce_xor_sync(~0u, (unsigned)x);
#endif
    __syncwarp();
    r += __syncthreads_count(x) + __syncthreads_and(x) + __syncthreads_or(x);
    asm volatile("bar.sync 1, 64;");
    asm volatile("bar.arrive 2, 128;");
    t[i] = clock64() + clock();
    unsigned special;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(special));
    r += special;
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(special));
    r += special;
    __nanosleep(100);
    out[i] = r;
}

__device__ __noinline__ int called(int x, int y)
{
    return x * y ^ 0x55;
}
typedef int (*function)(int, int);
__device__ function pointers[2] = {called, called};

__global__ void control(int *out, const int *in, int n, int which)
{
    int local[40];
    int i = threadIdx.x, r = 0;
    for (int k = 0; k < 40; k++)
        local[k] = in[k] * i;
    for (int k = 0; k < n; k++) {
        r += local[(in[k] + r) % 40];
        if (r & 1)
            continue;
        if (r > 10000)
            break;
        r ^= called(r, k);
    }
    switch (which) {
    case 0: r += 3; break;
    case 1: r *= in[1]; break;
    case 2: r = in[r & 7]; break;
    case 3: r ^= called(r, 2); break;
    case 4: r -= in[4]; break;
    case 5: r = -r; break;
    case 6: r = __popc(r); break;
    default: r = pointers[r & 1](r, n);
    }
    if (r == 77)
        printf("%d\n", r);
    if (r == 78)
        __trap();
    out[i] = r;
}

__global__ void matrices(float *c, const __half *a, const __half *b)
{
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    __shared__ __half tile[16 * 16 * 2];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncwarp();
    wmma::load_matrix_sync(fa, tile, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
    unsigned x, y, place = (unsigned)__cvta_generic_to_shared(tile + 8 * threadIdx.x);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(place));
    int s0 = 0, s1 = 0;
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+r"(s0), "+r"(s1) : "r"(x), "r"(y));
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(a + 8 * threadIdx.x));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, 2;" ::"r"(place), "l"(a + 8 * threadIdx.x));
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 1;\ncp.async.wait_all;");
    double d0 = 0, d1 = 0;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(d0), "+d"(d1) : "d"((double)x), "d"((double)y));
    float f0 = 0, f1 = 0, f2 = 0, f3 = 0;
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %4, %5}, {%4, %5}, {%0, %1, %2, %3};"
                 : "+f"(f0), "+f"(f1), "+f"(f2), "+f"(f3) : "r"(x), "r"(y));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %4, %5}, {%4, %5}, {%0, %1, %2, %3};"
                 : "+f"(f0), "+f"(f1), "+f"(f2), "+f"(f3) : "r"(x), "r"(y));
    c[1000 + threadIdx.x] = f0 + f1 + f2 + f3 + (float)(d0 + d1);
#endif
    c[2000 + threadIdx.x] = x + y + s0 + s1;
}

#if __CUDA_ARCH__ >= 900
__global__ void clusters(uint64_t *out, const void *map, const char *from)
{
    __shared__ alignas(128) char tile[4096];
    __shared__ uint64_t barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(tile), bar = (unsigned)__cvta_generic_to_shared(&barrier);
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("fence.proxy.async;");
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 4096;" ::"r"(bar));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(place),
                 "l"(map), "r"(0), "r"(0), "r"(bar));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(place), "l"(from),
                 "r"(bar));
    asm volatile("{\n.reg .pred p;\nwait:\nmbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra wait;\n}" ::"r"(bar));
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(0), "r"(0), "r"(place));
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;");
    asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;");
    out[threadIdx.x] = barrier;
}
#endif

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
__global__ void groups(float *out, uint64_t a, uint64_t b)
{
    float d[4] = {0, 0, 0, 0};
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    asm volatile("wgmma.fence.sync.aligned;");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;");
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}
#endif
}
