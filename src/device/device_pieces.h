/* device_pieces.h: reuse of the pieces into which some kernels split their operands before they
 * multiply, by successive products with the same B. The pieces of B stay in the workspace where the
 * first product has written them. Those of the next A can be made ahead, while the product before
 * is being computed. SPDX-License-Identifier: MIT */
#ifndef DEVICE_DEVICE_PIECES_H
#define DEVICE_DEVICE_PIECES_H

#include "device/device_launch.h"

/* Pieces of A that were made before their product is launched; {0}: there are none. */
struct gr_device_ahead {
    uint64_t pieces, a; /* addresses */
    int64_t m, lda, trans_a;
};

/* What the last product has left in its workspace, and what was made ahead for the next one; {0}:
 * nothing. */
struct gr_device_left {
    const struct gr_device_kernel *kernel; /* null: nothing */
    int64_t picked, n, k, ldb, trans_b;
    uint64_t b, pieces, pieces_of_a; /* addresses */
    struct gr_device_ahead ahead;
};

/* Changes the plan of the product that is launched next, on the same stream and with the same
 * workspace. If the pieces of B are there already, the plan makes those of A only, or none if those
 * of A were made ahead. Afterwards *left describes what this product leaves. The caller guarantees
 * that no element of B, and of an A that was split ahead, has changed. */
void gr_device_use_left(const struct gr_device_kernel *kernel, const struct gr_device_given *given,
                        struct gr_device_plan *plan, struct gr_device_works *works,
                        struct gr_device_left *left);

/* The size in bytes of A's pieces; 0: the kernel makes none. */
int64_t gr_device_pieces_bytes(const struct gr_device_kernel *kernel,
                               const struct gr_device_plan *plan);

/* Changes the plan of the product that is launched next into one that only makes A's pieces. They
 * are written where the last product does not read: to their own place in the workspace, or to
 * `spare`, which has `spare_bytes` bytes; *left remembers this. Returns false, and changes nothing,
 * if the kernel makes no pieces, if those of B are not there, or if `spare` is too small. */
bool gr_device_make_ahead(const struct gr_device_kernel *kernel,
                          const struct gr_device_given *given, uint64_t spare, int64_t spare_bytes,
                          struct gr_device_plan *plan, struct gr_device_works *works,
                          struct gr_device_left *left);

#endif
