/* run.c: the library's own interface, gradus.h. SPDX-License-Identifier: MIT */
#include "core/clock.h"
#include "blas/ledger_calls.h"
#include "cpu/cpu.h"
#include "cpu/gemm.h"

#include <stdio.h>

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

/* "gradus_gemm_run f32", or the types of A and B where they differ. */
static void count(struct gr_ledger *ledger, const struct gradus_gemm *g, int64_t start_ns)
{
    const bool one = g->a_type == g->b_type;
    char routine[sizeof((struct gr_ledger_key *)0)->routine];
    snprintf(routine, sizeof routine, "gradus_gemm_run %s%s%s", gr_gemm_type_name(g->a_type),
             one ? "" : " ", one ? "" : gr_gemm_type_name(g->b_type));
    gr_ledger_count_problem(ledger, routine, g, start_ns);
}

enum gradus_status gradus_gemm_run(const struct gradus_gemm *gemm, struct gradus_error *error)
{
    struct gr_ledger *const ledger = gr_ledger_on();
    if (!ledger)
        return gr_cpu_gemm(gemm, NULL, error);
    const int64_t start_ns = gr_now_ns();
    const enum gradus_status status = gr_cpu_gemm(gemm, NULL, error);
    if (status == GRADUS_OK)
        count(ledger, gemm, start_ns);
    return status;
}
