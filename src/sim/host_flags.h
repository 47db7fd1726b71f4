/* host_flags.h: the flags of the host's compiler, null-terminated. SPDX-License-Identifier: MIT */
#ifndef SIM_HOST_FLAGS_H
#define SIM_HOST_FLAGS_H

#include "sim/compile_host.h"

#include <stdbool.h>

/* Of a build of that kind, by g++ or clang++. */
const char *const *gr_sim_flags(bool clang, enum gr_sim_kind kind);
/* What GR_SIM_LOOP (sim/unroll.h) stands for in it: loops that are to be unrolled, or plain ones.
 */
const char *const *gr_sim_loop_flags(bool unroll);
/* For a traced build by version 11 or later: an access through a volatile pointer is told apart,
 * since it may wait for what another thread stores. */
const char *const *gr_sim_volatile_flags(bool clang);

#endif
