/* finish_avx2.c: the epilogue in vectors of 32 bytes; built with AVX2's flags only.
 * SPDX-License-Identifier: MIT */
#if defined(__AVX2__)
#include "cpu/finish_rows.h"

DEFINE_FINISH_ALL(gr_finish_avx2)
#else
typedef int not_empty;
#endif
