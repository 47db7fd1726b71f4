/* finish_avx512.c: the epilogue in vectors of 64 bytes; built with AVX-512's flags only.
 * SPDX-License-Identifier: MIT */
#if defined(__AVX512F__)
#include "cpu/finish_rows.h"

DEFINE_FINISH_ALL(gr_finish_avx512)
#else
typedef int not_empty;
#endif
