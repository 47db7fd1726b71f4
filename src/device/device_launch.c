/* device_launch.c: fills in the arguments of kernels and launches them.
 * SPDX-License-Identifier: MIT */
#include "device/device_launch.h"

#include "core/error.h"
#include "core/map_by_address.h"

#include <inttypes.h>

enum { ALIGNMENT = 256 };

union value {
    int32_t int32;
    int64_t int64;
    float f32;
    double f64;
    uint64_t address;
};

struct queueing {
    const struct gr_device_gpu *gpu;
    const struct gr_device_kernel *kernel;
    struct gr_device_loaded *loaded;
    const struct gr_device_given *given;
    const struct gr_device_plan *plan;
    const struct gr_device_works *works;
    struct gr_device_tensor_map maps[GR_DEVICE_MAPS];
    void *stream;
    struct gradus_error *error;
};

static int64_t rounded(int64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

int64_t gr_device_work_bytes(const struct gr_device_kernel *kernel,
                             const struct gr_device_plan *plan)
{
    int64_t bytes = 0;
    for (int i = 0; i < kernel->work_count; i++)
        bytes += rounded(plan->work_bytes[i]);
    return bytes;
}

struct gr_device_works gr_device_works_in(const struct gr_device_kernel *kernel,
                                          const struct gr_device_plan *plan, uint64_t workspace)
{
    struct gr_device_works works = {{0}};
    for (int i = 0; i < kernel->work_count; i++) {
        works.at[i] = workspace;
        workspace += (uint64_t)rounded(plan->work_bytes[i]);
    }
    return works;
}

static int64_t whole_of(const struct queueing *q, const struct gr_device_parameter *p)
{
    const struct gr_device_given *g = q->given;
    switch (p->role) {
    case GR_DEVICE_M:
        return g->m;
    case GR_DEVICE_N:
        return g->n;
    case GR_DEVICE_K:
        return g->k;
    case GR_DEVICE_LDA:
        return g->lda;
    case GR_DEVICE_LDB:
        return g->ldb;
    case GR_DEVICE_LDC:
        return g->ldc;
    case GR_DEVICE_LDS:
        return g->lds;
    case GR_DEVICE_PER_ROW:
        return g->per_row;
    case GR_DEVICE_ACTIVATION:
        return g->activation;
    case GR_DEVICE_STRIDE_C:
        return g->stride_c;
    case GR_DEVICE_ARRAYS:
        return g->arrays;
    case GR_DEVICE_ARG:
        return q->plan->args[p->index];
    default:
        return 0;
    }
}

static uint64_t address_of(const struct queueing *q, const struct gr_device_parameter *p)
{
    switch (p->role) {
    case GR_DEVICE_A:
        return q->given->a;
    case GR_DEVICE_B:
        return q->given->b;
    case GR_DEVICE_C:
        return q->given->c;
    case GR_DEVICE_SUMS:
        return q->given->sums;
    case GR_DEVICE_BIAS:
        return q->given->bias;
    default:
        return q->works->at[p->index];
    }
}

/* Stores the value of a parameter. Returns false if it does not fit a 32-bit parameter, which the
 * driver could not notice. */
static bool put(const struct queueing *q, const struct gr_device_parameter *p, union value *value)
{
    const double number = p->role == GR_DEVICE_ALPHA ? q->given->alpha : q->given->beta;
    switch (p->value) {
    case GR_DEVICE_INT32:
        value->int64 = whole_of(q, p);
        if (value->int64 != (int32_t)value->int64)
            return false;
        value->int32 = (int32_t)value->int64;
        break;
    case GR_DEVICE_INT64:
        value->int64 = whole_of(q, p);
        break;
    case GR_DEVICE_F32:
        value->f32 = (float)number;
        break;
    case GR_DEVICE_F64:
        value->f64 = number;
        break;
    default:
        value->address = address_of(q, p);
    }
    return true;
}

/* Bytes of an element in memory. Floats that the copy rounds to tf32 have four bytes, too. */
static uint64_t map_bytes(const struct gr_device_map *map)
{
    enum { UINT8 = 0, FLOAT32 = 7, TFLOAT32 = 11 };
    return map->type == FLOAT32 || map->type == TFLOAT32 ? 4 : map->type == UINT8 ? 1 : 2;
}

static enum gradus_status fill_maps(struct queueing *q)
{
    enum { PROMOTE_TO_128_BYTES = 2 };
    const struct gr_device_given *g = q->given;
    if (q->kernel->map_count && !q->gpu->driver->tensor_map_encode)
        return gr_fail(q->error, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: device: tensor maps need a driver of CUDA 12.0 or later; "
                       "get it with: apt-get install nvidia-driver");
    for (int i = 0; i < q->kernel->map_count; i++) {
        const struct gr_device_map *map = &q->kernel->maps[i];
        const bool is_a = map->operand == 'A', is_b = map->operand == 'B';
        const int64_t high = is_a ? g->m : is_b ? g->k : g->m, wide = is_a ? g->k : g->n;
        const bool turned = is_a ? g->trans_a : is_b ? g->trans_b : false;
        const int64_t ld = is_a ? g->lda : is_b ? g->ldb : g->ldc;
        const uint64_t address = is_a ? g->a : is_b ? g->b : g->c, bytes = map_bytes(map);
        /* The kernels read operands that no tensor map can describe in another way. */
        if (g->k == 0 || (!map->by_address && address % 16 != 0) || (uint64_t)ld * bytes % 16 != 0)
            continue;
        const uint64_t dimensions[] = {(uint64_t)(turned ? high : wide),
                                       (uint64_t)(turned ? wide : high), GR_MAP_BY_ADDRESS_SIZES};
        const uint64_t strides[] = {(uint64_t)ld * bytes, GR_MAP_BY_ADDRESS_STRIDES};
        const unsigned box[] = {(unsigned)q->plan->boxes[i][1], (unsigned)q->plan->boxes[i][0], 1,
                                1},
                       steps[] = {1, 1, 1, 1};
        const int swizzle = map->swizzle_bytes == 32    ? 1
                            : map->swizzle_bytes == 64  ? 2
                            : map->swizzle_bytes == 128 ? 3
                                                        : 0;
        const int result = q->gpu->driver->tensor_map_encode(
            &q->maps[i], map->type, map->by_address ? GR_MAP_BY_ADDRESS_RANK : 2,
            map->by_address ? NULL : (void *)(uintptr_t)address, dimensions, strides, box, steps, 0,
            swizzle, PROMOTE_TO_128_BYTES, 0);
        if (result != 0)
            return gr_device_check(q->gpu->driver, result, "a tensor map", q->error);
    }
    return GRADUS_OK;
}

/* The largest number of blocks of this launch that are resident on a multiprocessor at a time; 0:
 * not known. The driver needs a microsecond to compute it, so the last answer is cached, in one
 * word with the launch that it was for. */
static int occupancy(const struct queueing *q, const struct gr_device_launch *l)
{
    enum { THREADS_BIT = 16, BYTES_BIT = 32, COUNTS = 0xffff };
    atomic_llong *const kept = &q->loaded->occupancy[l->stanza];
    const int64_t threads = l->block[0] * l->block[1] * l->block[2];
    const long long what = l->smem_bytes << BYTES_BIT | threads << THREADS_BIT;
    const long long last = atomic_load_explicit(kept, memory_order_relaxed);
    int blocks = (int)(last & COUNTS);
    if (last - blocks == what && blocks > 0)
        return blocks;
    if (!q->gpu->driver->occupancy ||
        q->gpu->driver->occupancy(&blocks, q->loaded->functions[l->stanza], (int)threads,
                                  (size_t)l->smem_bytes) != 0)
        return 0;
    atomic_store_explicit(kept, what | blocks, memory_order_relaxed);
    return blocks;
}

static int64_t cluster_blocks(const struct gr_device_launch *l)
{
    return l->cluster[0] * l->cluster[1] * l->cluster[2];
}

/* The number of multiprocessors that the blocks of a launch can reach. A cluster of more than two
 * blocks needs neighbours, in one part of the chip (a GPC), and up to a seventh of the
 * multiprocessors of an H100 is left over where whole clusters no longer fit. */
static int64_t reachable_sms(const struct queueing *q, const struct gr_device_launch *l)
{
    return cluster_blocks(l) > 2 && q->gpu->sms >= 7 ? q->gpu->sms * 6 / 7 : q->gpu->sms;
}

/* The dynamic shared memory of a launch that may begin while an earlier kernel still runs. It is so
 * large that a multiprocessor can hold no more blocks than it gets when they are spread evenly;
 * otherwise the multiprocessors that become free first would take as many blocks as fit, and the
 * others would get none. It is no larger than that, since the L1 cache has the rest of the
 * memory. */
static int64_t spreading_bytes(const struct queueing *q, const struct gr_device_launch *l)
{
    enum { RESERVED = 1024, UNIT = 128 };
    const int64_t blocks = l->grid[0] * l->grid[1] * l->grid[2], sms = reachable_sms(q, l);
    const int64_t each = (blocks + sms - 1) / sms;
    if (occupancy(q, l) <= each)
        return l->smem_bytes;
    const int64_t too_few = (q->gpu->smem_max + RESERVED) / (each + 1) - RESERVED;
    const int64_t bytes = (too_few - q->loaded->smem_fixed[l->stanza]) / UNIT * UNIT + UNIT;
    return bytes > l->smem_bytes ? bytes : l->smem_bytes;
}

static int launch_with_attributes(const struct queueing *q, gr_device_function function,
                                  const struct gr_device_launch *l, int64_t smem, bool clusters,
                                  bool early, void **pointers)
{
    struct gr_device_launch_attribute attributes[2];
    struct gr_device_launch_config config = {
        .shared_bytes = (unsigned)smem, .stream = q->stream, .attributes = attributes};
    for (int i = 0; i < 3; i++) {
        config.grid[i] = (unsigned)l->grid[i];
        config.block[i] = (unsigned)l->block[i];
    }
    if (clusters)
        attributes[config.attribute_count++] = (struct gr_device_launch_attribute){
            .id = GR_DEVICE_LAUNCH_CLUSTER_DIMENSION,
            .value = {(unsigned)l->cluster[0], (unsigned)l->cluster[1], (unsigned)l->cluster[2]}};
    if (early)
        attributes[config.attribute_count++] = (struct gr_device_launch_attribute){
            .id = GR_DEVICE_LAUNCH_PROGRAMMATIC_SERIALIZATION, .value = {1}};
    return q->gpu->driver->launch_config(&config, function, pointers, NULL);
}

static enum gradus_status launch(struct queueing *q, const struct gr_device_launch *l)
{
    const struct gr_device_driver *driver = q->gpu->driver;
    const bool clusters = cluster_blocks(l) > 1;
    const struct gr_device_stanza *stanza = &q->kernel->stanzas[l->stanza];
    const bool early = stanza->begins_early && q->gpu->launches_early && !q->plan->lengthy;
    const gr_device_function function = q->loaded->functions[l->stanza];
    atomic_int *const allowed = &q->loaded->smem_allowed[l->stanza];
    union value values[GR_DEVICE_PARAMETERS];
    void *pointers[GR_DEVICE_PARAMETERS];
    for (int i = 0; i < stanza->parameter_count; i++) {
        const struct gr_device_parameter *p = &stanza->parameters[i];
        pointers[i] = &values[i];
        if (p->value == GR_DEVICE_TENSOR_MAP)
            pointers[i] = &q->maps[p->index];
        else if (!put(q, p, &values[i]))
            return gr_fail(q->error, GRADUS_UNSUPPORTED,
                           "gradus_gemm_run: m, n, k: found a product of which %s of %s counts "
                           "%" PRId64 ", wanted a smaller one",
                           stanza->name, q->kernel->file, values[i].int64);
    }
    const int64_t smem = early ? spreading_bytes(q, l) : l->smem_bytes;
    if (smem > atomic_load_explicit(allowed, memory_order_relaxed)) {
        const int result =
            driver->function_set_attribute(function, GR_DEVICE_FUNCTION_DYNAMIC_SMEM, (int)smem);
        if (result != 0)
            return gr_device_check(driver, result, "shared memory above 48 KB", q->error);
        atomic_store_explicit(allowed, (int)smem, memory_order_relaxed);
    }
    if (clusters && !driver->launch_config)
        return gr_fail(q->error, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: device: clusters need a driver of CUDA 11.8 or later; "
                       "get it with: apt-get install nvidia-driver");
    const int result =
        clusters || early
            ? launch_with_attributes(q, function, l, smem, clusters, early, pointers)
            : driver->launch(function, (unsigned)l->grid[0], (unsigned)l->grid[1],
                             (unsigned)l->grid[2], (unsigned)l->block[0], (unsigned)l->block[1],
                             (unsigned)l->block[2], (unsigned)smem, q->stream, pointers, NULL);
    return result == 0 ? GRADUS_OK : gr_device_check(driver, result, "launching", q->error);
}

static enum gradus_status check_grid(const struct queueing *q, const struct gr_device_launch *l)
{
    static const int64_t most[] = {INT32_MAX, 65535, 65535};
    for (int i = 0; i < 3; i++)
        if (l->grid[i] < 1 || l->grid[i] > most[i])
            return gr_fail(q->error, GRADUS_UNSUPPORTED,
                           "gradus_gemm_run: m, n, k: found a product for which %s has %" PRId64
                           " blocks along %c, wanted at most %" PRId64,
                           q->kernel->file, l->grid[i], "xyz"[i], most[i]);
    return GRADUS_OK;
}

enum gradus_status
gr_device_launch_at(const struct gr_device_gpu *gpu, const struct gr_device_kernel *kernel,
                    struct gr_device_loaded *loaded, const struct gr_device_given *given,
                    const struct gr_device_plan *plan, const struct gr_device_works *works,
                    void *stream, struct gradus_error *error)
{
    struct queueing q;
    q.gpu = gpu;
    q.kernel = kernel;
    q.loaded = loaded;
    q.given = given;
    q.plan = plan;
    q.works = works;
    q.stream = stream;
    q.error = error;
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < plan->launch_count && status == GRADUS_OK; i++)
        status = check_grid(&q, &plan->launches[i]);
    if (status == GRADUS_OK)
        status = fill_maps(&q);
    for (int i = 0; i < kernel->work_count && status == GRADUS_OK; i++)
        if (kernel->work_zero[i] && plan->work_bytes[i])
            status = gr_device_check(
                gpu->driver,
                gpu->driver->set_bytes(works->at[i], 0, (size_t)plan->work_bytes[i], stream),
                "setting a buffer to zero", error);
    for (int i = 0; i < plan->launch_count && status == GRADUS_OK; i++)
        status = launch(&q, &plan->launches[i]);
    return status;
}

enum gradus_status gr_device_launch_all(const struct gr_device_gpu *gpu,
                                        const struct gr_device_kernel *kernel,
                                        struct gr_device_loaded *loaded,
                                        const struct gr_device_given *given,
                                        const struct gr_device_plan *plan, uint64_t workspace,
                                        void *stream, struct gradus_error *error)
{
    const struct gr_device_works works = gr_device_works_in(kernel, plan, workspace);
    return gr_device_launch_at(gpu, kernel, loaded, given, plan, &works, stream, error);
}
