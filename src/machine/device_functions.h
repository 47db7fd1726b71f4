/* device_functions.h: the functions of the driver that device code calls: printf, assert, malloc.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_DEVICE_FUNCTIONS_H
#define MACHINE_DEVICE_FUNCTIONS_H

#include "machine/warp.h"

/* Calls function `number` (enum gr_driver_function) for the lanes of `active`. The arguments are in
 * registers from R4 on, and the result is returned there. */
void gr_driver_call(struct gr_warp *warp, uint32_t active, unsigned number);

#endif
