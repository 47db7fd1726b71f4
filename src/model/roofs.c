/* roofs.c: computes peak rates at the boost clock. SPDX-License-Identifier: MIT */
#include "model/roofs.h"

/* The bytes per clock that an SM's port to L2 transfers, on GPUs since Volta. */
#define L2_BYTES_PER_CLOCK 64
#define BANK_BYTES 4

double gr_device_pass_bytes(const struct gr_device *d)
{
    return (double)d->smem_banks * BANK_BYTES;
}

struct gr_roofs gr_roofs_of(const struct gr_device *d)
{
    double clocks = (double)d->sms * (double)d->clock_mhz * 1e-3; /* of all SMs, 10^9 per second */
    return (struct gr_roofs){.gflops_f32 = gr_device_gflops_f32(d),
                             .gflops_f64 = gr_device_gflops_f64(d),
                             .dram_gbps = (double)d->memory_gbps,
                             .l2_gbps = clocks * L2_BYTES_PER_CLOCK,
                             .l1_gbps = clocks * gr_device_pass_bytes(d),
                             .shared_gbps = clocks * gr_device_pass_bytes(d)};
}
