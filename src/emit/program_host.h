/* program_host.h: the parts of an exported program that are the same for all kernels.
 * SPDX-License-Identifier: MIT */
#ifndef EMIT_PROGRAM_HOST_H
#define EMIT_PROGRAM_HOST_H

extern const char gr_program_includes[];
/* In namespace gradus, after type_a … and epsilon: what `launch` and `main` use. */
extern const char gr_program_tools[];
/* What makes tensor maps. */
extern const char gr_program_maps[];
/* The beginning of `launch`, with the names that expressions of the front matter may use. */
extern const char gr_program_launch_head[];
/* Fills the matrices and checks the result. */
extern const char gr_program_check[];
/* Closes the namespace and defines `main`. */
extern const char gr_program_main[];

#endif
