/* device_ref.h: a device as --device names it, parsed once.
 *
 * The other parts ask the functions below, or the backend, about a device and never compare its
 * name.
 * SPDX-License-Identifier: MIT */
#ifndef BACKEND_DEVICE_REF_H
#define BACKEND_DEVICE_REF_H

#include <gradus/gradus.h>
#include <stdbool.h>

struct gr_backend;

struct gr_device_ref {
    const struct gr_backend *backend;
    char text[64];  /* as the user wrote it: "cpu", "cuda:1", "sim:t4" */
    int index;      /* the number of the device among those of its kind, from 0 */
    char model[48]; /* the simulated GPU: the name of a file in devices/; "" for a real device */
};

/* Parses "cpu", "cuda:1", "sim:t4"; null means the CPU. INVALID: an unknown kind of device, or
 * the text after the colon does not name one. UNSUPPORTED: a kind of device without a backend in
 * this build. */
enum gradus_status gr_device_ref_parse(const char *text, struct gr_device_ref *ref,
                                       struct gradus_error *error);
/* Refers to the CPU. */
struct gr_device_ref gr_device_ref_cpu(void);

/* Do kernels run on the host's own cores and memory? */
bool gr_device_is_host(const struct gr_device_ref *ref);
/* Do GPU kernels run on the host, without being timed? */
bool gr_device_is_simulated(const struct gr_device_ref *ref);

#endif
