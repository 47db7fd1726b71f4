/* signature.h: the C signatures of a file's kernels, and the argument that Gradus passes for
 * each parameter. A kernel keeps the signature that it has in its own project.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_SIGNATURE_H
#define CATALOG_SIGNATURE_H

#include "source/scan.h"
#include "records/kernel.h"

/* Finds the function of each stanza, reads its parameters and gives each a role: by the `args`
 * line if there is one, else by name and type. If there is no `type` line, the types are those
 * of A, B and C. Sets kernel->implied_alpha1_beta0. INVALID gives the parameter, its type and
 * place, what was wanted and what to write. */
enum gradus_status gr_signatures_read(struct gr_kernel *kernel, struct gradus_error *error);

/* Reads the parameters of one function without giving them roles. */
enum gradus_status gr_signature_parse(const char *path, const struct gr_scan *scan,
                                      const struct gr_function *function,
                                      struct gr_signature *signature, struct gradus_error *error);
void gr_signature_free(struct gr_signature *signature);

/* The class of a parameter's type, ignoring const, restrict and the like, and resolving the
 * file's own typedefs. */
enum gr_type_class gr_parameter_class(const struct gr_scan *scan,
                                      const struct gr_parameter *parameter);
/* The element type of a pointer or real parameter. False for T, void and unknown types. */
bool gr_parameter_dtype(const struct gr_scan *scan, const struct gr_parameter *parameter,
                        enum gr_dtype *type);
/* The number of value bits of an integer type: 31 for int, 63 for int64_t; 0: unknown. */
int gr_integer_bits(const char *type);
/* The same for a parameter's type, resolving the file's own typedefs. */
int gr_parameter_bits(const struct gr_scan *scan, const struct gr_parameter *parameter);

/* The role that a name has on its own (M N K alpha A …, ukr, team), in upper or lower case; NONE
 * for other names. */
enum gr_role gr_role_of_name(const char *name);
/* The functions of the file that may be its kernel. In CUDA: the __global__ functions. In C:
 * those that take A, B and C, preferably void and not static; if there are none, all void
 * functions that are neither static nor main. Fills `list` with indices into scan->functions and
 * returns their number. */
int gr_kernel_candidates(const char *path, const struct gr_scan *scan, enum gr_language language,
                         int *list, int most);

#endif
