/* matrix_fragments.h: which lane of a warp has which element of a matrix in which register, by the
 * layouts in the PTX ISA. SPDX-License-Identifier: MIT */
#ifndef MACHINE_MATRIX_FRAGMENTS_H
#define MACHINE_MATRIX_FRAGMENTS_H

#include "machine/warp.h"

#include <stdbool.h>

/* Reads a fragment of A or B: `rows` rows of A (8 or 16) or 8 columns of B, of k elements of `bits`
 * bits (1, 4, 8, 16, 32 or 64). `out` receives k words for each row; for elements of 64 bits two
 * words each, the lower one first. The registers are consecutive, starting at `from`. */
void gr_fragment_factors(const gr_lanes *from, int rows, int k, int bits, uint32_t *out);

/* Reads or writes an accumulator of `rows` x 8 elements of 16, 32 or 64 bits. Lanes that are not in
 * `active` are not written. `words` is in row-major order, with two words for 64 bits. */
void gr_fragment_read(const gr_lanes *from, int rows, int bits, uint32_t *words);
void gr_fragment_write(gr_lanes *to, int rows, int bits, const uint32_t *words, uint32_t active);

/* The pieces that a lane reads for one of its registers of LDSM, or writes for STSM: `count` pieces
 * of `bytes` bytes each, the first one in the lowest bits of the register. A piece is at `offset`
 * from the address that lane `row` supplies for its row of 16 bytes. */
struct gr_matrix_pieces {
    uint8_t count, bytes;
    uint8_t row[2], offset[2];
};
struct gr_matrix_pieces gr_matrix_pieces_of(bool transposed, int reg, int lane);
/* A mask of the lanes whose addresses an instruction for 1, 2 or 4 matrices uses. */
uint32_t gr_matrix_rows(int matrices);

/* MOVM.16.MT88: transposes a matrix of 8 x 8 elements of 16 bits. */
void gr_matrix_transpose(const gr_lanes from, gr_lanes to);

#endif
