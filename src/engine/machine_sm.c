/* machine_sm.c: the SM of the simulator's run time (simrt/sm.h) that executes machine code. Its
 * accesses are passed to the same tracer, and so to the same observers, as those of a kernel that
 * is compiled for the host. SPDX-License-Identifier: MIT */
#include "engine/traced_machine.h"

#include "engine/machine_watch.h"
#include "engine/watch_async.h"
#include "machine/cluster_blocks.h"
#include "machine/tensor_map.h"
#include "core/error.h"
#include "core/map_by_address.h"
#include "simrt/engine.h"
#include "simrt/progress.h"
#include "simrt/sim_clock.h"
#include "simrt/symbol.h"
#include "simrt/tracer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__thread struct gr_sm *gr_sm;
__thread struct gr_hot gr_hot = {.stack_bytes = UINTPTR_MAX};

/* ---- The launch. ---- */

static struct gr_machine_memory memory;
/* The tensor maps of the job. They are in global memory if a kernel takes their address. */
static _Alignas(64) uint8_t maps[GR_SIM_MAPS][GR_TENSOR_MAP_BYTES];
static uint64_t shared_extent;
static int global_arrays; /* the arrays in global memory, which come first */

static const unsigned char *image_of(const struct gr_sim_job *job)
{
    const struct gr_sim_line *lines = (const void *)(job + 1);
    const struct gr_sim_width *widths = (const void *)(lines + job->line_count);
    return (const unsigned char *)(widths + job->width_count);
}

static void add_shared(const char *name, uint64_t lo, uint64_t hi, bool dynamic)
{
    if (gr_array_count == GR_ARRAYS)
        return;
    struct gr_array *a = &gr_arrays[gr_array_count++];
    *a = (struct gr_array){
        .space = GR_SPACE_SHARED, .element_bytes = 4, .lo = lo, .hi = hi, .dynamic = dynamic};
    gr_symbol_plain(name, a->name);
}

/* If the cubin does not give the addresses of the variables in shared memory, all that is declared
 * with a size is one array. The dynamic shared memory of the launch is always an array of its
 * own. */
static void set_shared(const struct gr_program *p, const struct gr_sim_launch *launch)
{
    const uint64_t reserved = p->cc >= 90 ? 1024 : 0, fixed = (uint64_t)p->shared_bytes;
    const char *dynamic = NULL;
    shared_extent = fixed + (uint64_t)launch->smem_bytes;
    gr_array_count = global_arrays; /* removes the variables of the launch before */
    for (int i = 0; i < p->shared_count; i++) {
        const struct gr_program_shared *s = &p->shared[i];
        if (s->dynamic)
            dynamic = s->symbol;
        else
            add_shared(s->symbol, (uint64_t)s->lo, (uint64_t)s->hi, false);
    }
    if (gr_array_count == global_arrays && fixed > reserved)
        add_shared("shared", reserved, fixed, false);
    if (dynamic || launch->smem_bytes > 0)
        add_shared(dynamic ? dynamic : "shared", fixed, shared_extent, true);
}

/* Headers of CUDA's libraries may declare a thousand variables, which then become a single
 * array. */
static void add_variables(const struct gr_program *p)
{
    enum { MOST = GR_ARRAYS / 2 };
    for (int i = 0; i < p->variable_count && p->variable_count <= MOST; i++)
        gr_arrays_add_variable(p->variables[i].name, p->variables[i].address,
                               (uint64_t)p->variables[i].bytes);
    if (p->variable_count > MOST)
        gr_arrays_add_variable("variables", (uintptr_t)p->globals, (uint64_t)p->global_bytes);
}

static bool set_memory(const struct gr_program *p)
{
    static bool set;
    bool whole = true;
    if (!set)
        add_variables(p);
    for (int i = 0; i < gr_array_count && !set; i++)
        if (gr_arrays[i].space == GR_SPACE_GLOBAL && gr_arrays[i].hi > gr_arrays[i].lo)
            whole &= gr_memory_add(&memory, gr_arrays[i].lo, gr_arrays[i].hi - gr_arrays[i].lo);
    if (!set)
        whole &= gr_memory_add(&memory, (uintptr_t)maps, sizeof maps);
    if (!set)
        global_arrays = gr_array_count;
    set = true;
    return whole;
}

