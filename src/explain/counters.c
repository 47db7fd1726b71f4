/* counters.c: finds and runs a profiler, and splits its table into fields.
 * SPDX-License-Identifier: MIT */
#include "explain/counters.h"

#include "core/error.h"
#include "base/process.h"
#include "explain/counters_tool.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t limit_ns = 600 * (int64_t)1000000000;

const struct gr_counters_tool *gr_counters_tool_of(const char *arch)
{
    return gr_starts_with(arch, "gfx") ? &gr_counters_rocprof : &gr_counters_ncu;
}

bool gr_counters_metric_is_of(const struct gr_counters_metric *metric, const char *arch)
{
    const char *at = metric->arches;
    if (!at)
        return true;
    while (*at) {
        const size_t length = strcspn(at, " ");
        if (strncmp(arch, at, length) == 0)
            return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

enum gradus_status gr_counters_run(const char *arch, const char *const *command,
                                   const char *const *kernels, struct gr_str *csv,
                                   struct gradus_error *error)
{
    return gr_counters_tool_of(arch)->run(arch, command, kernels, csv, error);
}

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

char *gr_counters_find(const char *program, const char *const *patterns)
{
    char *path = gr_program_find(program);
    for (int i = 0; patterns[i] && !path; i++)
        path = newest(patterns[i]);
    return path;
}

enum gradus_status gr_counters_start(const char *const *words, int count,
                                     const char *const *command, struct gr_str *output,
                                     int *exit_code, struct gradus_error *error)
{
    const char *argv[GR_COUNTERS_WORDS + 1];
    int total = 0;
    while (total < count && total < GR_COUNTERS_WORDS) {
        argv[total] = words[total];
        total++;
    }
    while (*command && total < GR_COUNTERS_WORDS)
        argv[total++] = *command++;
    argv[total] = NULL;
    if (*command)
        return gr_fail(error, GRADUS_INVALID, "counters: more than %d words", GR_COUNTERS_WORDS);
    return gr_process_run(argv, NULL, limit_ns, output, exit_code, error);
}

int gr_counters_split(char *line, char *fields[GR_COUNTERS_FIELDS])
{
    int count = 0;
    while (*line && count < GR_COUNTERS_FIELDS) {
        const bool quoted = *line == '"';
        char *begin = line + quoted, *end = begin + strcspn(begin, quoted ? "\"" : ",");
        if (quoted && !*end)
            break;
        fields[count++] = begin;
        line = end + (*end != 0);
        if (quoted && *line == ',')
            line++;
        *end = 0;
    }
    return count;
}

int gr_counters_column(char *const *fields, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i], name) == 0)
            return i;
    return -1;
}

bool gr_counters_number(const char *text, double *value)
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
