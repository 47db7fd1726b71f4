/* lanes_avx2.c: the lanes' functions, compiled with the flags of this instruction set.
 * SPDX-License-Identifier: MIT */
#define GR_LANES gr_lanes_avx2
#include "machine/lanes_ops.h"
