/* launch_hint.h: suggests the options that give a launch, for a kernel without one.
 * SPDX-License-Identifier: MIT */
#ifndef PLAN_LAUNCH_HINT_H
#define PLAN_LAUNCH_HINT_H

#include "records/kernel.h"

#include <gradus/gradus.h>

/* For a stanza without grid or block: fails with INVALID and a message with the options to add,
 * taken from a `<<<grid, block>>>` in the file if there is one that fits. */
enum gradus_status gr_launch_hint(const struct gr_kernel *kernel, const struct gr_stanza *stanza,
                                  struct gradus_error *error);

#endif
