// gr_words.h: the qualifiers and built-in variables of CUDA C++. SPDX-License-Identifier: MIT
#ifndef GR_WORDS_H
#define GR_WORDS_H

#ifndef GRADUS_SIM
#define GRADUS_SIM 1
#endif
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define __CUDACC_VER_BUILD__ 0
#define CUDART_VERSION 12040
#define CUDA_VERSION 12040
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 800
#endif
#ifndef GRADUS_WARP_SIZE // 64 for devices whose warps have 64 lanes
#define GRADUS_WARP_SIZE 32
#endif

// Does this build record plain accesses?
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define GR_TRACED 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define GR_TRACED 1
#endif

// A function that passes its return address on as the place in the user's source.
#define GR_PLACED __attribute__((noinline, no_sanitize("thread", "alignment")))
#define GR_SITE __builtin_extract_return_addr(__builtin_return_address(0))
// A function that records accesses in the traced mode, and is inlined in the fast mode.
#ifdef GR_TRACED
#define GR_TOUCHING GR_PLACED
#define GR_SAW_LOAD(address, bytes) gr_sim_saw_load((const void *)(address), (int)(bytes), GR_SITE)
#define GR_SAW_STORE(address, bytes) gr_sim_saw_store((void *)(address), (int)(bytes), GR_SITE)
#define GR_SAW_ATOMIC(address, bytes) gr_sim_saw_atomic((void *)(address), (int)(bytes), GR_SITE)
#else
#define GR_TOUCHING inline __attribute__((always_inline))
#define GR_SAW_LOAD(address, bytes) ((void)0)
#define GR_SAW_STORE(address, bytes) ((void)0)
#define GR_SAW_ATOMIC(address, bytes) ((void)0)
#endif
// How a GR_TOUCHING function takes a structure: as a reference, since the call loads it if it is an
// element of an array; GR_TAKE then makes that load. By value, the load would be attributed to a
// line of the shim, or not be recorded at all.
#define GR_IN(type, name) const type &gr_##name
#define GR_TAKE(type, name)                                                                        \
    GR_SAW_LOAD(&gr_##name, sizeof gr_##name);                                                     \
    const type name = gr_##name
// How such a function returns a structure: as const, so that assigning it to an element of an array
// uses the assignment operator of GR_STORES, which records the store. The compiler itself does not
// instrument the store of a call's result.
#ifdef GR_TRACED
#define GR_OUT(type) const type
#define GR_STORES(name)                                                                            \
    template <class gr_result,                                                                     \
              class =                                                                              \
                  typename std::enable_if<std::is_same<const gr_result, const name>::value>::type> \
    GR_TOUCHING name &operator=(const gr_result &&result)                                          \
    {                                                                                              \
        GR_SAW_STORE(this, sizeof *this);                                                          \
        __builtin_memcpy((void *)this, &result, sizeof *this);                                     \
        return *this;                                                                              \
    }
#else
#define GR_OUT(type) type
#define GR_STORES(name)
#endif
// A function that accesses the run time's own memory, which is not recorded.
#define GR_QUIET __attribute__((noinline, no_sanitize("thread", "alignment")))
#define GR_INLINE static inline __attribute__((always_inline))
#define GR_INLINE_MEMBER inline __attribute__((always_inline))

#define __global__ __attribute__((noinline, used))
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __shared__                                                                                 \
    thread_local     // a host thread runs one block at a time; in a function the variable is static
#if GRADUS_RECURSIVE // g++ reports an error if it cannot inline a recursive function; nvcc emits
                     // a call
#define __forceinline__ inline
#else
#define __forceinline__ inline __attribute__((always_inline))
#endif
#define __noinline__ // nothing: headers of GCC 13 and later write __attribute__((__noinline__)),
                     // which must stay an attribute
#define __align__(...) __attribute__((aligned(__VA_ARGS__)))
#define __builtin_align__(...) __attribute__((aligned(__VA_ARGS__)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __block_size__(...)
#define __cluster_dims__(...)
#define __local_maxnreg__(...)
#define __nv_pure__
#define __device_builtin__
#define __cudart_builtin__
#ifndef __cplusplus
#error "a kernel is compiled as C++"
#endif

// alignas may not follow thread_local, but kernels write `__shared__ alignas(16) float x[4]`.
template <size_t gr_bytes> constexpr size_t gr_alignment()
{
    return gr_bytes;
}
template <class gr_type> constexpr size_t gr_alignment()
{
    return alignof(gr_type);
}
#define alignas(...) __attribute__((aligned(gr_alignment<__VA_ARGS__>())))

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned first = 1, unsigned second = 1, unsigned third = 1)
        : x(first), y(second), z(third)
    {
    }
    constexpr dim3(uint3 from) : x(from.x), y(from.y), z(from.z)
    {
    }
    constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
};

struct cudaPitchedPtr {
    void *ptr;
    __SIZE_TYPE__ pitch, xsize, ysize;
};

GR_INLINE uint3 gr_uint3(gr_sim_index from)
{
    return uint3{from.x, from.y, from.z};
}
GR_INLINE dim3 gr_dim3(gr_sim_index from)
{
    return dim3(from.x, from.y, from.z);
}

#define threadIdx (gr_uint3(gr_sim_thread_index()))
#define blockIdx (gr_uint3(gr_sim_block_index()))
#define blockDim (gr_dim3(gr_sim_block_size()))
#define gridDim (gr_dim3(gr_sim_grid_size()))
static constexpr int warpSize = GRADUS_WARP_SIZE;

#endif
