// gr_float16.hpp: clang's _Float16, as a class on CUDA's __half, for compilers that do not have it.
// Each operation is computed in float and rounded once, which is exact for one operation.
// SPDX-License-Identifier: MIT
#ifndef GR_FLOAT16_HPP
#define GR_FLOAT16_HPP

#include <cuda_fp16.h>

struct gr_float16 : __half {
    gr_float16() = default;
    __device__ __forceinline__ gr_float16(__half number) : __half(number)
    {
    }
    __device__ __forceinline__ gr_float16(float number) : __half(number)
    {
    }
    __device__ __forceinline__ gr_float16(double number) : __half(number)
    {
    }
    __device__ __forceinline__ gr_float16(int number) : __half((float)number)
    {
    }
    __device__ __forceinline__ gr_float16(unsigned number) : __half((float)number)
    {
    }
};

// If the other operand is a float or a double, the result has its type; for an integer, this one.
#define GR_FLOAT16_OPERATOR(operation)                                                             \
    __device__ __forceinline__ gr_float16 operator operation(gr_float16 one, gr_float16 other)     \
    {                                                                                              \
        return gr_float16((float)one operation(float) other);                                      \
    }                                                                                              \
    GR_FLOAT16_MIXED(operation, float, float)                                                      \
    GR_FLOAT16_MIXED(operation, double, double)                                                    \
    GR_FLOAT16_MIXED(operation, int, gr_float16)                                                   \
    template <class gr_other>                                                                      \
    __device__ __forceinline__ gr_float16 &operator operation##=(gr_float16 &one, gr_other other)  \
    {                                                                                              \
        return one = gr_float16((float)(one operation other));                                     \
    }
#define GR_FLOAT16_MIXED(operation, type, result)                                                  \
    __device__ __forceinline__ result operator operation(gr_float16 one, type other)               \
    {                                                                                              \
        return result((float)one operation other);                                                 \
    }                                                                                              \
    __device__ __forceinline__ result operator operation(type one, gr_float16 other)               \
    {                                                                                              \
        return result(one operation(float) other);                                                 \
    }
GR_FLOAT16_OPERATOR(+)
GR_FLOAT16_OPERATOR(-)
GR_FLOAT16_OPERATOR(*)
GR_FLOAT16_OPERATOR(/)
#undef GR_FLOAT16_OPERATOR
#undef GR_FLOAT16_MIXED

#endif
