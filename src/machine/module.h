/* module.h: what a cubin contains in addition to instructions: parameters, variables, constant
 * banks, relocations. SPDX-License-Identifier: MIT */
#ifndef MACHINE_MODULE_H
#define MACHINE_MODULE_H

#include "machine/machine_program.h"

/* Finds the section of the kernel, the resources that it needs, and its parameters. */
enum gradus_status gr_module_kernel(struct gr_program *program, const char *symbol,
                                    struct gradus_error *error);
/* Places the module's variables at program->globals, and fills the constant banks, which contain
 * their addresses. Bank 0 has what the driver passes for `launch`, and the parameters of the
 * kernel. */
enum gradus_status gr_module_memory(struct gr_program *program,
                                    const struct gr_program_launch *launch,
                                    struct gradus_error *error);

/* Finds the variables in shared memory by the PTX that a cubin with line tables contains. */
void gr_module_shared(struct gr_program *program);

#endif
