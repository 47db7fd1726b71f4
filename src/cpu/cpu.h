/* cpu.h: what the CPU side of the library offers to the floors above: features, micro-kernels,
 * threads, GEMM. SPDX-License-Identifier: MIT */
#ifndef CPU_CPU_H
#define CPU_CPU_H

#include "core/dtype.h"

#include <gradus/gradus.h>

struct ukr;     /* kernels/cpu/ukr.h */
struct gr_team; /* kernels/cpu/ukr.h */

/* The ISA levels of this build, best first: "avx512", "avx2", "portable" (x86-64) or "neon",
 * "portable" (aarch64). Returns null past the end. */
const char *gr_cpu_isa_at(int i);
/* Returns true if this CPU can run the level, or an extension of a level such as "avx512vnni". This
 * depends on the CPU's feature bits without those in GRADUS_CPU_MASK, and on whether the operating
 * system saves the registers. */
bool gr_cpu_isa_runs(const char *isa);
/* Returns the level of an extension, a level's own name, or null for an unknown name. */
const char *gr_cpu_isa_level(const char *isa);
/* The features (cpu/features.h) that a level or an extension needs. */
uint64_t gr_cpu_isa_needs(const char *isa);
/* The level in use: GRADUS_ISA if it is set, known and runs here, else the best level that runs. */
const char *gr_cpu_isa(void);

/* The number of cores that this process may use, by its affinity and its cgroup's quota (rounded
 * up). */
int gr_cpu_threads_allowed(void);
/* The smaller of `wanted` and the number of cores, which is what gr_cpu_threads_allowed returns
 * now, or has returned to another thread. */
int gr_cpu_threads_capped(int wanted);
/* Threads to use by default: GRADUS_NUM_THREADS, OMP_NUM_THREADS, or gr_cpu_threads_allowed, the
 * first of these that is set. */
int gr_cpu_threads_default(void);

/* Bytes of the level-1 data cache, or of the level-2 or level-3 cache, as one core sees it; 0:
 * there is none, or it is not known. */
int64_t gr_cpu_cache_bytes(int level);
/* Whether L2 has 2 MB or more for a core, as Intel's have since Sapphire Rapids. L3 is far from
 * such a core: what was measured there differs from the CPUs with a smaller L2. */
static inline bool gr_cpu_has_large_l2(void)
{
    enum { LARGE_L2_BYTES = 2 << 20 };
    return gr_cpu_cache_bytes(2) >= LARGE_L2_BYTES;
}

/* The best micro-kernel for a type at an ISA level (null: the level in use). One of an extension
 * that runs here is preferred to one of the level itself, and that to one of a lower level. Null if
 * there is none. */
const struct ukr *gr_ukr_pick(enum gr_dtype type, const char *isa);
/* All micro-kernels of this build, best ISA first, then by name. */
const struct ukr *gr_ukr_at(int i);

/* A team of `threads` threads, the caller included. Null: out of memory. */
struct gr_team *gr_team_open(int threads);
void gr_team_close(struct gr_team *team);
/* The tiles of a parallel loop, as team->run takes them. */
struct gr_loop {
    int64_t tiles;
    void (*body)(void *context, int64_t tile, int thread);
};
/* Runs two loops that do not depend on each other. A thread that finds no tile of the first left
 * begins with the second, even if others are still in the first. Returns when all tiles of both
 * are done. */
void gr_team_run_both(struct gr_team *team, struct gr_loop first, struct gr_loop second,
                      void *context);

/* Validates and computes a GEMM; see gradus_gemm_run. `isa` null: the level in use. */
enum gradus_status gr_cpu_gemm(const struct gradus_gemm *gemm, const char *isa,
                               struct gradus_error *error);

/* See gradus_gemm_workspace. */
int64_t gr_cpu_gemm_workspace(const struct gradus_gemm *gemm, struct gradus_error *error);

/* For BLAS's entry points, which have checked their arguments. If the problem is still not valid,
 * nothing is computed, since BLAS has no error code for it. Whether C overlaps A or B is not
 * checked. */
void gr_cpu_gemm_blas(const struct gradus_gemm *gemm);

/* A column-major product of GRADUS_F32 or GRADUS_F64 with members as in struct gradus_gemm. */
struct gr_plain_gemm {
    enum gradus_type type;
    int trans_a, trans_b; /* 0 or 1 */
    int64_t m, n, k;
    double alpha, beta;
    const void *a, *b;
    void *c;
    int64_t lda, ldb, ldc;
};

#endif
