/* cluster_blocks.c: runs the blocks of a cluster in turns, so that they can wait for one another.
 * SPDX-License-Identifier: MIT */
#include "machine/cluster_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Addresses. ---- */

struct gr_block *gr_cluster_block(const struct gr_block *own, uint32_t address, uint32_t *offset)
{
    struct gr_cluster *c = own->cluster;
    const uint32_t rank = address >> GR_CLUSTER_RANK_BIT;
    *offset = address & ((1u << GR_CLUSTER_RANK_BIT) - 1);
    if (rank >= (uint32_t)c->count || c->blocks[rank].status == GR_BLOCK_DONE)
        return NULL;
    return &c->blocks[rank];
}

struct gr_block *gr_cluster_find(struct gr_warp *w, uint32_t address, uint32_t *offset)
{
    struct gr_block *found = gr_cluster_block(w->block, address, offset);
    const uint32_t rank = address >> GR_CLUSTER_RANK_BIT;
    if (!found)
        gr_block_fail(w, GR_BLOCK_FAILED,
                      "the address 0x%x in shared memory is of block %u of the cluster, which %s, "
                      "instruction 0x%x",
                      address, rank,
                      rank < (uint32_t)w->block->cluster->count ? "has exited" : "does not exist",
                      w->pc * GR_STEP_BYTES);
    return found;
}

bool gr_cluster_own(struct gr_warp *w, uint32_t address, uint32_t *offset)
{
    const struct gr_block *found = gr_cluster_find(w, address, offset);
    if (found && found != w->block)
        gr_block_fail(w, GR_BLOCK_FAILED,
                      "the address 0x%x is in the shared memory of another block of the cluster, "
                      "which this instruction cannot access, instruction 0x%x",
                      address, w->pc * GR_STEP_BYTES);
    return found == w->block;
}

/* ---- The barrier. ---- */

void gr_cluster_arrive(struct gr_warp *w, uint32_t lanes)
{
    if (lanes & w->cluster_owes)
        gr_block_fail(w, GR_BLOCK_FAILED,
                      "%d threads arrive at the barrier of the cluster again without having waited "
                      "there, instruction 0x%x",
                      __builtin_popcount(lanes & w->cluster_owes), w->pc * GR_STEP_BYTES);
    w->cluster_arrived |= lanes;
    w->cluster_owes |= lanes;
    w->block->cluster->arrived = true;
}

void gr_cluster_wait(struct gr_warp *w, uint32_t lanes)
{
    if (lanes & ~w->cluster_owes)
        gr_block_fail(w, GR_BLOCK_FAILED,
                      "%d threads wait at the barrier of the cluster without having arrived there, "
                      "instruction 0x%x",
                      __builtin_popcount(lanes & ~w->cluster_owes), w->pc * GR_STEP_BYTES);
    w->cluster_owes &= ~lanes;
    w->block->barrier_waits++;
    if (lanes & w->cluster_arrived)
        gr_warp_wait(w, GR_PATH_CLUSTER, 0, 0);
}

/* Ends the phase of the cluster's barrier, in which all threads that have not exited have
 * arrived. */
static bool release(struct gr_cluster *c)
{
    if (!c->arrived)
        return false;
    for (int i = 0; i < c->count; i++) {
        const struct gr_block *b = &c->blocks[i];
        for (int j = 0; j < b->warp_count; j++)
            if (b->warps[j].live & ~b->warps[j].cluster_arrived)
                return false;
    }
    for (int i = 0; i < c->count; i++)
        if (c->blocks[i].status == GR_BLOCK_RUNS)
            gr_block_pass_cluster(&c->blocks[i]);
    c->arrived = false;
    return true;
}

/* ---- Deadlocks. ---- */

struct waiting {
    int barrier, mbarrier, cluster, elsewhere;
    char where[64]; /* the first wait for an mbarrier */
    /* The wait that is reported: the one that is most probably the cause of the others. */
    int64_t step;
    int rank; /* the rank of its kind: a higher one is more probably the cause */
};

