/* burst_avx2.c: ceilings of AVX2 with FMA. SPDX-License-Identifier: MIT */
#if defined(__x86_64__)
#define BURST_ISA avx2
#define BURST_BYTES 32
#define BURST_CHAINS 12
#include "probe/burst_body.h"
#else
typedef int burst_avx2_is_for_x86_64;
#endif
