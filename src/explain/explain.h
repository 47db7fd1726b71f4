/* explain.h: explains a kernel without running it on a GPU. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include "explain/request.h"

/* Compiles the kernel if a compiler is found, runs every analysis, and checks the `expect`
 * lines. A file that NVRTC rejects but the simulator's compiler accepts is explained from the
 * simulation alone. COMPILE: the compiler's messages are in error->log. */
enum gradus_status gr_explain(const struct gr_explain *ask, struct gr_explained *explained,
                              struct gradus_error *error);
/* The device's values for the kernel's expressions. */
struct gr_device_values gr_explain_device_values(const struct gr_device *device);
void gr_explained_free(struct gr_explained *explained);

#endif
