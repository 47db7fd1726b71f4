/* synthetic.h: runs that no machine made, for the tests of the formats and the page.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_REPORT_SYNTHETIC_H
#define TESTS_REPORT_SYNTHETIC_H

#include "base/str.h"
#include "records/row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char synthetic_hostile_name[] = "<script>alert(1)</script>";

/* Appends a row for a cube of f32 on one thread. gflops 0: not timed. */
static struct gr_row *synthetic_row(struct gr_run *run, const char *kernel, const char *title,
                                    int64_t n, double gflops, double peer_gflops)
{
    struct gr_row *row = gr_run_add(run);
    if (!row)
        abort();
    row->kernel = gr_strdup(kernel);
    row->title = gr_strdup(title);
    row->device = gr_strdup("cpu");
    row->problem = gr_problem_dense(n, n, n, false, false, gr_types_of(GR_F32));
    row->requested_m = row->requested_n = row->requested_k = n;
    row->threads = 1;
    row->cold = n > 512;
    row->command = gr_printf("gradus ladder --kernels %s --size %d", kernel, (int)n);
    row->checked_by = gr_strdup("full float64 reference");
    row->verdict = gflops > 0 ? GR_RIGHT : GR_SKIP;
    row->gflops = gflops;
    if (gflops > 0) {
        double time_ns = gr_problem_flops(&row->problem) / gflops;
        row->time_ns = (struct gr_stat){time_ns, 0.98 * time_ns, 0.01 * time_ns, 31};
        row->peak_fraction = gflops / 120;
        row->worst = (struct gr_worst){true, 3, 7, 1.25, 1.2500001, 0.4, 16};
    }
    if (peer_gflops > 0) {
        snprintf(row->peer.name, sizeof row->peer.name, "openblas");
        snprintf(row->peer.version, sizeof row->peer.version, "0.3.21");
        snprintf(row->peer.core, sizeof row->peer.core, "SkylakeX");
        row->peer.threads = 1;
        row->peer.gflops = peer_gflops;
        double share = gflops / peer_gflops;
        if (gflops > 0)
            row->speedup = (struct gr_ratio){share, 0.99 * share, 1.01 * share, 31};
    }
    return row;
}

static inline void synthetic_environment(struct gr_run *run)
{
    static const struct gr_ceiling ceilings[] = {
        {"fma.f32.1", 120, "GFLOP/s", false}, {"fma.f64.1", 60, "GFLOP/s", false},
        {"read.l1", 340, "GB/s", false},      {"read.l2", 130, "GB/s", false},
        {"read.l3", 31, "GB/s", false},       {"read.dram", 12.4, "GB/s", false},
        {"copy.dram", 9.1, "GB/s", false},
    };
    struct gr_environment *e = &run->environment;
    run->title = gr_strdup("ladder on cpu");
    e->version = gr_strdup("gradus 0.1.0 (release)");
    e->date = gr_strdup("2026-01-02T03:04:05Z");
    e->system = gr_strdup("Debian GNU/Linux 12, Linux 6.1");
    e->cpu = gr_strdup("Example CPU @ 2.00GHz");
    e->isa = gr_strdup("avx512");
    e->cores = 2;
    e->caches = gr_strdup("L1d 32 KB, L2 1 MB, L3 36 MB");
    e->compiler = gr_strdup("gcc 12.2.0");
    e->fill = gr_strdup("uniform");
    e->seed = 18446744073709551615u;
    e->command = gr_strdup("gradus ladder --size 512 --size 1024");
    e->ceiling_count = sizeof ceilings / sizeof *ceilings;
    e->ceilings = malloc(sizeof ceilings);
    if (!e->ceilings)
        abort();
    memcpy(e->ceilings, ceilings, sizeof ceilings);
}

#endif
