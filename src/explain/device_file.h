/* device_file.h: the device file (devices/NAME.txt) of the GPU that kernels run on.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_DEVICE_FILE_H
#define EXPLAIN_DEVICE_FILE_H

#include "backend/device_ref.h"
#include "model/device.h"
#include "records/row.h"

/* `present` is the name that the driver gives the GPU, of which a simulated one has
 * none. UNSUPPORTED: no device file describes it. */
enum gradus_status gr_device_file_find(const struct gr_device_ref *device, const char *present,
                                       struct gr_device *found, struct gradus_error *error);
/* Puts the device's rates into the environment; leaves it alone where there is no file, and for the
 * CPU. */
void gr_device_file_roofs(const struct gr_device_ref *device, const char *present,
                          struct gr_environment *environment);

#endif
