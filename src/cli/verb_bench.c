/* verb_bench.c: gradus bench: measures kernels or the library against the peers over a sweep of
 * sizes, and compares with an earlier run. SPDX-License-Identifier: MIT */
#include "base/str.h"
#include "catalog/catalog.h"
#include "cli/bench_gpus.h"
#include "cli/bench_ranks.h"
#include "cli/device_arg.h"
#include "cli/gpus_arg.h"
#include "cli/measuring.h"
#include "cli/past.h"
#include "cli/preset.h"
#include "cli/rungs.h"
#include "core/error.h"
#include "cpu/cpu.h"
#include "io/json.h"
#include "measure/baseline.h"
#include "report/history_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct gr_option options[] = {
    GR_MEASURING_OPTIONS,
    {"sizes", 0, "SIZES", true, "another spelling of --size"},
    {"preset", 0, GR_PRESET_WORDS, false,
     "many sizes, transposes, types; against all peers in turns"},
    {"count", 0, "N", false, "how many products --preset random draws (default: 160)"},
    {"callers", 0, "N", false, "compute each product N times at once, the libraries in turns"},
    {"kernels", 0, "RUNG,...", true, "rungs; `library` (the default) or `none`"},
    {"kernel-dir", 0, "DIR", false, "rungs from this folder, not from the binary"},
    {"baseline", 0, "FILE.json", false,
     "compare with this earlier run, or `history`; slower: status 1"},
    {"tolerance", 0, "PERCENT", false, "of --baseline (default: 3)"},
    {"mpi", 0, NULL, false, "products over all ranks of the mpirun that started this"},
    {"overlap", 0, "yes|no", false, "with --mpi: transfers during products (default: yes)"},
    {"math", 0, "default|ieee|accurate|scaled", false, "how several GPUs multiply floats"},
    {"host", 0, NULL, false, "several GPUs: operands in host memory, too, beside cuBLASXt"},
    {0},
};

/* Unsteady rows never make the status 1. If all rows are unsteady, nothing was compared. */
static enum gr_exit judge(const int counts[GR_CHANGES], FILE *to)
{
    const int compared = counts[GR_CHANGE_FASTER] + counts[GR_CHANGE_EVEN];
    if (counts[GR_CHANGE_SLOWER] + counts[GR_CHANGE_BROKEN])
        return GR_EXIT_WRONG;
    if (compared || !counts[GR_CHANGE_UNSTEADY])
        return GR_EXIT_RIGHT;
    fprintf(to,
            "nothing was compared: every row is unsteady, now or in the baseline; measure again "
            "when the machine is idle\n");
    return GR_EXIT_NOTHING;
}

/* What a run is compared with: the run in a file, or the last rows of the history. */
struct baseline {
    bool is_history;
    struct gr_run file;
    struct gr_past_rows past; /* by the index of the row */
    double tolerance;
};

/* Returns the earlier counterpart of row `i`, or null; *date is when it was measured, if this is
 * known. */
static const struct gr_row *find_earlier(const struct baseline *old, const struct gr_run *run,
                                         int i, char date[GR_HISTORY_DATE])
{
    strcpy(date, "none yet");
    if (!old->is_history)
        return gr_baseline_find(&old->file, &run->rows[i]);
    const struct gr_history_entry *entry = &old->past.entries[i];
    if (!entry->date)
        return NULL;
    gr_history_word_date(entry, date);
    return &entry->row;
}

static void print_head(const struct baseline *old, const struct gr_run *run, FILE *to)
{
    const char *there = old->file.environment.cpu, *here = run->environment.cpu;
    if (there && here && strcmp(there, here) != 0)
        fprintf(to,
                "\nthe baseline is of another machine (%s): only shares of the same peer compare\n",
                there);
    if (old->is_history)
        fprintf(to, "\n%-14s %-14s %8s %8s %6s %-8s %s\n", "against history", "size", "then", "now",
                "ratio", "", "of (UTC)");
    else
        fprintf(to, "\n%-18s %-16s %10s %10s %7s\n", "against baseline", "size", "then", "now",
                "ratio");
}

/* Prints one line for each row: the old speed, the new speed, and the result. Returns the exit
 * status. */
