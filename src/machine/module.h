/* module.h: what a cubin has beside instructions: parameters, variables, constant banks,
 * relocations. SPDX-License-Identifier: MIT */
#ifndef MACHINE_MODULE_H
#define MACHINE_MODULE_H

#include "machine/machine_program.h"

/* Finds the kernel's section, its resources and parameters. */
enum gradus_status gr_module_kernel(struct gr_program *program, const char *symbol,
                                    struct gradus_error *error);
/* Places the module's variables at program->globals, and fills the constant banks, in which their
 * addresses are; bank 0 has what the driver passes for `launch`, and its parameters. */
enum gradus_status gr_module_memory(struct gr_program *program,
                                    const struct gr_program_launch *launch,
                                    struct gradus_error *error);

/* Finds the variables in shared memory, in the PTX that a cubin with line tables contains. */
void gr_module_shared(struct gr_program *program);

#endif