static bool refuse(enum gradus_status status, const struct gradus_error *error,
                   struct gr_sim_outcome *outcome)
{
    const char *text = error->text, *prefix = "not modelled: ";
    if (strncmp(text, prefix, strlen(prefix)) == 0)
        text += strlen(prefix);
    outcome->status = status == GRADUS_LAUNCH ? GR_SIM_REFUSED : GR_SIM_NOT_MODELLED;
    snprintf(outcome->text, sizeof outcome->text, "%.255s", text);
    return false;
}

static bool encode(const struct gr_sim_job *job, int number, const char **why)
{
    const struct gr_sim_job_map *m = &job->maps[number];
    const enum gr_tensor_map_type type = (enum gr_tensor_map_type)m->type;
    const uint64_t element = (uint64_t)gr_tensor_map_element(type);
    const uint64_t address = gr_array_address(m->array), skip = m->optional ? address % 16 : 0;
    const struct gr_tensor_map map = {
        .address = m->by_address ? 0 : address - skip,
        .type = type,
        .rank = m->by_address ? GR_MAP_BY_ADDRESS_RANK : 2,
        .size = {(uint64_t)m->columns, (uint64_t)m->rows, GR_MAP_BY_ADDRESS_SIZES},
        .stride = {element, (uint64_t)m->ld * element, GR_MAP_BY_ADDRESS_STRIDES},
        .box = {m->box[1], m->box[0], 1, 1},
        .step = {1, 1, 1, 1},
        .span = (uint32_t)m->swizzle_bytes};
    return gr_tensor_map_write(&map, maps[number], why);
}

/* Sets the address of each parameter's value. Returns null or, if the driver would refuse a tensor
 * map, the reason. */
static const char *put_parameters(const struct gr_sim_job *job, int number,
                                  const struct gr_sim_launch *launch,
                                  const void *values[GR_SIM_PARAMETERS])
{
    static uintptr_t addresses[GR_SIM_PARAMETERS];
    const struct gr_sim_job_launch *from = &job->launches[number];
    const char *why = NULL;
    for (int i = 0; i < from->parameter_count; i++) {
        const int map = from->parameters[i].map - 1;
        values[i] = launch->parameters[i];
        if (map < 0)
            continue;
        if (!encode(job, map, &why))
            return why;
        addresses[i] = (uintptr_t)maps[map];
        values[i] = from->parameters[i].map_address ? (const void *)&addresses[i] : maps[map];
    }
    return NULL;
}

bool gr_engine_prepare(const struct gr_sim_job *job, int number, struct gr_sim_launch *launch,
                       struct gr_sim_outcome *outcome)
{
    static void *globals;
    const unsigned char *image = image_of(job);
    const char *names = (const char *)image + job->image_bytes;
    const void *values[GR_SIM_PARAMETERS];
    const char *why = put_parameters(job, number, launch, values);
    const struct gr_program_launch how = {
        .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
        .block = {launch->block[0], launch->block[1], launch->block[2]},
        .cluster = {launch->cluster[0], launch->cluster[1], launch->cluster[2]},
        .dynamic_smem_bytes = launch->smem_bytes,
        .parameters = values};
    struct gradus_error error = {0};
    struct gr_program *p = calloc(1, sizeof *p);
    if (!globals)
        globals =
            gr_arrays_variables((uint64_t)gr_program_globals(image, (size_t)job->image_bytes) + 16);
    if (why) {
        outcome->status = GR_SIM_REFUSED;
        snprintf(outcome->text, sizeof outcome->text, "a tensor map: %s", why);
        free(p);
        return false;
    }
    enum gradus_status status =
        !p || !globals
            ? gr_fail_memory(&error, "a kernel's program", sizeof *p)
            : gr_program_load(image, (size_t)job->image_bytes, names + job->launches[number].symbol,
                              &how, globals, p, &error);
    launch->program = p;
    if (status != GRADUS_OK || !set_memory(p)) {
        refuse(status, &error, outcome);
        if (p && p->refused >= 0)
            outcome->code = gr_engine_program_code(p, (uint32_t)p->refused);
        gradus_error_clear(&error);
        return false;
    }
    set_shared(p, launch);
    return true;
}

void gr_engine_forget(struct gr_sim_launch *launch)
{
    struct gr_program *p = (struct gr_program *)(uintptr_t)launch->program;
    if (p)
        gr_program_free(p);
    free(p);
    launch->program = NULL;
}

/* ---- Shared memory, as sites.c and the observers see it. ---- */

const char *gr_shared_open(void)
{
    return NULL;
}

uintptr_t gr_shared_base(void)
{
    return GR_SHARED_WINDOW;
}

uint64_t gr_shared_extent(void)
{
    return shared_extent;
}

