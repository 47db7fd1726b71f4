/* roofs.h: the peak rates of a device, for each level of its memory hierarchy.
 * SPDX-License-Identifier: MIT
 */
#ifndef MODEL_ROOFS_H
#define MODEL_ROOFS_H

#include "records/row.h"
#include "model/device.h"

/* The bytes of one wavefront of shared memory, which are also those that L1 delivers per clock. */
double gr_device_pass_bytes(const struct gr_device *device);
struct gr_roofs gr_roofs_of(const struct gr_device *device);

#endif
