/* burst_portable.c: ceilings of what every CPU of this architecture has. SPDX-License-Identifier:
 * MIT */
#define BURST_ISA portable
#define BURST_BYTES 16
#if defined(__aarch64__)
#define BURST_CHAINS 24
#else
#define BURST_CHAINS 12
#endif
#include "probe/burst_body.h"
