/* traced_machine.h: the traced program of the engine that executes machine code.
 * SPDX-License-Identifier: MIT */
#ifndef ENGINE_TRACED_MACHINE_H
#define ENGINE_TRACED_MACHINE_H

/* Runs `gradus machine JOB RESULT`. It does the same as the program into which a kernel is linked
 * (simrt/simrt.h), but the kernels are in the job, as a cubin. Returns the exit status. */
int gr_traced_machine(int argc, char **argv);

#endif
