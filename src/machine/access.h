/* access.h: the addresses of a warp's access, and the host memory that they refer to.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_ACCESS_H
#define MACHINE_ACCESS_H

#include "machine/access_flags.h"
#include "machine/block.h"
#include "machine/translate.h"

/* The memory that an instruction names. */
enum gr_window { GR_WINDOW_GLOBAL, GR_WINDOW_SHARED, GR_WINDOW_LOCAL, GR_WINDOW_GENERIC };

/* Takes operand i, an address. Its base becomes source `at`, its uniform register source `at` + 1,
 * and its offset the value of the step. */
void gr_access_address(struct gr_translation *t, int i, struct gr_step *step, int at,
                       enum gr_window window);

/* Takes the width of a lane's access, and the cache hints, which have no effect here. Returns the
 * width in bytes, which is 4 if the instruction does not give it. */
int gr_access_width(struct gr_translation *t, struct gr_step *step);

/* The place of each lane's access in host memory; null if it is outside of all memory, which has
 * then been reported. In local memory, consecutive words of a lane are GR_WARP_LANES words apart;
 * in other memory they are adjacent. */
struct gr_places {
    unsigned char *at[GR_WARP_LANES];
    uint32_t local; /* lanes whose access is to local memory */
};

/* Finds the accesses of the lanes of `active`, and reports them to the watch. Returns the lanes
 * that can be served. */
uint32_t gr_access_find(struct gr_warp *warp, const struct gr_step *step, int at,
                        enum gr_window window, enum gr_access access, int bytes, uint32_t active,
                        struct gr_places *places);

/* The same for asynchronous copies that fill the rest of their destination with zeros. The low bits
 * of an address, which are 0 if all bytes are copied, give the number of bytes at the end that
 * become zeros and are not read. For each lane that can be served, `kept` receives the number of
 * bytes that are read. */
uint32_t gr_access_find_filled(struct gr_warp *warp, const struct gr_step *step, int at, int bytes,
                               uint32_t active, struct gr_places *places,
                               uint8_t kept[GR_WARP_LANES]);

/* Returns the lanes of `active` whose generic address is neither in shared nor in local memory. */
uint32_t gr_access_global(const struct gr_warp *warp, const struct gr_step *step, int at,
                          uint32_t active);

#endif
