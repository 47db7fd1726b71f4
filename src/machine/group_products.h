/* group_products.h: the products of a group of warps that have been begun and are not done. A warp
 * has its part of each when it waits for it and no sooner, so that a forgotten wait is seen.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_GROUP_PRODUCTS_H
#define MACHINE_GROUP_PRODUCTS_H

#include "machine/block.h"
#include "machine/machine_wgmma.h"

/* A warp begins: there are none. */
void gr_products_begin(struct gr_warp *warp);
void gr_products_free(struct gr_warp *warp);
/* The warp begins its part of a product, whose descriptors and scale are those of now. */
void gr_products_add(struct gr_warp *warp, const struct gr_wgmma *g);
/* All but the newest `pending` groups are done. */
void gr_products_wait(struct gr_warp *warp, int pending);
/* The warp is about to execute its instruction: registers that a product is still to write, and
 * that the instruction accesses, are reported. */
void gr_products_guard(const struct gr_warp *warp, uint32_t active);
/* At the end of a block: have the four warps of each group begun the same? */
void gr_products_compare(struct gr_block *block);

#endif
