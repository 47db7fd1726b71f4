// gr_hip.hpp: <hip/hip_runtime.h> for NVRTC: HIP's names on an NVIDIA GPU, whose warps have 32
// lanes. A mask of 64 lanes keeps its lower half. SPDX-License-Identifier: MIT
#ifndef GR_HIP_HPP
#define GR_HIP_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string> // HIP's header includes it, and thereby much of the standard library

#define __HIP_PLATFORM_NVIDIA__ 1
#define __HIP_PLATFORM_NVCC__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define __HIPCC__ 1
#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 0
#define HIP_VERSION 60000000
#ifndef __AMDGCN_WAVEFRONT_SIZE
#define __AMDGCN_WAVEFRONT_SIZE 32
#define __AMDGCN_WAVEFRONT_SIZE__ 32
#endif
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(name) name
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE
#define __HIP_NODISCARD

// ---- Indices of threads and blocks ----

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
#define __builtin_amdgcn_workitem_id_x() threadIdx.x
#define __builtin_amdgcn_workitem_id_y() threadIdx.y
#define __builtin_amdgcn_workitem_id_z() threadIdx.z
#define __builtin_amdgcn_workgroup_id_x() blockIdx.x
#define __builtin_amdgcn_workgroup_id_y() blockIdx.y
#define __builtin_amdgcn_workgroup_id_z() blockIdx.z
#define __builtin_amdgcn_workgroup_size_x() ((unsigned short)blockDim.x)
#define __builtin_amdgcn_workgroup_size_y() ((unsigned short)blockDim.y)
#define __builtin_amdgcn_workgroup_size_z() ((unsigned short)blockDim.z)
#define __builtin_amdgcn_grid_size_x() (gridDim.x * blockDim.x)
#define __builtin_amdgcn_grid_size_y() (gridDim.y * blockDim.y)
#define __builtin_amdgcn_grid_size_z() (gridDim.z * blockDim.z)
#define __builtin_amdgcn_wavefrontsize() 32u

__device__ __forceinline__ unsigned __lane_id()
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
#define __builtin_amdgcn_mbcnt_lo(mask, base)                                                      \
    (__popc((unsigned)(mask) & ((1u << __lane_id()) - 1)) + (base))
#define __builtin_amdgcn_mbcnt_hi(mask, base) (base)

// ---- Exchanges between the lanes of a warp ----

#define GR_ALL_LANES 0xffffffffu
#define __shfl(...) __shfl_sync(GR_ALL_LANES, __VA_ARGS__)
#define __shfl_up(...) __shfl_up_sync(GR_ALL_LANES, __VA_ARGS__)
#define __shfl_down(...) __shfl_down_sync(GR_ALL_LANES, __VA_ARGS__)
#define __shfl_xor(...) __shfl_xor_sync(GR_ALL_LANES, __VA_ARGS__)
#define __ballot(predicate) ((unsigned long long)__ballot_sync(GR_ALL_LANES, predicate))
#define __ballot64(predicate) __ballot(predicate)
#define __any(predicate) __any_sync(GR_ALL_LANES, predicate)
#define __all(predicate) __all_sync(GR_ALL_LANES, predicate)
#define __builtin_amdgcn_ballot_w32(predicate) __ballot_sync(GR_ALL_LANES, predicate)
#define __builtin_amdgcn_readlane(value, lane) __shfl_sync(GR_ALL_LANES, value, lane)
#define __builtin_amdgcn_ds_bpermute(byte, value) __shfl_sync(GR_ALL_LANES, value, (byte) >> 2)
template <class gr_value> __device__ __forceinline__ gr_value gr_first_lane(gr_value value)
{
    const unsigned active = __activemask();
    return __shfl_sync(active, value, __ffs(active) - 1);
}
#define __builtin_amdgcn_readfirstlane(value) gr_first_lane(value)

// ---- Barriers, fences, and hints to AMD's scheduler, which have no effect on results ----

