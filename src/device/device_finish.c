/* device_finish.c: the epilogue, bias and activation. As a kernel of its own it works after every
 * kernel that multiplies, at the cost of one more pass over C. A kernel whose file has args named
 * bias, per_row and activation applies an epilogue itself if beta is 0. SPDX-License-Identifier:
 * MIT */
#include "device/device_finish.h"

#include "core/error.h"
#include "cpu/gemm.h"
#include "device/device_launch.h"

/* An H100's memory bandwidth, as in device_model.c, and the time that a launch takes. */
static const double bytes_per_us = 2.5e6, launch_us = 2.5;

bool gr_device_finishes(const struct gradus_gemm *g)
{
    return g->epilogue && (g->epilogue->bias || g->epilogue->activation != GRADUS_LINEAR);
}

bool gr_device_fuses(const struct gradus_gemm *g, const struct gr_device_given *given)
{
    return gr_device_finishes(g) && g->sum_type == GRADUS_F32 && given->beta == 0;
}

struct gr_device_given gr_device_with_epilogue(const struct gradus_gemm *g,
                                               const struct gr_device_given *given)
{
    struct gr_device_given with = *given;
    with.bias = (uintptr_t)g->epilogue->bias;
    with.per_row = (g->epilogue->bias_per_row != 0) != (g->layout == GRADUS_COL_MAJOR);
    with.activation = g->epilogue->activation;
    return with;
}

int64_t gr_device_sums_bytes(const struct gradus_gemm *g, const struct gr_device_given *given,
                             int64_t *ld)
{
    enum { VECTOR = 4 };
    *ld = (given->n + VECTOR - 1) / VECTOR * VECTOR;
    return gr_device_finishes(g) && g->c_type != g->sum_type
               ? given->m * *ld * (int64_t)sizeof(float)
               : 0;
}

double gr_device_finish_us(const struct gradus_gemm *g, const struct gr_device_given *given)
{
    if (!gr_device_finishes(g))
        return 0;
    const double elements = (double)given->m * (double)given->n;
    const int bytes = (int)gr_gemm_type_bytes(g->c_type),
              sum = (int)gr_gemm_type_bytes(g->sum_type);
    /* In place, C is read and written. Otherwise the product writes the sums in place of C, and the
     * epilogue reads them and writes C. With beta, it also reads C, which the product then does
     * not. */
    const int each = g->c_type == g->sum_type ? 2 * bytes : 2 * sum;
    return launch_us + each * elements / bytes_per_us;
}

/* Finds the kernel of the epilogue for the product's types of C and of the sums, or returns -1. */
static int find_kernel(const struct gradus_gemm *g)
{
    for (int i = 0; i < gr_device_kernel_count; i++)
        if (gr_device_kernels[i].finishes && gr_device_kernels[i].c_type == g->c_type &&
            gr_device_kernels[i].sum_type == g->sum_type)
            return i;
    return -1;
}

enum gradus_status gr_device_finish_prepare(struct gr_device_gpu *gpu, const struct gradus_gemm *g,
                                            const struct gr_device_given *given, int64_t lds,
                                            struct gr_device_finish *finish,
                                            struct gradus_error *error)
{
    const int kernel = find_kernel(g);
    if (kernel < 0 || !gr_device_arch_fits(gr_device_kernels[kernel].arch, gpu->cc))
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: epilogue: found types for which there is none on %s (%s), "
                       "wanted f32, f64, bf16 or f16",
                       gpu->name, gpu->arch);
    finish->kernel = &gr_device_kernels[kernel];
    finish->given = gr_device_with_epilogue(g, given);
    finish->given.lds = lds;
    finish->given.batch = gr_device_max(given->batch, 1);
    finish->plan.launch_count = 0;
    finish->plan.lengthy = false;
    if (!finish->kernel->plan(&finish->given, -1, &finish->plan))
        return gr_fail(error, GRADUS_INTERNAL, "gradus_gemm_run: %s refuses a product",
                       finish->kernel->file);
    return gr_device_load(gpu, kernel, 0, &finish->loaded, error);
}

enum gradus_status gr_device_finish_launch(const struct gr_device_gpu *gpu,
                                           const struct gr_device_finish *finish, void *stream,
                                           struct gradus_error *error)
{
    return gr_device_launch_all(gpu, finish->kernel, finish->loaded, &finish->given, &finish->plan,
                                0, stream, error);
}
