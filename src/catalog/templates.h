/* templates.h: the template parameters of a kernel, and their arguments.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_TEMPLATES_H
#define CATALOG_TEMPLATES_H

#include "source/launchfind.h"
#include "source/scan.h"
#include "records/kernel.h"

/* Completes the stanza's name so that a compiler can look it up: `k` becomes `space::k` for a
 * kernel in a namespace, and a template without arguments gets those of the file's own launches
 * if they agree. In the signature, types from the arguments replace the template's names. A type
 * parameter without an argument becomes T, whose type the variant chooses
 * (signature->is_generic). INVALID, with what to write, for a template that lacks arguments, and
 * for arguments to a function that is not a template. */
enum gradus_status gr_template_bind(const struct gr_kernel *kernel, struct gr_stanza *stanza,
                                    const struct gr_scan *scan, const struct gr_function *function,
                                    struct gradus_error *error);

/* INVALID unless A, B and C all point to T; another type parameter could not be determined. */
enum gradus_status gr_template_check(const struct gr_kernel *kernel, const struct gr_stanza *stanza,
                                     const struct gr_scan *scan, struct gradus_error *error);

/* The template arguments "<64,64>" of a launch, malloc'ed, with the values of the variables in
 * its function. Null if it has none, or if they depend on the caller of its function. */
char *gr_launch_arguments(const struct gr_scan *scan, const struct gr_launch_site *site);

/* "<BM, BN>": the names of a template's parameters, as arguments for the same template, malloc'ed;
 * null: one has no name or is a pack, or out of memory. */
char *gr_template_names(const struct gr_scan *scan, const struct gr_function *function);

#endif
