/* executed_kernel.c: loads a cubin into the machine that executes machine code, and has host
 * threads take a launch's blocks from a common queue. SPDX-License-Identifier: MIT */
#include "backend/executed_kernel.h"

#include "backend/cuda_map.h"
#include "backend/gpu_image.h"
#include "base/file.h"
#include "base/str.h"
#include "code/lines.h"
#include "core/error.h"
#include "core/map_by_address.h"
#include "machine/cluster_blocks.h"
#include "machine/tensor_map.h"
#include "plan/plan_value.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gr_executed_kernel {
    /* Copies of tensor maps, for kernels that take a pointer to one. */
    _Alignas(64) uint8_t maps[GR_MAX_MAPS][GR_TENSOR_MAP_BYTES];
    struct gr_gpu_image image;
    struct gr_line_table lines;
    struct gr_machine_memory *memory;
    unsigned char *globals, *kept; /* the kernel's variables, and what the last launch left */
    size_t global_bytes;
    bool launched;
    int threads;
    struct gr_program_text texts[GR_MAX_STANZAS]; /* of each kernel that was launched */
};

/* ---- Where in the source an instruction is. ---- */

/* The error's text gets the line of that step: "; line 12". */
static enum gradus_status add_line(const struct gr_line_table *lines, const struct gr_program *p,
                                   int64_t step, enum gradus_status status,
                                   struct gradus_error *error)
{
    const struct gr_line_row *row =
        step < 0 ? NULL : gr_line_table_find(lines, p->section, (uint64_t)step * GR_STEP_BYTES);
    if (!row || row->end || row->line <= 0)
        return status;
    struct gradus_error plain = *error;
    const char *file = row->file >= 0 ? gr_path_base(lines->files[row->file]) : "";
    *error = (struct gradus_error){0};
    gr_fail(error, status, "%s; %s%sline %d", plain.text, file, *file ? ", " : "", row->line);
    gradus_error_clear(&plain);
    return status;
}

/* ---- In the parent. ---- */

/* Makes the steps of each kernel of the file, for a launch whose values do not matter: whether the
 * machine knows all instructions does not depend on them. */
static enum gradus_status check(const char *path, struct gradus_error *error)
{
    static const unsigned char zeros[1 << 15]; /* as many bytes as a kernel's parameters may have */
    const void *parameters[GR_PROGRAM_PARAMETERS];
    struct gr_gpu_image image = {0};
    struct gr_line_table lines = {0};
    for (int i = 0; i < GR_PROGRAM_PARAMETERS; i++)
        parameters[i] = zeros;
    const struct gr_program_launch launch = {
        .grid = {1, 1, 1}, .block = {1, 1, 1}, .parameters = parameters};
    enum gradus_status status = gr_gpu_image_read(path, &image, error);
    if (status == GRADUS_OK)
        status = gr_line_table_read(image.code, image.length, &lines, error);
    for (int i = 0; i < image.count && status == GRADUS_OK; i++) {
        struct gr_program program;
        status = gr_program_load(image.code, image.length, image.symbols[i], &launch, NULL,
                                 &program, error);
        if (status == GRADUS_UNSUPPORTED)
            add_line(&lines, &program, program.refused, status, error);
        gr_program_free(&program);
    }
    gr_line_table_free(&lines);
    gr_gpu_image_free(&image);
    return status;
}

enum gradus_status gr_executed_make(const struct gr_variant *variant, const struct gr_build *build,
                                    const struct gr_gpu_target *target,
                                    struct gr_artifact *artifact, struct gradus_error *error)
{
    enum gradus_status status = gr_gpu_image_make(variant, build, target, artifact, error);
    if (status == GRADUS_OK)
        status = check(artifact->path, error);
    if (status == GRADUS_OK) {
        const size_t length = strlen(artifact->flags);
        snprintf(artifact->flags + length, sizeof artifact->flags - length, ", executed here");
    }
    artifact->executes = true;
    return status;
}

/* ---- In the worker. ---- */

