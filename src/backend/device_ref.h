/* device_ref.h: a device as --device names it, parsed once.
 *
 * What a device is follows from its backend, so that nobody else looks at how its name is spelled.
 * SPDX-License-Identifier: MIT */
#ifndef BACKEND_DEVICE_REF_H
#define BACKEND_DEVICE_REF_H

#include <gradus/gradus.h>
#include <stdbool.h>

struct gr_backend;

struct gr_device_ref {
    const struct gr_backend *backend;
    char text[64];  /* as it was written: "cpu", "cuda:1", "sim:t4" */
    int index;      /* of several such devices, counted from 0 */
    char model[48]; /* the GPU that is simulated: the name of a file of devices/; "" for a real one
                     */
};

/* Parses "cpu", "cuda:1", "sim:t4"; null is the CPU. INVALID: no such kind of device, or what
 * follows the colon does not name one. UNSUPPORTED: a kind of device for which this version has no
 * backend. */
enum gradus_status gr_device_ref_parse(const char *text, struct gr_device_ref *ref,
                                       struct gradus_error *error);
/* The CPU. */
struct gr_device_ref gr_device_ref_cpu(void);

/* Kernels run on the host's own cores and memory. */
bool gr_device_is_host(const struct gr_device_ref *ref);
/* Kernels for a GPU run on the host, and are not timed. */
bool gr_device_is_simulated(const struct gr_device_ref *ref);

#endif
