/* map_by_address.h: tensor maps of matrices at any address. SPDX-License-Identifier: MIT
 *
 * A tensor map begins at an address that the host gives it. A kernel that finds the addresses of
 * its matrices in the GPU's memory, as in a batch, would need one map each, made on the GPU. But
 * the dimensions of a map may overlap: with two more of them, whose strides are 16 bytes and 2^35
 * bytes, a map that begins at address 0 contains the matrix at every address a that is a multiple
 * of 16. Its element (row, column) has the coordinates
 *
 *     column, row, a / 16 % 2^31, a / 2^35
 *
 * On an H200 copies by such a map take as long as by one of two dimensions. A box must begin inside
 * of the matrix: outside, the GPU reads at the beginning of the map, which is not mapped. */
#ifndef CORE_MAP_BY_ADDRESS_H
#define CORE_MAP_BY_ADDRESS_H

#include <stdint.h>

enum { GR_MAP_BY_ADDRESS_RANK = 4 };

/* The sizes of the third and the fourth dimension, and their strides in bytes. Addresses have up to
 * 57 bits. */
#define GR_MAP_BY_ADDRESS_SIZES (uint64_t)1 << 31, (uint64_t)1 << 22
#define GR_MAP_BY_ADDRESS_STRIDES 16, (uint64_t)1 << 35

#endif
