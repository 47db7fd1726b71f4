/* group_products.h: the pending products (wgmma) of a warpgroup. A warp computes its part of a
 * product only when it waits for it, so that a missing wait is detected.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_GROUP_PRODUCTS_H
#define MACHINE_GROUP_PRODUCTS_H

#include "machine/block.h"
#include "machine/machine_wgmma.h"

/* To be called when a warp begins: it has no products. */
void gr_products_begin(struct gr_warp *warp);
void gr_products_free(struct gr_warp *warp);
/* Issues the warp's part of a product, with the current values of its descriptors and of its
 * scale. */
void gr_products_add(struct gr_warp *warp, const struct gr_wgmma *g);
/* Computes all but the newest `pending` groups. */
void gr_products_wait(struct gr_warp *warp, int pending);
/* To be called before the warp executes an instruction: reports its accesses to registers that a
 * pending product still has to write. */
void gr_products_guard(const struct gr_warp *warp, uint32_t active);
/* At the end of a block: have the four warps of each group issued the same products? */
void gr_products_compare(struct gr_block *block);

#endif