enum gradus_status gr_executed_load(const char *path, struct gr_machine_memory *memory, int threads,
                                    struct gr_executed_kernel **out, struct gradus_error *error)
{
    struct gr_executed_kernel *k =
        aligned_alloc(_Alignof(struct gr_executed_kernel), sizeof(struct gr_executed_kernel));
    *out = k;
    if (!k)
        return gr_fail_memory(error, "a kernel", sizeof *k);
    memset(k, 0, sizeof *k);
    k->memory = memory;
    k->threads = threads;
    enum gradus_status status = gr_gpu_image_read(path, &k->image, error);
    if (status == GRADUS_OK)
        status = gr_line_table_read(k->image.code, k->image.length, &k->lines, error);
    if (status != GRADUS_OK)
        return status;
    /* Once more than needed, so that the range is never empty. */
    const size_t bytes = (size_t)gr_program_globals(k->image.code, k->image.length) + 16;
    k->global_bytes = bytes;
    k->globals = calloc(1, bytes);
    k->kept = calloc(1, bytes);
    if (!k->globals || !k->kept || !gr_memory_add(memory, (uintptr_t)k->globals, bytes) ||
        !gr_memory_add(memory, (uintptr_t)k->maps, sizeof k->maps))
        return gr_fail_memory(error, "a kernel's variables", bytes);
    return GRADUS_OK;
}

void gr_executed_unload(struct gr_executed_kernel *k)
{
    if (!k)
        return;
    gr_memory_remove(k->memory, (uintptr_t)k->globals);
    gr_memory_remove(k->memory, (uintptr_t)k->maps);
    for (int i = 0; i < GR_MAX_STANZAS; i++)
        gr_program_text_free(&k->texts[i]);
    gr_line_table_free(&k->lines);
    gr_gpu_image_free(&k->image);
    free(k->globals);
    free(k->kept);
    free(k);
}

/* ---- A launch. ---- */

/* The blocks of a launch that are still to run. */
struct queue {
    const struct gr_program *program;
    const struct gr_program_launch *launch;
    struct gr_machine_memory *memory;
    int64_t blocks;
    atomic_llong next;
    atomic_int failed;
    pthread_mutex_t lock;
    int64_t first_failed;        /* the lowest number of a block that failed */
    enum gr_block_status status; /* its status, text and step */
    char text[256];
    int64_t step;
    bool no_memory;
};

/* Blocks begin in the order of their numbers, and those that have begun run to their end: so the
 * first block of the grid that fails is among those that are kept here. */
static void keep_failure(struct queue *q, int64_t number, const struct gr_block *b)
{
    pthread_mutex_lock(&q->lock);
    if (atomic_exchange(&q->failed, 1) == 0 || number < q->first_failed) {
        q->first_failed = number;
        q->status = b->status;
        q->step = b->failed_at;
        memcpy(q->text, b->text, sizeof q->text);
    }
    pthread_mutex_unlock(&q->lock);
}

static void *work(void *argument)
{
    struct queue *q = argument;
    const unsigned *grid = q->launch->grid;
    struct gr_cluster cluster;
    if (!gr_cluster_open(&cluster, q->program, q->launch, q->memory, NULL)) {
        if (atomic_exchange(&q->failed, 1) == 0)
            q->no_memory = true;
    }
    while (!atomic_load(&q->failed)) {
        const int64_t i = atomic_fetch_add(&q->next, 1);
        if (i >= q->blocks)
            break;
        const unsigned x = (unsigned)(i % grid[0]), y = (unsigned)(i / grid[0] % grid[1]),
                       z = (unsigned)(i / grid[0] / grid[1]);
        const struct gr_block *failed = gr_cluster_rank(q->program, x, y, z) == 0
                                            ? gr_cluster_run(&cluster, x, y, z)
                                            : NULL; /* it runs with its cluster */
        if (failed)
            keep_failure(q, i, failed);
    }
    gr_cluster_close(&cluster);
    return NULL;
}

/* Floating-point atomics are added in the order in which blocks execute them. A single thread runs
 * such a kernel, so that a product has the same bits each time. */
static void run_blocks(struct queue *q, int threads)
{
    enum { MOST = 256 };
    pthread_t others[MOST];
    int started = 0, wanted = threads < MOST ? threads : MOST;
    if (q->program->orders_matter)
        wanted = 1;
    if (wanted > q->blocks)
        wanted = (int)q->blocks;
    while (started < wanted - 1 && pthread_create(&others[started], NULL, work, q) == 0)
        started++;
    work(q);
    for (int i = 0; i < started; i++)
        pthread_join(others[i], NULL);
}

static enum gradus_status judge(const struct gr_executed_kernel *k, const struct queue *q,
                                struct gradus_error *error)
{
    if (q->no_memory)
        return gr_fail_memory(error, "a simulated block", 0);
    if (!atomic_load(&q->failed))
        return GRADUS_OK;
    const enum gradus_status status =
        q->status == GR_BLOCK_NOT_MODELLED ? GRADUS_UNSUPPORTED : GRADUS_CRASHED;
    gr_fail(error, status, "%s%s", status == GRADUS_UNSUPPORTED ? "not modelled: " : "", q->text);
    return add_line(&k->lines, q->program, q->step, status, error);
}

