/* run.c: the library's own interface, gradus.h. SPDX-License-Identifier: MIT */
#include "core/clock.h"
#include "core/error.h"
#include "blas/ledger_calls.h"
#include "cpu/cpu.h"
#include "cpu/gemm.h"
#include "device/device_product.h"
#include "device/device_staged.h"

#include <stdio.h>

static enum gradus_type sums_of(enum gradus_type type)
{
    switch (type) {
    case GRADUS_BF16:
    case GRADUS_F16:
    case GRADUS_E4M3:
    case GRADUS_E5M2:
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

/* The members that only a GPU reads. */
static enum gradus_status check_new(const struct gradus_gemm *g, const char *function,
                                    struct gradus_error *error)
{
    if (g->device != GRADUS_GPU)
        return gr_fail(error, GRADUS_INVALID,
                       "%s: device: found %d, wanted GRADUS_CPU or GRADUS_GPU", function,
                       (int)g->device);
    if ((unsigned)g->math > GRADUS_MATH_TF32)
        return gr_fail(error, GRADUS_INVALID, "%s: math: found %d, wanted one of enum gradus_math",
                       function, (int)g->math);
    return GRADUS_OK;
}

/* On a GPU. What the CPU checks of a problem holds there, too. */
static enum gradus_status run_on_gpu(const struct gradus_gemm *gemm, struct gradus_error *error)
{
    enum gradus_status status = gr_gemm_validate(gemm, "gradus_gemm_run", error);
    if (status == GRADUS_OK)
        status = check_new(gemm, "gradus_gemm_run", error);
    if (status == GRADUS_OK)
        status = gr_gemm_validate_apart(gemm, "gradus_gemm_run", error);
    return status == GRADUS_OK ? gr_device_run(gemm, error) : status;
}

static enum gradus_status run(const struct gradus_gemm *gemm, struct gradus_error *error)
{
    return gemm && gemm->device ? run_on_gpu(gemm, error) : gr_cpu_gemm(gemm, NULL, error);
}

enum gradus_status gradus_gemm_run(const struct gradus_gemm *gemm, struct gradus_error *error)
{
    struct gr_ledger *const ledger = gr_ledger_on();
    if (!ledger)
        return run(gemm, error);
    const int64_t start_ns = gr_now_ns();
    const enum gradus_status status = run(gemm, error);
    if (status == GRADUS_OK)
        count(ledger, gemm, start_ns);
    return status;
}

int64_t gradus_gemm_workspace(const struct gradus_gemm *gemm, struct gradus_error *error)
{
    static const char function[] = "gradus_gemm_workspace";
    if (!gemm || !gemm->device)
        return gr_cpu_gemm_workspace(gemm, error);
    if (gr_gemm_validate_sizes(gemm, function, error) || check_new(gemm, function, error))
        return -1;
    return gr_device_workspace(gemm, error);
}
