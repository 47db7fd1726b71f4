/* refusal.h: recognises inline PTX by the host compiler's errors.
 * SPDX-License-Identifier: MIT */
#ifndef SIM_REFUSAL_H
#define SIM_REFUSAL_H

#include <gradus/gradus.h>

/* If all errors in error->log are about inline assembly, which then is PTX, returns UNSUPPORTED:
 * "x.cu:5: not modelled: inline PTX, line 5". (The catalog finds PTX in the kernel's own file; that
 * of a header is found here.) Otherwise returns `status` and leaves the error as it is. `assembly`:
 * the file that was assembled, if compiling came that far. */
enum gradus_status gr_sim_refusal(enum gradus_status status, const char *kernel_path,
                                  const char *assembly, struct gradus_error *error);

#endif
