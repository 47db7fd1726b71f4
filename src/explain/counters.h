/* counters.h: the GPU's hardware counters for a kernel, read with the vendor's profiler (NVIDIA's
 * ncu, AMD's rocprofv3), to compare them with what the simulator counts.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_COUNTERS_H
#define EXPLAIN_COUNTERS_H

#include "base/str.h"
#include "explain/explain.h"

#include <gradus/gradus.h>

/* Runs `command` (null-terminated, found on PATH), which launches the kernels with these names on a
 * GPU of `arch` ("sm_90a", "gfx90a"), under the vendor's profiler. *csv receives the profiler's
 * messages and tables. UNSUPPORTED, with one line that has the remedy: there is no profiler, the
 * driver does not allow this user to read counters, or nothing was counted. */
enum gradus_status gr_counters_run(const char *arch, const char *const *command,
                                   const char *const *kernels, struct gr_str *csv,
                                   struct gradus_error *error);

/* Appends a section for each profiled stanza, which compares the measured counters with the
 * computed facts. */
enum gradus_status gr_counters_explain(const char *csv, const struct gr_explain *ask,
                                       struct gr_explained *explained, struct gradus_error *error);

#endif
