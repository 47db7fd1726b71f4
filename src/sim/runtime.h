/* runtime.h: the run time (simrt/), embedded as an object file that kernels are linked with.
 * SPDX-License-Identifier: MIT */
#ifndef SIM_RUNTIME_H
#define SIM_RUNTIME_H

#include <stddef.h>

extern const unsigned char gr_simrt_object[];
extern const unsigned char gr_simrt_object_end[];

#endif
