/* device_file.h: the device file (devices/NAME.txt) of the GPU that kernels run on.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_DEVICE_FILE_H
#define EXPLAIN_DEVICE_FILE_H

#include "backend/device_ref.h"
#include "model/device.h"
#include "records/row.h"

/* Finds the device file of a GPU. `present` is the driver's name of the GPU, which is not used
 * for a simulated one. UNSUPPORTED: no device file describes it. */
enum gradus_status gr_device_file_find(const struct gr_device_ref *device, const char *present,
                                       struct gr_device *found, struct gradus_error *error);
/* Stores the device's rated throughputs in the environment. Does nothing for the CPU, or if
 * there is no device file. */
void gr_device_file_roofs(const struct gr_device_ref *device, const char *present,
                          struct gr_environment *environment);

#endif
