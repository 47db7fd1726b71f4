/* preset.h: predefined sweeps. SPDX-License-Identifier: MIT */
#ifndef CLI_PRESET_H
#define CLI_PRESET_H

#include "cli/measuring.h"

/* The values of `gradus bench --preset`. */
#define GR_PRESET_WORDS "sweep|sweep-quick|narrow|threads|scaling|random"

/* Makes the parts of the preset `name`: squares, odd and skinny sizes and transposes, or --count
 * products that --seed draws at random, each with each type and number of threads, against all
 * peers in turns. --dtype and --trans restrict it, and --threads replaces its numbers of threads. A
 * preset has its own sizes: INVALID if --size is given. `m` must have been read before. */
enum gradus_status gr_preset_apply(const char *name, struct gr_measuring *m,
                                   struct gradus_error *error);

#endif
