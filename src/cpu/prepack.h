/* prepack.h: an operand that was packed once and is used in many products.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_PREPACK_H
#define CPU_PREPACK_H

#include "cpu/gemm.h"

/* The packed operand, described in the terms of the problem that it was packed for. */
struct gradus_packed {
    const struct gr_driver *driver;
    const struct ukr *ukr;
    const struct gr_isa_functions *functions;
    enum gradus_operand which;
    enum gradus_layout layout;
    enum gradus_type a_type, b_type;
    int64_t size, k; /* `size` is m or n */
    char *panels;
};

/* Returns INVALID if `packed`, given as operand `which` of `gemm`, was packed for another problem.
 * `function` is the function that the error names. */
enum gradus_status gr_packed_check(const struct gradus_packed *packed,
                                   const struct gradus_gemm *gemm, enum gradus_operand which,
                                   const char *function, struct gradus_error *error);

#endif