/* Among the waits of a block, one for lanes or for an mbarrier is the cause of a deadlock more
 * often than one at a barrier. A path that waits for an mbarrier is at the waiting step, other
 * paths are one step behind it. */
static void choose(struct waiting *n, const struct gr_path *p)
{
    const int rank = p->state == GR_PATH_BARRIER || p->state == GR_PATH_CLUSTER ? 1
                     : p->state == GR_PATH_MBARRIER                             ? 2
                                                                                : 3;
    if (rank <= n->rank)
        return;
    n->rank = rank;
    n->step = (int64_t)p->pc - (p->state != GR_PATH_MBARRIER);
}

static struct waiting count_waiting(const struct gr_block *b)
{
    struct waiting n = {.step = -1};
    for (int i = 0; i < b->warp_count; i++)
        for (int j = 0; j < b->warps[i].path_count; j++) {
            const struct gr_path *p = &b->warps[i].paths[j];
            int lanes = __builtin_popcount(p->mask);
            choose(&n, p);
            if (p->state == GR_PATH_MBARRIER && n.mbarrier == 0)
                snprintf(n.where, sizeof n.where,
                         " for an mbarrier (thread %d at instruction 0x%x)",
                         i * GR_WARP_LANES + __builtin_ctz(p->mask), p->pc * GR_STEP_BYTES);
            *(p->state == GR_PATH_BARRIER    ? &n.barrier
              : p->state == GR_PATH_MBARRIER ? &n.mbarrier
              : p->state == GR_PATH_CLUSTER  ? &n.cluster
                                             : &n.elsewhere) += lanes;
        }
    return n;
}

static void report_deadlock(struct gr_block *b)
{
    const struct waiting n = count_waiting(b);
    const int exited = b->threads - n.barrier - n.mbarrier - n.cluster - n.elsewhere;
    char cluster[48] = "";
    if (n.cluster > 0)
        snprintf(cluster, sizeof cluster, "%d at the cluster's barrier, ", n.cluster);
    if (n.mbarrier > 0)
        gr_block_fail(&b->warps[0], GR_BLOCK_FAILED,
                      "deadlock in block (%u,%u,%u): %d threads wait%s whose phase never "
                      "completes, %d for others of their warp or warpgroup, %d at a barrier, "
                      "%s%d have exited",
                      b->index[0], b->index[1], b->index[2], n.mbarrier, n.where, n.elsewhere,
                      n.barrier, cluster, exited);
    else
        gr_block_fail(&b->warps[0], GR_BLOCK_FAILED,
                      "deadlock in block (%u,%u,%u): %d threads wait for others of their warp or "
                      "for a condition, %d at a barrier, %s%d have exited",
                      b->index[0], b->index[1], b->index[2], n.elsewhere, n.barrier, cluster,
                      exited);
    b->failed_at = n.step;
}

/* Reports, if possible, a block that does not only wait at the cluster's barrier, because it keeps
 * the other blocks waiting. */
static void find_deadlock(struct gr_cluster *c)
{
    struct gr_block *told = NULL;
    for (int i = 0; i < c->count; i++) {
        struct gr_block *b = &c->blocks[i];
        const struct waiting n = count_waiting(b);
        if (b->status == GR_BLOCK_RUNS && (!told || n.barrier + n.mbarrier + n.elsewhere > 0)) {
            told = b;
            if (n.barrier + n.mbarrier + n.elsewhere > 0)
                break;
        }
    }
    if (told)
        report_deadlock(told);
}

/* ---- Its blocks. ---- */

/* The number of blocks of a cluster along an axis. */
static unsigned extent(const struct gr_program *p, int axis)
{
    return p->cluster[axis] ? p->cluster[axis] : 1;
}

