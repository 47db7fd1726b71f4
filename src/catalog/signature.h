/* signature.h: the C signatures of a file's kernels, and the argument that Gradus passes for
 * each parameter. A kernel keeps the signature that it has in its own project.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_SIGNATURE_H
#define CATALOG_SIGNATURE_H

#include "source/scan.h"
#include "records/kernel.h"

/* The message for a parameter whose type is a structure that catalog/plain_parameters.h does not
 * replace. */
#define GR_STRUCTURE_REFUSED                                                                       \
    "a value of this type cannot be made, wanted pointers and numbers, or a `struct` of this "     \
    "file or its headers that has nothing else: no base, virtual function, reference or array; "   \
    "pass its members as parameters"

/* In the message for a kernel that takes other arrays beside A, B and C. */
#define GR_NO_PLAIN_GEMM "is no plain GEMM"

/* Finds the function of each stanza, reads its parameters and gives each a role: by the `args`
 * line if there is one, else by name and type. If there is no `type` line, the types are those
 * of A, B and C. Sets kernel->implied_alpha1_beta0. INVALID gives the parameter, its type and
 * place, what was wanted and what to write. */
enum gradus_status gr_signatures_read(struct gr_kernel *kernel, struct gradus_error *error);

#endif
