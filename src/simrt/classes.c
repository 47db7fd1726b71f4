/* classes.c: chooses the blocks that are traced, and writes what was counted.
 * SPDX-License-Identifier: MIT */
#include "simrt/classes.h"

#include "simrt/class_counts.h"
#include "simrt/executed_sums.h"
#include "simrt/host_threads.h"
#include "simrt/global_history.h"
#include "simrt/sim_clock.h"
#include "simrt/progress.h"
#include "simrt/walks.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_BLOCKS = 8, MOST_CLASSES = 1024 };

/* Runs the blocks of the list. True: all of them ran. */
static bool run_list(struct gr_run *run, const struct gr_sim_launch *launch, int threads,
                     const int64_t *list, int64_t count, int64_t stop_ns,
                     struct gr_sim_outcome *outcome)
{
    gr_host_threads_run(run, launch, threads, list, count, stop_ns, outcome);
    return run->classes->traced >= count;
}

/* ---- The choice of blocks. ---- */

static uint64_t scramble(uint64_t x)
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ULL;
    return (x ^ x >> 29) * 0xbf58476d1ce4e5b9ULL;
}

static uint64_t next_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15ULL;
    return scramble(*state);
}

/* Resets the state that earlier blocks left, since blocks that have run will run again: faults are
 * counted again from 0, and what the blocks wrote counts as unwritten. */
static void begin_again(struct gr_run *run)
{
    gr_faults_recount(run);
    gr_arrays_forget(run->mark);
    if (run->launch == run->job->launches)
        gr_arrays_clear(run->job);
}

/* Would a block that has run have the same counts again, and no fault? Not if it may depend on data
 * that other blocks have written. */
static bool repeats(const struct gr_run *run)
{
    bool alone = run->fault_count == 0 && !run->faults_dropped && !atomic_load(&run->abandoned);
    for (int i = 0; i < run->job->array_count; i++)
        alone &= !run->job->arrays[i].zero;
    for (int i = 0; i < run->site_count; i++)
        alone &= run->sites[i].access != GR_ACCESS_ATOMIC;
    return alone;
}

/* Runs a block of each class and then, while there is time, random blocks; blocks that have run
 * before run again only if their counts may differ now. True: all of them have run, and have the
 * counts of their class. */
static bool run_classes(struct gr_run *run, const struct gr_sim_launch *launch, int threads,
                        int period, int64_t blocks, struct gr_sim_outcome *outcome)
{
    struct gr_classes *c = run->classes;
    int64_t list[MOST_CLASSES], others[RANDOM_BLOCKS];
    uint64_t state = run->job->seed;
    const bool once = repeats(run);
    int64_t count = gr_classes_divide(c, period, blocks, list, MOST_CLASSES), left = count,
            others_left = RANDOM_BLOCKS;
    if (count < 0) {
        c->failed = true;
        return false;
    }
    begin_again(run);
    for (int i = 0; i < RANDOM_BLOCKS; i++)
        others[i] = (int64_t)(next_random(&state) % (uint64_t)blocks);
    if (once)
        left = gr_classes_add_kept(c, list, count);
    run_list(run, launch, threads, list, left, 0, outcome);
    if (once)
        others_left = gr_classes_add_kept(c, others, RANDOM_BLOCKS);
    if (outcome->status == GR_SIM_DONE && !c->failed)
        run_list(run, launch, threads, others, others_left, run->stop_ns, outcome);
    return outcome->status == GR_SIM_DONE && c->traced == count + RANDOM_BLOCKS &&
           !gr_classes_differ(c);
}