bool gr_shared_is_guard(uint64_t address)
{
    (void)address;
    return false;
}

/* ---- Functions that only a kernel compiled for the host needs. ---- */

/* Nothing is merged, because each access is as wide as its instruction. */
bool gr_merge_open(struct gr_tracer *t)
{
    (void)t;
    return true;
}

void gr_merge_close(struct gr_tracer *t)
{
    (void)t;
}

void gr_merge_flush(struct gr_tracer *t)
{
    (void)t;
}

/* The machine checks all addresses, so no access outside the arrays has to be caught by a
 * signal. */
void gr_kernel_signals_catch(void)
{
}

void gr_wild_report(struct gr_tracer *t)
{
    (void)t;
}

/* ---- The SM. ---- */

/* Each block of a cluster has a tracer of its own, because all of them run at the same time. */
struct peer {
    struct gr_sm *sm;
    struct gr_tracer tracer;
    struct gr_machine_watch watch;
};

struct machine {
    struct gr_cluster cluster;
    struct gr_machine_watch watch;
    struct gr_program_launch launch;
    struct peer peers[GR_CLUSTER_BLOCKS]; /* by rank, from 1 on; created when first needed */
};

static void set_launch(struct gr_sm *sm, const struct gr_sim_launch *launch,
                       struct gr_tracer *tracer)
{
    memset(sm, 0, sizeof *sm);
    sm->launch = launch;
    sm->tracer = tracer;
    sm->warp = GR_WARP_LANES;
    sm->lanes_mask = UINT32_MAX;
    sm->block_size = (struct gr_sim_index){launch->block[0], launch->block[1], launch->block[2]};
    sm->grid_size = (struct gr_sim_index){launch->grid[0], launch->grid[1], launch->grid[2]};
    sm->threads = (int)(launch->block[0] * launch->block[1] * launch->block[2]);
    for (int i = 0; i < sm->threads; i++) {
        const unsigned x = launch->block[0], y = launch->block[1], n = (unsigned)i;
        sm->fibers[i].index = (struct gr_sim_index){n % x, n / x % y, n / x / y};
        sm->fibers[i].linear = (uint16_t)i;
        sm->fibers[i].lane = (uint8_t)(i % GR_WARP_LANES);
    }
}

bool gr_sm_open(struct gr_sm *sm, const struct gr_sim_launch *launch, struct gr_tracer *tracer)
{
    struct machine *m = calloc(1, sizeof *m);
    set_launch(sm, launch, tracer);
    sm->scheduler = m;
    if (!m)
        return false;
    memcpy(m->launch.grid, launch->grid, sizeof m->launch.grid);
    memcpy(m->launch.block, launch->block, sizeof m->launch.block);
    m->launch.dynamic_smem_bytes = launch->smem_bytes;
    m->watch = gr_engine_watch(sm);
    return gr_cluster_open(&m->cluster, launch->program, &m->launch, &memory, NULL);
}

void gr_sm_close(struct gr_sm *sm)
{
    struct machine *m = sm->scheduler;
    for (int i = 1; i < m->cluster.count; i++)
        if (m->peers[i].sm) {
            gr_tracer_close(&m->peers[i].tracer);
            gr_watch_async_end(m->peers[i].sm);
            free(m->peers[i].sm);
        }
    gr_watch_async_end(sm);
    gr_cluster_close(&m->cluster);
    free(m);
}

/* ---- A block that is traced, and those of its cluster that are not. ---- */

static void ignore(void *state, const struct gr_machine_access *a, uint32_t lanes)
{
    (void)state;
    (void)a;
    (void)lanes;
}

/* The watch of a block that is not traced. Its faults are ignored, because they are reported for
 * the blocks that are traced. */
static const struct gr_machine_watch silent = {.outside = ignore, .misaligned = ignore};

static void begin_traced(struct gr_sm *sm, struct gr_block *b, const struct gr_machine_watch *watch,
                         const struct gr_sim_index *index)
{
    b->watch = watch;
    sm->tracer->executed = b->executed;
    sm->tracer->instruction_count = b->program->count;
    sm->tracer->first_code = gr_engine_code(b, 0);
    sm->block = *index;
    gr_trace_block_begins(sm->tracer, sm);
    gr_watch_async_begin(sm, b->program);
}

static void end_traced(struct gr_sm *sm, struct gr_block *b, const struct gr_block *failed)
{
    sm->barriers += b->barrier_waits;
    b->barrier_waits = 0;
    if (b == failed)
        gr_engine_stuck(sm, b);
    gr_trace_block_ends(sm->tracer, sm);
}

