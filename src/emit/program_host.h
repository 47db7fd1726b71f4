/* program_host.h: the parts of an exported program that are the same for all kernels.
 * SPDX-License-Identifier: MIT */
#ifndef EMIT_PROGRAM_HOST_H
#define EMIT_PROGRAM_HOST_H

extern const char gr_program_includes[];
/* Inside namespace gradus, after type_a … and epsilon: what the launch and main use. */
extern const char gr_program_tools[];
/* The head of `launch` and the names that expressions of the front matter may use. */
extern const char gr_program_launch_head[];
/* Fills matrices and judges the product. */
extern const char gr_program_check[];
/* Closes the namespace. */
extern const char gr_program_main[];

#endif