/* Runs all blocks, as one class. False: the time limit was reached before the end. */
static bool run_whole(struct gr_run *run, const struct gr_sim_launch *launch, int threads,
                      int64_t blocks, int64_t stop_ns, struct gr_sim_outcome *outcome)
{
    int64_t list[MOST_CLASSES];
    if (gr_classes_divide(run->classes, 0, blocks, list, MOST_CLASSES) < 0) {
        run->classes->failed = true;
        return false;
    }
    begin_again(run);
    run->each_once = true;
    bool all = run_list(run, launch, threads, NULL, blocks, stop_ns, outcome);
    run->each_once = false;
    if (!all || outcome->status != GR_SIM_DONE || !gr_globals_again())
        return all;
    return run_whole(run, launch, threads, blocks, stop_ns, outcome);
}

/* Does the first block pass a fence? If so, blocks may pass data to other blocks, which may wait
 * for it, and all of them must run in order. */
static bool hands_over(struct gr_run *run, const struct gr_sim_launch *launch, int64_t blocks,
                       struct gr_sim_outcome *outcome)
{
    const int64_t first = 0;
    int64_t list[MOST_CLASSES];
    if (gr_classes_divide(run->classes, 0, blocks, list, MOST_CLASSES) < 0) {
        run->classes->failed = true;
        return false;
    }
    run_list(run, launch, 1, &first, 1, 0, outcome);
    return outcome->status == GR_SIM_DONE && atomic_load(&run->fenced);
}

