/* launch_limits.c: checks the limits of the CUDA C++ Programming Guide, "Technical Specifications
 * per Compute Capability". The driver refuses a launch that exceeds one of them.
 * SPDX-License-Identifier: MIT */
#include "model/launch_limits.h"

#include "core/error.h"
#include "records/refused.h"
#include "model/occupancy.h"

#include <inttypes.h>

struct requested {
    const struct gr_device *device;
    const char *name;
    const struct gr_plan_launch *launch;
    const struct gr_launch_code *code;
    int64_t threads;
    struct gradus_error *error;
};

static enum gradus_status judge_threads(const struct requested *a)
{
    int64_t most = a->device->threads_per_block, bound = a->code->max_threads;
    if (most > 0 && a->threads > most)
        return gr_fail(a->error, GRADUS_LAUNCH,
                       "%s: a block of %" PRId64 " threads, %s takes at most %" PRId64
                       ": launch smaller blocks",
                       a->name, a->threads, a->device->name, most);
    if (bound > 0 && a->threads > bound)
        return gr_fail(a->error, GRADUS_LAUNCH, "%s: " GR_REFUSED_BOUNDS, a->name,
                       (long long)a->threads, (long long)bound);
    return GRADUS_OK;
}

/* Registers are allocated to whole warps, from the share of their scheduler. */
static enum gradus_status judge_registers(const struct requested *a)
{
    const struct gr_device *d = a->device;
    if (a->code->registers <= 0 || d->registers_per_block <= 0 || d->registers_per_sm <= 0)
        return GRADUS_OK;
    const struct gr_block_needs needs = {.threads = a->threads,
                                         .registers_per_thread = a->code->registers,
                                         .wave = a->code->wave,
                                         .wgp = a->code->wgp};
    const struct gr_occupancy o = gr_occupancy_of(d, &needs);
    if (o.by[GR_LIMIT_REGISTERS] > 0)
        return GRADUS_OK;
    return gr_fail(a->error, GRADUS_LAUNCH,
                   "%s: %" PRId64 " registers a thread, %" PRId64 " for a block of %" PRId64
                   " threads, %s has %" PRId64
                   ": a GPU refuses the launch; write __launch_bounds__(%" PRId64
                   "), so that the compiler uses fewer, or launch smaller blocks",
                   a->name, a->code->registers, o.registers_per_warp * o.warps_per_block,
                   a->threads, d->name, o.sm.registers_per_block, a->threads);
}

static enum gradus_status judge_smem(const struct requested *a)
{
    const int64_t declared_most = 48 * 1024;
    const struct gr_device *d = a->device;
    int64_t fixed = a->code->smem_bytes, dynamic = a->launch->smem_bytes;
    if (d->cc > 0 && fixed > declared_most)
        return gr_fail(a->error, GRADUS_LAUNCH,
                       "%s: %" PRId64
                       " bytes of shared memory are declared, CUDA takes at most %" PRId64
                       ": ask for more at the launch (`extern __shared__`, `//@ smem`)",
                       a->name, fixed, declared_most);
    if (dynamic >= 0 &&
        (d->smem_per_block_bytes <= 0 || fixed + dynamic <= d->smem_per_block_bytes))
        return GRADUS_OK;
    return gr_fail(a->error, GRADUS_LAUNCH,
                   "%s: %" PRId64 " bytes of %s (%" PRId64 " static, %" PRId64
                   " dynamic), %s gives a block at most %" PRId64
                   ", `SMEM_MAX`: choose smaller tiles",
                   a->name, fixed + dynamic, gr_device_is_amd(d) ? "LDS" : "shared memory", fixed,
                   dynamic, d->name, d->smem_per_block_bytes);
}

/* A cluster may have eight blocks on every device, and before sm_120 sixteen if the kernel opts in,
 * which Gradus does. */
static enum gradus_status judge_cluster(const struct requested *a)
{
    enum { FIRST_CC = 90, FIRST_SMALL_CC = 120 };
    const unsigned *cluster = a->launch->cluster, *grid = a->launch->grid;
    int64_t blocks = (int64_t)cluster[0] * cluster[1] * cluster[2];
    int64_t most = a->device->cc >= FIRST_SMALL_CC ? 8 : 16;
    if (blocks <= 1 || a->device->cc == 0) /* a single block is no cluster */
        return GRADUS_OK;
    if (a->device->cc < FIRST_CC)
        return gr_fail(a->error, GRADUS_LAUNCH,
                       "%s: a cluster of %ux%ux%u blocks, %s has none: they need sm_90 or later",
                       a->name, cluster[0], cluster[1], cluster[2], a->device->name);
    if (blocks > most)
        return gr_fail(a->error, GRADUS_LAUNCH,
                       "%s: a cluster of %" PRId64 " blocks, %s takes at most %" PRId64
                       ": choose a smaller one",
                       a->name, blocks, a->device->name, most);
    for (int i = 0; i < 3; i++)
        if (grid[i] % cluster[i] != 0)
            return gr_fail(a->error, GRADUS_LAUNCH,
                           "%s: a grid of %u blocks in clusters of %u along %c: a GPU refuses a "
                           "cluster that is not whole; make the grid a multiple of the cluster",
                           a->name, grid[i], cluster[i], "xyz"[i]);
    return GRADUS_OK;
}

enum gradus_status gr_launch_admits(const struct gr_device *device, const char *name,
                                    const struct gr_plan_launch *launch,
                                    const struct gr_launch_code *code, struct gradus_error *error)
{
    const struct requested a = {
        device, name, launch, code, (int64_t)launch->block[0] * launch->block[1] * launch->block[2],
        error};
    enum gradus_status status = judge_threads(&a);
    if (status == GRADUS_OK)
        status = judge_smem(&a);
    if (status == GRADUS_OK)
        status = judge_registers(&a);
    return status == GRADUS_OK ? judge_cluster(&a) : status;
}
