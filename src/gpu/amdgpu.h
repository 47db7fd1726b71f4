/* amdgpu.h: the Linux driver for AMD's GPUs, amdgpu: whether this process may use it, and the
 * clocks, power and temperatures that it reports in sysfs.
 *
 * AMD SMI reads the same files. Its structures change from one ROCm to the next, while these files
 * are documented by the kernel ("GPU Power/Thermal Controls and Monitoring") and stay.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_AMDGPU_H
#define GPU_AMDGPU_H

#include "gpu/vendor.h"

/* Why no GPU can be used, if the reason is the system's and not HIP's: no device node, or one that
 * this user may not open. UNSUPPORTED, in one line that ends in " it with: COMMAND"; OK where this
 * process may open `node`, which is "/dev/kfd" but for tests. */
enum gradus_status gr_amdgpu_admits(const char *node, struct gradus_error *error);

/* The state of the GPU at a PCI address ("0000:03:00.0"), below `sysfs`, which is "/sys" but for
 * tests. What is not reported is -1. UNSUPPORTED if amdgpu reports nothing for that address. */
enum gradus_status gr_amdgpu_read(const char *sysfs, const char *pci, struct gr_gpu_state *state,
                                  struct gradus_error *error);

#endif
