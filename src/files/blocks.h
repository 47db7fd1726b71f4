/* blocks.h: large matrices, cut into blocks that fit a device. SPDX-License-Identifier: MIT */
#ifndef FILES_BLOCKS_H
#define FILES_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gr_team;

/* A block of C is m x n, a panel of the sum is k deep. */
struct gr_block_plan {
    int64_t m, n, k;
};

/* The largest blocks of which two panels of A and B and two blocks of C fit into `elements`, with a
 * quarter left for what the kernel itself needs. At least 32 x 32 by 32 deep, at most the problem's
 * own sizes. */
struct gr_block_plan gr_blocks_plan(int64_t m, int64_t n, int64_t k, int64_t elements);

/* A matrix in host memory, seen from its logical side: element (i, j) is at i*ld + j, or at j*ld +
 * i when turned. */
struct gr_block_source {
    const void *elements;
    int64_t ld;
    bool turned;
    size_t element_bytes; /* 4 or 8 */
};

/* Copies the block of `rows` x `cols` at (row, col) into `to`, by rows, `to_ld` apart, on the
 * team's threads. */
void gr_block_pack(struct gr_team *team, const struct gr_block_source *from, int64_t row,
                   int64_t col, int64_t rows, int64_t cols, void *to, int64_t to_ld);

#endif
