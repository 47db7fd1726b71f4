/* templates.h: the parameters of a kernel's template, and what its name gives for them.
 * SPDX-License-Identifier: MIT */
#ifndef CATALOG_TEMPLATES_H
#define CATALOG_TEMPLATES_H

#include "source/launchfind.h"
#include "source/scan.h"
#include "records/kernel.h"

/* Completes the stanza's name, so that it is one a compiler can look up: `k` becomes `space::k` for
 * a kernel in a namespace, and a template gets the arguments of the file's own launch where it has
 * none and the launches agree. Types that the arguments give replace the template's names in the
 * signature, and a type parameter without an argument becomes T: which it is, is then the
 * variant's (signature->is_generic). INVALID, with what to write, for a template that lacks
 * arguments, and for arguments to what is none. */
enum gradus_status gr_template_bind(const struct gr_kernel *kernel, struct gr_stanza *stanza,
                                    const struct gr_scan *scan, const struct gr_function *function,
                                    struct gradus_error *error);

/* INVALID unless A, B and C all point to T: another type parameter cannot be told. */
enum gradus_status gr_template_check(const struct gr_kernel *kernel, const struct gr_stanza *stanza,
                                     const struct gr_scan *scan, struct gradus_error *error);

/* "<64,64>" of a launch, malloc'ed, with what its function's variables were set to; null where it
 * has none, or where they depend on who calls its function. */
char *gr_launch_arguments(const struct gr_scan *scan, const struct gr_launch_site *site);

#endif
