// gr_number16.h: a 16-bit floating-point type and pairs of it: the classes, their operators and
// their functions, written once for __half and __nv_bfloat16. cuda_fp16.h and cuda_bf16.h each
// include it, with these macros as its parameters:
//   GR_NAMED(before, after)    before##half##after or before##bfloat16##after, for the names of
//                              CUDA's functions; ## keeps a user's macro of that name out
//   GR_NUMBER_TO_PAIR          the name of the function that makes a pair of one number
//   GR_ONE, GR_TWO             the classes of a number and of a pair
//   GR_RAW, GR_RAW2            their representations in memory
//   GR_EXPONENT, GR_MANTISSA   how many bits each has
//   GR_VALUE(code)             the float that a code stands for
//   GR_CODE(x)                 the code of a float, rounded to nearest even
// SPDX-License-Identifier: MIT

#define GR_CODE_EXACT(x) ((unsigned short)gr_narrow<GR_EXPONENT, GR_MANTISSA>(x)) // of a double

struct __attribute__((aligned(2))) GR_RAW {
    unsigned short x;
};
struct __attribute__((aligned(4))) GR_RAW2 {
    unsigned short x, y;
};

struct __attribute__((aligned(2))) GR_ONE {
    unsigned short gr_code;
    GR_ONE() = default;
    GR_STORES(GR_ONE)
    constexpr GR_ONE(GR_RAW raw) : gr_code(raw.x)
    {
    }
    GR_INLINE_MEMBER GR_ONE(float x) : gr_code(GR_CODE(x))
    {
    }
    template <class gr_number,
              class = typename std::enable_if<std::is_arithmetic<gr_number>::value>::type>
    GR_INLINE_MEMBER GR_ONE(gr_number x) : gr_code(GR_CODE_EXACT((double)x))
    {
    }
    // Converting an element of an array to float is a load of it.
    GR_TOUCHING operator float() const
    {
        GR_SAW_LOAD(this, sizeof *this);
        return GR_VALUE(gr_code);
    }
    GR_TOUCHING operator GR_RAW() const
    {
        GR_SAW_LOAD(this, sizeof *this);
        return GR_RAW{gr_code};
    }
};

struct __attribute__((aligned(4))) GR_TWO {
    GR_ONE x, y;
    GR_TWO() = default;
    GR_STORES(GR_TWO)
    GR_TOUCHING GR_TWO(const GR_ONE &first, const GR_ONE &second)
    {
        GR_SAW_LOAD(&first, sizeof first);
        GR_SAW_LOAD(&second, sizeof second);
        x = first;
        y = second;
    }
    GR_INLINE_MEMBER constexpr GR_TWO(GR_RAW2 raw) : x(GR_RAW{raw.x}), y(GR_RAW{raw.y})
    {
    }
};

GR_INLINE float gr_value(GR_ONE x)
{
    return GR_VALUE(x.gr_code);
}
GR_INLINE GR_ONE gr_make(GR_ONE, float x)
{
    return GR_RAW{GR_CODE(x)};
}
GR_INLINE GR_ONE gr_make_exact(GR_ONE, double x)
{
    return GR_RAW{GR_CODE_EXACT(x)};
}

