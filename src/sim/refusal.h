/* refusal.h: why the host's compiler does not take a kernel that a GPU's takes.
 * SPDX-License-Identifier: MIT */
#ifndef SIM_REFUSAL_H
#define SIM_REFUSAL_H

#include <gradus/gradus.h>

/* Where all that the compiler complains of in error->log is inline assembly, which is PTX then (the
 * catalog finds that in the kernel's own file; a header's is seen here): UNSUPPORTED, "x.cu:5: not
 * modelled: inline PTX, line 5". Else `status`, the error as it is. `assembly`: the file that was
 * assembled, if it came so far. */
enum gradus_status gr_sim_refusal(enum gradus_status status, const char *kernel_path,
                                  const char *assembly, struct gradus_error *error);

#endif
