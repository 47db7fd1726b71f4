/* probe.h: what this machine is and can do, measured: FMA rate, bandwidths. SPDX-License-Identifier: MIT */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include "core/row.h"

/* One burst of independent FMAs on `threads` pinned threads for about `ns` nanoseconds, with the widest ISA that
 * GRADUS_ISA and the CPU allow. GFLOP/s. The ladder interleaves such bursts with its rows, since the clock
 * wanders: the peak of a row is the median burst of the same run. 0 for types without an FMA. */
double gr_probe_fma(enum gr_dtype type, int threads, int64_t ns);

/* GB/s of reading (`copy` false) or copying `bytes` bytes again and again for about `ns` nanoseconds. */
double gr_probe_bandwidth(bool copy, int64_t bytes, int threads, int64_t ns);

/* All ceilings ("fma.f32.1", "fma.f64.2", "read.l1" …, see gr_ceiling), from the cache file of this machine when
 * it has them and `measure` is false, else measured (about two seconds) and cached. *ceilings is malloc'ed. */
enum gradus_status gr_probe_ceilings(bool measure, int threads, struct gr_ceiling **ceilings,
                                     int *count, struct gradus_error *error);

/* Fills the machine's part of an environment: system, cpu, isa, cores, caches, compiler, version, date. */
enum gradus_status gr_probe_environment(struct gr_environment *environment,
                                        struct gradus_error *error);

#endif
