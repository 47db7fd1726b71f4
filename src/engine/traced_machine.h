/* traced_machine.h: the traced program of the engine that executes machine code.
 * SPDX-License-Identifier: MIT */
#ifndef ENGINE_TRACED_MACHINE_H
#define ENGINE_TRACED_MACHINE_H

/* What `gradus machine JOB RESULT` does: as the program that a kernel is linked into
 * (simrt/simrt.h), but the kernels are in the job, as a cubin. Returns the exit status. */
int gr_traced_machine(int argc, char **argv);

#endif
