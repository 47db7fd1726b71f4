/* run.c: the library's own interface, gradus.h. SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"

static enum gradus_type sums_of(enum gradus_type type)
{
    switch (type) {
    case GRADUS_BF16:
        return GRADUS_F32;
    case GRADUS_S8:
    case GRADUS_U8:
        return GRADUS_S32;
    default:
        return type;
    }
}

void gradus_gemm_init(struct gradus_gemm *gemm, enum gradus_type type)
{
    *gemm = (struct gradus_gemm){
        .a_type = type,
        .b_type = type,
        .c_type = sums_of(type),
        .sum_type = sums_of(type),
        .alpha = 1,
    };
}

enum gradus_status gradus_gemm_run(const struct gradus_gemm *gemm, struct gradus_error *error)
{
    return gr_cpu_gemm(gemm, NULL, error);
}
