/* counters.h: the GPU's hardware counters for a kernel, read with NVIDIA's Nsight Compute (ncu),
 * to compare them with what the simulator counts. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_COUNTERS_H
#define EXPLAIN_COUNTERS_H

#include "base/str.h"
#include "explain/explain.h"

#include <gradus/gradus.h>

/* Runs `command` (null-terminated, found on PATH) under ncu, which is searched on PATH, in
 * /usr/local/cuda* and in /opt/nvidia. *csv is ncu's output for the kernels of those names.
 * UNSUPPORTED, one line with the remedy: there is no ncu, or the driver does not allow this user
 * to read counters. */
enum gradus_status gr_counters_run(const char *const *command, const char *const *kernels,
                                   struct gr_str *csv, struct gradus_error *error);

/* The value of a metric in ncu's table for the last launch of a kernel with this grid; false if
 * there is none. */
bool gr_counters_value(const char *csv, const char *kernel, const unsigned grid[3],
                       const char *metric, double *value);

/* Appends a section for each profiled stanza, which compares the measured counters with the
 * computed facts. */
enum gradus_status gr_counters_explain(const char *csv, const struct gr_explain *ask,
                                       struct gr_explained *explained, struct gradus_error *error);

#endif