int gr_cluster_rank(const struct gr_program *p, unsigned x, unsigned y, unsigned z)
{
    const unsigned at[] = {x % extent(p, 0), y % extent(p, 1), z % extent(p, 2)};
    return (int)(at[0] + extent(p, 0) * (at[1] + extent(p, 1) * at[2]));
}

bool gr_cluster_open(struct gr_cluster *c, const struct gr_program *program,
                     const struct gr_program_launch *launch, struct gr_machine_memory *memory,
                     const struct gr_machine_watch *const *watches)
{
    *c = (struct gr_cluster){.owns_blocks = true};
    const unsigned count = extent(program, 0) * extent(program, 1) * extent(program, 2);
    c->blocks = calloc(count, sizeof *c->blocks);
    bool whole = c->blocks != NULL;
    for (unsigned i = 0; i < count && whole; i++) {
        whole = gr_block_open(&c->blocks[i], program, launch, memory, watches ? watches[i] : NULL);
        c->blocks[i].rank = (int)i;
        c->count++;
    }
    return whole;
}

void gr_cluster_close(struct gr_cluster *c)
{
    for (int i = 0; i < c->count; i++)
        gr_block_close(&c->blocks[i]);
    if (c->owns_blocks)
        free(c->blocks);
    *c = (struct gr_cluster){0};
}

static void begin(struct gr_cluster *c, unsigned x, unsigned y, unsigned z)
{
    const struct gr_program *p = c->blocks[0].program;
    const unsigned nx = extent(p, 0), ny = extent(p, 1), nz = extent(p, 2);
    c->arrived = false;
    for (int i = 0; i < c->count; i++) {
        const unsigned n = (unsigned)i;
        c->blocks[i].cluster = c;
        gr_block_begin(&c->blocks[i], x / nx * nx + n % nx, y / ny * ny + n / nx % ny,
                       z / nz * nz + n / nx / ny);
    }
}

/* Gives each block a turn, and sets *live to the number of blocks that have not ended. Returns a
 * block that has failed, or null. */
static const struct gr_block *turn(struct gr_cluster *c, int *live)
{
    bool ran = false, waits = false;
    *live = 0;
    for (int i = 0; i < c->count; i++) {
        struct gr_block *b = &c->blocks[i];
        if (b->status == GR_BLOCK_DONE)
            continue;
        ran |= gr_block_turn(b);
        if (b->status != GR_BLOCK_RUNS && b->status != GR_BLOCK_DONE)
            return b;
        *live += b->status == GR_BLOCK_RUNS;
    }
    if (*live == 0 || release(c) || ran)
        return NULL;
    for (int i = 0; i < c->count; i++)
        if (c->blocks[i].status == GR_BLOCK_RUNS)
            waits |= gr_block_time_out(&c->blocks[i]);
    if (!waits)
        find_deadlock(c);
    for (int i = 0; i < c->count && !waits; i++)
        if (c->blocks[i].status == GR_BLOCK_FAILED)
            return &c->blocks[i];
    return NULL;
}

const struct gr_block *gr_cluster_run(struct gr_cluster *c, unsigned x, unsigned y, unsigned z)
{
    int live = c->count;
    const struct gr_block *failed = NULL;
    begin(c, x, y, z);
    while (live > 0 && !failed)
        failed = turn(c, &live);
    return failed;
}

void gr_block_run(struct gr_block *b, unsigned x, unsigned y, unsigned z)
{
    struct gr_cluster alone = {.blocks = b, .count = 1};
    const struct gr_program *p = b->program;
    int live = 1;
    alone.blocks->cluster = &alone;
    gr_block_begin(b, x, y, z);
    if (extent(p, 0) * extent(p, 1) * extent(p, 2) > 1)
        gr_block_fail(&b->warps[0], GR_BLOCK_NOT_MODELLED, "%s runs in clusters of blocks",
                      p->symbol);
    while (live > 0 && b->status == GR_BLOCK_RUNS)
        turn(&alone, &live);
    b->cluster = NULL;
}
