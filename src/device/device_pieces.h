/* device_pieces.h: what kernels make of B before they multiply, for one product after another with
 * the same B. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_PIECES_H
#define DEVICE_DEVICE_PIECES_H

#include "device/kernel_table.h"

/* What is left of the last product in its workspace; {0}: nothing. */
struct gr_device_left {
    const struct gr_device_kernel *kernel; /* null: nothing */
    int64_t picked, n, k, ldb, trans_b;
    uint64_t b, pieces; /* addresses */
};

/* A product that is launched next, on the same stream and in that workspace: if B's pieces are
 * there already, the plan becomes one that makes those of A only. *left is then what this product
 * leaves. Whoever calls it answers for B: not one of its elements has changed. */
void gr_device_use_left(const struct gr_device_kernel *kernel, const struct gr_device_given *given,
                        struct gr_device_plan *plan, uint64_t workspace,
                        struct gr_device_left *left);

#endif