static enum gr_exit print_changes(const struct baseline *old, const struct gr_run *run, FILE *to)
{
    int counts[GR_CHANGES] = {0};
    print_head(old, run, to);
    for (int i = 0; i < run->row_count; i++) {
        char date[GR_HISTORY_DATE];
        const struct gr_row *row = &run->rows[i], *was = find_earlier(old, run, i, date);
        double ratio;
        char size[64];
        enum gr_change change = gr_baseline_compare(was, row, old->tolerance, &ratio);
        counts[change] += !row->is_peer;
        gr_size_name(row->problem.m, row->problem.n, row->problem.k, size, sizeof size);
        if (old->is_history)
            fprintf(to, "%-14s %-14s %8.1f %8.1f %6.3f %-8s %s%s\n", row->kernel, size,
                    was ? was->gflops : 0, row->gflops, ratio, gr_change_word(change), date,
                    row->is_peer ? " (peer)" : "");
        else
            fprintf(to, "%-18s %-16s %10.1f %10.1f %7.3f %s%s\n", row->kernel, size,
                    was ? was->gflops : 0, row->gflops, ratio, gr_change_word(change),
                    row->is_peer ? " (peer)" : "");
    }
    fprintf(to, "%d faster, %d even, %d slower, %d broken, %d new, %d unsteady\n",
            counts[GR_CHANGE_FASTER], counts[GR_CHANGE_EVEN], counts[GR_CHANGE_SLOWER],
            counts[GR_CHANGE_BROKEN], counts[GR_CHANGE_NEW], counts[GR_CHANGE_UNSTEADY]);
    if (old->is_history && counts[GR_CHANGE_NEW])
        fprintf(to, "new: no earlier row of this machine, kernel, shape, types and threads\n");
    return judge(counts, to);
}

/* Reads a file. For the history, only checks that it can be opened, because its rows are looked up
 * when the rows of this run are known. */
static enum gradus_status read_baseline(const struct gr_args *args, struct baseline *old,
                                        struct gradus_error *error)
{
    const char *path = gr_args_get(args, "baseline"), *percent = gr_args_get(args, "tolerance");
    old->tolerance = 0.03;
    if (percent) {
        enum gradus_status status =
            gr_measuring_number("tolerance", percent, 0, 100, &old->tolerance, error);
        if (status != GRADUS_OK)
            return status;
        old->tolerance /= 100;
    }
    old->is_history = path && strcmp(path, "history") == 0;
    if (old->is_history)
        return gr_past_check(error);
    return path ? gr_json_read_run(path, &old->file, error) : GRADUS_OK;
}

/* The comparison is printed to stdout after a table, and to stderr if stdout has another format. */
static enum gr_exit show(struct gr_measuring *m, const struct gr_run *run, struct baseline *old)
{
    enum gr_exit code = gr_measuring_show(m, run);
    const char *format = gr_args_get(m->args, "format");
    bool table = !format || strcmp(format, "table") == 0;
    struct gradus_error error = {0};
    if (!gr_args_get(m->args, "baseline") || code == GR_EXIT_USAGE)
        return code;
    if (old->is_history && gr_past_find(&m->recording, run, &old->past, &error) != GRADUS_OK) {
        code = gr_cli_fail(&error);
        gradus_error_clear(&error);
        return code;
    }
    const enum gr_exit change = print_changes(old, run, table ? stdout : stderr);
    return code == GR_EXIT_RIGHT ? change : code;
}

/* Rungs and users' kernels have buffers and threads that only one caller at a time may use. */
static enum gradus_status check_callers(const struct gr_measuring *m, struct gradus_error *error)
{
    bool alone = m->kernel_count == 1;
    for (int i = 0; i < m->kernel_count; i++)
        alone &=
            m->kernels[i].kernel->built_in && gr_ends_with(m->kernels[i].kernel->name, "_library");
    if (m->options.callers && !alone)
        return gr_fail(error, GRADUS_INVALID,
                       "--callers measures the library beside its peers, and no other kernel");
    return GRADUS_OK;
}

/* Without --threads and --preset, the callers together have as many threads as are allowed. A
 * sample takes longer than with a single caller, so the budget is larger. */
static enum gradus_status read_callers(struct gr_measuring *m, struct gradus_error *error)
{
    enum { MOST_CALLERS = 256 };
    const int64_t budget_ns = 3000000000;
    const char *text = gr_args_get(m->args, "callers");
    int64_t callers;
    if (!text)
        return GRADUS_OK;
    enum gradus_status status =
        gr_measuring_integer("callers", text, 1, MOST_CALLERS, &callers, error);
    if (status == GRADUS_OK && !gr_device_is_host(&m->options.device))
        status = gr_fail(error, GRADUS_INVALID, "--callers goes with --device cpu, found %s",
                         m->options.device.text);
    if (status != GRADUS_OK)
        return status;
    const int each = gr_cpu_threads_allowed() / (int)callers;
    if (!gr_args_get(m->args, "threads") && !gr_args_get(m->args, "preset"))
        m->threads[0] = each > 1 ? each : 1;
    m->options.callers = (int)callers;
    m->options.budget_ns = budget_ns;
    m->field = true;
    return GRADUS_OK;
}