/* Returns the SM of the block of this rank, in a launch whose blocks are all traced. Null if memory
 * runs out. */
static struct gr_sm *sm_of_rank(struct gr_sm *sm, int rank)
{
    struct machine *m = sm->scheduler;
    struct peer *peer = &m->peers[rank];
    if (rank == 0 || peer->sm)
        return rank == 0 ? sm : peer->sm;
    peer->sm = aligned_alloc(_Alignof(struct gr_sm), sizeof *peer->sm);
    if (!peer->sm)
        return NULL;
    set_launch(peer->sm, sm->launch, &peer->tracer);
    peer->watch = gr_engine_watch(peer->sm);
    if (gr_tracer_open(&peer->tracer, peer->sm, sm->tracer->run))
        return peer->sm;
    gr_tracer_close(&peer->tracer);
    free(peer->sm);
    peer->sm = NULL;
    return NULL;
}

/* The index of the block of this rank, in the cluster whose block of rank 0 is at `first`. */
static struct gr_sim_index index_of_rank(const struct gr_program *p,
                                         const struct gr_sim_index *first, int rank)
{
    const unsigned nx = p->cluster[0] ? p->cluster[0] : 1, ny = p->cluster[1] ? p->cluster[1] : 1;
    const unsigned n = (unsigned)rank;
    return (struct gr_sim_index){first->x + n % nx, first->y + n / nx % ny, first->z + n / nx / ny};
}

static void keep_outcome(struct gr_sm *sm, const struct gr_block *failed)
{
    if (!failed)
        return;
    sm->outcome.status =
        failed->status == GR_BLOCK_NOT_MODELLED ? GR_SIM_NOT_MODELLED : GR_SIM_FAILED;
    memcpy(sm->outcome.text, failed->text, sizeof sm->outcome.text);
    if (failed->failed_at >= 0)
        sm->outcome.code = gr_engine_code(failed, (uint32_t)failed->failed_at);
}

/* Runs the cluster whose first block is at `first`, and traces all its blocks. */
static void run_all(struct gr_sm *sm, const struct gr_sim_index *first)
{
    struct machine *m = sm->scheduler;
    struct gr_sm *of[GR_CLUSTER_BLOCKS];
    for (int i = 0; i < m->cluster.count; i++) {
        of[i] = sm_of_rank(sm, i);
        if (!of[i]) {
            sm->outcome.status = GR_SIM_NO_MEMORY;
            return;
        }
    }
    for (int i = 0; i < m->cluster.count; i++) {
        const struct gr_sim_index index = index_of_rank(sm->launch->program, first, i);
        begin_traced(of[i], &m->cluster.blocks[i], i ? &m->peers[i].watch : &m->watch, &index);
    }
    const struct gr_block *failed = gr_cluster_run(&m->cluster, first->x, first->y, first->z);
    for (int i = 0; i < m->cluster.count; i++)
        end_traced(of[i], &m->cluster.blocks[i], failed);
    keep_outcome(sm, failed);
}

/* Runs the cluster of the block of this rank and index, and traces this block only. */
static void run_one(struct gr_sm *sm, const struct gr_sim_index *at, int rank)
{
    struct machine *m = sm->scheduler;
    for (int i = 0; i < m->cluster.count; i++)
        m->cluster.blocks[i].watch = &silent;
    begin_traced(sm, &m->cluster.blocks[rank], &m->watch, at);
    const struct gr_block *failed = gr_cluster_run(&m->cluster, at->x, at->y, at->z);
    end_traced(sm, &m->cluster.blocks[rank], failed);
    keep_outcome(sm, failed);
}

/* If every block runs only once, a cluster runs when its first block does. */
void gr_sm_run_block(struct gr_sm *sm, int64_t number)
{
    struct machine *m = sm->scheduler;
    const int64_t x = sm->grid_size.x, y = sm->grid_size.y;
    const struct gr_sim_index at = {(unsigned)(number % x), (unsigned)(number / x % y),
                                    (unsigned)(number / x / y)};
    const int rank = gr_cluster_rank(sm->launch->program, at.x, at.y, at.z);
    gr_sm = sm;
    if (!sm->tracer->run->each_once || m->cluster.count == 1)
        run_one(sm, &at, rank);
    else if (rank == 0)
        run_all(sm, &at);
    gr_sm = NULL;
}

int gr_traced_machine(int argc, char **argv)
{
    return gr_traced_main(argc, argv, NULL);
}