// The sum, difference, product or quotient of two 16-bit numbers in float, rounded to 16 bits,
// equals the exact result rounded once.
#define GR_BINARY(name, operation)                                                                 \
    GR_TOUCHING static GR_OUT(GR_ONE) operator operation(GR_IN(GR_ONE, one), GR_IN(GR_ONE, other)) \
    {                                                                                              \
        GR_TAKE(GR_ONE, one);                                                                      \
        GR_TAKE(GR_ONE, other);                                                                    \
        return gr_make(one, gr_value(one) operation gr_value(other));                              \
    }                                                                                              \
    GR_TOUCHING static GR_OUT(GR_TWO) operator operation(GR_IN(GR_TWO, one), GR_IN(GR_TWO, other)) \
    {                                                                                              \
        GR_TAKE(GR_TWO, one);                                                                      \
        GR_TAKE(GR_TWO, other);                                                                    \
        return GR_TWO(one.x operation other.x, one.y operation other.y);                           \
    }                                                                                              \
    GR_TOUCHING static GR_ONE &operator operation##=(GR_ONE &one, GR_IN(GR_ONE, other))            \
    {                                                                                              \
        GR_TAKE(GR_ONE, other);                                                                    \
        GR_SAW_LOAD(&one, sizeof one);                                                             \
        GR_SAW_STORE(&one, sizeof one);                                                            \
        const GR_ONE old = one, sum = old operation other;                                         \
        one = sum;                                                                                 \
        return one;                                                                                \
    }                                                                                              \
    GR_TOUCHING static GR_TWO &operator operation##=(GR_TWO &one, GR_IN(GR_TWO, other))            \
    {                                                                                              \
        GR_TAKE(GR_TWO, other);                                                                    \
        GR_SAW_LOAD(&one, sizeof one);                                                             \
        GR_SAW_STORE(&one, sizeof one);                                                            \
        const GR_TWO old = one, sum = old operation other;                                         \
        one = sum;                                                                                 \
        return one;                                                                                \
    }                                                                                              \
    GR_TOUCHING static GR_OUT(GR_ONE) __h##name(GR_IN(GR_ONE, one), GR_IN(GR_ONE, other))          \
    {                                                                                              \
        GR_TAKE(GR_ONE, one);                                                                      \
        GR_TAKE(GR_ONE, other);                                                                    \
        return one operation other;                                                                \
    }                                                                                              \
    GR_TOUCHING static GR_OUT(GR_ONE) __h##name##_rn(GR_IN(GR_ONE, one), GR_IN(GR_ONE, other))     \
    {                                                                                              \
        GR_TAKE(GR_ONE, one);                                                                      \
        GR_TAKE(GR_ONE, other);                                                                    \
        return one operation other;                                                                \
    }                                                                                              \
    GR_TOUCHING static GR_OUT(GR_ONE) __h##name##_sat(GR_IN(GR_ONE, one), GR_IN(GR_ONE, other))    \
    {                                                                                              \
        GR_TAKE(GR_ONE, one);                                                                      \
        GR_TAKE(GR_ONE, other);                                                                    \
        return gr_make(one, __saturatef(gr_value(one operation other)));                           \
    }                                                                                              \
    GR_TOUCHING static GR_OUT(GR_TWO) __h##name##2_rn(GR_IN(GR_TWO, one), GR_IN(GR_TWO, other))    \
    {                                                                                              \
        GR_TAKE(GR_TWO, one);                                                                      \
        GR_TAKE(GR_TWO, other);                                                                    \
        return one operation other;                                                                \
    }                                                                                              \
    GR_TOUCHING static GR_OUT(GR_TWO) __h##name##2_sat(GR_IN(GR_TWO, one), GR_IN(GR_TWO, other))   \
    {                                                                                              \
        GR_TAKE(GR_TWO, one);                                                                      \
        GR_TAKE(GR_TWO, other);                                                                    \
        return GR_TWO(__h##name##_sat(one.x, other.x), __h##name##_sat(one.y, other.y));           \
    }
GR_BINARY(add, +)
GR_BINARY(sub, -)
GR_BINARY(mul, *)
GR_BINARY(div, /)
#undef GR_BINARY
GR_TOUCHING static GR_OUT(GR_TWO) __hadd2(GR_IN(GR_TWO, one), GR_IN(GR_TWO, other))
{
    GR_TAKE(GR_TWO, one);
    GR_TAKE(GR_TWO, other);
    return one + other;
}
GR_TOUCHING static GR_OUT(GR_TWO) __hsub2(GR_IN(GR_TWO, one), GR_IN(GR_TWO, other))
{
    GR_TAKE(GR_TWO, one);
    GR_TAKE(GR_TWO, other);
    return one - other;
}
GR_TOUCHING static GR_OUT(GR_TWO) __hmul2(GR_IN(GR_TWO, one), GR_IN(GR_TWO, other))
{
    GR_TAKE(GR_TWO, one);
    GR_TAKE(GR_TWO, other);
    return one * other;
}
GR_TOUCHING static GR_OUT(GR_TWO) __h2div(GR_IN(GR_TWO, one), GR_IN(GR_TWO, other))
{
    GR_TAKE(GR_TWO, one);
    GR_TAKE(GR_TWO, other);
    return one / other;
}

GR_TOUCHING static GR_OUT(GR_ONE) __hneg(GR_IN(GR_ONE, x))
{
    GR_TAKE(GR_ONE, x);
    return GR_RAW{(unsigned short)(x.gr_code ^ 0x8000)};
}
GR_TOUCHING static GR_OUT(GR_ONE) __habs(GR_IN(GR_ONE, x))
{
    GR_TAKE(GR_ONE, x);
    return GR_RAW{(unsigned short)(x.gr_code & 0x7fff)};
}
GR_TOUCHING static GR_OUT(GR_TWO) __hneg2(GR_IN(GR_TWO, x))
{
    GR_TAKE(GR_TWO, x);
    return GR_TWO(__hneg(x.x), __hneg(x.y));
}
GR_TOUCHING static GR_OUT(GR_TWO) __habs2(GR_IN(GR_TWO, x))
{
    GR_TAKE(GR_TWO, x);
    return GR_TWO(__habs(x.x), __habs(x.y));
}
GR_TOUCHING static GR_OUT(GR_ONE) operator-(GR_IN(GR_ONE, x))
{
    GR_TAKE(GR_ONE, x);
    return __hneg(x);
}
GR_TOUCHING static GR_OUT(GR_ONE) operator+(GR_IN(GR_ONE, x))
{
    GR_TAKE(GR_ONE, x);
    return x;
}
GR_TOUCHING static GR_OUT(GR_TWO) operator-(GR_IN(GR_TWO, x))
{
    GR_TAKE(GR_TWO, x);
    return __hneg2(x);
}
GR_TOUCHING static GR_OUT(GR_TWO) operator+(GR_IN(GR_TWO, x))
{
    GR_TAKE(GR_TWO, x);
    return x;
}
GR_TOUCHING static GR_ONE &operator++(GR_ONE &x)
{
    GR_SAW_LOAD(&x, sizeof x);
    GR_SAW_STORE(&x, sizeof x);
    const GR_ONE old = x, next = old + gr_make(old, 1);
    x = next;
    return x;
}
GR_TOUCHING static GR_ONE &operator--(GR_ONE &x)
{
    GR_SAW_LOAD(&x, sizeof x);
    GR_SAW_STORE(&x, sizeof x);
    const GR_ONE old = x, next = old - gr_make(old, 1);
    x = next;
    return x;
}
GR_TOUCHING static GR_OUT(GR_ONE) operator++(GR_ONE &x, int)
{
    const GR_ONE old = x, next = old + gr_make(old, 1);
    GR_SAW_LOAD(&x, sizeof x);
    GR_SAW_STORE(&x, sizeof x);
    x = next;
    return old;
}
GR_TOUCHING static GR_OUT(GR_ONE) operator--(GR_ONE &x, int)
{
    const GR_ONE old = x, next = old - gr_make(old, 1);
    GR_SAW_LOAD(&x, sizeof x);
    GR_SAW_STORE(&x, sizeof x);
    x = next;
    return old;
}

GR_TOUCHING static GR_OUT(GR_ONE)
    __hfma(GR_IN(GR_ONE, one), GR_IN(GR_ONE, other), GR_IN(GR_ONE, third))
{
    GR_TAKE(GR_ONE, one);
    GR_TAKE(GR_ONE, other);
    GR_TAKE(GR_ONE, third);
    return gr_make_exact(one, gr_multiply_add(gr_value(one), gr_value(other), gr_value(third)));
}
GR_TOUCHING static GR_OUT(GR_ONE)
    __hfma_sat(GR_IN(GR_ONE, one), GR_IN(GR_ONE, other), GR_IN(GR_ONE, third))
{
    GR_TAKE(GR_ONE, one);
    GR_TAKE(GR_ONE, other);
    GR_TAKE(GR_ONE, third);
    return gr_make(one, __saturatef(gr_value(__hfma(one, other, third))));
}
GR_TOUCHING static GR_OUT(GR_ONE)
    __hfma_relu(GR_IN(GR_ONE, one), GR_IN(GR_ONE, other), GR_IN(GR_ONE, third))
{
    GR_TAKE(GR_ONE, one);
    GR_TAKE(GR_ONE, other);
    GR_TAKE(GR_ONE, third);
    const GR_ONE sum = __hfma(one, other, third);
    return gr_value(sum) < 0 ? gr_make(one, 0) : sum;
}
GR_TOUCHING static GR_OUT(GR_TWO)
    __hfma2(GR_IN(GR_TWO, one), GR_IN(GR_TWO, other), GR_IN(GR_TWO, third))
{
    GR_TAKE(GR_TWO, one);
    GR_TAKE(GR_TWO, other);
    GR_TAKE(GR_TWO, third);
    return GR_TWO(__hfma(one.x, other.x, third.x), __hfma(one.y, other.y, third.y));
}
GR_TOUCHING static GR_OUT(GR_TWO)
    __hfma2_sat(GR_IN(GR_TWO, one), GR_IN(GR_TWO, other), GR_IN(GR_TWO, third))
{
    GR_TAKE(GR_TWO, one);
    GR_TAKE(GR_TWO, other);
    GR_TAKE(GR_TWO, third);
    return GR_TWO(__hfma_sat(one.x, other.x, third.x), __hfma_sat(one.y, other.y, third.y));
}
GR_TOUCHING static GR_OUT(GR_TWO)
    __hfma2_relu(GR_IN(GR_TWO, one), GR_IN(GR_TWO, other), GR_IN(GR_TWO, third))
{
    GR_TAKE(GR_TWO, one);
    GR_TAKE(GR_TWO, other);
    GR_TAKE(GR_TWO, third);
    return GR_TWO(__hfma_relu(one.x, other.x, third.x), __hfma_relu(one.y, other.y, third.y));
}

// Comparisons. Those of pairs return a pair of 0 and 1, or whether both hold. Those whose names end
// in u are true if an operand is NaN.
#define GR_COMPARED(name, operation)                                                               \
    GR_TOUCHING static bool operator operation(GR_IN(GR_ONE, one), GR_IN(GR_ONE, other))           \
    {                                                                                              \
        GR_TAKE(GR_ONE, one);                                                                      \
        GR_TAKE(GR_ONE, other);                                                                    \
        return gr_value(one) operation gr_value(other);                                            \
    }                                                                                              \
    GR_TOUCHING static bool operator operation(GR_IN(GR_TWO, one), GR_IN(GR_TWO, other))           \
    {                                                                                              \
        GR_TAKE(GR_TWO, one);                                                                      \
        GR_TAKE(GR_TWO, other);                                                                    \
        return one.x operation other.x && one.y operation other.y;                                 \
    }                                                                                              \
    GR_TOUCHING static bool __h##name(GR_IN(GR_ONE, one), GR_IN(GR_ONE, other))                    \
    {                                                                                              \
        GR_TAKE(GR_ONE, one);                                                                      \
        GR_TAKE(GR_ONE, other);                                                                    \
        const float x = gr_value(one), y = gr_value(other);                                        \
        return x == x && y == y && x operation y;                                                  \
    }                                                                                              \
    GR_TOUCHING static bool __h##name##u(GR_IN(GR_ONE, one), GR_IN(GR_ONE, other))                 \
    {                                                                                              \
        GR_TAKE(GR_ONE, one);                                                                      \
        GR_TAKE(GR_ONE, other);                                                                    \
        const float x = gr_value(one), y = gr_value(other);                                        \
        return x != x || y != y || x operation y;                                                  \
    }                                                                                              \
    GR_TOUCHING static GR_OUT(GR_TWO) __h##name##2(GR_IN(GR_TWO, one), GR_IN(GR_TWO, other))       \
    {                                                                                              \
        GR_TAKE(GR_TWO, one);                                                                      \
        GR_TAKE(GR_TWO, other);                                                                    \
        return GR_TWO(gr_make(one.x, __h##name(one.x, other.x)),                                   \
                      gr_make(one.y, __h##name(one.y, other.y)));                                  \
    }                                                                                              \
    GR_TOUCHING static bool __hb##name##2(GR_IN(GR_TWO, one), GR_IN(GR_TWO, other))                \
    {                                                                                              \
        GR_TAKE(GR_TWO, one);                                                                      \
        GR_TAKE(GR_TWO, other);                                                                    \
        return __h##name(one.x, other.x) && __h##name(one.y, other.y);                             \
    }
GR_COMPARED(eq, ==)
GR_COMPARED(ne, !=)
GR_COMPARED(lt, <)
GR_COMPARED(le, <=)
GR_COMPARED(gt, >)
GR_COMPARED(ge, >=)
#undef GR_COMPARED
GR_TOUCHING static bool __hisnan(GR_IN(GR_ONE, x))
{
    GR_TAKE(GR_ONE, x);
    return gr_value(x) != gr_value(x);
}
GR_TOUCHING static int __hisinf(GR_IN(GR_ONE, x))
{
    GR_TAKE(GR_ONE, x);
    const float value = gr_value(x);
    return value == value && value - value != 0 ? (value > 0 ? 1 : -1) : 0;
}
// Of a number and a NaN these return the number; those with _nan return the NaN.
#define GR_CHOSEN(name, operation)                                                                 \
    GR_TOUCHING static GR_OUT(GR_ONE) __h##name(GR_IN(GR_ONE, one), GR_IN(GR_ONE, other))          \
    {                                                                                              \
        GR_TAKE(GR_ONE, one);                                                                      \
        GR_TAKE(GR_ONE, other);                                                                    \
        return __hisnan(one) || gr_value(other) operation gr_value(one) ? other : one;             \
    }                                                                                              \
    GR_TOUCHING static GR_OUT(GR_ONE) __h##name##_nan(GR_IN(GR_ONE, one), GR_IN(GR_ONE, other))    \
    {                                                                                              \
        GR_TAKE(GR_ONE, one);                                                                      \
        GR_TAKE(GR_ONE, other);                                                                    \
        return __hisnan(one) ? one : __hisnan(other) ? other : __h##name(one, other);              \
    }                                                                                              \
    GR_TOUCHING static GR_OUT(GR_TWO) __h##name##2(GR_IN(GR_TWO, one), GR_IN(GR_TWO, other))       \
    {                                                                                              \
        GR_TAKE(GR_TWO, one);                                                                      \
        GR_TAKE(GR_TWO, other);                                                                    \
        return GR_TWO(__h##name(one.x, other.x), __h##name(one.y, other.y));                       \
    }
GR_CHOSEN(min, <)
GR_CHOSEN(max, >)
#undef GR_CHOSEN

#define GR_FUNCTION(name, expression)                                                              \
    GR_TOUCHING static GR_OUT(GR_ONE) h##name(GR_IN(GR_ONE, x))                                    \
    {                                                                                              \
        GR_TAKE(GR_ONE, x);                                                                        \
        const double value = gr_value(x);                                                          \
        return gr_make_exact(x, expression);                                                       \
    }                                                                                              \
    GR_TOUCHING static GR_OUT(GR_TWO) h2##name(GR_IN(GR_TWO, x))                                   \
    {                                                                                              \
        GR_TAKE(GR_TWO, x);                                                                        \
        return GR_TWO(h##name(x.x), h##name(x.y));                                                 \
    }
GR_FUNCTION(sqrt, __builtin_sqrt(value))
GR_FUNCTION(rsqrt, 1 / __builtin_sqrt(value))
GR_FUNCTION(rcp, 1 / value)
GR_FUNCTION(exp, __builtin_exp(value))
GR_FUNCTION(exp2, __builtin_exp2(value))
GR_FUNCTION(exp10, __builtin_pow(10.0, value))
GR_FUNCTION(log, __builtin_log(value))
GR_FUNCTION(log2, __builtin_log2(value))
GR_FUNCTION(log10, __builtin_log10(value))
GR_FUNCTION(sin, __builtin_sin(value))
GR_FUNCTION(cos, __builtin_cos(value))
GR_FUNCTION(tanh, __builtin_tanh(value))
GR_FUNCTION(floor, __builtin_floor(value))
GR_FUNCTION(ceil, __builtin_ceil(value))
GR_FUNCTION(trunc, __builtin_trunc(value))
GR_FUNCTION(rint, __builtin_rint(value))
#undef GR_FUNCTION

GR_TOUCHING static float __low2float(GR_IN(GR_TWO, x))
{
    GR_TAKE(GR_TWO, x);
    return gr_value(x.x);
}
GR_TOUCHING static float __high2float(GR_IN(GR_TWO, x))
{
    GR_TAKE(GR_TWO, x);
    return gr_value(x.y);
}
GR_TOUCHING static GR_OUT(GR_TWO) __lowhigh2highlow(GR_IN(GR_TWO, x))
{
    GR_TAKE(GR_TWO, x);
    return GR_TWO(x.y, x.x);
}

GR_ATOMIC(atomicAdd, GR_ONE, old + value)
GR_ATOMIC(atomicAdd, GR_TWO, old + value)

#include "gr_convert16.h"

#undef GR_NAMED
#undef GR_NUMBER_TO_PAIR
#undef GR_EXPONENT
#undef GR_MANTISSA
#undef GR_ONE
#undef GR_TWO
#undef GR_RAW
#undef GR_RAW2
#undef GR_VALUE
#undef GR_CODE
#undef GR_CODE_EXACT