#define __builtin_amdgcn_s_barrier() __syncthreads()
#define __builtin_amdgcn_wave_barrier() __syncwarp()
#define __builtin_amdgcn_fence(...) __threadfence()
#define __builtin_amdgcn_s_waitcnt(...) ((void)0)
#define __builtin_amdgcn_s_setprio(...) ((void)0)
#define __builtin_amdgcn_s_sleep(...) ((void)0)
#define __builtin_amdgcn_s_nop(...) ((void)0)
#define __builtin_amdgcn_sched_barrier(...) ((void)0)
#define __builtin_amdgcn_sched_group_barrier(...) ((void)0)
#define __builtin_amdgcn_iglp_opt(...) ((void)0)
#define __builtin_prefetch(...) ((void)0)

// ---- Arithmetic ----

#define __builtin_amdgcn_rcpf(x) (1.0f / (x))
#define __builtin_amdgcn_rcp(x) (1.0 / (x))
#define __builtin_amdgcn_sqrtf(x) sqrtf(x)
#define __builtin_amdgcn_sqrt(x) sqrt(x)
#define __builtin_amdgcn_rsqf(x) rsqrtf(x)
#define __builtin_amdgcn_rsq(x) rsqrt(x)
#define __builtin_amdgcn_exp2f(x) exp2f(x)
#define __builtin_amdgcn_logf(x) log2f(x)
#define __builtin_amdgcn_fmed3f(x, y, z) fmaxf(fminf(x, y), fminf(fmaxf(x, y), z))
#define __builtin_amdgcn_alignbit(high, low, shift) __funnelshift_r(low, high, shift)
#define __builtin_amdgcn_ubfe(x, from, bits)                                                       \
    (((unsigned)(x) >> ((from)&31)) & ((1u << ((bits)&31)) - 1))
#define __builtin_fmaf(x, y, z) fmaf(x, y, z)
#define __builtin_fma(x, y, z) fma(x, y, z)
#define __ocml_fma_f32(x, y, z) fmaf(x, y, z)
#define __ocml_fma_f64(x, y, z) fma(x, y, z)

// ---- Memory ----

#define __builtin_nontemporal_load(from) (*(from))
#define __builtin_nontemporal_store(value, to) ((void)(*(to) = (value)))
#define __builtin_amdgcn_s_memtime() ((unsigned long long)clock64())
#define __builtin_amdgcn_s_memrealtime() ((unsigned long long)clock64())
#define __builtin_readcyclecounter() ((unsigned long long)clock64())
#define wall_clock64() clock64()
#define unsafeAtomicAdd(to, value) atomicAdd(to, value)
#define safeAtomicAdd(to, value) atomicAdd(to, value)
#define atomicAddNoRet(to, value) ((void)atomicAdd(to, value))
#ifndef __ATOMIC_RELAXED
#define __ATOMIC_RELAXED 0
#define __ATOMIC_CONSUME 1
#define __ATOMIC_ACQUIRE 2
#define __ATOMIC_RELEASE 3
#define __ATOMIC_ACQ_REL 4
#define __ATOMIC_SEQ_CST 5
#endif
#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
// An order stronger than relaxed is a fence before and after.
template <class gr_action>
__device__ __forceinline__ auto gr_in_order(int order, gr_action action) -> decltype(action())
{
    if (order != __ATOMIC_RELAXED)
        __threadfence();
    auto result = action();
    if (order != __ATOMIC_RELAXED)
        __threadfence();
    return result;
}
#define GR_IN_ORDER(order, action) gr_in_order(order, [&] { return action; })
#define __hip_atomic_fetch_add(to, value, order, scope) GR_IN_ORDER(order, atomicAdd(to, value))
#define __hip_atomic_fetch_min(to, value, order, scope) GR_IN_ORDER(order, atomicMin(to, value))
#define __hip_atomic_fetch_max(to, value, order, scope) GR_IN_ORDER(order, atomicMax(to, value))
#define __hip_atomic_fetch_and(to, value, order, scope) GR_IN_ORDER(order, atomicAnd(to, value))
#define __hip_atomic_fetch_or(to, value, order, scope) GR_IN_ORDER(order, atomicOr(to, value))
#define __hip_atomic_fetch_xor(to, value, order, scope) GR_IN_ORDER(order, atomicXor(to, value))
#define __hip_atomic_exchange(to, value, order, scope) GR_IN_ORDER(order, atomicExch(to, value))
template <class gr_value>
__device__ __forceinline__ gr_value __hip_atomic_load(const gr_value *from, int order, int)
{
    return gr_in_order(order, [&] { return *(const volatile gr_value *)from; });
}
template <class gr_value, class gr_from>
__device__ __forceinline__ void __hip_atomic_store(gr_value *to, gr_from value, int order, int)
{
    gr_in_order(order, [&] {
        *(volatile gr_value *)to = value;
        return 0;
    });
}
template <class gr_value, class gr_from>
__device__ __forceinline__ bool
__hip_atomic_compare_exchange_strong(gr_value *to, gr_value *expected, gr_from value, int order,
                                     int, int)
{
    const gr_value wanted = *expected;
    *expected = gr_in_order(order, [&] { return atomicCAS(to, wanted, (gr_value)value); });
    return *expected == wanted;
}
#define __hip_atomic_compare_exchange_weak __hip_atomic_compare_exchange_strong

