// hip/hip_runtime.h: HIP's names for CUDA's functions, and functions that only HIP has.
// SPDX-License-Identifier: MIT
#ifndef GR_HIP_RUNTIME_H
#define GR_HIP_RUNTIME_H

#undef __CUDACC__
#undef __NVCC__
#undef __CUDA_ARCH__
#define __HIP__ 1
#define __HIPCC__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_PLATFORM_HCC__ 1
#define __AMDGCN_WAVEFRONT_SIZE GRADUS_WARP_SIZE
#define __AMDGCN_WAVEFRONT_SIZE__ GRADUS_WARP_SIZE
#define __AMD__ 1
#define __AMDGPU__ 1
#define __AMDGCN__ 1
#if GRADUS_GFX >= 0x1200
#define __GFX12__ 1
#elif GRADUS_GFX >= 0x1100
#define __GFX11__ 1
#elif GRADUS_GFX >= 0x1000
#define __GFX10__ 1
#elif GRADUS_GFX >= 0x900
#define __GFX9__ 1
#endif
#define HIP_VERSION 60000000
#define HIP_VERSION_MAJOR 6

#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_SYMBOL(name) name
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipThreadIdx_x (gr_sim_thread_index().x)
#define hipThreadIdx_y (gr_sim_thread_index().y)
#define hipThreadIdx_z (gr_sim_thread_index().z)
#define hipBlockIdx_x (gr_sim_block_index().x)
#define hipBlockIdx_y (gr_sim_block_index().y)
#define hipBlockIdx_z (gr_sim_block_index().z)
#define hipBlockDim_x (gr_sim_block_size().x)
#define hipBlockDim_y (gr_sim_block_size().y)
#define hipBlockDim_z (gr_sim_block_size().z)
#define hipGridDim_x (gr_sim_grid_size().x)
#define hipGridDim_y (gr_sim_grid_size().y)
#define hipGridDim_z (gr_sim_grid_size().z)

#define __builtin_amdgcn_s_barrier() __syncthreads()
#define __builtin_amdgcn_wave_barrier() __syncwarp()
#define __builtin_amdgcn_readfirstlane(value) gr_first_lane(value)
#define __builtin_amdgcn_readlane(value, lane) __shfl(value, lane)
#define __builtin_amdgcn_workitem_id_x() (gr_sim_thread_index().x)
#define __builtin_amdgcn_workitem_id_y() (gr_sim_thread_index().y)
#define __builtin_amdgcn_workitem_id_z() (gr_sim_thread_index().z)
#define __builtin_amdgcn_workgroup_id_x() (gr_sim_block_index().x)
#define __builtin_amdgcn_workgroup_id_y() (gr_sim_block_index().y)
#define __builtin_amdgcn_workgroup_id_z() (gr_sim_block_index().z)
#define __builtin_amdgcn_wavefrontsize() GRADUS_WARP_SIZE
#define __builtin_amdgcn_mbcnt_lo(mask, base) (gr_lanes_below((mask), 0) + (base))
#define __builtin_amdgcn_mbcnt_hi(mask, base) (gr_lanes_below((mask), 32) + (base))
#define __builtin_amdgcn_workgroup_size_x() (gr_sim_block_size().x)
#define __builtin_amdgcn_workgroup_size_y() (gr_sim_block_size().y)
#define __builtin_amdgcn_workgroup_size_z() (gr_sim_block_size().z)
#define __builtin_amdgcn_fence(...) __threadfence()
#define __builtin_amdgcn_sched_barrier(...) ((void)0)
#define __builtin_amdgcn_sched_group_barrier(...) ((void)0)
#define __builtin_amdgcn_iglp_opt(...) ((void)0)
#define __builtin_amdgcn_s_setprio(...) ((void)0)
#define __builtin_amdgcn_s_waitcnt(...) ((void)0)
#define __builtin_amdgcn_s_sleep(...) __nanosleep(0)
#define __builtin_nontemporal_load(address) (*(address))
#define __builtin_nontemporal_store(value, address) ((void)(*(address) = (value)))
#define __builtin_amdgcn_rcpf(x) (1.0f / (x))
#define __builtin_amdgcn_sqrtf(x) sqrtf(x)
#define __builtin_amdgcn_exp2f(x) exp2f(x)
#define __builtin_amdgcn_rsqf(x) gr_rsqrtf(x)
#define __builtin_amdgcn_fmed3f(x, y, z) fmaxf(fminf(x, y), fminf(fmaxf(x, y), z))

