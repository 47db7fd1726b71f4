/* amdonly.h: recognizes HIP source that only AMD's GPUs run, by what NVIDIA's compiler says of it.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_AMDONLY_H
#define GPU_AMDONLY_H

#include <gradus/gradus.h>

/* If the first line of the compiler's log in `error` that names something of AMD's is an error
 * (a built-in function or a library without a counterpart, inline assembly with AMD's registers),
 * `error` becomes UNSUPPORTED, a line with the place, the name, and the simulated device that runs
 * it, and the log is kept. Otherwise it stays as it is. Returns its status. */
enum gradus_status gr_amd_only_refuse(struct gradus_error *error);

#endif
