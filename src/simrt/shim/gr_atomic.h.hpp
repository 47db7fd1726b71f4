// gr_atomic.h: atomic functions. Each is a load, a computation, and a compare-and-swap that is
// repeated until no other thread has stored in between. The load is not recorded.
// SPDX-License-Identifier: MIT
#ifndef GR_ATOMIC_H
#define GR_ATOMIC_H

template <int gr_bytes> struct gr_word;
template <> struct gr_word<2> {
    typedef uint16_t bits;
    static uint16_t swap(void *address, uint16_t expected, uint16_t desired)
    {
        return gr_sim_cas16(address, expected, desired);
    }
};
template <> struct gr_word<4> {
    typedef uint32_t bits;
    static uint32_t swap(void *address, uint32_t expected, uint32_t desired)
    {
        return gr_sim_cas32(address, expected, desired);
    }
};
template <> struct gr_word<8> {
    typedef uint64_t bits;
    static uint64_t swap(void *address, uint64_t expected, uint64_t desired)
    {
        return gr_sim_cas64(address, expected, desired);
    }
};

template <class gr_to, class gr_from> GR_INLINE gr_to gr_bits(gr_from from)
{
    gr_to to;
    static_assert(sizeof to == sizeof from, "as many bits");
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

// Returns the old value.
template <class gr_value, class gr_function>
#ifdef GR_TRACED
GR_QUIET
#endif
    static gr_value
    gr_atomic_update(gr_value *address, gr_function function)
{
    typedef gr_word<sizeof(gr_value)> word;
    typedef typename word::bits bits;
    bits seen = word::swap(address, 0, 0);
    for (;;) {
        const gr_value old = gr_bits<gr_value>(seen);
        const bits found = word::swap(address, seen, gr_bits<bits>((gr_value)function(old)));
        if (found == seen)
            return old;
        seen = found;
    }
}

// The three scopes of a function, which are all the same here.
#define GR_ATOMIC(name, type, result)                                                              \
    GR_ATOMIC_ONE(name, type, result)                                                              \
    GR_ATOMIC_ONE(name##_block, type, result)                                                      \
    GR_ATOMIC_ONE(name##_system, type, result)
#define GR_ATOMIC_ONE(name, type, result)                                                          \
    GR_TOUCHING static type name(type *address, type value)                                        \
    {                                                                                              \
        GR_SAW_ATOMIC(address, sizeof *address);                                                   \
        return gr_atomic_update(                                                                   \
            address, [=](type old) __attribute__((no_sanitize("thread"))) { return result; });     \
    }

typedef unsigned long long gr_ull;
typedef long long gr_ll;
GR_ATOMIC(atomicAdd, int, (int)((unsigned)old + (unsigned)value))
GR_ATOMIC(atomicAdd, unsigned, old + value)
GR_ATOMIC(atomicAdd, gr_ull, old + value)
GR_ATOMIC(atomicAdd, float, old + value)
#if __CUDA_ARCH__ >= 600 // for earlier architectures, files define their own
GR_ATOMIC(atomicAdd, double, old + value)
#endif
GR_ATOMIC(atomicSub, int, (int)((unsigned)old - (unsigned)value))
GR_ATOMIC(atomicSub, unsigned, old - value)
GR_ATOMIC(atomicExch, int, value)
GR_ATOMIC(atomicExch, unsigned, value)
GR_ATOMIC(atomicExch, gr_ull, value)
GR_ATOMIC(atomicExch, float, value)
GR_ATOMIC(atomicMin, int, value < old ? value : old)
GR_ATOMIC(atomicMin, unsigned, value < old ? value : old)
GR_ATOMIC(atomicMin, gr_ull, value < old ? value : old)
GR_ATOMIC(atomicMin, gr_ll, value < old ? value : old)
GR_ATOMIC(atomicMax, int, value > old ? value : old)
GR_ATOMIC(atomicMax, unsigned, value > old ? value : old)
GR_ATOMIC(atomicMax, gr_ull, value > old ? value : old)
GR_ATOMIC(atomicMax, gr_ll, value > old ? value : old)
GR_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
GR_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
GR_ATOMIC(atomicAnd, int, old &value)
GR_ATOMIC(atomicAnd, unsigned, old &value)
GR_ATOMIC(atomicAnd, gr_ull, old &value)
GR_ATOMIC(atomicOr, int, old | value)
GR_ATOMIC(atomicOr, unsigned, old | value)
GR_ATOMIC(atomicOr, gr_ull, old | value)
GR_ATOMIC(atomicXor, int, old ^ value)
GR_ATOMIC(atomicXor, unsigned, old ^ value)
GR_ATOMIC(atomicXor, gr_ull, old ^ value)

#define GR_CAS_ONE(name, type)                                                                     \
    GR_TOUCHING static type name(type *address, type expected, type desired)                       \
    {                                                                                              \
        typedef gr_word<sizeof(type)> word;                                                        \
        typedef word::bits bits;                                                                   \
        GR_SAW_ATOMIC(address, sizeof *address);                                                   \
        return (type)word::swap(address, (bits)expected, (bits)desired);                           \
    }
#define GR_CAS(type)                                                                               \
    GR_CAS_ONE(atomicCAS, type)                                                                    \
    GR_CAS_ONE(atomicCAS_block, type) GR_CAS_ONE(atomicCAS_system, type)
GR_CAS(int)
GR_CAS(unsigned)
GR_CAS(gr_ull)
GR_CAS(unsigned short)
#undef GR_CAS
#undef GR_CAS_ONE

#endif
