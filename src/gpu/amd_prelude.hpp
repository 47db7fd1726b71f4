// amd_prelude.hpp: what HIP's headers declare for kernels, as far as GEMM kernels need it, so that
// a plain clang compiles them for AMD's GPUs without ROCm's headers and device libraries. It is
// text for the run-time compiler and no part of the program. Functions that are declared but not
// defined are those for which the device libraries are needed: the linker names them.
// SPDX-License-Identifier: MIT
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_PLATFORM_HCC__ 1
#define __HIPCC__ 1
#ifndef __HIP_DEVICE_COMPILE__
#define __HIP_DEVICE_COMPILE__ 1
#endif
#define HIP_VERSION_MAJOR 6
#define HIP_VERSION 60000000
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(name) name
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE
// In HIP the second argument is of waves a SIMD, where CUDA has blocks an SM.
#define GRADUS_BOUNDS_1(threads) __attribute__((amdgpu_flat_work_group_size(1, (threads))))
#define GRADUS_BOUNDS_2(threads, waves)                                                            \
    __attribute__((amdgpu_flat_work_group_size(1, (threads)), amdgpu_waves_per_eu((waves))))
#define GRADUS_BOUNDS_3(threads, waves, clusters) GRADUS_BOUNDS_2(threads, waves)
#define GRADUS_BOUNDS_OF(a, b, c, name, ...) name
#define __launch_bounds__(...)                                                                     \
    GRADUS_BOUNDS_OF(__VA_ARGS__, GRADUS_BOUNDS_3, GRADUS_BOUNDS_2, GRADUS_BOUNDS_1, )(__VA_ARGS__)

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
#ifndef NULL
#define NULL nullptr
#endif
#ifndef INFINITY
#define INFINITY __builtin_inff()
#endif
#ifndef NAN
#define NAN __builtin_nanf("")
#endif
#define CUDART_INF_F __builtin_inff()
#define HIP_INF_F __builtin_inff()
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
// The functions here may be called by functions of any kind.
#pragma clang force_cuda_host_device begin

// ---- Where a thread is. ----

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
#define GRADUS_PLACE(name, vx, vy, vz)                                                             \
    struct gradus_##name {                                                                         \
        __declspec(property(get = get_x)) unsigned x;                                              \
        __declspec(property(get = get_y)) unsigned y;                                              \
        __declspec(property(get = get_z)) unsigned z;                                              \
        __device__ __forceinline__ unsigned get_x() const { return vx; }                           \
        __device__ __forceinline__ unsigned get_y() const { return vy; }                           \
        __device__ __forceinline__ unsigned get_z() const { return vz; }                           \
        __device__ operator dim3() const { return dim3(vx, vy, vz); }                              \
        template <class V> __device__ operator V() const { return V{vx, vy, vz}; }                 \
    };                                                                                             \
    extern const __device__ __attribute__((weak)) gradus_##name name;
GRADUS_PLACE(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
             __builtin_amdgcn_workitem_id_z())
GRADUS_PLACE(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
             __builtin_amdgcn_workgroup_id_z())
GRADUS_PLACE(blockDim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
             __builtin_amdgcn_workgroup_size_z())
GRADUS_PLACE(gridDim, __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(),
             __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(),
             __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z())
#undef GRADUS_PLACE
#define hipThreadIdx_x (__builtin_amdgcn_workitem_id_x())
#define hipThreadIdx_y (__builtin_amdgcn_workitem_id_y())
#define hipThreadIdx_z (__builtin_amdgcn_workitem_id_z())
#define hipBlockIdx_x (__builtin_amdgcn_workgroup_id_x())
#define hipBlockIdx_y (__builtin_amdgcn_workgroup_id_y())
#define hipBlockIdx_z (__builtin_amdgcn_workgroup_id_z())
#define hipBlockDim_x (blockDim.x)
#define hipBlockDim_y (blockDim.y)
#define hipBlockDim_z (blockDim.z)
#define hipGridDim_x (gridDim.x)
#define hipGridDim_y (gridDim.y)
#define hipGridDim_z (gridDim.z)
#if __has_builtin(__builtin_amdgcn_wavefrontsize)
#define warpSize ((int)__builtin_amdgcn_wavefrontsize())
#else
#define warpSize __AMDGCN_WAVEFRONT_SIZE
#endif

