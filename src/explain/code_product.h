/* code_product.h: is what machine code computes a product? Its source, which could be compiled and
 * verified, is not there, and what it is passed was only said. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_CODE_PRODUCT_H
#define EXPLAIN_CODE_PRODUCT_H

#include "explain/request.h"

/* Executes all blocks of ask->code for the problem, if it is small, or else for small ones, until
 * one product is right, and compares each with a float64 reference. What was found is added to
 * `findings`: a note that it is right; a fault if it is wrong for the problem itself, or a warning
 * if it is wrong for all others. Nothing, if none could be executed to its end. */
enum gradus_status gr_code_product_check(const struct gr_explain *ask,
                                         const struct gr_device_values *device_values,
                                         struct gr_findings *findings, struct gradus_error *error);

#endif
