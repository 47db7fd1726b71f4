/* access.h: the addresses of a warp's access, and the memory behind them. SPDX-License-Identifier:
 * MIT */
#ifndef MACHINE_ACCESS_H
#define MACHINE_ACCESS_H

#include "machine/access_flags.h"
#include "machine/block.h"
#include "machine/translate.h"

/* Which memory an instruction names. */
enum gr_window { GR_WINDOW_GLOBAL, GR_WINDOW_SHARED, GR_WINDOW_LOCAL, GR_WINDOW_GENERIC };

/* Operand i, an address, as sources `at` (base) and `at` + 1 (uniform register) and the offset. */
void gr_access_address(struct gr_translation *t, int i, struct gr_step *step, int at,
                       enum gr_window window);

/* The bytes of a lane's access, and the hints that change nothing; 4 if there is no width. */
int gr_access_width(struct gr_translation *t, struct gr_step *step);

/* Where each lane's access is; null: outside, which has been reported. Local memory has the words
 * of a lane's access GR_WARP_LANES words apart, elsewhere they follow one another. */
struct gr_places {
    unsigned char *at[GR_WARP_LANES];
    uint32_t local; /* lanes whose access is to local memory */
};

/* Finds and reports the access of the lanes of `active`. Returns the lanes that can be served. */
uint32_t gr_access_find(struct gr_warp *warp, const struct gr_step *step, int at,
                        enum gr_window window, enum gr_access access, int bytes, uint32_t active,
                        struct gr_places *places);

/* The same for copies from global memory that fill up with zeros: the low bits of an address, which
 * are 0 for a whole access, say how many of the last bytes are zeros and not read. `kept` gets the
 * bytes that each lane that can be served reads. */
uint32_t gr_access_find_filled(struct gr_warp *warp, const struct gr_step *step, int at, int bytes,
                               uint32_t active, struct gr_places *places,
                               uint8_t kept[GR_WARP_LANES]);

/* The lanes of `active` whose generic address is neither in shared nor in local memory. */
uint32_t gr_access_global(const struct gr_warp *warp, const struct gr_step *step, int at,
                          uint32_t active);

#endif