GR_INLINE unsigned __lane_id()
{
    return gr_sim_lane();
}
GR_INLINE unsigned gr_lanes_below(unsigned mask, unsigned from)
{
    const uint64_t below = (((uint64_t)1 << gr_sim_lane()) - 1) >> from;
    return (unsigned)__builtin_popcount(mask & (unsigned)below);
}
template <class gr_value> GR_PLACED static gr_value gr_first_lane(gr_value value)
{
    const uint64_t active = gr_sim_active_mask();
    return gr_exchange(active, value, __builtin_ctzll(active), GR_SITE);
}
GR_PLACED static float unsafeAtomicAdd(float *address, float value)
{
    GR_SAW_ATOMIC(address, sizeof *address);
    return gr_atomic_update(address, [=](float old) { return old + value; });
}
GR_PLACED static double unsafeAtomicAdd(double *address, double value)
{
    GR_SAW_ATOMIC(address, sizeof *address);
    return gr_atomic_update(address, [=](double old) { return old + value; });
}

// ---- A lane that reads another lane's register. ----

GR_PLACED static int __builtin_amdgcn_ds_bpermute(int address, int value)
{
    return gr_exchange(gr_sim_active_mask(), value, (int)((unsigned)address / 4 % GRADUS_WARP_SIZE),
                       GR_SITE);
}

// The lane that a DPP control reads (LLVM, AMDGPU, DPP_CTRL); -1: none. A row has 16 lanes.
GR_INLINE int gr_dpp_lane(int control)
{
    const int self = (int)gr_sim_lane(), row = self & ~15, in_row = self % 16, by = control & 15;
    if (control < 0x100) // a permutation of each four lanes
        return (self & ~3) | (control >> 2 * (self % 4) & 3);
    if (control >= 0x101 && control <= 0x10f) // row_shl
        return in_row + by < 16 ? self + by : -1;
    if (control >= 0x111 && control <= 0x11f) // row_shr
        return in_row - by >= 0 ? self - by : -1;
    if (control >= 0x121 && control <= 0x12f) // row_ror
        return row | ((in_row - by) & 15);
    if (control == 0x130) // wave_shl by one
        return self + 1 < GRADUS_WARP_SIZE ? self + 1 : -1;
    if (control == 0x138) // wave_shr by one
        return self - 1;
    if (control == 0x140) // row_mirror
        return row | (15 - in_row);
    if (control == 0x141) // row_half_mirror
        return (self & ~7) | (7 - self % 8);
    if (control == 0x142) // row_bcast15: the last lane of the row before
        return row - 1;
    if (control == 0x143) // row_bcast31
        return self >= 32 ? 31 : -1;
    if (control >= 0x150 && control <= 0x15f) // row_share
        return row | by;
    if (control >= 0x160 && control <= 0x16f) // row_xmask
        return self ^ by;
    return -2;
}
template <class gr_value>
GR_PLACED static gr_value __builtin_amdgcn_update_dpp(gr_value old, gr_value value, int control,
                                                      int row_mask, int bank_mask, bool zero)
{
    const int self = (int)gr_sim_lane(), from = gr_dpp_lane(control);
    if (from == -2)
        gr_sim_not_modelled("this DPP control", GR_SITE);
    const uint64_t active = gr_sim_active_mask();
    const bool reads = from >= 0 && active >> from & 1;
    const gr_value found = gr_exchange(active, value, reads ? from : self, GR_SITE);
    if (!(row_mask >> self / 16 & 1) || !(bank_mask >> self % 16 / 4 & 1))
        return old;
    return reads ? found : zero ? (gr_value)0 : old;
}
#define __builtin_amdgcn_mov_dpp(value, ...) __builtin_amdgcn_update_dpp(value, value, __VA_ARGS__)

// Within 32 lanes: a permutation of each four, or the lane's number with bits masked, set and
// flipped.
GR_PLACED static int __builtin_amdgcn_ds_swizzle(int value, int pattern)
{
    const int self = (int)gr_sim_lane();
    const int from = pattern & 0x8000
                         ? (self & ~3) | (pattern >> 2 * (self % 4) & 3)
                         : (self & ~31) | ((((self & 31) & (pattern & 31)) | (pattern >> 5 & 31)) ^
                                           (pattern >> 10 & 31));
    return gr_exchange(gr_sim_active_mask(), value, from, GR_SITE);
}

// ---- Atomic functions with an order and a scope, which are all the same here. ----

#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
#define __hip_atomic_load(address, ...)                                                            \
    (*(const volatile typename std::remove_reference<decltype(*(address))>::type *)(address))
