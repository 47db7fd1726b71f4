/* lz4.h: expands a block of LZ4, as fatbins have them. SPDX-License-Identifier: MIT */
#ifndef CODE_LZ4_H
#define CODE_LZ4_H

#include <stdbool.h>
#include <stddef.h>

/* Expands `count` bytes to exactly `room`. False: the block is damaged. */
bool gr_lz4_expand(const unsigned char *from, size_t count, unsigned char *to, size_t room);

#endif
