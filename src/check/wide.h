/* wide.h: one inner loop, compiled for the baseline and for AVX2, chosen when it runs.
 * SPDX-License-Identifier: MIT
 *
 * Not an ifunc (target_clones): its resolver runs before a sanitizer's runtime is ready. */
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
