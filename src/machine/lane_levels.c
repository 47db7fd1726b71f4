/* lane_levels.c: chooses the lanes' functions for the level of instruction sets in use.
 * SPDX-License-Identifier: MIT */
#include "machine/lane_functions.h"

#include "cpu/isa.h"

#include <string.h>

const struct gr_lane_functions *gr_lanes_in_use(void)
{
    for (const struct gr_isa *isa = gr_isa_in_use(); isa; isa = isa->over)
        for (const struct gr_lanes_level *l = gr_lanes_levels; l->name; l++)
            if (strcmp(l->name, isa->name) == 0)
                return l->functions;
    return gr_lanes_levels[0].functions;
}
