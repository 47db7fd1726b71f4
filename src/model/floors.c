/* floors.c: computes the least time for the arithmetic and for the memory traffic of a computation.
 * SPDX-License-Identifier: MIT */
#include "model/floors.h"

struct gr_floors gr_floors_of(double flops, double bytes, enum gr_dtype acc,
                              const struct gr_device *d)
{
    struct gr_floors f = {.flops = flops, .bytes = bytes};
    f.gflops = acc == GR_F64 ? gr_device_gflops_f64(d) : gr_device_gflops_f32(d);
    f.compute_ns = f.gflops > 0 ? f.flops / f.gflops : 0;
    f.memory_ns = f.bytes / (double)d->memory_gbps;
    return f;
}
