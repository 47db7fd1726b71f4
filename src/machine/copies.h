/* copies.h: asynchronous copies from global to shared memory (LDGSTS). What they copy arrives when
 * the program waits for it and no sooner, so that a forgotten wait is seen.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_COPIES_H
#define MACHINE_COPIES_H

#include "machine/warp.h"

/* A warp begins: there are none. */
void gr_copies_begin(struct gr_warp *warp);
void gr_copies_free(struct gr_warp *warp);
/* Each of the lanes writes `bytes` bytes (at most 16) to its place in shared memory, `to`: as many
 * as `kept` says from its place in `from`, and zeros behind them. All that is one copy. */
void gr_copies_add(struct gr_warp *warp, uint32_t lanes, unsigned char *const *to,
                   unsigned char *const *from, const uint8_t kept[GR_WARP_LANES], int bytes);
/* Those since the last commit are a group. */
void gr_copies_commit(struct gr_warp *warp);
/* All but the newest `pending` groups arrive. */
void gr_copies_wait(struct gr_warp *warp, int pending);
/* All arrive, committed or not. */
void gr_copies_arrive(struct gr_warp *warp);
/* How many copies the warp has begun; and that many arrive. */
uint64_t gr_copies_begun(const struct gr_warp *warp);
void gr_copies_arrive_first(struct gr_warp *warp, uint64_t count);

#endif
