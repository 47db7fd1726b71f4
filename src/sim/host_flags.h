/* host_flags.h: the flags of the host's compiler, as null-terminated lists.
 * SPDX-License-Identifier: MIT */
#ifndef SIM_HOST_FLAGS_H
#define SIM_HOST_FLAGS_H

#include <stdbool.h>

/* What a kernel is built as. */
enum gr_sim_kind {
    GR_SIM_FAST,   /* a shared object */
    GR_SIM_TRACED, /* a program that records each access */
    GR_SIM_CHECKED /* a program that records each signed integer that overflows */
};

/* The flags for a build of that kind with g++ or clang++. */
const char *const *gr_sim_flags(bool clang, enum gr_sim_kind kind);
/* The flags that define GR_SIM_LOOP (sim/unroll.h), as a loop that is to be unrolled or as a plain
 * `for`.
 */
const char *const *gr_sim_loop_flags(bool unroll);
/* For a traced build with version 11 or later: accesses through volatile pointers call hooks of
 * their own, since they may synchronise with other threads. */
const char *const *gr_sim_volatile_flags(bool clang);

#endif
