/* wide.h: compiles one inner loop for the baseline ISA and for AVX2, and selects at run time.
 *
 *
 * It is not an ifunc (target_clones), because an ifunc's resolver runs before the runtime of a
 * sanitizer is ready. SPDX-License-Identifier: MIT */
#ifndef CHECK_WIDE_H
#define CHECK_WIDE_H

#define GR_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define GR_WIDE __attribute__((target("avx2,fma")))
#define gr_wide_runs() (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#else
#define GR_WIDE
#define gr_wide_runs() 0
#endif

#endif
