/* preset.h: sweeps that have a name. SPDX-License-Identifier: MIT */
#ifndef CLI_PRESET_H
#define CLI_PRESET_H

#include "cli/measuring.h"

/* Words of `gradus bench --preset`. */
#define GR_PRESET_WORDS "sweep|sweep-quick|narrow|threads|scaling|random"

/* Makes the parts of the preset `name`: squares, odd and skinny sizes and transposes, or --count
 * products that --seed draws at random, each with each type and number of threads, against all
 * peers in turns. --dtype and --trans narrow it, and --threads replaces its numbers of threads. Its
 * sizes are its own: INVALID when --size is given. `m` has been read. */
enum gradus_status gr_preset_apply(const char *name, struct gr_measuring *m,
                                   struct gradus_error *error);

#endif
