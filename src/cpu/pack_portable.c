/* pack_portable.c: packing on any CPU, in vectors of 16 bytes. SPDX-License-Identifier: MIT */
#include "cpu/pack.h"
#include "cpu/transpose_16_bytes.h"

#define PACK_WIDTHS(X) X(16) X(32)

#define T float
#define NAME(function) function##_f32
#define TRANSPOSE transpose_f32
#define PACK gr_pack_f32_portable
#define SIDE 4
#include "cpu/pack_panels.h"

#define T double
#define NAME(function) function##_f64
#define TRANSPOSE transpose_f64
#define PACK gr_pack_f64_portable
#define SIDE 2
#include "cpu/pack_panels.h"
