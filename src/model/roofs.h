/* roofs.h: the rates that bound a kernel on a device, level by level. SPDX-License-Identifier: MIT
 */
#ifndef MODEL_ROOFS_H
#define MODEL_ROOFS_H

#include "records/row.h"
#include "model/device.h"

/* Bytes of one pass over the banks of shared memory, or that L1 hands over in a clock. */
double gr_device_pass_bytes(const struct gr_device *device);
struct gr_roofs gr_roofs_of(const struct gr_device *device);

#endif
