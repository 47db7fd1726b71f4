/* gpu_kernel.c: chooses, builds and launches a rung. SPDX-License-Identifier: MIT */
#include "files/gpu_kernel.h"

#include "core/error.h"

#include <string.h>

/* Builds the variant if it has the type and the device supports it. UNSUPPORTED: try another
 * rung. One with a `math` line is for who asks for that arithmetic, and for the memory it takes. */
static enum gradus_status try_rung(struct gr_gpu_kernel *g, const struct gr_kernel *rung,
                                   enum gr_dtype type, const struct gr_build *build,
                                   struct gradus_error *error)
{
    if (rung->math)
        return gr_fail(error, GRADUS_UNSUPPORTED, "skip: its arithmetic is that of %s", rung->math);
    enum gradus_status status =
        gr_variant_make(rung, gr_types_of(type), false, false, &g->variant, error);
    if (status == GRADUS_OK) {
        gr_backend_suit(g->backend, g->found, &g->variant);
        status = g->backend->prepare(g->found, &g->variant, build, &g->artifact, error);
    }
    return status;
}

/* Tries the rungs with this number of steps, the highest number first. A kernel beside the main
 * ladder has few steps, so that its high number alone does not make it the best. */
static enum gradus_status try_step(struct gr_gpu_kernel *g, int steps, enum gr_dtype type,
                                   const struct gr_build *build, enum gradus_status status,
                                   struct gradus_error *error)
{
    for (int i = g->catalog.count; i-- > 0 && status == GRADUS_UNSUPPORTED;) {
        if (gr_catalog_steps(&g->catalog, g->catalog.kernels[i]) != steps)
            continue;
        gradus_error_clear(error);
        status = try_rung(g, g->catalog.kernels[i], type, build, error);
    }
    return status;
}

enum gradus_status gr_gpu_kernel_open(const struct gr_device_ref *device, enum gr_dtype type,
                                      const struct gr_build *build, int threads,
                                      struct gr_gpu_kernel *g, struct gradus_error *error)
{
    struct gr_device_about about;
    *g = (struct gr_gpu_kernel){.backend = device->backend, .artifact.pending = -1};
    enum gradus_status status = g->backend->find(device, &g->found, &about, error);
    if (status == GRADUS_OK)
        status = gr_catalog_load(NULL, GR_LANGUAGE_CUDA, &g->catalog, error);
    if (status != GRADUS_OK)
        return status;
    status = gr_fail(error, GRADUS_UNSUPPORTED, "skip: no rung multiplies %s on %s",
                     gr_dtype_name(type), about.name);
    for (int steps = g->catalog.count; steps-- > 0 && status == GRADUS_UNSUPPORTED;)
        status = try_step(g, steps, type, build, status, error);
    if (status == GRADUS_OK)
        status = g->backend->open(device, &g->opened, error);
    if (status == GRADUS_OK)
        status = g->backend->load(g->opened, &g->artifact, threads, &g->loaded, error);
    return status;
}

/* Allocates the buffers of the `work` lines, which are kept from one GEMM to the next. */
static enum gradus_status make_scratch(struct gr_gpu_kernel *g, const int64_t bytes[GR_MAX_WORKS],
                                       struct gradus_error *error)
{
    const struct gr_kernel *kernel = g->variant.kernel;
    enum gradus_status status = GRADUS_OK;
    g->scratch.count = kernel->work_count;
    for (int i = 0; i < kernel->work_count && status == GRADUS_OK; i++) {
        g->scratch.zero[i] = kernel->works[i].zero;
        if (g->scratch.buffer[i] && g->scratch.bytes[i] >= bytes[i])
            continue;
        g->backend->memory->release(g->opened, g->scratch.buffer[i]);
        g->scratch.buffer[i] = NULL;
        status = g->backend->memory->reserve(g->opened, (uint64_t)bytes[i], &g->scratch.buffer[i],
                                             error);
        g->scratch.bytes[i] = bytes[i];
    }
    return status;
}

enum gradus_status gr_gpu_kernel_run(struct gr_gpu_kernel *g, const struct gr_problem *p,
                                     const void *a, const void *b, void *c,
                                     struct gradus_error *error)
{
    struct gr_device_values device_values;
    struct gr_plan plan;
    int64_t args[GR_MAX_ARGS], work_bytes[GR_MAX_WORKS];
    g->backend->device_values(g->found, &g->artifact, 1, &device_values);
    device_values.a = a;
    device_values.b = b;
    device_values.c = c;
    enum gradus_status status = gr_variant_admits(&g->variant, p, &device_values, error);
    if (status == GRADUS_OK)
        status = gr_variant_args(&g->variant, p, &device_values, args, work_bytes, error);
    if (status == GRADUS_OK)
        status = g->backend->plan(&g->variant, p, &device_values, &plan, error);
    if (status == GRADUS_OK)
        status = make_scratch(g, work_bytes, error);
    if (status != GRADUS_OK)
        return status;
    struct gr_launch launch = {.m = p->m,
                               .n = p->n,
                               .k = p->k,
                               .lda = p->lda,
                               .ldb = p->ldb,
                               .ldc = p->ldc,
                               .alpha = p->alpha,
                               .beta = p->beta,
                               .a = a,
                               .b = b,
                               .c = c,
                               .args = args};
    status = g->backend->before(g->loaded, &launch, &plan, &g->scratch, error);
    if (status == GRADUS_OK)
        status = g->backend->enqueue(g->loaded, &launch, &plan, &g->scratch, error);
    return status;
}

void gr_gpu_kernel_close(struct gr_gpu_kernel *g)
{
    for (int i = 0; i < g->scratch.count; i++)
        g->backend->memory->release(g->opened, g->scratch.buffer[i]);
    if (g->loaded)
        g->backend->unload(g->loaded);
    if (g->backend) {
        g->backend->discard(&g->artifact);
        g->backend->close(g->opened);
        g->backend->forget(g->found);
    }
    gr_catalog_free(&g->catalog);
    *g = (struct gr_gpu_kernel){0};
}
