/* burst_avx512.c: ceilings of AVX-512. SPDX-License-Identifier: MIT */
#if defined(__x86_64__)
#define BURST_ISA avx512
#define BURST_BYTES 64
#define BURST_CHAINS 24
#include "probe/burst_body.h"
#else
typedef int burst_avx512_is_for_x86_64;
#endif
