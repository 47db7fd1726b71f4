/* floors.c: computes the least time for the arithmetic and for the memory traffic of a computation.
 * SPDX-License-Identifier: MIT */
#include "model/floors.h"

static struct gr_floors at_rate(double flops, double bytes, double gflops,
                                const struct gr_device *d)
{
    struct gr_floors f = {.flops = flops, .bytes = bytes, .gflops = gflops};
    f.compute_ns = f.gflops > 0 ? f.flops / f.gflops : 0;
    f.memory_ns = f.bytes / (double)d->memory_gbps;
    return f;
}

struct gr_floors gr_floors_of(double flops, double bytes, enum gr_dtype acc,
                              const struct gr_device *d)
{
    return at_rate(flops, bytes, acc == GR_F64 ? gr_device_gflops_f64(d) : gr_device_gflops_f32(d),
                   d);
}

struct gr_floors gr_floors_by_tensor_cores(double flops, double bytes, struct gr_types types,
                                           bool tf32, const struct gr_device *d)
{
    return at_rate(flops, bytes, gr_device_gflops_tensor(d, types, tf32), d);
}
