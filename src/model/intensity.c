/* intensity.c: computes arithmetic intensities in FLOP per byte. SPDX-License-Identifier: MIT */
#include "model/intensity.h"

#include "model/floors.h"

double gr_intensity_tile(const struct gr_problem *p, int64_t bm, int64_t bn)
{
    double m = (double)bm, n = (double)bn, k = (double)p->k;
    double bytes = m * k * (double)gr_dtype_bytes(p->types.a) +
                   k * n * (double)gr_dtype_bytes(p->types.b) +
                   (p->beta != 0 ? 2 : 1) * m * n * (double)gr_dtype_bytes(p->types.c);
    return bytes > 0 ? 2 * m * n * k / bytes : 0;
}

double gr_intensity_device(enum gr_dtype acc, const struct gr_device *d)
{
    return gr_floors_of(0, 0, acc, d).gflops / (double)d->memory_gbps;
}
