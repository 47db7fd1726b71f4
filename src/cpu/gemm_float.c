/* gemm_float.c: what products of float and of double have in common. SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"
#include "cpu/gemm.h"

#include <limits.h>
#include <string.h>

/* Below this many multiply-adds, waking a second thread takes longer than it saves. */
static const double THREADS_PAY = 96.0 * 96.0 * 96.0;

/* Whoever runs a micro-kernel of AVX2 or more runs AVX2. */
static void choose_packing(struct product *p)
{
    p->pack_f32 = gr_pack_f32;
    p->pack_f64 = gr_pack_f64;
#if defined(__x86_64__)
    if (strncmp(p->ukr->isa, "avx", 3) == 0) {
        p->pack_f32 = gr_pack_f32_avx2;
        p->pack_f64 = gr_pack_f64_avx2;
    }
#endif
}

bool gr_gemm_prepare_float(struct product *p, enum gr_dtype type, const char *isa)
{
    p->ukr = gr_ukr_pick(type, isa);
    if (p->ukr)
        choose_packing(p);
    return p->ukr;
}

int gr_gemm_threads_worth(const struct product *p)
{
    return (double)p->m * (double)p->n * (double)p->k <= THREADS_PAY ? 1 : INT_MAX;
}
