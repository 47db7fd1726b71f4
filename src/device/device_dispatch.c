/* device_dispatch.c: chooses the kernel that the cost model expects to end first. A table of what
 * was measured takes the model's place here. SPDX-License-Identifier: MIT */
#include "device/device_dispatch.h"

#include "core/error.h"

#include <string.h>

/* From here on the bound of `accurate`, 14 + k/64, is not above that of float multiply-adds, k/2:
 * docs/accuracy.md. */
enum { ACCURATE_FROM_K = 32 };

/* What the model knows of a kernel file. A multiprocessor does `flop_per_ns`; the operands are
 * prepared at `prepared_bytes` for each element, read and written; an idle GPU begins a launch
 * `launch_ns` after the one before it has ended. Of an H200. */
struct cost {
    const char *file;
    enum gradus_math math;
    int64_t tile_m, tile_n, tile_k;
    double flop_per_ns, prepared_bytes;
    int launches;
};

static const struct cost costs[] = {
    {"12_best", GRADUS_MATH_IEEE, 128, 256, 16, 400, 0, 1},
    {"21_accurate", GRADUS_MATH_ACCURATE, 128, 256, 32, 1080, 10, 3},
    {"22_scaled", GRADUS_MATH_SCALED, 128, 256, 32, 1600, 12, 4},
    {"18_stages", GRADUS_MATH_IEEE, 128, 256, 32, 2600, 0, 1},
    {"20_specialised", GRADUS_MATH_IEEE, 128, 256, 64, 5300, 0, 1},
};
static const double memory_bytes_per_ns = 3500, launch_ns = 2000;

static const struct cost *cost_of(const struct gr_device_kernel *kernel)
{
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (strcmp(costs[i].file, kernel->file) == 0)
            return &costs[i];
    return NULL;
}

static double cdiv(int64_t a, int64_t b)
{
    return (double)gr_device_cdiv(a, b);
}

/* The time that it may take, in ns: the tiles shared among the multiprocessors, along k, too, and
 * what must be read and written besides. */
static double estimate(const struct cost *c, const struct gr_device_gpu *gpu,
                       const struct gr_device_given *g)
{
    const double m = (double)g->m, n = (double)g->n, k = (double)g->k;
    /* A tile that is cut by an edge, or small ones in its place, do not take as long. */
    const double tiles = c->launches == 1 ? m * n / (double)(c->tile_m * c->tile_n)
                                          : cdiv(g->m, c->tile_m) * cdiv(g->n, c->tile_n);
    const double steps = cdiv(g->k > 0 ? g->k : 1, c->tile_k);
    const double step_ns = 2.0 * (double)(c->tile_m * c->tile_n * c->tile_k) / c->flop_per_ns;
    double each = tiles * steps / gpu->sms;
    if (c->launches > 1 && tiles >= gpu->sms) /* whole tiles */
        each = cdiv((int64_t)tiles, gpu->sms) * steps;
    else if (each < 8)
        each = steps < 8 ? steps : 8;
    const double prepared = (m * k + k * n) * c->prepared_bytes / memory_bytes_per_ns;
    return c->launches * launch_ns + prepared + each * step_ns;
}

static bool has_types(const struct gr_device_kernel *kernel, const struct gradus_gemm *g, int trans)
{
    return kernel->texts[trans] && kernel->a_type == g->a_type && kernel->b_type == g->b_type &&
           kernel->c_type == g->c_type && kernel->sum_type == g->sum_type;
}

static bool has_math(const struct cost *c, const struct gradus_gemm *g, int64_t k)
{
    if (g->a_type != GRADUS_F32 || c->math == g->math)
        return true;
    return g->math == GRADUS_MATH_DEFAULT &&
           (c->math == GRADUS_MATH_IEEE ||
            (c->math == GRADUS_MATH_ACCURATE && k >= ACCURATE_FROM_K));
}

static enum gradus_status refuse(const struct gr_device_gpu *gpu, const struct gradus_gemm *g,
                                 bool types, struct gradus_error *error)
{
    static const char *const maths[] = {"GRADUS_MATH_DEFAULT", "GRADUS_MATH_IEEE",
                                        "GRADUS_MATH_ACCURATE", "GRADUS_MATH_SCALED"};
    if (types)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: math: found %s on %s (%s), which has no kernel for it, "
                       "wanted GRADUS_MATH_DEFAULT",
                       maths[g->math], gpu->name, gpu->arch);
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "gradus_gemm_run: a_type, b_type, c_type: found types that no kernel has on %s "
                   "(%s), wanted f32 f32 f32; compute with GRADUS_CPU",
                   gpu->name, gpu->arch);
}

enum gradus_status gr_device_choose(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                                    const struct gr_device_given *given, int *kernel,
                                    struct gr_device_plan *plan, struct gradus_error *error)
{
    const int trans = (int)(given->trans_a * 2 + given->trans_b);
    double least = 0;
    bool types = false;
    *kernel = -1;
    for (int i = 0; i < gr_device_kernel_count; i++) {
        const struct gr_device_kernel *one = &gr_device_kernels[i];
        const struct cost *cost = cost_of(one);
        if (!cost || !has_types(one, gemm, trans) || !gr_device_arch_fits(one->arch, gpu->cc))
            continue;
        types = true;
        if (!has_math(cost, gemm, given->k))
            continue;
        const double time = estimate(cost, gpu, given);
        if (*kernel >= 0 && time >= least)
            continue;
        plan->launch_count = 0;
        if (!one->plan(given, plan))
            continue;
        *kernel = i;
        least = time;
    }
    if (*kernel < 0)
        return refuse(gpu, gemm, types, error);
    /* Another one may have been planned since. */
    plan->launch_count = 0;
    gr_device_kernels[*kernel].plan(given, plan);
    return GRADUS_OK;
}
