/* page.c: writes the report of a synthetic run: `page DIR ladder` (several sizes, capped, skipped,
 * wrong and hostile rows), `page DIR crowd` (many kernels with long names and like speeds, two
 * types), `page DIR bare` (one row, nothing known), `page DIR sweep` (many products beside several
 * libraries), `page DIR random` (the same by how much work they are), `page DIR gpu` and `page DIR
 * simulated` (a GPU's rungs with what they move).
 * SPDX-License-Identifier: MIT */
#include "report/report.h"
#include "report/synthetic.h"

#include <stdio.h>

static const struct rung {
    const char *name, *title;
    double share; /* of the machine's peak, at 1024 */
} rungs[] = {
    {"01_naive", "Three nested loops, ijk", 0.008},
    {"02_order", "Loop order ikj: unit stride in the inner loop", 0.09},
    {"03_tiles", "Cache tiling", 0.14},
    {"04_regtile", "Register tiling", 0.27},
    {"05_simd", "SIMD on the register tile", 0.52},
    {"06_packing", "Packing: the five loops of BLIS", 0.81},
    {"08_library", "The library itself", 0.91},
};

/* Small products are slower; the unpacked rungs fall when the caches end. */
static double rate_of(const struct rung *rung, int64_t n)
{
    double ramp = (double)n / ((double)n + 40);
    double fall = rung->share < 0.3 && n > 512 ? 0.8 : 1;
    return 120 * rung->share * ramp * fall;
}

static void add_peer(struct gr_run *run, const char *name, const char *title, int64_t n,
                     double rate)
{
    struct gr_row *row = synthetic_row(run, name, title, n, rate, 0);
    row->is_peer = true;
}

static void add_size(struct gr_run *run, int64_t n)
{
    double peer = 104.0 * (double)n / ((double)n + 60);
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++) {
        bool capped = i == 0 && n > 512;
        int64_t timed = capped ? 512 : n;
        struct gr_row *row = synthetic_row(run, rungs[i].name, rungs[i].title, timed,
                                           rate_of(&rungs[i], timed), peer);
        row->requested_m = row->requested_n = row->requested_k = n;
        row->variant = gr_strdup("avx512 8x48");
        row->flags = gr_strdup("gcc -O3 -march=native");
    }
    add_peer(run, "openblas", "0.3.21 as installed", n, peer);
    add_peer(run, "blis", "0.9.0", n, 0.93 * peer);
    add_peer(run, "onednn", "2.6, dnnl_sgemm", n, 0.99 * peer);
}

static void add_strangers(struct gr_run *run)
{
    struct gr_row *row = synthetic_row(run, "07_threads", "Threads", 1024, 0, 0);
    row->reason = gr_strdup("one core is allowed");
    row = synthetic_row(run, synthetic_hostile_name,
                        "\"><img src=http://example.com/x onerror=alert(2)>", 1024, 50, 100);
    row->verdict = GR_WRONG;
    gr_findings_add(
        &row->findings, GR_FIND_WRONG_ELEMENT, 0,
        "C[3,7] is 0, wanted 1.25 (ratio 1e6, limit 16); 12 of 1048576 elements differ");
    gr_findings_add(&row->findings, GR_FIND_SHAPE, 12,
                    "right at 1000; wrong where N%%128 != 0: //@ require N%%128==0");
    row = synthetic_row(run, "mine", "My own", 1024, 0, 0);
    row->verdict = GR_NO_COMPILE;
    row->log =
        gr_strdup("mine.c:3:5: error: expected ';' before '</pre><script>alert(3)</script>'\n"
                  "    3 | int x\n      |     ^\n");
}

static void make_ladder(struct gr_run *run)
{
    static const int64_t sizes[] = {64, 128, 256, 512, 1024};
    synthetic_environment(run);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        add_size(run, sizes[i]);
    add_strangers(run);
}

static void make_crowd(struct gr_run *run)
{
    enum { KERNELS = 22, SIZES = 14 };
    synthetic_environment(run);
    for (int type = 0; type < 2; type++) {
        for (int i = 0; i < SIZES; i++) {
            int64_t n = 100 + 150 * i;
            for (int j = 0; j < KERNELS; j++) {
                char name[64];
                snprintf(name, sizeof name, "%02d_a_kernel_with_quite_a_long_name_%d", j, j);
                struct gr_row *row = synthetic_row(run, name, "One of many", n, 70 + 0.3 * j, 75);
                row->problem.types = gr_types_of(type ? GR_F64 : GR_F32);
            }
            for (int j = 0; j < 4; j++) {
                char name[64];
                snprintf(name, sizeof name, "openblas at its best core type %d", j);
                struct gr_row *row = synthetic_row(run, name, "", n, 74 + 0.5 * j, 0);
                row->is_peer = true;
                row->problem.types = gr_types_of(type ? GR_F64 : GR_F32);
            }
        }
    }
}

