/* counters_ncu.c: the counters of NVIDIA's GPUs, read with Nsight Compute (ncu).
 * SPDX-License-Identifier: MIT */
#include "explain/counters_tool.h"

#include "core/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names are from the "Metrics Reference" of the Nsight Compute documentation. */
static const struct gr_counters_metric metrics[] = {
    {"launch__registers_per_thread", "counters.regs", "registers a thread", "regs", 1, "", NULL, 1},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "counters.occupancy_percent",
     "occupancy, reached", "occupancy", 100, "%", NULL, 1},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
     "counters.sectors_per_load", "sectors a load from global memory",
     "global.loads.sectors_per_request", 1, "", NULL, 1},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
     "counters.sectors_per_store", "sectors a store to global memory",
     "global.stores.sectors_per_request", 1, "", NULL, 1},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "counters.load_requests",
     "requests to load from global memory", "global.loads.requests", 1, "", NULL, 1},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "counters.load_sectors", "sectors of these",
     "global.loads.sectors", 1, "", NULL, 1},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "counters.store_requests",
     "requests to store to global memory", "global.stores.requests", 1, "", NULL, 1},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "counters.store_sectors", "sectors of these",
     "global.stores.sectors", 1, "", NULL, 1},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "counters.bank_conflicts_load",
     "bank conflicts of loads", "shared.loads.conflicts", 1, "", NULL, 1},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "counters.bank_conflicts_store",
     "bank conflicts of stores", "shared.stores.conflicts", 1, "", NULL, 1},
};
enum { METRICS = sizeof metrics / sizeof *metrics };

/* "a,b,c" for the metrics, and "regex:^(f|g)$" for the kernels. */
static void join(struct gr_str *wanted, struct gr_str *names, const char *const *kernels)
{
    for (int i = 0; i < METRICS; i++)
        gr_str_printf(wanted, "%s%s", i ? "," : "", metrics[i].name);
    for (int i = 0; kernels[i]; i++)
        gr_str_printf(names, "%s%s", i ? "|" : "regex:^(", kernels[i]);
    gr_str_add(names, ")$");
}

/* ncu begins its own error messages with this. */
static void first_error(const char *output, char *line, size_t size)
{
    const char *at = strstr(output, "==ERROR==");
    if (!at)
        at = output;
    snprintf(line, size, "%.*s", (int)strcspn(at, "\n"), at);
}

static enum gradus_status check(const char *output, int exit_code, struct gradus_error *error)
{
    char line[200];
    if (strstr(output, "ERR_NVGPUCTRPERM"))
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: counters: the driver lets only root count (ERR_NVGPUCTRPERM): run as "
                       "root, or put `options nvidia NVreg_RestrictProfilingToAdminUsers=0` into "
                       "/etc/modprobe.d/nvidia.conf and reboot");
    if (strstr(output, "\"Metric Name\""))
        return GRADUS_OK;
    first_error(output, line, sizeof line);
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "skip: counters: ncu counted nothing (exit status %d): %s", exit_code, line);
}

static enum gradus_status run(const char *arch, const char *const *command,
                              const char *const *kernels, struct gr_str *csv,
                              struct gradus_error *error)
{
    static const char *const patterns[] = {"/usr/local/cuda*/bin/ncu",
                                           "/opt/nvidia/nsight-compute/*/ncu", NULL};
    char *ncu = gr_counters_find("ncu", patterns);
    struct gr_str wanted = {0}, names = {0};
    int exit_code = 0;
    (void)arch;
    if (!ncu)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: counters: no ncu (Nsight Compute) here: get it with: apt-get install "
                       "nsight-compute");
    join(&wanted, &names, kernels);
    const char *const words[] = {
        ncu,        "--csv",         "--target-processes", "all",       "--print-kernel-base",
        "function", "--kernel-name", gr_str_text(&names),  "--metrics", gr_str_text(&wanted)};
    enum gradus_status status =
        gr_counters_start(words, sizeof words / sizeof *words, command, csv, &exit_code, error);
    if (status == GRADUS_OK)
        status = check(gr_str_text(csv), exit_code, error);
    gr_str_free(&wanted);
    gr_str_free(&names);
    free(ncu);
    return status;
}

/* The indices of the columns that are read; -1: missing. */
struct columns {
    int kernel, grid, metric, value;
};

static struct columns find_columns(char *const *fields, int count)
{
    return (struct columns){.kernel = gr_counters_column(fields, count, "Kernel Name"),
                            .grid = gr_counters_column(fields, count, "Grid Size"),
                            .metric = gr_counters_column(fields, count, "Metric Name"),
                            .value = gr_counters_column(fields, count, "Metric Value")};
}

static bool is_grid(const char *text, const unsigned grid[3])
{
    unsigned x, y, z;
    return sscanf(text, "(%u, %u, %u)", &x, &y, &z) == 3 && x == grid[0] && y == grid[1] &&
           z == grid[2];
}

static bool value(const char *csv, const struct gr_counters_launch *launch,
                  const struct gr_counters_metric *metric, double *value)
{
    struct columns at = {-1, -1, -1, -1};
    bool found = false;
    while (*csv) {
        size_t length = strcspn(csv, "\n");
        char *line = gr_strndup(csv, length), *fields[GR_COUNTERS_FIELDS];
        int count = line ? gr_counters_split(line, fields) : 0;
        if (count && at.value < 0)
            at = find_columns(fields, count);
        else if (count > at.kernel && count > at.grid && count > at.metric && count > at.value &&
                 at.kernel >= 0 && at.grid >= 0 && at.metric >= 0 &&
                 strcmp(fields[at.kernel], launch->kernel) == 0 &&
                 is_grid(fields[at.grid], launch->grid) &&
                 strcmp(fields[at.metric], metric->name) == 0)
            found |= gr_counters_number(fields[at.value], value);
        free(line);
        csv += length + (csv[length] == '\n');
    }
    return found;
}

const struct gr_counters_tool gr_counters_ncu = {
    .name = "ncu",
    .metrics = metrics,
    .metric_count = METRICS,
    .unfilled = "The grid does not fill the device, so the SMs hold fewer warps than they could.",
    .legend = "A sector is 32 bytes: 32 threads that read neighbouring floats need 4, those "
              "that read 16 bytes each need 16. A bank conflict is one more pass of a "
              "warp's request over the banks of shared memory.",
    .run = run,
    .value = value,
};
