/* device_pieces.h: what kernels make of their operands before they multiply, for one product after
 * another with the same B: B's pieces stay where the first of them was told to make them, and those
 * of another A can be made ahead, while the product before is being computed.
 * SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_PIECES_H
#define DEVICE_DEVICE_PIECES_H

#include "device/device_launch.h"

/* Pieces of A that are there before their product is launched; {0}: none are. */
struct gr_device_ahead {
    uint64_t pieces, a; /* addresses */
    int64_t m, lda, trans_a;
};

/* What is left of the last product, and what was made ahead for the next one; {0}: nothing. */
struct gr_device_left {
    const struct gr_device_kernel *kernel; /* null: nothing */
    int64_t picked, n, k, ldb, trans_b;
    uint64_t b, pieces, pieces_of_a; /* addresses */
    struct gr_device_ahead ahead;
};

/* A product that is launched next, on the same stream and in that workspace: if B's pieces are
 * there already, the plan becomes one that makes those of A only, or none, if A's were made ahead.
 * *left is then what this product leaves. Whoever calls it answers for A and B: not one of their
 * elements has changed. */
void gr_device_use_left(const struct gr_device_kernel *kernel, const struct gr_device_given *given,
                        struct gr_device_plan *plan, struct gr_device_works *works,
                        struct gr_device_left *left);

/* The bytes of A's pieces; 0: the kernel makes none. */
int64_t gr_device_pieces_bytes(const struct gr_device_kernel *kernel,
                               const struct gr_device_plan *plan);

/* The plan of the product that is launched next becomes one that only makes A's pieces, in the
 * place that the last product does not read: its own in the workspace, or `spare`, of so many
 * bytes. *left remembers them. False: it has no pieces, or finds none of B, or not enough memory;
 * then nothing is changed. */
bool gr_device_make_ahead(const struct gr_device_kernel *kernel,
                          const struct gr_device_given *given, uint64_t spare, int64_t spare_bytes,
                          struct gr_device_plan *plan, struct gr_device_works *works,
                          struct gr_device_left *left);

#endif
