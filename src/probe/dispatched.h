/* dispatched.h: determines how the library would multiply a problem, without multiplying it.
 * SPDX-License-Identifier: MIT */
#ifndef PROBE_DISPATCHED_H
#define PROBE_DISPATCHED_H

#include "cpu/dispatch.h"

/* Errors are those of gr_cpu_gemm. The operands are not read, but must not be null if a product
 * would read them. */
enum gradus_status gr_cpu_dispatch(const struct gradus_gemm *gemm, const char *isa,
                                   struct gr_dispatch *dispatch, struct gradus_error *error);

#endif
