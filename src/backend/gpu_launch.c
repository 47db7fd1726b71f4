/* gpu_launch.c: launching what a plan says. SPDX-License-Identifier: MIT */
#include "backend/gpu_launch.h"

#include "plan/plan_value.h"
#include "core/error.h"
#include "gpu/vendor.h"

/* The arguments of one launch: what cuLaunchKernel is given pointers to. */
struct arguments {
    struct gr_cuda_tensor_map maps[GR_MAX_MAPS];
    union gr_plan_value values[GR_MAX_PARAMETERS];
    void *pointers[GR_MAX_PARAMETERS];
};

static enum gradus_status put_arguments(const struct gr_gpu_context *context,
                                        struct gr_cuda_map_copies *copies,
                                        const struct gr_plan *plan,
                                        const struct gr_plan_launch *launch,
                                        const struct gr_launch *l, const struct gr_scratch *scratch,
                                        struct arguments *a, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < launch->parameter_count && status == GRADUS_OK; i++) {
        const struct gr_plan_parameter *p = &launch->parameters[i];
        if (p->role != GR_ROLE_MAP) {
            gr_plan_value(p, l, scratch, &a->values[i]);
            a->pointers[i] = &a->values[i];
            continue;
        }
        struct gr_cuda_tensor_map *map = &a->maps[p->index];
        status = gr_cuda_map_encode(context, &plan->maps[p->index], l, map, error);
        a->pointers[i] = map;
        if (status == GRADUS_OK && p->value == GR_VALUE_ADDRESS) {
            status = gr_cuda_map_on_device(context, copies, map, &a->values[i].address, error);
            a->pointers[i] = &a->values[i];
        }
    }
    return status;
}

/* More than 48 KB, and clusters of more than 8 blocks, need an attribute of the function. */
static enum gradus_status raise_limits(const struct gr_gpu_driver *driver, gr_gpu_function function,
                                       const struct gr_plan_launch *launch,
                                       struct gradus_error *error)
{
    const int64_t given = 48 * 1024;
    enum gradus_status status = GRADUS_OK;
    if (launch->smem_bytes > given)
        status = gr_gpu_check(
            driver,
            driver->function_set_attribute(function, GR_GPU_FUNCTION_MAX_DYNAMIC_SHARED_BYTES,
                                           (int)launch->smem_bytes),
            "dynamic shared memory above 48 KB", error);
    if (status == GRADUS_OK && launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 8)
        status = gr_gpu_check(
            driver,
            driver->function_set_attribute(function, GR_GPU_FUNCTION_NON_PORTABLE_CLUSTER, 1),
            "a cluster of more than 8 blocks", error);
    return status;
}

static gr_gpu_result launch_cluster(const struct gr_gpu_context *context, gr_gpu_function function,
                                    const struct gr_plan_launch *l, void **pointers)
{
    struct gr_gpu_launch_attribute attribute = {.id = GR_GPU_LAUNCH_CLUSTER_DIMENSION};
    attribute.value.cluster.x = l->cluster[0];
    attribute.value.cluster.y = l->cluster[1];
    attribute.value.cluster.z = l->cluster[2];
    struct gr_gpu_launch_config config = {.grid = {l->grid[0], l->grid[1], l->grid[2]},
                                          .block = {l->block[0], l->block[1], l->block[2]},
                                          .shared_bytes = (unsigned)l->smem_bytes,
                                          .stream = context->stream,
                                          .attributes = &attribute,
                                          .attribute_count = 1};
    return context->driver->launch_config(&config, function, pointers, NULL);
}

static enum gradus_status launch_one(const struct gr_gpu_context *context,
                                     struct gr_cuda_map_copies *copies,
                                     const struct gr_gpu_loaded *module, const struct gr_plan *plan,
                                     const struct gr_plan_launch *l, const struct gr_launch *launch,
                                     const struct gr_scratch *scratch, struct gradus_error *error)
{
    const struct gr_gpu_driver *driver = context->driver;
    gr_gpu_function function = module->functions[l->stanza];
    struct arguments arguments;
    /* A cluster of one block is none, so that GPUs without clusters run such a kernel, too. */
    const bool clusters = l->cluster[0] * l->cluster[1] * l->cluster[2] > 1;
    enum gradus_status status = raise_limits(driver, function, l, error);
    if (status == GRADUS_OK && clusters && !driver->launch_config)
        status = gr_fail(error, GRADUS_UNSUPPORTED,
                         "clusters need a driver of CUDA 11.8 or later, this one is of %d.%d",
                         driver->version / 1000, driver->version % 1000 / 10);
    if (status == GRADUS_OK)
        status = put_arguments(context, copies, plan, l, launch, scratch, &arguments, error);
    if (status != GRADUS_OK)
        return status;
    gr_gpu_result result =
        clusters ? launch_cluster(context, function, l, arguments.pointers)
                 : driver->launch(function, l->grid[0], l->grid[1], l->grid[2], l->block[0],
                                  l->block[1], l->block[2], (unsigned)l->smem_bytes,
                                  context->stream, arguments.pointers, NULL);
    return gr_gpu_check(driver, result, "launch", error);
}

enum gradus_status gr_gpu_launch(const struct gr_gpu_context *context,
                                 struct gr_cuda_map_copies *copies,
                                 const struct gr_gpu_loaded *module, const struct gr_launch *launch,
                                 const struct gr_plan *plan, const struct gr_scratch *scratch,
                                 bool once, struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < scratch->count && !once && status == GRADUS_OK; i++)
        if (scratch->zero[i] && scratch->bytes[i])
            status =
                gr_gpu_check(context->driver,
                             context->driver->set_bytes((uintptr_t)scratch->buffer[i], 0,
                                                        (size_t)scratch->bytes[i], context->stream),
                             "zeroing a `work` buffer", error);
    if (status == GRADUS_OK && plan->zero_c_bytes && !once)
        status =
            gr_gpu_check(context->driver,
                         context->driver->set_bytes((uintptr_t)launch->c, 0,
                                                    (size_t)plan->zero_c_bytes, context->stream),
                         "zeroing C", error);
    for (int i = 0; i < plan->launch_count && status == GRADUS_OK; i++)
        if (plan->launches[i].once == once)
            status = launch_one(context, copies, module, plan, &plan->launches[i], launch, scratch,
                                error);
    return status;
}
