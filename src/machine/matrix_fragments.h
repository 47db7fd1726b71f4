/* matrix_fragments.h: which lane of a warp has which element of a matrix in which register, by the
 * layouts of the PTX guide. SPDX-License-Identifier: MIT */
#ifndef MACHINE_MATRIX_FRAGMENTS_H
#define MACHINE_MATRIX_FRAGMENTS_H

#include "machine/warp.h"

#include <stdbool.h>

/* A matrix of factors: `rows` rows of A (8 or 16) or 8 columns of B, of k elements of `bits` bits
 * (1, 4, 8, 16, 32 or 64). `out` has a row of k words for each; of elements of 64 bits two words,
 * the lower first. Registers follow one another from `from` on. */
void gr_fragment_factors(const gr_lanes *from, int rows, int k, int bits, uint32_t *out);

/* An accumulator of `rows` x 8 elements of 16, 32 or 64 bits, read or written; those of lanes that
 * are not in `active` are not written. `words` is row by row; of 64 bits two words. */
void gr_fragment_read(const gr_lanes *from, int rows, int bits, uint32_t *words);
void gr_fragment_write(gr_lanes *to, int rows, int bits, const uint32_t *words, uint32_t active);

/* What a lane reads for one of its registers of LDSM, or writes of STSM: `count` pieces of `bytes`
 * bytes each, the first in the register's lowest bits. A piece is at `offset` from the address that
 * lane `row` supplies, which is that of 16 bytes. */
struct gr_matrix_pieces {
    uint8_t count, bytes;
    uint8_t row[2], offset[2];
};
struct gr_matrix_pieces gr_matrix_pieces_of(bool transposed, int reg, int lane);
/* The lanes whose addresses are read by an instruction of 1, 2 or 4 matrices: a mask. */
uint32_t gr_matrix_rows(int matrices);

/* MOVM.16.MT88: a matrix of 8 x 8 elements of 16 bits, transposed. */
void gr_matrix_transpose(const gr_lanes from, gr_lanes to);

#endif
