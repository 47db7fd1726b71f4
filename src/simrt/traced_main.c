/* traced_main.c: runs the launches of a job on an engine, and writes what was counted and found.
 * SPDX-License-Identifier: MIT */
#include "simrt/engine.h"

#include "simrt/classes.h"
#include "simrt/sim_clock.h"
#include "simrt/progress.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct gr_sim_result result;
static struct gr_site *sites;
static int64_t stop_ns;
static const char *result_path;
static bool all_whole = true; /* every block of every launch so far ran to its end */

static void *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        bytes = size > 0 ? malloc((size_t)size) : NULL;
        *length = bytes ? fread(bytes, 1, (size_t)size, file) : 0;
    }
    fclose(file);
    return bytes;
}

static bool put(FILE *out, const void *bytes, size_t size, size_t count)
{
    return count == 0 || fwrite(bytes, size, count, out) == count;
}

static bool write_result(const char *path, const struct gr_sim_job *job)
{
    FILE *out = fopen(path, "wb");
    bool whole = out && put(out, &result, sizeof result, 1);
    for (int i = 0; i < result.launch_count && whole; i++) {
        const struct gr_trace *t = &result.parts[i].trace;
        const struct gr_trace_walks *w = &t->walks;
        whole = put(out, t->arrays, sizeof *t->arrays, (size_t)t->array_count) &&
                put(out, t->sites, sizeof *t->sites, (size_t)t->site_count) &&
                put(out, t->faults, sizeof *t->faults, (size_t)t->fault_count) &&
                put(out, w->shapes, sizeof *w->shapes, (size_t)w->shape_count) &&
                put(out, w->runs, sizeof *w->runs, (size_t)w->run_count) &&
                put(out, w->walks, sizeof *w->walks, (size_t)w->walk_count) &&
                put(out, w->trails, sizeof *w->trails, (size_t)w->trail_count) &&
                put(out, t->instructions, sizeof *t->instructions, (size_t)t->instruction_count);
    }
    for (int i = 0; i < result.kept && whole; i++)
        whole = put(out, (const void *)gr_arrays[i].lo, 1, (size_t)job->arrays[i].bytes);
    return out && fclose(out) == 0 && whole;
}

/* Runs in a signal handler, so it calls only what is allowed there. Other threads continue
 * meanwhile. */
static void stop_endless(const struct gr_sim_still *still)
{
    static struct gr_sim_result endless;
    int out = open(result_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    endless.outcome.status = GR_SIM_ENDLESS;
    endless.still = *still;
    bool whole = out >= 0 && write(out, &endless, sizeof endless) == (ssize_t)sizeof endless;
    _exit(whole ? 0 : 2);
}

void gr_launch_bind(const struct gr_sim_job *job, const struct gr_sim_job_launch *from,
                    struct gr_bound_launch *b)
{
    for (int i = 0; i < from->parameter_count; i++) {
        int array = from->parameters[i].array;
        b->addresses[i] = array < 0 ? 0 : gr_array_address(array);
        b->parameters[i] =
            array < 0 ? (void *)(uintptr_t)from->parameters[i].value : (void *)&b->addresses[i];
    }
    b->launch = (struct gr_sim_launch){.stanza = from->stanza,
                                       .warp = job->warp,
                                       .smem_bytes = from->smem_bytes,
                                       .parameters = b->parameters,
                                       .threads = job->threads};
    memcpy(b->launch.grid, from->grid, sizeof b->launch.grid);
    memcpy(b->launch.block, from->block, sizeof b->launch.block);
    memcpy(b->launch.cluster, from->cluster, sizeof b->launch.cluster);
}

static bool run_launch(const struct gr_sim_job *job, int number)
{
    const struct gr_sim_job_launch *from = &job->launches[number];
    struct gr_bound_launch bound;
    gr_launch_bind(job, from, &bound);
    struct gr_run run = {.job = job,
                         .launch = from,
                         .mark = (unsigned char)(number + 1),
                         .sites = sites,
                         .stop_ns = stop_ns};
    run.lines = (const struct gr_sim_line *)(job + 1);
    run.widths = (const struct gr_sim_width *)(run.lines + job->line_count);
    run.faults = calloc(GR_SIM_FAULTS, sizeof *run.faults);
    run.fault_codes = calloc(GR_SIM_FAULTS * 2, sizeof *run.fault_codes);
    pthread_mutex_init(&run.lock, NULL);
    if (!run.faults || !run.fault_codes || !gr_origins_open(&run))
        return false;
    gr_arrays_launch(job, from);
    if (!gr_engine_prepare(job, number, &bound.launch, &result.outcome))
        return true;
    bool whole = gr_classes_run(&run, &bound.launch, job->threads,
                                &result.parts[result.launch_count].trace, &result.outcome);
    gr_engine_forget(&bound.launch);
    free(run.fault_codes);
    gr_origins_close(&run);
    /* If not every thread ran to its end, the next launch may read what the missing ones would have
     * written, so nothing counts as unwritten. */
    bool all_blocks = result.parts[result.launch_count].trace.coverage == GR_COVERAGE_WHOLE;
    bool whole_run = all_blocks && !run.abandoned;
    for (int i = 0; i < job->array_count && !whole_run; i++)
        gr_arrays[i].written = NULL;
    all_whole &= whole_run;
    result.launch_count += whole;
    return whole;
}

int gr_traced_main(int argc, char **argv, gr_checked_fn *checked)
{
    size_t length = 0;
    static struct gr_sim_job *job; /* until the process ends */
    job = argc == 3 ? read_file(argv[1], &length) : NULL;
    if (!job || length < sizeof *job ||
        length < sizeof *job + (size_t)job->line_count * sizeof(struct gr_sim_line) +
                     (size_t)job->width_count * sizeof(struct gr_sim_width) +
                     (size_t)job->image_bytes + (size_t)job->name_bytes)
        return 2;
    result_path = argv[2];
    gr_rules_set(&job->rules);
    if (!job->checked)
        gr_watch_open(job->patience_ns, stop_endless);
    stop_ns = gr_sim_worked_ns() + job->limit_ns;
    sites = calloc(GR_SITES, sizeof *sites);
    const char *why = sites ? gr_arrays_open(job) : "no memory";
    if (why) {
        result.outcome.status = GR_SIM_NO_MEMORY;
        snprintf(result.outcome.text, sizeof result.outcome.text, "%s", why);
    }
    if (job->checked)
        return checked && checked(job, &result, result_path) ? 0 : 2;
    for (int i = 0; i < job->launch_count && result.outcome.status == GR_SIM_DONE; i++)
        if (!run_launch(job, i))
            result.outcome.status = GR_SIM_NO_MEMORY;
    if (all_whole && result.outcome.status == GR_SIM_DONE && !why)
        result.kept = job->kept;
    return write_result(result_path, job) ? 0 : 2;
}
