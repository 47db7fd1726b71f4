/* burst.h: the loops whose rate is a ceiling. SPDX-License-Identifier: MIT
 *
 * The same C text (burst_body.h), which uses GCC's vector extensions, is compiled once for each
 * ISA level with that level's flags (cmake/probe.cmake). */
#ifndef PROBE_BURST_H
#define PROBE_BURST_H

#include <stdint.h>

struct gr_burst {
    const char *isa; /* the name of the level, as in cpu.h */
    /* Does `rounds` rounds of independent multiply-adds, each of flop_per_round_… floating-point
     * operations. The result has no meaning, but must be used. */
    double (*fma_f32)(int64_t rounds);
    double (*fma_f64)(int64_t rounds);
    int64_t flop_per_round_f32, flop_per_round_f64;
    /* Reads `bytes` bytes, or copies them; a multiple of GR_BURST_BLOCK, 64-byte aligned. */
    double (*read)(const void *from, int64_t bytes);
    void (*copy)(void *to, const void *from, int64_t bytes);
};

enum { GR_BURST_BLOCK = 1024 };

/* All levels of this build, best first, ending with a null pointer; the last one runs everywhere.
 * The table is generated. */
extern const struct gr_burst *const gr_bursts[];

#endif
