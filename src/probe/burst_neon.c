/* burst_neon.c: ceilings of NEON, which every aarch64 CPU has. SPDX-License-Identifier: MIT */
#if defined(__aarch64__)
#define BURST_ISA neon
#define BURST_BYTES 16
#define BURST_CHAINS 24
#include "probe/burst_body.h"
#else
typedef int burst_neon_is_for_aarch64;
#endif
