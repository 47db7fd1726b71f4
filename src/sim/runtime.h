/* runtime.h: the run time (simrt/) as an object file, embedded. SPDX-License-Identifier: MIT */
#ifndef SIM_RUNTIME_H
#define SIM_RUNTIME_H

#include <stddef.h>

extern const unsigned char gr_simrt_object[];
extern const unsigned char gr_simrt_object_end[];

#endif