// ---- HIP's vectors have arithmetic operators ----

// They are templates, so that a file's own operators are preferred.
template <class gr_vector> struct gr_vector_of;
#define GR_VECTOR_OF(name, lanes)                                                                  \
    template <> struct gr_vector_of<name> {                                                        \
        static constexpr int count = lanes;                                                        \
        typedef decltype(name::x) element;                                                         \
    };
GR_VECTOR_OF(float2, 2)
GR_VECTOR_OF(float3, 3)
GR_VECTOR_OF(float4, 4)
GR_VECTOR_OF(double2, 2)
GR_VECTOR_OF(int2, 2)
GR_VECTOR_OF(int4, 4)
GR_VECTOR_OF(uint2, 2)
GR_VECTOR_OF(uint4, 4)
#undef GR_VECTOR_OF
#define GR_VECTOR_OPERATOR(operation)                                                              \
    template <class gr_vector, int gr_count = gr_vector_of<gr_vector>::count>                      \
    __device__ __forceinline__ gr_vector operator operation(gr_vector one, gr_vector other)        \
    {                                                                                              \
        for (int i = 0; i < gr_count; i++)                                                         \
            (&one.x)[i] = (&one.x)[i] operation(&other.x)[i];                                      \
        return one;                                                                                \
    }                                                                                              \
    template <class gr_vector, int gr_count = gr_vector_of<gr_vector>::count>                      \
    __device__ __forceinline__ gr_vector operator operation(                                       \
        gr_vector one, typename gr_vector_of<gr_vector>::element other)                            \
    {                                                                                              \
        for (int i = 0; i < gr_count; i++)                                                         \
            (&one.x)[i] = (&one.x)[i] operation other;                                             \
        return one;                                                                                \
    }                                                                                              \
    template <class gr_vector, int gr_count = gr_vector_of<gr_vector>::count>                      \
    __device__ __forceinline__ gr_vector operator operation(                                       \
        typename gr_vector_of<gr_vector>::element one, gr_vector other)                            \
    {                                                                                              \
        for (int i = 0; i < gr_count; i++)                                                         \
            (&other.x)[i] = one operation(&other.x)[i];                                            \
        return other;                                                                              \
    }                                                                                              \
    template <class gr_vector, class gr_other, int = gr_vector_of<gr_vector>::count>               \
    __device__ __forceinline__ gr_vector &operator operation##=(gr_vector &one, gr_other other)    \
    {                                                                                              \
        return one = one operation other;                                                          \
    }
GR_VECTOR_OPERATOR(+)
GR_VECTOR_OPERATOR(-)
GR_VECTOR_OPERATOR(*)
GR_VECTOR_OPERATOR(/)
#undef GR_VECTOR_OPERATOR

// ---- Types of the host API that declarations beside kernels may use ----

enum hipError_t { hipSuccess = 0, hipErrorInvalidValue = 1 };
typedef struct gr_hip_stream *hipStream_t;
typedef struct gr_hip_event *hipEvent_t;
typedef void *hipDeviceptr_t;
struct hipDeviceProp_t;
typedef struct gr_hipblas *hipblasHandle_t;
typedef struct gr_rocblas *rocblas_handle;

#endif