static enum gr_coverage cover(struct gr_run *run, const struct gr_sim_launch *launch, int threads,
                              struct gr_sim_outcome *outcome)
{
    struct gr_classes *c = run->classes;
    const int64_t few = 16, start_ns = gr_sim_worked_ns(), short_ns = 500000000;
    int64_t blocks = (int64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    memcpy(c->grid, launch->grid, sizeof c->grid);
    if (blocks <= few || run->launch->whole) {
        run_whole(run, launch, threads, blocks, 0, outcome);
        return GR_COVERAGE_WHOLE;
    }
    /* All blocks run first: what only some of them write to the program's own variables could not
     * be undone. */
    if (run->job->races && run_whole(run, launch, threads, blocks, start_ns + short_ns, outcome))
        return GR_COVERAGE_WHOLE;
    if (hands_over(run, launch, blocks, outcome)) {
        bool all = run_whole(run, launch, 1, blocks, run->stop_ns, outcome);
        return all ? GR_COVERAGE_WHOLE : GR_COVERAGE_SAMPLED;
    }
    if (outcome->status != GR_SIM_DONE || c->failed)
        return GR_COVERAGE_SAMPLED;
    bool agree = run_classes(run, launch, threads, 1, blocks, outcome);
    if (outcome->status != GR_SIM_DONE || c->failed)
        return GR_COVERAGE_SAMPLED;
    int64_t now_ns = gr_sim_worked_ns(), left_ns = run->stop_ns - now_ns;
    int64_t block_ns = (now_ns - start_ns) / (c->traced ? c->traced : 1);
    if (agree && block_ns * blocks > short_ns)
        return GR_COVERAGE_CLASSES;
    if (block_ns * blocks <= (left_ns > short_ns ? left_ns : short_ns)) {
        bool all = run_whole(run, launch, threads, blocks, now_ns + 2 * left_ns, outcome);
        return all ? GR_COVERAGE_WHOLE : GR_COVERAGE_SAMPLED;
    }
    /* The alignment within a sector of 32 bytes repeats after 16 elements at most. */
    for (int period = 4; period <= 8; period *= 2)
        if (block_ns * (period * period + RANDOM_BLOCKS) <= run->stop_ns - gr_sim_worked_ns() &&
            run_classes(run, launch, threads, period, blocks, outcome))
            return GR_COVERAGE_CLASSES;
    return GR_COVERAGE_SAMPLED;
}

/* ---- The result. ---- */

static int64_t distinct_of(const struct gr_array *a, enum gr_coverage coverage, int64_t by_blocks)
{
    int64_t sectors = (int64_t)((a->hi - a->lo + gr_sector_bytes - 1) / gr_sector_bytes), seen = 0;
    for (int64_t i = 0; i < sectors && coverage == GR_COVERAGE_WHOLE; i++)
        seen += a->seen[i];
    if (coverage == GR_COVERAGE_WHOLE)
        return seen * (int64_t)gr_sector_bytes;
    /* Not all blocks ran. An upper bound: the whole array, or the sum of what each block touches.
     */
    int64_t most = sectors * (int64_t)gr_sector_bytes;
    return by_blocks < most ? by_blocks : most;
}

static void write_site(const struct gr_site *from, const struct gr_counts *n,
                       struct gr_trace_site *to)
{
    *to = (struct gr_trace_site){.code = from->code,
                                 .line = from->line,
                                 .column = from->column,
                                 .access = from->access,
                                 .space = from->space,
                                 .array = from->array,
                                 .bytes = from->bytes,
                                 .source_bytes = from->source_bytes,
                                 .requests = n->requests,
                                 .lanes = n->lanes,
                                 .sectors = n->sectors,
                                 .sectors_ideal = n->sectors_ideal,
                                 .block_distinct_bytes =
                                     n->distinct_sectors * (int64_t)gr_sector_bytes,
                                 .wavefronts = n->wavefronts,
                                 .wavefronts_ideal = n->wavefronts_ideal,
                                 .pattern_sectors = from->worst_sectors,
                                 .pattern_wavefronts = from->worst_wavefronts,
                                 .pattern_thread = from->pattern_thread,
                                 .rules = gr_rules};
    snprintf(to->file, sizeof to->file, "%d", from->file);
    memcpy(to->pattern, from->pattern, sizeof to->pattern);
    memcpy(to->pattern_block, from->pattern_block, sizeof to->pattern_block);
}

/* Are the two sites copies that the compiler made of one access? */
static bool same_access(const struct gr_trace_site *a, const struct gr_trace_site *b)
{
    return a->line && a->line == b->line && a->column == b->column && a->access == b->access &&
           a->space == b->space && a->array == b->array && a->bytes == b->bytes &&
           strcmp(a->file, b->file) == 0;
}

/* The pattern of the more expensive request is kept. */
static void join(struct gr_trace_site *to, const struct gr_trace_site *from)
{
    if (from->pattern_sectors > to->pattern_sectors ||
        from->pattern_wavefronts > to->pattern_wavefronts) {
        memcpy(to->pattern, from->pattern, sizeof to->pattern);
        memcpy(to->pattern_block, from->pattern_block, sizeof to->pattern_block);
        to->pattern_thread = from->pattern_thread;
        to->pattern_sectors = from->pattern_sectors;
        to->pattern_wavefronts = from->pattern_wavefronts;
    }
    to->requests += from->requests;
    to->lanes += from->lanes;
    to->sectors += from->sectors;
    to->sectors_ideal += from->sectors_ideal;
    to->block_distinct_bytes += from->block_distinct_bytes;
    to->wavefronts += from->wavefronts;
    to->wavefronts_ideal += from->wavefronts_ideal;
}

/* number_in_trace[i]: the number of the run's site i in the trace, or -1. */
static void write_sites(struct gr_run *run, struct gr_trace *trace, int *number_in_trace)
{
    for (int i = 0; i < run->site_count; i++) {
        const struct gr_site *s = &run->sites[i];
        struct gr_counts total;
        struct gr_trace_site site;
        gr_classes_weigh(run->classes, i, &total);
        write_site(s, &total, &site);
        if (s->array >= 0) {
            struct gr_trace_array *a = &trace->arrays[s->array];
            bool stores = s->access == GR_ACCESS_STORE || s->access == GR_ACCESS_ATOMIC ||
                          s->access == GR_TRACE_ARRIVES;
            *(stores ? &a->store_bytes : &a->load_bytes) += total.lanes * s->bytes;
            a->block_distinct_bytes += site.block_distinct_bytes;
        }
        number_in_trace[i] = -1;
        if (s->access != GR_TRACE_ARRIVES)
            gr_executed_site(trace, &site);
        if (s->access == GR_TRACE_ARRIVES || total.requests == 0)
            continue;
        int k = 0;
        while (k < trace->site_count && !same_access(&trace->sites[k], &site))
            k++;
        if (k < trace->site_count)
            join(&trace->sites[k], &site);
        else
            trace->sites[trace->site_count++] = site;
        number_in_trace[i] = k;
    }
}

static void write_arrays(enum gr_coverage coverage, struct gr_trace *trace)
{
    for (int i = 0; i < gr_array_count; i++) {
        const struct gr_array *a = &gr_arrays[i];
        struct gr_trace_array *to = &trace->arrays[i];
        memcpy(to->name, a->name, sizeof to->name);
        to->space = a->space;
        to->element_bytes = a->element_bytes;
        to->bytes = (int64_t)(a->hi - a->lo);
        to->dynamic = a->dynamic;
        to->loaded = a->loaded;
        to->stored = a->stored;
        to->reach = (int64_t)(a->reach - a->lo + (uint64_t)a->element_bytes - 1) / a->element_bytes;
        to->unwritten = -1;
        if (a->space == GR_SPACE_GLOBAL)
            to->distinct_bytes = distinct_of(a, coverage, to->block_distinct_bytes);
    }
    trace->array_count = gr_array_count;
}

/* If every thread of every block ran to its end, what is unwritten now is never written. */
static void write_contents(const struct gr_run *run, struct gr_trace *trace)
{
    bool whole = trace->coverage == GR_COVERAGE_WHOLE && !run->abandoned;
    for (int i = 0; i < gr_array_count; i++) {
        struct gr_trace_array *to = &trace->arrays[i];
        to->unwritten = whole ? gr_array_unwritten(i, &to->first_unwritten) : -1;
        to->old_reached = gr_array_old_reached(i);
    }
}

bool gr_classes_run(struct gr_run *run, const struct gr_sim_launch *launch, int threads,
                    struct gr_trace *trace, struct gr_sim_outcome *outcome)
{
    struct gr_classes classes = {0};
    const int64_t start_ns = gr_sim_worked_ns();
    run->classes = &classes;
    *trace = (struct gr_trace){.stanza = launch->stanza, .warp = launch->warp};
    memcpy(trace->grid, launch->grid, sizeof trace->grid);
    memcpy(trace->block, launch->block, sizeof trace->block);
    trace->coverage = cover(run, launch, threads, outcome);
    gr_trace_launch_done(run);
    trace->arrays = calloc((size_t)gr_array_count + 1, sizeof *trace->arrays);
    trace->sites = calloc((size_t)run->site_count + 1, sizeof *trace->sites);
    int *number_in_trace = calloc((size_t)run->site_count + 1, sizeof *number_in_trace);
    bool whole = trace->arrays && trace->sites && number_in_trace && !classes.failed &&
                 gr_executed_open(trace, classes.instruction_count, classes.first_code);
    if (whole) {
        gr_classes_executed(&classes, trace);
        write_sites(run, trace, number_in_trace);
        write_arrays(trace->coverage, trace);
        if (outcome->status == GR_SIM_DONE)
            write_contents(run, trace);
        gr_walks_finish(&run->walks, number_in_trace);
        trace->walks = run->walks;
    }
    free(number_in_trace);
    trace->faults = run->faults;
    trace->fault_count = run->fault_count;
    trace->faults_dropped = run->faults_dropped;
    trace->blocks = (int64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    trace->blocks_traced = classes.traced;
    trace->classes = classes.count;
    trace->accesses = classes.accesses;
    trace->barriers = gr_classes_barriers(&classes);
    trace->time_ns = gr_sim_worked_ns() - start_ns;
    gr_classes_free(&classes);
    return whole;
}
