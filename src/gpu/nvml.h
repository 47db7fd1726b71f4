/* nvml.h: reads a GPU's clocks and power with NVIDIA's management library, which is loaded at
 * run time. They are shown with times, which depend on them. SPDX-License-Identifier: MIT */
#ifndef GPU_NVML_H
#define GPU_NVML_H

#include <gradus/gradus.h>

struct gr_nvml_state {
    int sm_clock_mhz, memory_clock_mhz, power_mw, temperature_c; /* -1: not reported */
    char driver[32];                                             /* "570.86.15" */
};

/* For the GPU with that PCI bus id ("0000:1b:00.0"). UNSUPPORTED if there is no library or no
 * such GPU. */
enum gradus_status gr_nvml_read(const char *pci, struct gr_nvml_state *state,
                                struct gradus_error *error);

#endif
