// gr_lanes.hpp: clang's vectors, `T __attribute__((ext_vector_type(N)))`, as classes, for compilers
// that do not have them: NVRTC, and g++ for the simulator. Copying one is a single access to all
// its bytes. SPDX-License-Identifier: MIT
#ifndef GR_LANES_HPP
#define GR_LANES_HPP

#include <initializer_list>

constexpr int gr_lanes_alignment(int bytes)
{
    int alignment = 1;
    while (alignment < bytes && alignment < 16)
        alignment *= 2;
    return alignment;
}

// In its members, up to four elements have names.
template <class gr_element, int gr_count> struct gr_lanes_members {
    gr_element gr_all[gr_count];
};
template <class gr_element> struct gr_lanes_members<gr_element, 2> {
    gr_element x, y;
};
template <class gr_element> struct gr_lanes_members<gr_element, 3> {
    gr_element x, y, z;
};
template <class gr_element> struct gr_lanes_members<gr_element, 4> {
    gr_element x, y, z, w;
};

template <class gr_element, int gr_count>
struct alignas(gr_lanes_alignment(gr_count *(int)sizeof(gr_element))) gr_lanes
    : gr_lanes_members<gr_element, gr_count> {
    gr_lanes() = default;
    // A number becomes every element; numbers in braces become the first ones, then 0.
    __device__ __forceinline__ gr_lanes(gr_element number)
    {
        for (int i = 0; i < gr_count; i++)
            (*this)[i] = number;
    }
    __device__ __forceinline__ gr_lanes(std::initializer_list<gr_element> numbers)
    {
        for (int i = 0; i < gr_count; i++)
            (*this)[i] = i < (int)numbers.size() ? numbers.begin()[i] : gr_element(0);
    }
    __device__ __forceinline__ gr_element &operator[](int i)
    {
        return reinterpret_cast<gr_element *>(this)[i];
    }
    __device__ __forceinline__ const gr_element &operator[](int i) const
    {
        return reinterpret_cast<const gr_element *>(this)[i];
    }
};
template <class gr_element, int gr_bytes>
using gr_lanes_of_bytes = gr_lanes<gr_element, gr_bytes / (int)sizeof(gr_element)>;

template <class gr_type> struct gr_itself {
    typedef gr_type type; // its argument is not deduced
};
#define GR_LANES_OPERATOR(operation)                                                               \
    template <class gr_element, int gr_count>                                                      \
    __device__ __forceinline__ gr_lanes<gr_element, gr_count> operator operation(                  \
        gr_lanes<gr_element, gr_count> one, gr_lanes<gr_element, gr_count> other)                  \
    {                                                                                              \
        for (int i = 0; i < gr_count; i++)                                                         \
            one[i] = one[i] operation other[i];                                                    \
        return one;                                                                                \
    }                                                                                              \
    template <class gr_element, int gr_count>                                                      \
    __device__ __forceinline__ gr_lanes<gr_element, gr_count> operator operation(                  \
        gr_lanes<gr_element, gr_count> one, typename gr_itself<gr_element>::type number)           \
    {                                                                                              \
        for (int i = 0; i < gr_count; i++)                                                         \
            one[i] = one[i] operation number;                                                      \
        return one;                                                                                \
    }                                                                                              \
    template <class gr_element, int gr_count>                                                      \
    __device__ __forceinline__ gr_lanes<gr_element, gr_count> operator operation(                  \
        typename gr_itself<gr_element>::type number, gr_lanes<gr_element, gr_count> other)         \
    {                                                                                              \
        for (int i = 0; i < gr_count; i++)                                                         \
            other[i] = number operation other[i];                                                  \
        return other;                                                                              \
    }                                                                                              \
    template <class gr_element, int gr_count, class gr_other>                                      \
    __device__ __forceinline__ gr_lanes<gr_element, gr_count> &operator operation##=(              \
        gr_lanes<gr_element, gr_count> &one, gr_other other)                                       \
    {                                                                                              \
        return one = one operation other;                                                          \
    }
GR_LANES_OPERATOR(+)
GR_LANES_OPERATOR(-)
GR_LANES_OPERATOR(*)
GR_LANES_OPERATOR(/)
#undef GR_LANES_OPERATOR

template <class gr_element, int gr_count>
__device__ __forceinline__ gr_lanes<gr_element, gr_count>
operator-(gr_lanes<gr_element, gr_count> numbers)
{
    for (int i = 0; i < gr_count; i++)
        numbers[i] = -numbers[i];
    return numbers;
}

#endif
