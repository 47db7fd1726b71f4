/* list_code.h: lists the machine code under the lines of the source, as sections of an explanation.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_LIST_CODE_H
#define EXPLAIN_LIST_CODE_H

#include "records/kernel.h"
#include "explain/request.h"

/* Adds a section for each launch whose machine code was executed. If there is none, the section
 * gives the reason. */
enum gradus_status gr_list_code(const struct gr_kernel *kernel, struct gr_explained *explained,
                                struct gradus_error *error);

#endif
