/* gemm_finish.c: the epilogue, applied to a part of C while it is in the cache.
 * SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"
#include "cpu/finish_rows.h"

DEFINE_FINISH_ALL(gr_finish_portable)

/* Whoever runs a micro-kernel of an ISA runs its vectors. */
gr_finish_fn *gr_finish_for(const char *isa)
{
#if defined(__x86_64__)
    if (strncmp(isa, "avx512", 6) == 0 || strncmp(isa, "amx", 3) == 0)
        return gr_finish_avx512;
    if (strncmp(isa, "avx", 3) == 0)
        return gr_finish_avx2;
#endif
    (void)isa;
    return gr_finish_portable;
}

void gr_gemm_finish(const struct product *p, void *tile, int64_t ld, int64_t i, int64_t m,
                    int64_t j, int64_t n)
{
    p->finish(p, tile, ld, i, m, j, n);
}
