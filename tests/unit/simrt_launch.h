/* simrt_launch.h: a launch of threads without a kernel: they tell of accesses that a test makes up.
 * Included once a program, after cmocka. SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_SIMRT_LAUNCH_H
#define TESTS_UNIT_SIMRT_LAUNCH_H

#include "simrt/classes.h"
#include "simrt/sim_clock.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 32, ROOM = 1 << 20, SHARED_FLOATS = 8192 };

/* ---- A launch. ---- */

/* The kernel of the present test. */
static void (*body)(void);

static void run_body(void *const *parameters)
{
    (void)parameters;
    body();
}
gr_sim_stanza_fn *const gr_sim_stanzas[] = {run_body};

/* A shared array. */
static __thread _Alignas(16) float tile[SHARED_FLOATS] __attribute__((used));

static struct gr_sim_job job = {.warp = 32, .granule = 4, .threads = 1, .seed = 1};
static struct gr_sim_line lines[LINES];
static struct gr_site *sites;

/* How it is launched; what is 0 is 1, or 32 threads. */
struct plan {
    void (*body)(void);
    unsigned blocks_x, blocks_y, threads;
    bool widths_known;
    struct gr_sim_width width; /* of one line; bytes 0: none */
    int64_t limit_ns;
};

static inline struct gr_trace trace_of(struct plan p)
{
    struct gr_trace trace = {0};
    struct gr_sim_outcome outcome = {0};
    struct gr_sim_job_launch *l = &job.launches[0];
    *l = (struct gr_sim_job_launch){
        .grid = {p.blocks_x ? p.blocks_x : 1, p.blocks_y ? p.blocks_y : 1, 1},
        .block = {p.threads ? p.threads : 32, 1, 1},
        .widths_known = p.widths_known,
        .width_count = p.width.bytes != 0};
    struct gr_sim_launch launch = {.warp = job.warp, .threads = 1};
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->block, sizeof launch.block);
    struct gr_run run = {.job = &job,
                         .lines = lines,
                         .widths = &p.width,
                         .launch = l,
                         .sites = sites,
                         .stop_ns = gr_sim_worked_ns() + (p.limit_ns ? p.limit_ns : 10000000000)};
    run.faults = calloc(GR_SIM_FAULTS, sizeof *run.faults);
    run.fault_codes = calloc(GR_SIM_FAULTS * 2, sizeof *run.fault_codes);
    pthread_mutex_init(&run.lock, NULL);
    body = p.body;
    gr_arrays_launch(&job, l);
    assert_true(gr_classes_run(&run, &launch, 1, &trace, &outcome));
    assert_int_equal(outcome.status, GR_SIM_DONE);
    free(run.fault_codes);
    return trace;
}

static inline void forget(struct gr_trace *trace)
{
    gr_trace_free(trace);
}

/* ---- What the threads do. ---- */

static inline const void *at_line(int line)
{
    return (const void *)(uintptr_t)(line * 16 + 1);
}

static inline void load(const void *address, int bytes, int line)
{
    gr_sim_saw_load(address, bytes, at_line(line));
}

static inline char *a(void)
{
    return (char *)(uintptr_t)gr_array_address(0);
}

static inline int open_arrays(void **state)
{
    (void)state;
    for (int i = 0; i < LINES; i++)
        lines[i] = (struct gr_sim_line){.address = (uint64_t)i * 16, .line = (uint32_t)i};
    job.line_count = LINES;
    job.launch_count = job.array_count = 1;
    job.arrays[0] =
        (struct gr_sim_job_array){.name = "A", .bytes = ROOM, .element_bytes = 4, .written = true};
    sites = calloc(GR_SITES, sizeof *sites);
    return !sites || gr_arrays_open(&job) != NULL;
}

#endif
