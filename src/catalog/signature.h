/* signature.h: the C signatures of a file's kernels, and what Gradus passes for each parameter.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_SIGNATURE_H
#define CATALOG_SIGNATURE_H

#include "source/scan.h"
#include "records/kernel.h"

/* Finds the function of each stanza, reads its parameters and gives each a role, by `args` where
 * there is such a line, else by name and type. Types that no `type` line gives are read off A, B
 * and C. Sets kernel->implied_alpha1_beta0. INVALID names the parameter, its type and place, what
 * was wanted and what to write. */
enum gradus_status gr_signatures_read(struct gr_kernel *kernel, struct gradus_error *error);

/* Reads the parameters of one function, roles not yet given. */
enum gradus_status gr_signature_parse(const char *path, const struct gr_scan *scan,
                                      const struct gr_function *function,
                                      struct gr_signature *signature, struct gradus_error *error);
void gr_signature_free(struct gr_signature *signature);

/* What a parameter's type is, blind to const, restrict and the like, and through the file's own
 * typedefs. */
enum gr_type_class gr_parameter_class(const struct gr_scan *scan,
                                      const struct gr_parameter *parameter);
/* The element type that a pointer or real parameter names. False for T, void and what is not known.
 */
bool gr_parameter_dtype(const struct gr_scan *scan, const struct gr_parameter *parameter,
                        enum gr_dtype *type);
/* Bits of an integer parameter's value range below zero or above: 31 for int, 63 for int64_t; 0:
 * unknown. */
int gr_integer_bits(const char *type);
/* The same of a parameter's type, through the file's own typedefs. */
int gr_parameter_bits(const struct gr_scan *scan, const struct gr_parameter *parameter);

/* The role that a name has by itself (M N K alpha A …, ukr, team), any case; NONE for others. */
enum gr_role gr_role_of_name(const char *name);
/* The functions of the file that may be its kernel. For C, those that take A, B and C, of them
 * rather the ones that are void and not static; when none does, all void ones that are neither
 * static nor main. For CUDA, the __global__ ones. Fills `list` with indices into scan->functions
 * and returns their count. */
int gr_kernel_candidates(const char *path, const struct gr_scan *scan, enum gr_language language,
                         int *list, int most);

#endif
