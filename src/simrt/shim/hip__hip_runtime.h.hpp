// hip/hip_runtime.h: what HIP names differently from CUDA, and what it has in addition.
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
#define __builtin_amdgcn_fence(...) __threadfence()
#define __builtin_amdgcn_sched_barrier(...) ((void)0)
#define __builtin_amdgcn_s_setprio(...) ((void)0)
#define __builtin_amdgcn_s_waitcnt(...) ((void)0)
#define __builtin_amdgcn_s_sleep(...) __nanosleep(0)
#define __builtin_amdgcn_rcpf(x) (1.0f / (x))
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

// Types and constants of the host side that declarations beside kernels may use.
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
