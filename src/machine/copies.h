/* copies.h: asynchronous copies from global to shared memory (LDGSTS). The data arrive only when
 * the program waits for them, so that a missing wait is detected. SPDX-License-Identifier: MIT */
#ifndef MACHINE_COPIES_H
#define MACHINE_COPIES_H

#include "machine/warp.h"

/* To be called when a warp begins: it has no copies. */
void gr_copies_begin(struct gr_warp *warp);
void gr_copies_free(struct gr_warp *warp);
/* Adds a copy. Each of these lanes writes `bytes` bytes (at most 16) to `to`, its place in shared
 * memory: first as many as `kept` gives from `from`, then zeros. */
void gr_copies_add(struct gr_warp *warp, uint32_t lanes, unsigned char *const *to,
                   unsigned char *const *from, const uint8_t kept[GR_WARP_LANES], int bytes);
/* Makes a group of the copies since the last commit. */
void gr_copies_commit(struct gr_warp *warp);
/* Completes all but the newest `pending` groups. */
void gr_copies_wait(struct gr_warp *warp, int pending);
/* Completes all copies, committed or not. */
void gr_copies_arrive(struct gr_warp *warp);
/* Returns how many copies the warp has issued; and completes the first `count` of them. */
uint64_t gr_copies_begun(const struct gr_warp *warp);
void gr_copies_arrive_first(struct gr_warp *warp, uint64_t count);

#endif
