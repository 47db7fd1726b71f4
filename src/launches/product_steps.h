/* product_steps.h: tells from a file's host code which of its kernels are steps of one product, as
 * one that sums parts of C that another has computed. SPDX-License-Identifier: MIT */
#ifndef LAUNCHES_PRODUCT_STEPS_H
#define LAUNCHES_PRODUCT_STEPS_H

#include "base/str.h"

#include <stdbool.h>

/* Does a host function of `text` launch the kernel `name` ("k", "space::k", "k<64>") so that
 * another kernel reads what it wrote, it reads what another one has made of other arrays, or both
 * write parts of an array? Then `why` says which, as "reduce, launched in line 80, reads what it
 * writes". A kernel that fills or converts an array is no such step before it. */
bool gr_step_of_product(const char *path, const char *text, const char *name, struct gr_str *why);

#endif