// ---- Vectors. ----

// Members, constructors and arithmetic, as HIP has them.
#define GRADUS_VECTORS(T, N, A2, A4)                                                           \
    struct N##1 {                                                                                  \
        T x;                                                                                       \
    };                                                                                             \
    struct __attribute__((aligned(A2))) N##2 {                                                     \
        T x, y;                                                                                    \
    };                                                                                             \
    struct N##3 {                                                                                  \
        T x, y, z;                                                                                 \
    };                                                                                             \
    struct __attribute__((aligned(A4))) N##4 {                                                     \
        T x, y, z, w;                                                                              \
    };                                                                                             \
    __device__ constexpr inline N##1 make_##N##1(T x) { return N##1{x}; }                          \
    __device__ constexpr inline N##2 make_##N##2(T x, T y) { return N##2{x, y}; }                  \
    __device__ constexpr inline N##2 make_##N##2(T x) { return N##2{x, x}; }                       \
    __device__ constexpr inline N##3 make_##N##3(T x, T y, T z) { return N##3{x, y, z}; }          \
    __device__ constexpr inline N##4 make_##N##4(T x, T y, T z, T w) { return N##4{x, y, z, w}; }  \
    __device__ constexpr inline N##4 make_##N##4(T x) { return N##4{x, x, x, x}; }                 \
    GRADUS_OPERATORS(N, T, +) GRADUS_OPERATORS(N, T, -) GRADUS_OPERATORS(N, T, *)
