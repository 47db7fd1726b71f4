/* counters_rocprof.c: the counters of AMD's GPUs, read with ROCm's rocprofv3.
 *
 * rocprofv3 runs the command once for each `pmc:` line of its input file, because a GPU has few
 * counters (on MI200 eight of SQ, four of TCP). Each process that launched a kernel writes a table
 * when it ends. Only options that all versions since ROCm 6.2 have are used.
 * SPDX-License-Identifier: MIT */
#include "explain/counters_tool.h"

#include "core/error.h"
#include "base/file.h"
#include "base/temporary.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CDNA "gfx908 gfx90a gfx94 gfx950"
#define RDNA "gfx10 gfx11 gfx12"
#define LDS_REQUESTS "shared.loads.requests+shared.stores.requests"
#define LDS_PASSES "shared.loads.wavefronts+shared.stores.wavefronts"
#define LDS_CONFLICTS "shared.loads.conflicts+shared.stores.conflicts"

/* The names, and the GPUs that have them, are from the counter definitions of ROCprofiler-SDK
 * (counter_defs.yaml); their meanings are from "MI300 and MI200 series performance counters" of
 * ROCm's documentation. There are no counters for the requests of global_load on gfx11 and gfx12,
 * or for the accesses of RDNA's L0 cache. */
static const struct gr_counters_metric metrics[] = {
    {"VGPR_Count+Accum_VGPR_Count", "counters.regs", "VGPRs a work-item, allocated", "regs", 1, "",
     "gfx90a gfx94", 0},
    {"VGPR_Count", "counters.regs", "VGPRs a work-item, allocated", "regs", 1, "",
     "gfx900 gfx906 gfx908 " RDNA, 0},
    {"SQ_WAVES", "counters.waves", "waves", "grid.blocks*block.warps", 1, "", NULL, 1},
    {"SQ_INSTS_VMEM_RD", "counters.load_requests", "requests to load from global memory",
     "global.loads.requests", 1, "", "gfx9", 1},
    {"SQ_INSTS_VMEM_WR", "counters.store_requests", "requests to store to global memory",
     "global.stores.requests", 1, "", "gfx9", 1},
    {"SQ_INSTS_LDS", "counters.lds_requests", "requests to LDS", LDS_REQUESTS, 1, "", NULL, 1},
    {"SQ_LDS_IDX_ACTIVE", "counters.lds_cycles", "cycles of LDS", LDS_PASSES, 1, "", CDNA, 1},
    {"SQC_LDS_IDX_ACTIVE", "counters.lds_cycles", "cycles of LDS", LDS_PASSES, 1, "", RDNA, 1},
    {"SQ_LDS_BANK_CONFLICT", "counters.bank_conflicts", "of these, bank conflicts", LDS_CONFLICTS,
     1, "", "gfx9", 1},
    {"SQC_LDS_BANK_CONFLICT", "counters.bank_conflicts", "of these, bank conflicts", LDS_CONFLICTS,
     1, "", RDNA, 1},
    {"TCP_TOTAL_CACHE_ACCESSES_sum", "counters.lines", "cache lines of requests",
     "global.loads.sectors+global.stores.sectors", 1, "", CDNA, 2},
    {"TA_FLAT_LOAD_WAVEFRONTS_sum", "counters.load_requests", "requests to load from global memory",
     "global.loads.requests", 1, "", "gfx10", 2},
    {"TA_FLAT_STORE_WAVEFRONTS_sum", "counters.store_requests",
     "requests to store to global memory", "global.stores.requests", 1, "", "gfx10", 2},
    {"OccupancyPercent", "counters.occupancy_percent", "occupancy, reached", "occupancy", 100, "%",
     "gfx90a gfx94 gfx950 gfx10 gfx11", 3},
};
enum { METRICS = sizeof metrics / sizeof *metrics, PASSES = 3 };

/* ---- Running it. ---- */

static void list_counters(const char *arch, struct gr_str *input)
{
    for (int pass = 1; pass <= PASSES; pass++) {
        int count = 0;
        for (int i = 0; i < METRICS; i++)
            if (metrics[i].pass == pass && gr_counters_metric_is_of(&metrics[i], arch))
                gr_str_printf(input, "%s%s", count++ ? " " : "pmc: ", metrics[i].name);
        gr_str_add(input, count ? "\n" : "");
    }
}

/* The text to which the callback of nftw appends the tables. The callback has no argument for
 * it. */
static struct gr_str *tables;

