/* copies.h: asynchronous copies from global to shared memory (LDGSTS). What they copy arrives when
 * the program waits for it and no sooner, so that a forgotten wait is seen.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_COPIES_H
#define MACHINE_COPIES_H

#include "machine/warp.h"

/* A warp begins: there are none. */
void gr_copies_begin(struct gr_warp *warp);
void gr_copies_free(struct gr_warp *warp);
/* Each of the lanes copies `bytes` bytes (at most 16) from its place in `from` to its place in
 * shared memory, `to`; the lanes of `zeros` write zeros. All that is one copy. */
void gr_copies_add(struct gr_warp *warp, uint32_t lanes, unsigned char *const *to,
                   unsigned char *const *from, uint32_t zeros, int bytes);
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
