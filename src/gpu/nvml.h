/* nvml.h: clocks and power of a GPU by NVIDIA's management library, found at run time.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_NVML_H
#define GPU_NVML_H

#include "gpu/vendor.h"

/* Of the GPU with that PCI bus id ("0000:1b:00.0"). UNSUPPORTED where there is no library or no
 * such GPU. */
enum gradus_status gr_nvml_read(const char *pci, struct gr_gpu_state *state,
                                struct gradus_error *error);

#endif
