// ops.h: what the kernels of this folder share. SPDX-License-Identifier: MIT
//
// Each kernel is launched with n threads, in blocks of 128; word w of the inputs of thread t is
// in[w n + t]. There are 32 words:
//
//     0-3    r0 to r3, 32 bits             in PTX below %1 to %4
//     4-9    l0 to l2, 64 bits, low first           %5 to %7
//     10-12  f0 to f2, float                        %8 to %10
//     13-18  d0 to d2, double                       %11 to %13
//     19-21  h0 to h2, 16 bits                      %14 to %16
//     22-23  predicates, unlike 0          a and b
//
// The result is %0, of the type that the macro's letter says, or x; p and q are results that are
// predicates; m is the mask of the active lanes.
#ifndef OPS_H
#define OPS_H

#define OPS_INPUTS                                                                                 \
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, k = 0;         \
    unsigned r0 = in[t], r1 = in[n + t], r2 = in[2 * n + t], r3 = in[3 * n + t];                   \
    unsigned long long l0 = OPS_LONG(4), l1 = OPS_LONG(6), l2 = OPS_LONG(8);                       \
    float f0 = __uint_as_float(in[10 * n + t]), f1 = __uint_as_float(in[11 * n + t]);              \
    float f2 = __uint_as_float(in[12 * n + t]);                                                    \
    double d0 = __longlong_as_double(OPS_LONG(13)), d1 = __longlong_as_double(OPS_LONG(15));       \
    double d2 = __longlong_as_double(OPS_LONG(17));                                                \
    unsigned short h0 = in[19 * n + t], h1 = in[20 * n + t], h2 = in[21 * n + t];                  \
    unsigned a = in[22 * n + t], b = in[23 * n + t];

#define OPS_LONG(w) (in[(w)*n + t] | (unsigned long long)in[((w) + 1) * n + t] << 32)

#define OPS_FROM                                                                                   \
    "r"(r0), "r"(r1), "r"(r2), "r"(r3), "l"(l0), "l"(l1), "l"(l2), "f"(f0), "f"(f1), "f"(f2),      \
        "d"(d0), "d"(d1), "d"(d2), "h"(h0), "h"(h1), "h"(h2), "r"(a), "r"(b)

#define OPS_BEGIN                                                                                  \
    "{ .reg .pred p, q, a, b; .reg .b32 m, x, y; activemask.b32 m; setp.ne.u32 a, %17, 0; "        \
    "setp.ne.u32 b, %18, 0; setp.ne.u32 q, 0, 0; "

#define OP_WORD(x) out[k++ * n + t] = (x);

#define OP_R(text)                                                                                 \
    {                                                                                              \
        unsigned x;                                                                                \
        asm volatile(OPS_BEGIN text " }" : "=r"(x) : OPS_FROM);                                    \
        OP_WORD(x)                                                                                 \
    }
#define OP_F(text)                                                                                 \
    {                                                                                              \
        float x;                                                                                   \
        asm volatile(OPS_BEGIN text " }" : "=f"(x) : OPS_FROM);                                    \
        OP_WORD(__float_as_uint(x))                                                                \
    }
#define OP_H(text)                                                                                 \
    {                                                                                              \
        unsigned short x;                                                                          \
        asm volatile(OPS_BEGIN text " }" : "=h"(x) : OPS_FROM);                                    \
        OP_WORD(x)                                                                                 \
    }
#define OP_L(text)                                                                                 \
    {                                                                                              \
        unsigned long long x;                                                                      \
        asm volatile(OPS_BEGIN text " }" : "=l"(x) : OPS_FROM);                                    \
        OP_WORD((unsigned)x)                                                                       \
        OP_WORD((unsigned)(x >> 32))                                                               \
    }
#define OP_D(text)                                                                                 \
    {                                                                                              \
        double x;                                                                                  \
        asm volatile(OPS_BEGIN text " }" : "=d"(x) : OPS_FROM);                                    \
        OP_WORD((unsigned)__double_as_longlong(x))                                                 \
        OP_WORD((unsigned)(__double_as_longlong(x) >> 32))                                         \
    }
#define OP_P(text)                                                                                 \
    {                                                                                              \
        unsigned x;                                                                                \
        asm volatile(OPS_BEGIN text " selp.u32 %0, 1, 0, p; }" : "=r"(x) : OPS_FROM);              \
        OP_WORD(x)                                                                                 \
    }
#define OP_PP(text)                                                                                \
    {                                                                                              \
        unsigned x;                                                                                \
        asm volatile(OPS_BEGIN text " selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }"               \
                     : "=r"(x)                                                                     \
                     : OPS_FROM);                                                                  \
        OP_WORD(x)                                                                                 \
    }
#define OP_RP(text)                                                                                \
    {                                                                                              \
        unsigned long long z;                                                                      \
        asm volatile(OPS_BEGIN text " selp.u32 y, 1, 0, p; mov.b64 %0, {x, y}; }"                  \
                     : "=l"(z)                                                                     \
                     : OPS_FROM);                                                                  \
        OP_WORD((unsigned)z)                                                                       \
        OP_WORD((unsigned)(z >> 32))                                                               \
    }

#endif