static enum gr_exit run(const struct gr_args *args)
{
    struct gr_measuring m;
    struct gr_rungs rungs = {0};
    struct gr_run rows = {0};
    struct baseline old = {0};
    struct gradus_error error = {0};
    if (gr_args_get(args, "mpi"))
        return gr_bench_ranks(args);
    if (gr_args_get(args, "overlap"))
        return gr_cli_refuse("bench: --overlap goes with --mpi");
    if (gr_gpus_arg_is(args))
        return gr_bench_gpus(args);
    if (gr_args_get(args, "math") || gr_args_get(args, "host"))
        return gr_cli_refuse("bench: --math and --host go with --device cuda:all");
    enum gradus_status status = gr_measuring_read(args, "64:2048:x2", &m, &error);
    m.options.verify_only |= gr_device_arg_is_simulated(args);
    if (status == GRADUS_OK && gr_args_get(args, "count") && !gr_args_get(args, "preset"))
        status = gr_fail(&error, GRADUS_INVALID, "--count goes with --preset random only");
    if (status == GRADUS_OK && gr_args_get(args, "preset"))
        status = gr_preset_apply(gr_args_get(args, "preset"), &m, &error);
    if (status == GRADUS_OK)
        status = read_callers(&m, &error);
    if (status == GRADUS_OK)
        status = read_baseline(args, &old, &error);
    if (status == GRADUS_OK)
        status = gr_rungs_choose(&m, "bench", "library", &rungs, &error);
    if (status == GRADUS_OK)
        status = check_callers(&m, &error);
    if (status == GRADUS_OK)
        status = gr_measuring_run(&m, "bench", &rows, &error);
    enum gr_exit code = status == GRADUS_OK ? show(&m, &rows, &old) : gr_cli_fail(&error);
    gr_run_free(&rows);
    gr_run_free(&old.file);
    gr_past_rows_free(&old.past);
    gr_measuring_free(&m);
    gr_rungs_free(&rungs);
    gradus_error_clear(&error);
    return code;
}

const struct gr_verb gr_verb_bench = {
    .name = "bench",
    .operands = "[FILE…]",
    .summary = "the library, rungs or your kernels against the peers over sizes",
    .details =
        "Without --kernels and files, the library itself is measured. A preset times each product "
        "in turns with every library found here, shows a line for it, and summarizes: the "
        "geometric mean of the ratios to the fastest library, the worst ones, and whether an "
        "interval is below 0.97 as a whole. GRADUS_ISA=avx2 restricts the libraries to that "
        "instruction set too.\n\n"
        "--preset random measures products whose sizes are drawn at random, by default on one "
        "thread and with operands in the caches. --seed is the seed; each dimension is log-uniform "
        "from 1 to 40 in a third of them, to 800 in half, and to 4000 in the others. They are "
        "summarized by the number of their floating-point operations.\n\n"
        "--preset threads has 13 products that several threads share, large, deep and with few "
        "rows, by default on all threads that are allowed.\n\n"
        "--callers computes each product from N threads at the same time, as a server does: each "
        "has operands of its own and a product on --threads threads. The libraries are measured in "
        "turns; the rate is the sum of the callers' rates, the time that of a product of each. "
        "Without --threads the callers together have as many threads as are allowed.\n\n"
        "With --baseline, each row is compared with the same row of an earlier run (by its share "
        "of the same peer where there is one) and reported as faster, even or slower; a slower or "
        "broken row makes the status 1. Rows that other work disturbed, in either run, are "
        "unsteady and not compared; if all are, the status is 3. --baseline history compares each "
        "row with the last one of the same machine, kernel, types, shape, transposes, threads and "
        "caches that an earlier run recorded (see gradus history), and says when it was "
        "measured.\n\n"
        "With --mpi, products over the ranks that mpirun started are checked, without a whole "
        "matrix on any rank, and timed beside what the plan predicts from the rates of ranks and "
        "links, which are measured first. The efficiency is the rate divided by the number of "
        "ranks times the rate of one rank while the others wait. Goes with --size, --dtype "
        "f32|f64, --threads, --seed, --overlap and --format table|csv|json.\n\n"
        "With --device cuda:all, or cuda:0,2, products over several GPUs are checked and timed: on "
        "one of them, on all with panels that travel during the products, by copies and by NCCL, "
        "and with all panels sent first. The plan's time follows from the rates of one GPU and of "
        "the link, which are measured first. With --host, matrices in host memory are multiplied, "
        "too, beside cuBLASXt. Goes with --size, --dtype f32|bf16, --math, --time-limit (of each "
        "line, default: 1) and --format table|csv.\n\n" GR_MEASURING_ENDING "Examples:\n"
        "  gradus bench --sizes 64:4096:x2\n"
        "  gradus bench --kernels packing,library --size 1000,16x4096x4096 --threads 1\n"
        "  gradus bench --preset sweep --threads 1 --dtype f32\n"
        "  gradus bench --preset random --seed 7 --count 300 --dtype f64\n"
        "  gradus bench --preset threads --threads 16\n"
        "  gradus bench --callers 4 --threads 4 --size 256,1024\n"
        "  mpirun -n 4 gradus bench --mpi --size 4096 --threads 1\n"
        "  gradus bench --device cuda:all --size 16384 --dtype bf16\n"
        "  gradus bench --format json > old.json\n"
        "  gradus bench --baseline old.json\n"
        "  gradus bench my_gemm.c --baseline history",
    .options = options,
    .group = GR_GROUP_MEASURE,
    .run = run,
};