#define GRADUS_OPERATORS(N, T, op)                                                                 \
    __device__ constexpr inline N##2 operator op(N##2 a, N##2 b)                                   \
    {                                                                                              \
        return N##2{(T)(a.x op b.x), (T)(a.y op b.y)};                                             \
    }                                                                                              \
    __device__ constexpr inline N##3 operator op(N##3 a, N##3 b)                                   \
    {                                                                                              \
        return N##3{(T)(a.x op b.x), (T)(a.y op b.y), (T)(a.z op b.z)};                            \
    }                                                                                              \
    __device__ constexpr inline N##4 operator op(N##4 a, N##4 b)                                   \
    {                                                                                              \
        return N##4{(T)(a.x op b.x), (T)(a.y op b.y), (T)(a.z op b.z), (T)(a.w op b.w)};           \
    }                                                                                              \
    GRADUS_SCALARS(N##2, make_##N##2, T, op) GRADUS_SCALARS(N##4, make_##N##4, T, op)
#define GRADUS_SCALARS(V, make, T, op)                                                             \
    __device__ constexpr inline V operator op(V a, T s) { return a op make(s); }                   \
    __device__ constexpr inline V operator op(T s, V b) { return make(s) op b; }                   \
    __device__ constexpr inline V &operator op##=(V & a, V b) { return a = a op b; }               \
    __device__ constexpr inline V &operator op##=(V & a, T s) { return a = a op s; }
GRADUS_VECTORS(float, float, 8, 16)
GRADUS_VECTORS(double, double, 16, 16)
GRADUS_VECTORS(int, int, 8, 16)
GRADUS_VECTORS(unsigned, uint, 8, 16)
GRADUS_VECTORS(short, short, 4, 8)
GRADUS_VECTORS(unsigned short, ushort, 4, 8)
GRADUS_VECTORS(signed char, char, 2, 4)
GRADUS_VECTORS(unsigned char, uchar, 2, 4)
GRADUS_VECTORS(long, long, 16, 16)
GRADUS_VECTORS(unsigned long, ulong, 16, 16)
GRADUS_VECTORS(long long, longlong, 16, 16)
#undef GRADUS_VECTORS
#undef GRADUS_OPERATORS
#undef GRADUS_SCALARS

// ---- Barriers, fences, and lanes of a wavefront. ----

__device__ __forceinline__ void __syncthreads()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__device__ __forceinline__ void __threadfence_block()
{
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}
__device__ __forceinline__ void __threadfence()
{
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}
__device__ __forceinline__ void __threadfence_system()
{
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
}
// The lanes of a wavefront run in step, so it only keeps the compiler from moving accesses.
__device__ __forceinline__ void __syncwarp(unsigned long long = ~0ull)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
__device__ __forceinline__ void __trap()
{
    __builtin_trap();
}
__device__ __forceinline__ unsigned __lane_id()
{
    const unsigned low = __builtin_amdgcn_mbcnt_lo(~0u, 0u);
    return warpSize == 64 ? __builtin_amdgcn_mbcnt_hi(~0u, low) : low;
}
__device__ __forceinline__ unsigned long long gradus_ballot(bool predicate)
{
    return __builtin_amdgcn_uicmp((unsigned)predicate, 0u, 33); // 33: not equal
}
__device__ __forceinline__ unsigned long long __ballot(int predicate)
{
    return gradus_ballot(predicate != 0);
}
__device__ __forceinline__ unsigned long long __activemask()
{
    return gradus_ballot(true);
}
__device__ __forceinline__ int __any(int predicate)
{
    return gradus_ballot(predicate != 0) != 0;
}
__device__ __forceinline__ int __all(int predicate)
{
    return gradus_ballot(predicate != 0) == gradus_ballot(true);
}
#define __ballot_sync(mask, predicate) (__ballot(predicate) & (mask))
#define __any_sync(mask, predicate) (__ballot_sync(mask, predicate) != 0)
#define __all_sync(mask, predicate) (__ballot_sync(mask, !(predicate)) == 0)

// A value of another lane, 4 bytes at a time.
template <class T> __device__ __forceinline__ T gradus_of_lane(T value, int lane)
{
    union words {
        T whole;
        int word[(sizeof(T) + 3) / 4];
        __device__ words() {}
    } u;
    u.whole = value;
    for (unsigned i = 0; i < (sizeof(T) + 3) / 4; i++)
        u.word[i] = __builtin_amdgcn_ds_bpermute(lane << 2, u.word[i]);
    return u.whole;
}
template <class T> __device__ __forceinline__ T __shfl(T value, int from, int width = warpSize)
{
    const int lane = __lane_id();
    return gradus_of_lane(value, (from & (width - 1)) + (lane & ~(width - 1)));
}
template <class T>
__device__ __forceinline__ T __shfl_up(T value, unsigned delta, int width = warpSize)
{
    const int lane = __lane_id(), from = lane - (int)delta;
    return gradus_of_lane(value, from < (lane & ~(width - 1)) ? lane : from);
}
template <class T>
__device__ __forceinline__ T __shfl_down(T value, unsigned delta, int width = warpSize)
{
    const int lane = __lane_id(), from = lane + (int)delta;
    return gradus_of_lane(value, (lane & (width - 1)) + (int)delta >= width ? lane : from);
}
template <class T> __device__ __forceinline__ T __shfl_xor(T value, int mask, int width = warpSize)
{
    const int lane = __lane_id(), from = lane ^ mask;
    return gradus_of_lane(value, from >= ((lane + width) & ~(width - 1)) ? lane : from);
}
template <class T>
__device__ __forceinline__ T __shfl_sync(unsigned long long, T v, int from, int width = warpSize)
{
    return __shfl(v, from, width);
}
template <class T>
__device__ __forceinline__ T __shfl_up_sync(unsigned long long, T v, unsigned d, int w = warpSize)
{
    return __shfl_up(v, d, w);
}
template <class T>
__device__ __forceinline__ T __shfl_down_sync(unsigned long long, T v, unsigned d, int w = warpSize)
{
    return __shfl_down(v, d, w);
}
template <class T>
__device__ __forceinline__ T __shfl_xor_sync(unsigned long long, T v, int mask, int w = warpSize)
{
    return __shfl_xor(v, mask, w);
}

// Lanes with the same value: each turn takes those that have the value of the first lane left.
template <class T> __device__ __forceinline__ T gradus_first_lane(T value)
{
    union words {
        T whole;
        int word[(sizeof(T) + 3) / 4];
        __device__ words() {}
    } u;
    u.whole = value;
    for (unsigned i = 0; i < (sizeof(T) + 3) / 4; i++)
        u.word[i] = __builtin_amdgcn_readfirstlane(u.word[i]);
    return u.whole;
}
template <class T>
__device__ __forceinline__ unsigned long long __match_any_sync(unsigned long long, T value)
{
    unsigned long long same = 0;
    for (bool left = true; left;)
        if (gradus_first_lane(value) == value) {
            same = gradus_ballot(true);
            left = false;
        }
    return same;
}
template <class T>
__device__ __forceinline__ unsigned long long __match_all_sync(unsigned long long, T value,
                                                               int *all)
{
    *all = __all(gradus_first_lane(value) == value);
    return *all ? gradus_ballot(true) : 0;
}
#define GRADUS_REDUCE(name, result)                                                                \
    template <class T>                                                                             \
    __device__ __forceinline__ T __reduce_##name##_sync(unsigned long long mask, T value)          \
    {                                                                                              \
        T x = gradus_of_lane(value, __builtin_ctzll(mask));                                        \
        for (mask &= mask - 1; mask; mask &= mask - 1) {                                           \
            const T y = gradus_of_lane(value, __builtin_ctzll(mask));                              \
            x = result;                                                                            \
        }                                                                                          \
        return x;                                                                                  \
    }
GRADUS_REDUCE(add, x + y)
GRADUS_REDUCE(min, y < x ? y : x)
GRADUS_REDUCE(max, x < y ? y : x)
GRADUS_REDUCE(and, x & y)
GRADUS_REDUCE(or, x | y)
GRADUS_REDUCE(xor, x ^ y)
#undef GRADUS_REDUCE

// ---- Memory. ----

template <class T> __device__ __forceinline__ T __ldg(const T *from)
{
    return *from;
}
template <class T> __device__ __forceinline__ T __ldcg(const T *from)
{
    return *from;
}
#define GRADUS_ATOMIC(T)                                                                           \
    __device__ __forceinline__ T atomicAdd(T *to, T value)                                         \
    {                                                                                              \
        return __hip_atomic_fetch_add(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);      \
    }
#define GRADUS_ATOMIC_INTEGER(T)                                                                   \
    GRADUS_ATOMIC(T)                                                                               \
    __device__ __forceinline__ T atomicSub(T *to, T value)                                         \
    {                                                                                              \
        return __hip_atomic_fetch_add(to, -value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);     \
    }                                                                                              \
    __device__ __forceinline__ T atomicMax(T *to, T value)                                         \
    {                                                                                              \
        return __hip_atomic_fetch_max(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);      \
    }                                                                                              \
    __device__ __forceinline__ T atomicMin(T *to, T value)                                         \
    {                                                                                              \
        return __hip_atomic_fetch_min(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);      \
    }                                                                                              \
    __device__ __forceinline__ T atomicExch(T *to, T value)                                        \
    {                                                                                              \
        return __hip_atomic_exchange(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);       \
    }                                                                                              \
    __device__ __forceinline__ T atomicCAS(T *to, T expected, T value)                             \
    {                                                                                              \
        __hip_atomic_compare_exchange_strong(to, &expected, value, __ATOMIC_RELAXED,               \
                                             __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);          \
        return expected;                                                                           \
    }
GRADUS_ATOMIC(float)
GRADUS_ATOMIC(double)
GRADUS_ATOMIC_INTEGER(int)
GRADUS_ATOMIC_INTEGER(unsigned)
GRADUS_ATOMIC_INTEGER(unsigned long long)
#undef GRADUS_ATOMIC
#undef GRADUS_ATOMIC_INTEGER
#define unsafeAtomicAdd atomicAdd
extern "C" {
__device__ void *memcpy(void *to, const void *from, size_t bytes);
__device__ void *memset(void *to, int byte, size_t bytes);
}

// ---- Arithmetic. ----

// Functions that the AMDGPU back end has itself, for float and double.
#define GRADUS_UNARY(name)                                                                         \
    __device__ __forceinline__ float name##f(float x) { return __builtin_##name##f(x); }           \
    __device__ __forceinline__ float name(float x) { return __builtin_##name##f(x); }              \
    __device__ __forceinline__ double name(double x) { return __builtin_##name(x); }
#define GRADUS_BINARY(name)                                                                        \
    __device__ __forceinline__ float name##f(float x, float y) { return __builtin_##name##f(x, y); } \
    __device__ __forceinline__ float name(float x, float y) { return __builtin_##name##f(x, y); }  \
    __device__ __forceinline__ double name(double x, double y) { return __builtin_##name(x, y); }
// Of these the back end has the float; the double is the device libraries'.
#define GRADUS_UNARY_FLOAT(name)                                                                   \
    __device__ __forceinline__ float name##f(float x) { return __builtin_##name##f(x); }           \
    __device__ __forceinline__ float name(float x) { return __builtin_##name##f(x); }              \
    __device__ double name(double x);
#define GRADUS_DECLARED(name)                                                                      \
    __device__ float name##f(float x);                                                             \
    __device__ float name(float x);                                                                \
    __device__ double name(double x);
GRADUS_UNARY(sqrt)
GRADUS_UNARY(fabs)
GRADUS_UNARY(floor)
GRADUS_UNARY(ceil)
GRADUS_UNARY(trunc)
GRADUS_UNARY(round)
GRADUS_UNARY(rint)
GRADUS_UNARY(nearbyint)
GRADUS_BINARY(fmax)
GRADUS_BINARY(fmin)
GRADUS_BINARY(copysign)
GRADUS_UNARY_FLOAT(exp)
GRADUS_UNARY_FLOAT(exp2)
GRADUS_UNARY_FLOAT(log)
GRADUS_UNARY_FLOAT(log2)
GRADUS_UNARY_FLOAT(log10)
GRADUS_DECLARED(sin)
GRADUS_DECLARED(cos)
GRADUS_DECLARED(tanh)
GRADUS_DECLARED(erf)
GRADUS_DECLARED(cbrt)
GRADUS_DECLARED(expm1)
GRADUS_DECLARED(log1p)
#undef GRADUS_UNARY
#undef GRADUS_BINARY
#undef GRADUS_UNARY_FLOAT
#undef GRADUS_DECLARED
__device__ float powf(float x, float y);
__device__ float pow(float x, float y);
__device__ double pow(double x, double y);
__device__ float fmodf(float x, float y);
__device__ float fmod(float x, float y);
__device__ double fmod(double x, double y);
__device__ __forceinline__ float fmaf(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
__device__ __forceinline__ float fma(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
__device__ __forceinline__ double fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
#define __fmaf_rn fmaf
#define __fma_rn fma
#define __fmaf_ieee_rn fmaf
__device__ __forceinline__ float rsqrtf(float x)
{
    return 1 / __builtin_sqrtf(x);
}
__device__ __forceinline__ float __expf(float x)
{
    return __builtin_expf(x);
}
__device__ __forceinline__ float __logf(float x)
{
    return __builtin_logf(x);
}
__device__ __forceinline__ float __fmul_rn(float a, float b)
{
#pragma clang fp contract(off)
    return a * b;
}
__device__ __forceinline__ float __fadd_rn(float a, float b)
{
#pragma clang fp contract(off)
    return a + b;
}
__device__ __forceinline__ float __fdividef(float a, float b)
{
    return a / b;
}
__device__ __forceinline__ int isnan(float x)
{
    return __builtin_isnan(x);
}
__device__ __forceinline__ int isnan(double x)
{
    return __builtin_isnan(x);
}
__device__ __forceinline__ int isinf(float x)
{
    return __builtin_isinf(x);
}
__device__ __forceinline__ int isinf(double x)
{
    return __builtin_isinf(x);
}
#define GRADUS_ORDER(T)                                                                            \
    __device__ constexpr inline T min(T a, T b) { return b < a ? b : a; }                          \
    __device__ constexpr inline T max(T a, T b) { return a < b ? b : a; }
GRADUS_ORDER(int)
GRADUS_ORDER(unsigned)
GRADUS_ORDER(long)
GRADUS_ORDER(unsigned long)
GRADUS_ORDER(long long)
GRADUS_ORDER(unsigned long long)
#undef GRADUS_ORDER
__device__ constexpr inline unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
__device__ constexpr inline unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
__device__ constexpr inline unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
__device__ constexpr inline unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
__device__ __forceinline__ float min(float a, float b) { return __builtin_fminf(a, b); }
__device__ __forceinline__ float max(float a, float b) { return __builtin_fmaxf(a, b); }
__device__ __forceinline__ double min(double a, double b) { return __builtin_fmin(a, b); }
__device__ __forceinline__ double max(double a, double b) { return __builtin_fmax(a, b); }
__device__ constexpr inline int abs(int x) { return x < 0 ? -x : x; }
__device__ constexpr inline long abs(long x) { return x < 0 ? -x : x; }
__device__ constexpr inline long long abs(long long x) { return x < 0 ? -x : x; }
__device__ __forceinline__ float abs(float x) { return __builtin_fabsf(x); }
__device__ __forceinline__ double abs(double x) { return __builtin_fabs(x); }
__device__ __forceinline__ unsigned __umul24(unsigned a, unsigned b)
{
    return (a & 0xffffffu) * (b & 0xffffffu);
}
__device__ __forceinline__ int __mul24(int a, int b)
{
    return (a << 8 >> 8) * (b << 8 >> 8);
}
__device__ __forceinline__ unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}
__device__ __forceinline__ int __mulhi(int a, int b)
{
    return (int)((long long)a * b >> 32);
}
__device__ __forceinline__ int __popc(unsigned x) { return __builtin_popcount(x); }
__device__ __forceinline__ int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__device__ __forceinline__ int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
__device__ __forceinline__ int __ffs(int x) { return __builtin_ffs(x); }
__device__ __forceinline__ int __ffsll(long long x) { return __builtin_ffsll(x); }
template <class A, class B> __device__ __forceinline__ A gradus_same_bits(B from)
{
    static_assert(sizeof(A) == sizeof(B), "a value of another size");
    A to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
__device__ __forceinline__ float __int_as_float(int x) { return gradus_same_bits<float>(x); }
__device__ __forceinline__ int __float_as_int(float x) { return gradus_same_bits<int>(x); }
__device__ __forceinline__ float __uint_as_float(unsigned x) { return gradus_same_bits<float>(x); }
__device__ __forceinline__ unsigned __float_as_uint(float x)
{
    return gradus_same_bits<unsigned>(x);
}
__device__ __forceinline__ double __longlong_as_double(long long x)
{
    return gradus_same_bits<double>(x);
}
__device__ __forceinline__ long long __double_as_longlong(double x)
{
    return gradus_same_bits<long long>(x);
}

// ---- 16-bit numbers: f16 is the hardware's, bf16 is converted to float and back. ----

struct __half {
    _Float16 value;
    __half() = default;
    __device__ constexpr __half(_Float16 x) : value(x) {}
    __device__ constexpr __half(float x) : value((_Float16)x) {}
    __device__ constexpr __half(double x) : value((_Float16)x) {}
    __device__ constexpr __half(int x) : value((_Float16)x) {}
    __device__ constexpr operator float() const { return (float)value; }
    __device__ constexpr operator _Float16() const { return value; }
};
typedef __half half;
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
};
typedef __half2 half2;
#define GRADUS_HALF(op)                                                                            \
    __device__ __forceinline__ __half operator op(__half a, __half b)                              \
    {                                                                                              \
        return __half((_Float16)(a.value op b.value));                                             \
    }                                                                                              \
    __device__ __forceinline__ __half &operator op##=(__half & a, __half b)                        \
    {                                                                                              \
        return a = a op b;                                                                         \
    }                                                                                              \
    __device__ __forceinline__ __half2 operator op(__half2 a, __half2 b)                           \
    {                                                                                              \
        return __half2{a.x op b.x, a.y op b.y};                                                    \
    }
GRADUS_HALF(+)
GRADUS_HALF(-)
GRADUS_HALF(*)
GRADUS_HALF(/)
#undef GRADUS_HALF
__device__ __forceinline__ float __half2float(__half x) { return (float)x.value; }
__device__ __forceinline__ __half __float2half(float x) { return __half(x); }
__device__ __forceinline__ __half __float2half_rn(float x) { return __half(x); }
__device__ __forceinline__ __half __hadd(__half a, __half b) { return a + b; }
__device__ __forceinline__ __half __hsub(__half a, __half b) { return a - b; }
__device__ __forceinline__ __half __hmul(__half a, __half b) { return a * b; }
__device__ __forceinline__ __half __hfma(__half a, __half b, __half c)
{
    return __half((_Float16)__builtin_fmaf16(a.value, b.value, c.value));
}
__device__ __forceinline__ __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return __half2{__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
__device__ __forceinline__ __half2 __hadd2(__half2 a, __half2 b) { return a + b; }
__device__ __forceinline__ __half2 __hmul2(__half2 a, __half2 b) { return a * b; }
__device__ __forceinline__ __half2 __half2half2(__half x) { return __half2{x, x}; }
__device__ __forceinline__ __half2 __floats2half2_rn(float x, float y)
{
    return __half2{__half(x), __half(y)};
}
__device__ __forceinline__ __half2 __halves2half2(__half x, __half y) { return __half2{x, y}; }
__device__ __forceinline__ __half __low2half(__half2 x) { return x.x; }
__device__ __forceinline__ __half __high2half(__half2 x) { return x.y; }
__device__ __forceinline__ float2 __half22float2(__half2 x)
{
    return float2{(float)x.x.value, (float)x.y.value};
}

// Rounds to nearest, ties to even; a NaN stays one.
struct __hip_bfloat16 {
    unsigned short bits;
    __hip_bfloat16() = default;
    __device__ __hip_bfloat16(float x)
    {
        const unsigned u = __float_as_uint(x);
        const unsigned up = u + 0x7fffu + (u >> 16 & 1u);
        bits = (unsigned short)((u & 0x7fffffffu) > 0x7f800000u ? u >> 16 | 0x40u : up >> 16);
    }
    __device__ __hip_bfloat16(double x) : __hip_bfloat16((float)x) {}
    __device__ __hip_bfloat16(int x) : __hip_bfloat16((float)x) {}
    __device__ operator float() const { return __uint_as_float((unsigned)bits << 16); }
};
typedef __hip_bfloat16 hip_bfloat16;
typedef __hip_bfloat16 __nv_bfloat16;
typedef __hip_bfloat16 nv_bfloat16;
__device__ __forceinline__ float __bfloat162float(__hip_bfloat16 x) { return (float)x; }
__device__ __forceinline__ __hip_bfloat16 __float2bfloat16(float x) { return __hip_bfloat16(x); }

#pragma clang force_cuda_host_device end

// ---- The host's interface, as far as host code that was not left out names it; that is parsed, but
// no code is made of it. ----

enum hipError_t { hipSuccess = 0, hipErrorInvalidValue = 1 };
enum hipMemcpyKind {
    hipMemcpyHostToHost,
    hipMemcpyHostToDevice,
    hipMemcpyDeviceToHost,
    hipMemcpyDeviceToDevice,
    hipMemcpyDefault
};
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef void *hipDeviceptr_t;
struct hipDeviceProp_t;
typedef hipDeviceProp_t hipDeviceProp;
typedef hipError_t cudaError_t;
typedef hipStream_t cudaStream_t;
typedef hipEvent_t cudaEvent_t;
struct cudaDeviceProp;
// What clang makes of gemm<<<grid, block>>>(...).
extern "C" __host__ hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t bytes = 0,
                                                          hipStream_t stream = nullptr);
extern "C" __host__ hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *bytes,
                                                         hipStream_t *stream);
extern "C" __host__ hipError_t hipLaunchKernel(const void *kernel, dim3 grid, dim3 block,
                                               void **arguments, size_t bytes, hipStream_t stream);
template <class... Any> __host__ void hipLaunchKernelGGL(Any &&...);
#define GRADUS_HOST(name) template <class... Any> __host__ hipError_t name(Any &&...);
GRADUS_HOST(hipMalloc)
GRADUS_HOST(hipHostMalloc)
GRADUS_HOST(hipFree)
GRADUS_HOST(hipHostFree)
GRADUS_HOST(hipMemcpy)
GRADUS_HOST(hipMemcpyAsync)
GRADUS_HOST(hipMemset)
GRADUS_HOST(hipMemsetAsync)
GRADUS_HOST(hipGetLastError)
GRADUS_HOST(hipPeekAtLastError)
GRADUS_HOST(hipDeviceSynchronize)
GRADUS_HOST(hipStreamSynchronize)
GRADUS_HOST(hipStreamCreate)
GRADUS_HOST(hipStreamDestroy)
GRADUS_HOST(hipEventCreate)
GRADUS_HOST(hipEventRecord)
GRADUS_HOST(hipEventSynchronize)
GRADUS_HOST(hipEventElapsedTime)
GRADUS_HOST(hipEventDestroy)
GRADUS_HOST(hipGetDevice)
GRADUS_HOST(hipSetDevice)
GRADUS_HOST(hipGetDeviceProperties)
GRADUS_HOST(hipModuleLoad)
GRADUS_HOST(hipModuleGetFunction)
GRADUS_HOST(hipModuleLaunchKernel)
GRADUS_HOST(hipFuncSetAttribute)
#undef GRADUS_HOST
__host__ const char *hipGetErrorString(hipError_t error);
