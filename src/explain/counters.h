/* counters.h: what the GPU itself counts while a kernel runs, by NVIDIA's Nsight Compute (ncu).
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_COUNTERS_H
#define EXPLAIN_COUNTERS_H

#include "base/str.h"
#include "explain/explain.h"

#include <gradus/gradus.h>

/* Runs `command` (null-terminated, found on PATH) under ncu, which is found on PATH, in
 * /usr/local/cuda* or in /opt/nvidia; *csv is what ncu printed of the kernels of those names.
 * UNSUPPORTED, one line with the remedy: no ncu, or the driver does not let this user count. */
enum gradus_status gr_counters_run(const char *const *command, const char *const *kernels,
                                   struct gr_str *csv, struct gradus_error *error);

/* The value that ncu's table has of a metric for the last launch of a kernel with this grid; false
 * where it has none. */
bool gr_counters_value(const char *csv, const char *kernel, const unsigned grid[3],
                       const char *metric, double *value);

/* Appends a section for each stanza that was counted: counted beside worked out. */
enum gradus_status gr_counters_explain(const char *csv, const struct gr_explain *ask,
                                       struct gr_explained *explained, struct gradus_error *error);

#endif