static int add_table(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    struct gradus_error error = {0};
    char *text = NULL;
    size_t length;
    (void)about, (void)place;
    if (kind != FTW_F || !gr_ends_with(path, "counter_collection.csv"))
        return 0;
    if (gr_file_read(path, &text, &length, &error) == GRADUS_OK) {
        gr_str_add(tables, "\n");
        gr_str_add_bytes(tables, text, length);
    }
    free(text);
    gradus_error_clear(&error);
    return 0;
}

/* Copies the first line that contains "error" or, if there is none, the last line that is not
 * empty. */
static void telling_line(const char *output, char *line, size_t size)
{
    *line = 0;
    while (*output) {
        const size_t length = strcspn(output, "\n");
        if (length > 0)
            snprintf(line, size, "%.*s", (int)length, output);
        if (strstr(line, "rror"))
            return;
        output += length + (output[length] == '\n');
    }
}

/* Reports what is in the brackets of "… Missing: [A, B]". Older versions of rocprofv3 only print
 * the counters that they have found. */
static enum gradus_status fail_unknown(const char *arch, const char *output,
                                       struct gradus_error *error)
{
    const char *from = strstr(output, "Missing: ["), *names = from ? strchr(from, '[') + 1 : "";
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "skip: counters: rocprofv3 does not know %s%.*s of %s (rocprofv3 -L lists what "
                   "it knows): update ROCm, of which 7.0 and later know all counters requested",
                   from ? "" : "a counter", (int)strcspn(names, "]\n"), names, arch);
}

static enum gradus_status check(const char *arch, const char *output, int exit_code,
                                struct gradus_error *error)
{
    char line[200];
    if (strstr(output, "\"Counter_Name\""))
        return GRADUS_OK;
    if (strstr(output, "PERMISSION_DENIED") || strstr(output, "CAP_PERFMON"))
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: counters: the driver does not let this user count (CAP_PERFMON): run "
                       "as root, or set: sysctl kernel.perf_event_paranoid=2");
    if (strstr(output, "Unable to find all counters"))
        return fail_unknown(arch, output, error);
    if (strstr(output, "architecture is not supported"))
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: counters: rocprofv3 has no counters of %s: update ROCm", arch);
    telling_line(output, line, sizeof line);
    if (!*line)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: counters: rocprofv3 counted nothing (exit status %d) and does not "
                       "say why: try it with: rocprofv3 --log-level info --pmc SQ_WAVES -- gradus "
                       "run …",
                       exit_code);
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "skip: counters: rocprofv3 counted nothing (exit status %d): %s", exit_code,
                   line);
}

/* Counts with the input file. The tables are written to a folder beside it, which is removed with
 * it. */
static enum gradus_status count(const char *rocprof, const char *arch, const char *input,
                                const char *const *command, struct gr_str *csv,
                                struct gradus_error *error)
{
    char folder[PATH_MAX];
    int exit_code = 0;
    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(input) - strlen(".txt")), input);
    const char *const words[] = {rocprof,           "-i",  input, "-d", folder,
                                 "--output-format", "csv", "--"};
    enum gradus_status status =
        gr_counters_start(words, sizeof words / sizeof *words, command, csv, &exit_code, error);
    if (status != GRADUS_OK)
        return status;
    tables = csv;
    nftw(folder, add_table, 8, FTW_PHYS);
    tables = NULL;
    return check(arch, gr_str_text(csv), exit_code, error);
}

static enum gradus_status run(const char *arch, const char *const *command,
                              const char *const *kernels, struct gr_str *csv,
                              struct gradus_error *error)
{
    const char *root = getenv("ROCM_PATH"); /* if it is set, no other folder is searched */
    char *own = root && *root ? gr_printf("%s/bin/rocprofv3", root) : NULL, path[PATH_MAX];
    const char *const patterns[] = {own ? own : "/opt/rocm*/bin/rocprofv3", NULL};
    char *rocprof = gr_counters_find("rocprofv3", patterns);
    int slot;
    (void)kernels; /* all kernels are counted, because there are few others */
    free(own);
    if (!rocprof)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: counters: no rocprofv3 here: it is in ROCm 6.2 and later: get it "
                       "with: apt-get install rocprofiler-sdk");
    struct gr_str input = {0};
    list_counters(arch, &input);
    enum gradus_status status = gr_temporary_make(".txt", path, sizeof path, &slot, error);
    if (status == GRADUS_OK)
        status = gr_temporary_fill(path, gr_str_text(&input), input.length, error);
    if (status == GRADUS_OK)
        status = count(rocprof, arch, path, command, csv, error);
    gr_temporary_remove(path, slot);
    gr_str_free(&input);
    free(rocprof);
    return status;
}

