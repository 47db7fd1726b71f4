/* lanes_avx512.c: the lanes' functions, compiled with the flags of this instruction set.
 * SPDX-License-Identifier: MIT */
#define GR_LANES gr_lanes_avx512
#include "machine/lanes_ops.h"
