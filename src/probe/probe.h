/* probe.h: measures what this machine can do: FMA rate and bandwidths. SPDX-License-Identifier:
 * MIT */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include "records/row.h"

/* One burst of independent FMAs on `threads` pinned threads for about `ns` nanoseconds, with the
 * widest ISA that GRADUS_ISA and the CPU allow. Returns GFLOP/s; 0 for types without an FMA. The
 * ladder interleaves such bursts with its rows, because the clock frequency varies: the peak of a
 * row is the median burst of the same run. *disturbed (may be null): other programs used a core
 * for more than GR_DISTURBED_ABOVE of the time (records/steady.h); set where the rate is above 0.
 */
double gr_probe_fma(enum gr_dtype type, int threads, int64_t ns, bool *disturbed);

/* GB/s of reading (`copy` false) or copying `bytes` bytes repeatedly for about `ns` nanoseconds.
 * The bytes are those of all threads together, for a copy those of source and target together; the
 * rate counts bytes read plus bytes written. 0 when out of memory. *disturbed: as above. */
double gr_probe_bandwidth(bool copy, int64_t bytes, int threads, int64_t ns, bool *disturbed);

/* Where the ceilings come from. KEPT: from the cache file for this machine and number of threads,
 * if it has them. CHECKED: the same, unless short bursts are far above its values, which shows that
 * these were measured on a busy machine; ceilings that are unsteady then get a few more bursts.
 * MEASURED: always new bursts. What is measured (in about two seconds) is stored; a cache that
 * cannot be written is no error. */
enum gr_ceilings_from { GR_CEILINGS_KEPT, GR_CEILINGS_CHECKED, GR_CEILINGS_MEASURED };

/* All ceilings: "fma.f32.1" and "fma.f64.1", the same of `threads` threads when those are more than
 * one, and "read." and "copy." of "l1", "l2", "l3" (those that the CPU has) and "dram" by all
 * `threads` threads. *ceilings is malloc'ed. */
enum gradus_status gr_probe_ceilings(enum gr_ceilings_from from, int threads,
                                     struct gr_ceiling **ceilings, int *count,
                                     struct gradus_error *error);

/* Fills the machine's part of an environment: system, cpu, isa, cores, caches, compiler, version,
 * date. */
enum gradus_status gr_probe_environment(struct gr_environment *environment,
                                        struct gradus_error *error);

#endif
