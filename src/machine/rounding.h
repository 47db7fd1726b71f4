/* rounding.h: changes the rounding mode of the CPU for a while. SPDX-License-Identifier: MIT */
#ifndef MACHINE_ROUNDING_H
#define MACHINE_ROUNDING_H

#include "machine/lane_functions.h"

#ifdef __x86_64__
#include <xmmintrin.h>

static inline unsigned gr_rounding_begin(int rounding)
{
    static const unsigned modes[] = {_MM_ROUND_NEAREST, _MM_ROUND_DOWN, _MM_ROUND_UP,
                                     _MM_ROUND_TOWARD_ZERO};
    unsigned saved = _mm_getcsr();
    _mm_setcsr((saved & ~(unsigned)_MM_ROUND_MASK) | modes[rounding]);
    __asm__ volatile("" ::: "memory");
    return saved;
}

static inline void gr_rounding_end(unsigned saved)
{
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(saved);
}

#else
#include <fenv.h>

static inline unsigned gr_rounding_begin(int rounding)
{
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    unsigned saved = (unsigned)fegetround();
    fesetround(modes[rounding]);
    __asm__ volatile("" ::: "memory");
    return saved;
}

static inline void gr_rounding_end(unsigned saved)
{
    __asm__ volatile("" ::: "memory");
    fesetround((int)saved);
}

#endif
#endif
