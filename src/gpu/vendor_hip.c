/* vendor_hip.c: AMD. SPDX-License-Identifier: MIT */
#include "gpu/vendor.h"

#include "core/error.h"

#include <stdio.h>

static enum gradus_status open_driver(const struct gr_gpu_driver **driver,
                                      struct gradus_error *error)
{
    *driver = NULL;
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "skip: no AMD driver (libamdhip64) here; get it with: apt-get install "
                   "libamdhip64-5");
}

static enum gr_gpu_failure judge(gr_gpu_result result)
{
    (void)result;
    return GR_GPU_REFUSED;
}

static void version(const struct gr_gpu_driver *driver, char text[32])
{
    (void)driver;
    snprintf(text, 32, "HIP");
}

static void limits(const struct gr_gpu_device *g, struct gr_device *d)
{
    (void)g;
    *d = (struct gr_device){0};
}

static enum gradus_status read_attributes(const struct gr_gpu_driver *driver,
                                          struct gr_gpu_device *d, struct gradus_error *error)
{
    (void)driver;
    (void)d;
    return gr_fail(error, GRADUS_UNSUPPORTED, "no AMD driver");
}

static enum gradus_status read_state(const struct gr_gpu_device *device, struct gr_gpu_state *state,
                                     struct gradus_error *error)
{
    (void)device;
    *state = (struct gr_gpu_state){-1, -1, -1, -1, ""};
    return gr_fail(error, GRADUS_UNSUPPORTED, "no AMD SMI");
}

const struct gr_gpu_vendor gr_gpu_vendor_hip = {
    .name = "hip",
    .arch_prefix = "gfx",
    .rtc = &gr_rtc_hip,
    .open = open_driver,
    .judge = judge,
    .too_new_remedy = "",
    .version = version,
    .limits = limits,
    .read_attributes = read_attributes,
    .read_state = read_state,
};
