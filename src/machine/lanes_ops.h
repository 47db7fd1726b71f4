/* lanes_ops.h: the table of the lanes' functions. It is included by lanes_<isa>.c, which defines
 * GR_LANES as the table's name. SPDX-License-Identifier: MIT */
#ifndef MACHINE_LANES_OPS_H
#define MACHINE_LANES_OPS_H

#include "machine/lanes_integer.h"
#include "machine/lanes_float.h"
#include "machine/lanes_half.h"
#include "machine/lanes_memory.h"

/* clang-format off */
const struct gr_lane_functions GR_LANES = {
    .run = {
#define GR_LANE_ENTRY(NAME, name) [GR_LANE_##NAME] = name,
        GR_LANE_LIST(GR_LANE_ENTRY)
#undef GR_LANE_ENTRY
    },
    .ffma_sequence = ffma_sequence,
    .addresses = addresses,
    .strays = strays,
    .places = places,
    .are_apart = are_apart,
    .read_words = read_words,
    .write_words = write_words,
};
/* clang-format on */

#endif
