// gr_vectors.h: CUDA's vector types, as structures with the sizes and alignments of the CUDA
// programming guide. Copying one is a single access to all its bytes. SPDX-License-Identifier: MIT
#ifndef GR_VECTORS_H
#define GR_VECTORS_H

typedef unsigned char uchar;

// Without the type of three elements, since uint3 is defined elsewhere.
#define GR_VECTOR_1_2_4(name, type, align2, align4)                                                \
    struct name##1                                                                                 \
    {                                                                                              \
        type x;                                                                                    \
    };                                                                                             \
    struct __attribute__((aligned(align2))) name##2                                                \
    {                                                                                              \
        type x, y;                                                                                 \
    };                                                                                             \
    struct __attribute__((aligned(align4))) name##4                                                \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    GR_INLINE constexpr name##1 make_##name##1(type x)                                             \
    {                                                                                              \
        return name##1 {x};                                                                        \
    }                                                                                              \
    GR_INLINE constexpr name##2 make_##name##2(type x, type y)                                     \
    {                                                                                              \
        return name##2 {x, y};                                                                     \
    }                                                                                              \
    GR_INLINE constexpr name##3 make_##name##3(type x, type y, type z)                             \
    {                                                                                              \
        return name##3 {x, y, z};                                                                  \
    }                                                                                              \
    GR_INLINE constexpr name##4 make_##name##4(type x, type y, type z, type w)                     \
    {                                                                                              \
        return name##4 {x, y, z, w};                                                               \
    }

#define GR_VECTOR(name, type, align2, align4)                                                      \
    struct name##3                                                                                 \
    {                                                                                              \
        type x, y, z;                                                                              \
    };                                                                                             \
    GR_VECTOR_1_2_4(name, type, align2, align4)

GR_VECTOR(char, signed char, 2, 4)
GR_VECTOR(uchar, unsigned char, 2, 4)
GR_VECTOR(short, short, 4, 8)
GR_VECTOR(ushort, unsigned short, 4, 8)
GR_VECTOR(int, int, 8, 16)
GR_VECTOR_1_2_4(uint, unsigned int, 8, 16)
GR_VECTOR(long, long, 16, 16)
GR_VECTOR(ulong, unsigned long, 16, 16)
GR_VECTOR(longlong, long long, 16, 16)
GR_VECTOR(ulonglong, unsigned long long, 16, 16)
GR_VECTOR(float, float, 8, 16)
GR_VECTOR(double, double, 16, 16)

#undef GR_VECTOR
#undef GR_VECTOR_1_2_4

#endif