#define __hip_atomic_store(address, value, ...)                                                    \
    ((void)(*(volatile typename std::remove_reference<decltype(*(address))>::type *)(address) =    \
                (value)))
#define __hip_atomic_fetch_add(address, value, ...) atomicAdd(address, value)
#define __hip_atomic_fetch_sub(address, value, ...) atomicSub(address, value)
#define __hip_atomic_fetch_min(address, value, ...) atomicMin(address, value)
#define __hip_atomic_fetch_max(address, value, ...) atomicMax(address, value)
#define __hip_atomic_fetch_and(address, value, ...) atomicAnd(address, value)
#define __hip_atomic_fetch_or(address, value, ...) atomicOr(address, value)
#define __hip_atomic_fetch_xor(address, value, ...) atomicXor(address, value)
#define __hip_atomic_exchange(address, value, ...) atomicExch(address, value)
#define safeAtomicAdd(address, value) atomicAdd(address, value)
#define atomicAddNoRet(address, value) ((void)atomicAdd(address, value))

// HIP's vectors have arithmetic operators. They are templates here, so that a file's own operators
// are preferred.
template <class gr_vector> struct gr_lanes_of;
#define GR_LANES_OF(name, lanes)                                                                   \
    template <> struct gr_lanes_of<name> {                                                         \
        static constexpr int count = lanes;                                                        \
        typedef decltype(name::x) element;                                                         \
    };
GR_LANES_OF(float2, 2)
GR_LANES_OF(float3, 3)
GR_LANES_OF(float4, 4)
GR_LANES_OF(double2, 2)
GR_LANES_OF(double4, 4)
GR_LANES_OF(int2, 2)
GR_LANES_OF(int4, 4)
GR_LANES_OF(uint2, 2)
GR_LANES_OF(uint4, 4)
#undef GR_LANES_OF
template <class gr_vector> GR_INLINE gr_vector gr_spread(typename gr_lanes_of<gr_vector>::element x)
{
    gr_vector result;
    for (int i = 0; i < gr_lanes_of<gr_vector>::count; i++)
        (&result.x)[i] = x;
    return result;
}
#define GR_VECTOR_OPERATOR(operation)                                                              \
    template <class gr_vector, int = gr_lanes_of<gr_vector>::count>                                \
    GR_INLINE gr_vector operator operation(gr_vector one, gr_vector other)                         \
    {                                                                                              \
        for (int i = 0; i < gr_lanes_of<gr_vector>::count; i++)                                    \
            (&one.x)[i] = (&one.x)[i] operation(&other.x)[i];                                      \
        return one;                                                                                \
    }                                                                                              \
    template <class gr_vector, int = gr_lanes_of<gr_vector>::count>                                \
    GR_INLINE gr_vector operator operation(gr_vector one,                                          \
                                           typename gr_lanes_of<gr_vector>::element other)         \
    {                                                                                              \
        return one operation gr_spread<gr_vector>(other);                                          \
    }                                                                                              \
    template <class gr_vector, int = gr_lanes_of<gr_vector>::count>                                \
    GR_INLINE gr_vector operator operation(typename gr_lanes_of<gr_vector>::element one,           \
                                           gr_vector other)                                        \
    {                                                                                              \
        return gr_spread<gr_vector>(one) operation other;                                          \
    }                                                                                              \
    template <class gr_vector, class gr_other, int = gr_lanes_of<gr_vector>::count>                \
    GR_TOUCHING static gr_vector &operator operation##=(gr_vector &one, gr_other other)            \
    {                                                                                              \
        GR_SAW_LOAD(&one, sizeof one);                                                             \
        GR_SAW_STORE(&one, sizeof one);                                                            \
        one = one operation other;                                                                 \
        return one;                                                                                \
    }
GR_VECTOR_OPERATOR(+)
GR_VECTOR_OPERATOR(-)
GR_VECTOR_OPERATOR(*)
GR_VECTOR_OPERATOR(/)
#undef GR_VECTOR_OPERATOR

#include "gr_matrix.h"

// Types and constants of the host API that declarations beside kernels may use.
typedef cudaError_t hipError_t;
#define hipSuccess cudaSuccess
typedef cudaStream_t hipStream_t;
typedef cudaEvent_t hipEvent_t;
typedef struct cudaDeviceProp hipDeviceProp_t;
GR_INLINE const char *hipGetErrorString(hipError_t)
{
    return "no error";
}
GR_INLINE hipError_t hipGetLastError()
{
    return hipSuccess;
}

#endif
