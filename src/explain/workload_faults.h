/* workload_faults.h: compares what a kernel that is not a GEMM does with its arrays with its
 * `array` lines. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_WORKLOAD_FAULTS_H
#define EXPLAIN_WORKLOAD_FAULTS_H

#include "records/finding.h"
#include "records/kernel.h"
#include "records/trace.h"

/* Appends a finding for each `in` array that a launch writes, and for each `out` array that the
 * launches leave unwritten: all of it or, if every block was traced, some elements. Nothing for a
 * GEMM. */
void gr_workload_faults(const struct gr_kernel *kernel, const struct gr_trace *traces, int count,
                        struct gr_findings *findings);

#endif
