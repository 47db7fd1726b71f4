/* counters.c: runs ncu and reads its table. SPDX-License-Identifier: MIT */
#include "explain/counters.h"

#include "core/error.h"
#include "base/file.h"
#include "base/process.h"
#include "explain/counters_metrics.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 96, MOST_FIELDS = 64 };
static const int64_t limit_ns = 600 * (int64_t)1000000000;

/* The path that matches last in alphabetical order, which is the newest version. malloc'ed, or
 * null. */
static char *newest(const char *pattern)
{
    glob_t found;
    char *path = NULL;
    if (glob(pattern, 0, NULL, &found) != 0)
        return NULL;
    for (size_t i = found.gl_pathc; i-- > 0 && !path;)
        if (access(found.gl_pathv[i], X_OK) == 0)
            path = gr_strdup(found.gl_pathv[i]);
    globfree(&found);
    return path;
}

static char *find_ncu(void)
{
    static const char *const patterns[] = {"/usr/local/cuda*/bin/ncu",
                                           "/opt/nvidia/nsight-compute/*/ncu"};
    char *path = gr_program_find("ncu");
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && !path; i++)
        path = newest(patterns[i]);
    return path;
}

/* "a,b,c" for the metrics, and "regex:^(f|g)$" for the kernels. */
static void join(struct gr_str *metrics, struct gr_str *names, const char *const *kernels)
{
    for (int i = 0; i < gr_counters_metric_count; i++)
        gr_str_printf(metrics, "%s%s", i ? "," : "", gr_counters_metrics[i].name);
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

enum gradus_status gr_counters_run(const char *const *command, const char *const *kernels,
                                   struct gr_str *csv, struct gradus_error *error)
{
    char *ncu = find_ncu();
    struct gr_str metrics = {0}, names = {0};
    const char *argv[MOST_WORDS + 1];
    int count = 0, exit_code = 0;
    if (!ncu)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "skip: counters: no ncu (Nsight Compute) here: get it with: apt-get install "
                       "nsight-compute");
    join(&metrics, &names, kernels);
    const char *const words[] = {
        ncu,        "--csv",         "--target-processes", "all",       "--print-kernel-base",
        "function", "--kernel-name", gr_str_text(&names),  "--metrics", gr_str_text(&metrics)};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        argv[count++] = words[i];
    while (*command && count < MOST_WORDS)
        argv[count++] = *command++;
    argv[count] = NULL;
    enum gradus_status status =
        *command ? gr_fail(error, GRADUS_INVALID, "counters: more than %d words", MOST_WORDS)
                 : gr_process_run(argv, NULL, limit_ns, csv, &exit_code, error);
    if (status == GRADUS_OK)
        status = check(gr_str_text(csv), exit_code, error);
    gr_str_free(&metrics);
    gr_str_free(&names);
    free(ncu);
    return status;
}

/* Splits a line into its quoted fields, in place. */
static int split(char *line, char *fields[MOST_FIELDS])
{
    int count = 0;
    while (*line == '"' && count < MOST_FIELDS) {
        char *end = strchr(line + 1, '"');
        if (!end)
            break;
        *end = 0;
        fields[count++] = line + 1;
        line = end + 1 + (end[1] == ',');
    }
    return count;
}

/* The indices of the columns that are read; -1: missing. */
struct columns {
    int kernel, grid, metric, value;
};

static int column(char *const *fields, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i], name) == 0)
            return i;
    return -1;
}

static struct columns find_columns(char *const *fields, int count)
{
    return (struct columns){.kernel = column(fields, count, "Kernel Name"),
                            .grid = column(fields, count, "Grid Size"),
                            .metric = column(fields, count, "Metric Name"),
                            .value = column(fields, count, "Metric Value")};
}

static bool is_grid(const char *text, const unsigned grid[3])
{
    unsigned x, y, z;
    return sscanf(text, "(%u, %u, %u)", &x, &y, &z) == 3 && x == grid[0] && y == grid[1] &&
           z == grid[2];
}

/* "1,024.5" */
static bool read_number(const char *text, double *value)
{
    char plain[64], *end;
    size_t length = 0;
    for (; *text && length < sizeof plain - 1; text++)
        if (*text != ',')
            plain[length++] = *text;
    plain[length] = 0;
    double number = strtod(plain, &end);
    if (end == plain || *end)
        return false;
    *value = number;
    return true;
}

bool gr_counters_value(const char *csv, const char *kernel, const unsigned grid[3],
                       const char *metric, double *value)
{
    struct columns at = {-1, -1, -1, -1};
    bool found = false;
    while (*csv) {
        size_t length = strcspn(csv, "\n");
        char *line = gr_strndup(csv, length), *fields[MOST_FIELDS];
        int count = line ? split(line, fields) : 0;
        if (count && at.value < 0)
            at = find_columns(fields, count);
        else if (count > at.kernel && count > at.grid && count > at.metric && count > at.value &&
                 at.kernel >= 0 && at.grid >= 0 && at.metric >= 0 &&
                 strcmp(fields[at.kernel], kernel) == 0 && is_grid(fields[at.grid], grid) &&
                 strcmp(fields[at.metric], metric) == 0)
            found |= read_number(fields[at.value], value);
        free(line);
        csv += length + (csv[length] == '\n');
    }
    return found;
}
