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

#endif