static enum gradus_status encode(const struct gr_plan_map *map, const struct gr_launch *launch,
                                 uint8_t bytes[GR_TENSOR_MAP_BYTES], struct gradus_error *error)
{
    const void *operand = map->operand == 'A'   ? launch->a
                          : map->operand == 'B' ? launch->b
                                                : launch->c;
    const uint64_t element = gr_dtype_bytes(map->type);
    const uintptr_t address = (uintptr_t)operand, skip = map->optional ? address % 16 : 0;
    const struct gr_tensor_map encoded = {
        .address = map->by_address ? 0 : address - skip,
        .type = (enum gr_tensor_map_type)gr_cuda_map_type(map->type),
        .rank = map->by_address ? GR_MAP_BY_ADDRESS_RANK : 2,
        .size = {(uint64_t)map->columns, (uint64_t)map->rows, GR_MAP_BY_ADDRESS_SIZES},
        .stride = {element, (uint64_t)map->ld * element, GR_MAP_BY_ADDRESS_STRIDES},
        .box = {map->box[1], map->box[0], 1, 1},
        .step = {1, 1, 1, 1},
        .span = (uint32_t)map->swizzle_bytes};
    const char *why = "";
    if (gr_tensor_map_write(&encoded, bytes, &why))
        return GRADUS_OK;
    return gr_fail(error, GRADUS_LAUNCH, "a tensor map of %c: %s", map->operand, why);
}

/* Where each parameter's value is; the pointers to maps have values of their own. */
static enum gradus_status
put_parameters(struct gr_executed_kernel *k, const struct gr_plan *plan,
               const struct gr_plan_launch *from, const struct gr_launch *launch,
               const struct gr_scratch *scratch, union gr_plan_value values[GR_MAX_PARAMETERS],
               const void *pointers[GR_MAX_PARAMETERS], struct gradus_error *error)
{
    enum gradus_status status = GRADUS_OK;
    for (int i = 0; i < from->parameter_count && status == GRADUS_OK; i++) {
        const struct gr_plan_parameter *p = &from->parameters[i];
        pointers[i] = &values[i];
        if (p->role != GR_ROLE_MAP) {
            gr_plan_value(p, launch, scratch, &values[i]);
            continue;
        }
        status = encode(&plan->maps[p->index], launch, k->maps[p->index], error);
        if (p->value == GR_VALUE_ADDRESS)
            values[i].address = (uintptr_t)k->maps[p->index];
        else
            pointers[i] = k->maps[p->index];
    }
    return status;
}

enum gradus_status gr_executed_launch(struct gr_executed_kernel *k, const struct gr_plan *plan,
                                      const struct gr_plan_launch *from,
                                      const struct gr_launch *launch,
                                      const struct gr_scratch *scratch, struct gradus_error *error)
{
    union gr_plan_value values[GR_MAX_PARAMETERS];
    const void *pointers[GR_MAX_PARAMETERS];
    struct gr_program_launch how = {.dynamic_smem_bytes = from->smem_bytes,
                                    .parameters = pointers,
                                    .text = &k->texts[from->stanza]};
    struct gr_program program;
    memcpy(how.grid, from->grid, sizeof how.grid);
    memcpy(how.block, from->block, sizeof how.block);
    memcpy(how.cluster, from->cluster, sizeof how.cluster);
    enum gradus_status status =
        put_parameters(k, plan, from, launch, scratch, values, pointers, error);
    if (status != GRADUS_OK)
        return status;
    memcpy(k->kept, k->globals, k->global_bytes);
    status = gr_program_load(k->image.code, k->image.length, k->image.symbols[from->stanza], &how,
                             k->globals, &program, error);
    if (k->launched) /* only the first launch finds its variables as they are declared */
        memcpy(k->globals, k->kept, k->global_bytes);
    k->launched = true;
    struct queue q = {.program = &program,
                      .launch = &how,
                      .memory = k->memory,
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .blocks = (int64_t)how.grid[0] * how.grid[1] * how.grid[2]};
    if (status == GRADUS_OK) {
        run_blocks(&q, k->threads);
        status = judge(k, &q, error);
    } else if (status == GRADUS_UNSUPPORTED) {
        add_line(&k->lines, &program, program.refused, status, error);
    }
    gr_program_free(&program);
    return status;
}
