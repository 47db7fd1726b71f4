/* floors.c: computes the least time for the arithmetic and for the memory traffic of a product.
 * SPDX-License-Identifier: MIT */
#include "model/floors.h"

struct gr_floors gr_floors_of(const struct gr_problem *p, const struct gr_device *d)
{
    struct gr_floors f = {.flops = gr_problem_flops(p), .bytes = gr_problem_bytes(p)};
    if (p->beta != 0)
        f.bytes += (double)p->m * (double)p->n * (double)gr_dtype_bytes(p->types.c);
    f.gflops = p->types.acc == GR_F64 ? gr_device_gflops_f64(d) : gr_device_gflops_f32(d);
    f.compute_ns = f.gflops > 0 ? f.flops / f.gflops : 0;
    f.memory_ns = f.bytes / (double)d->memory_gbps;
    return f;
}