static void make_bare(struct gr_run *run)
{
    struct gr_row *row = gr_run_add(run);
    if (!row)
        abort();
    row->kernel = gr_strdup("mine");
    row->problem = gr_problem_dense(48, 20, 7, false, false, gr_types_of(GR_F32));
    row->time_ns = (struct gr_stat){.median = 1000, .min = 900, .iqr = 10, .n = 3};
    row->gflops = 13.44;
    row->verdict = GR_RIGHT;
}

/* Of the 96 rows most win, one in seven loses, and one is wrong. */
static void make_sweep(struct gr_run *run)
{
    static const char *const peers[] = {"openblas", "blis", "onednn"};
    synthetic_environment(run);
    run->sweep = true;
    for (int i = 0; i < 96; i++) {
        int64_t n = 64 + 64 * (i % 24);
        struct gr_row *row = synthetic_row(run, "library", "libgradus", n, 90 + i % 5,
                                           i % 7 == 3 ? 100 + i % 11 : 80 + i % 9);
        row->problem.types = gr_types_of(i / 48 ? GR_F64 : GR_F32);
        row->threads = 1 + i / 24 % 2;
        if (i % 5 == 0) {
            row->problem.m = row->requested_m = 4096;
            row->problem.k = row->requested_k = 11008;
        }
        snprintf(row->peer.name, sizeof row->peer.name, "%s", peers[i % 3]);
    }
    run->rows[30].disturbed = 0.5; /* unsteady: it counts for nothing */
    run->rows[17].verdict = GR_WRONG;
    run->rows[17].reason = gr_strdup("C[3,7] is 0 <script>alert(4)</script>");
}

/* Products of every class of work. */
static void make_random(struct gr_run *run)
{
    make_sweep(run);
    run->by_work = true;
    for (int i = 0; i < run->row_count; i++) {
        struct gr_row *row = &run->rows[i];
        row->threads = 1;
        row->problem.k = row->requested_k = i % 4 ? row->problem.k : 1 + i % 3;
        row->problem.n = row->requested_n = i % 8 ? row->problem.n : 5;
    }
}

/* Kernels of a GPU with what they move: timed, or where `gflops` is 0 simulated. */
static void add_gpu(struct gr_run *run, int i, int64_t n, double gflops)
{
    struct gr_row *row = synthetic_row(run, rungs[i].name, rungs[i].title, n, gflops, 0);
    double flops = gr_problem_flops(&row->problem);
    row->verdict = GR_RIGHT;
    row->simulated = gflops <= 0;
    row->counts.known = row->simulated;
    row->threads = 0;
    free(row->device);
    row->device = gr_strdup(row->simulated ? "sim" : "cuda");
    row->peak_fraction = gflops / 60000;
    row->traffic = (struct gr_row_traffic){3.0 * 4 * (double)(n * n), flops / (4 << (i / 2)),
                                           flops / (0.1 * (1 << i)), i < 2 ? 0 : flops * 2 / i};
}

static void make_gpu(struct gr_run *run)
{
    synthetic_environment(run);
    run->environment.ceiling_count = 0;
    run->environment.roofs = (struct gr_roofs){60000, 30000, 4800, 15000, 30000, 30000};
    for (int i = 0; i < 7; i++)
        add_gpu(run, i, 4096, 1000 * (i + 1) * (i + 1));
    struct gr_row *row = synthetic_row(run, "cublas", "", 4096, 51000, 0);
    row->is_peer = true;
    row->threads = 0;
    free(row->device);
    row->device = gr_strdup("cuda");
}

static void make_simulated(struct gr_run *run)
{
    make_gpu(run);
    for (int i = 0; i < run->row_count; i++)
        gr_row_free(&run->rows[i]);
    run->row_count = 0;
    for (int i = 0; i < 7; i++)
        add_gpu(run, i, 512, 0);
}

static const struct {
    const char *name;
    void (*make)(struct gr_run *run);
} runs[] = {{"ladder", make_ladder},      {"crowd", make_crowd},   {"bare", make_bare},
            {"sweep", make_sweep},        {"random", make_random}, {"gpu", make_gpu},
            {"simulated", make_simulated}};

int main(int argc, char **argv)
{
    struct gr_run run = {0};
    struct gradus_error error = {0};
    for (size_t i = 0; argc == 3 && i < sizeof runs / sizeof *runs; i++)
        if (strcmp(argv[2], runs[i].name) == 0)
            runs[i].make(&run);
    if (!run.row_count) {
        fprintf(stderr, "usage: page DIR ladder|crowd|bare|sweep|random|gpu|simulated\n");
        return 2;
    }
    enum gradus_status status = gr_report_write(&run, NULL, argv[1], &error);
    if (status)
        fprintf(stderr, "page: %s\n", error.text);
    gradus_error_clear(&error);
    gr_run_free(&run);
    return status ? 1 : 0;
}
