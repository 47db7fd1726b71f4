/* run.c: the library's own interface, gradus_gemm_run. SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"

enum gradus_status gradus_gemm_run(const struct gradus_gemm *gemm, struct gradus_error *error)
{
    return gr_cpu_gemm(gemm, NULL, error);
}