/* ---- Reading its tables. ---- */

/* The indices of the columns that are read; -1: missing. */
struct columns {
    int kernel, grid, block, metric, value;
};

static struct columns find_columns(char *const *fields, int count)
{
    return (struct columns){.kernel = gr_counters_column(fields, count, "Kernel_Name"),
                            .grid = gr_counters_column(fields, count, "Grid_Size"),
                            .block = gr_counters_column(fields, count, "Workgroup_Size"),
                            .metric = gr_counters_column(fields, count, "Counter_Name"),
                            .value = gr_counters_column(fields, count, "Counter_Value")};
}

/* "void space::name<float>(float*)", "name(float*)", "name.kd" or "name". */
static bool is_kernel(const char *text, const char *kernel)
{
    const size_t end = strcspn(text, "<(."), length = strlen(kernel);
    if (end < length || strncmp(text + end - length, kernel, length) != 0)
        return false;
    return end == length || text[end - length - 1] == ' ' || text[end - length - 1] == ':';
}

/* The sizes are products over the dimensions, and the grid's is of work-items. */
static bool is_launch(char *const *fields, const struct columns *at,
                      const struct gr_counters_launch *launch)
{
    double grid, block, items = 1, size = 1;
    for (int i = 0; i < 3; i++) {
        size *= launch->block[i];
        items *= (double)launch->grid[i] * launch->block[i];
    }
    return is_kernel(fields[at->kernel], launch->kernel) &&
           gr_counters_number(fields[at->grid], &grid) && grid == items &&
           gr_counters_number(fields[at->block], &block) && block == size;
}

/* Adds those of the columns "a+b" that the table has. */
static bool add_columns(const char *names, char *const *header, int header_count,
                        char *const *fields, int count, double *value)
{
    bool found = false;
    double sum = 0, one;
    while (*names) {
        const size_t length = strcspn(names, "+");
        char *name = gr_strndup(names, length);
        int at = name ? gr_counters_column(header, header_count, name) : -1;
        if (at >= 0 && at < count && gr_counters_number(fields[at], &one)) {
            sum += one;
            found = true;
        }
        free(name);
        names += length + (names[length] == '+');
    }
    if (found)
        *value = sum;
    return found;
}

static bool value(const char *csv, const struct gr_counters_launch *launch,
                  const struct gr_counters_metric *metric, double *value)
{
    char *heading = NULL, *header[GR_COUNTERS_FIELDS];
    struct columns at = {-1, -1, -1, -1, -1};
    int width = 0;
    bool found = false;
    while (*csv) {
        size_t length = strcspn(csv, "\n");
        char *line = gr_strndup(csv, length), *fields[GR_COUNTERS_FIELDS];
        int count = line ? gr_counters_split(line, fields) : 0;
        const struct columns here = find_columns(fields, count);
        if (here.kernel >= 0 && here.grid >= 0 && here.block >= 0 && here.metric >= 0 &&
            here.value >= 0) {
            free(heading);
            heading = line;
            line = NULL;
            width = count;
            at = here;
            memcpy(header, fields, sizeof header);
        } else if (at.value >= 0 && count == width && is_launch(fields, &at, launch)) {
            if (metric->pass == 0)
                found |= add_columns(metric->name, header, width, fields, count, value);
            else if (strcmp(fields[at.metric], metric->name) == 0)
                found |= gr_counters_number(fields[at.value], value);
        }
        free(line);
        csv += length + (csv[length] == '\n');
    }
    free(heading);
    return found;
}

static const char *doubt(const char *csv)
{
    if (strstr(csv, "could not be locked for profiling due to lack of permissions"))
        return "rocprofv3 may not reserve the GPU for this user (CAP_PERFMON), so that work of "
               "others may be counted, too: run as root.";
    if (strstr(csv, "has a profiler attached to it"))
        return "Another profiler uses the GPU, so that these counts may be wrong.";
    return NULL;
}

const struct gr_counters_tool gr_counters_rocprof = {
    .name = "rocprofv3",
    .metrics = metrics,
    .metric_count = METRICS,
    .unfilled = "The grid does not fill the device, so the CUs hold fewer waves than they could.",
    .legend = "A request is an instruction of a wave. The LDS needs a cycle for each pass over its "
              "banks, and a bank conflict is one more pass. What is computed is by the documents: "
              "docs/simulator.md has the rules.",
    .listing = "rocprofv3 -L",
    .run = run,
    .value = value,
    .doubt = doubt,
};
