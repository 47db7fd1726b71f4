/* launch_hint.h: what to add where a launch is not said. SPDX-License-Identifier: MIT */
#ifndef PLAN_LAUNCH_HINT_H
#define PLAN_LAUNCH_HINT_H

#include "records/kernel.h"

#include <gradus/gradus.h>

/* INVALID, for a stanza without grid or block: one line with the flags to add, read off the file's
 * own
 * `<<<grid, block>>>` where it has one that can be. */
enum gradus_status gr_launch_hint(const struct gr_kernel *kernel, const struct gr_stanza *stanza,
                                  struct gradus_error *error);

#endif
