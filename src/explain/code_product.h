/* code_product.h: checks whether machine code computes a product. Its source, which could be
 * compiled and verified, is not available, and its arguments are known only from what the user
 * stated. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_CODE_PRODUCT_H
#define EXPLAIN_CODE_PRODUCT_H

#include "explain/request.h"

/* Executes all blocks of ask->code for the problem, if it is small; otherwise for small problems,
 * until one product is right. Each C is compared with a float64 reference. The result is added to
 * `findings`: a note if the product is right; a fault if it is wrong for the problem itself, or a
 * warning if it is wrong for all other problems; nothing if no problem could be executed
 * completely. */
enum gradus_status gr_code_product_check(const struct gr_explain *ask,
                                         const struct gr_device_values *device_values,
                                         struct gr_findings *findings, struct gradus_error *error);

#endif
