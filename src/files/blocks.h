/* blocks.h: divides large matrices into blocks that fit into a device's memory.
 * SPDX-License-Identifier: MIT */
#ifndef FILES_BLOCKS_H
#define FILES_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gr_team;

/* A block of C is m x n; the panels of A and B are k deep. */
struct gr_block_plan {
    int64_t m, n, k;
};

/* The largest blocks for which two panels of A, two of B and two blocks of C fit into
 * `elements`, with a quarter of that reserved for the kernel's own buffers. At least 32 x 32 x
 * 32, at most the sizes of the problem. */
struct gr_block_plan gr_blocks_plan(int64_t m, int64_t n, int64_t k, int64_t elements);

/* A matrix in host memory: element (i, j) is at i*ld + j, or at j*ld + i if it is transposed. */
struct gr_block_source {
    const void *elements;
    int64_t ld;
    bool transposed;
    size_t element_bytes; /* 4 or 8 */
};

/* Copies the block of `rows` x `cols` elements at (row, col) to `to`, row-major with leading
 * dimension `to_ld`, with the threads of the team. */
void gr_block_pack(struct gr_team *team, const struct gr_block_source *from, int64_t row,
                   int64_t col, int64_t rows, int64_t cols, void *to, int64_t to_ld);

#endif
