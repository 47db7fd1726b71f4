/* row.h: a row of results: one kernel on one problem, with verdict, findings, times and the
 * environment of the run. measure/ fills rows and report/ renders them.
 * SPDX-License-Identifier: MIT */
#ifndef RECORDS_ROW_H
#define RECORDS_ROW_H

#include "records/finding.h"
#include "records/problem.h"

#include <stdbool.h>
#include <stdint.h>

/* X(enumerator, name, explanation for the user). Only RIGHT rows show a speed. */
#define GR_VERDICT_LIST(X)                                                                         \
    X(GR_RIGHT, "right", "verified")                                                               \
    X(GR_WRONG, "wrong", "the result is wrong")                                                    \
    X(GR_CRASH, "crash", "the kernel's process was killed by a signal")                            \
    X(GR_EXIT, "exit", "the kernel ended its process")                                             \
    X(GR_TIMEOUT, "timeout", "the time limit was reached")                                         \
    X(GR_NO_COMPILE, "no-compile", "the kernel does not compile")                                  \
    X(GR_SKIP, "skip", "cannot run here")                                                          \
    X(GR_REFUSED, "refused",                                                                       \
      "the kernel's own `require` excludes this problem, or a GPU refuses the launch")             \
    X(GR_FAILED, "failed", "Gradus could not run it")

enum gr_verdict {
#define GR_VERDICT_ENUM(enumerator, name, text) enumerator,
    GR_VERDICT_LIST(GR_VERDICT_ENUM)
#undef GR_VERDICT_ENUM
};

const char *gr_verdict_name(enum gr_verdict verdict);
const char *gr_verdict_text(enum gr_verdict verdict);

/* The element of C with the largest error ratio, |got-want| / (eps (|alpha| sum|a||b| +
 * |beta||c0|)). */
struct gr_worst {
    bool known;
    int64_t row, col;
    double got, want, ratio, limit;
};

/* The statistics of a sample of times. n 0: not timed. */
struct gr_stat {
    double median, min, iqr;
    int n;
};

/* A ratio with a 95 % confidence interval. n 0: unknown. */
struct gr_ratio {
    double median, lo, hi;
    int n;
};

/* The library that a row was timed against. name empty: none. */
struct gr_peer_result {
    char name[32];    /* "openblas" */
    char version[64]; /* "0.3.21" */
    char core[48];    /* the core type that it selected: "SkylakeX" */
    int threads;
    unsigned types; /* the types it supports here, as GR_BIT_ bits; 0 if a row holds this */
    double gflops;
};

/* One of several libraries that a row was timed against, all in the same rounds. */
struct gr_competitor {
    struct gr_peer_result peer;
    struct gr_ratio speedup; /* of the row over this library */
};

/* What the simulator counts for a row, over all warps. */
struct gr_row_counts {
    bool known, sampled; /* sampled: only some blocks were traced, so the counts are estimates */
    double load_sectors, store_sectors; /* sectors per request of global memory; 0: no requests */
    double load_ideal, store_ideal;     /* the same if the bytes were contiguous and aligned */
    int64_t requests, sectors;          /* of global memory, including atomics */
    int64_t wavefronts;                 /* of shared memory */
    int64_t conflicts;                  /* wavefronts beyond the fewest possible: bank conflicts */
    int registers;                      /* per thread; 0: unknown */
    double occupancy;                   /* as a fraction of an SM's warps; 0: unknown */
};

/* Bytes that the launches of one GEMM on a GPU move at each level of memory, as simulated; 0:
 * unknown. */
struct gr_row_traffic {
    double dram;   /* the distinct bytes that the grid accesses: the traffic with a perfect cache */
    double l2;     /* the distinct bytes of each block, summed over the blocks */
    double l1;     /* the sectors of all requests */
    double shared; /* the capacity of all wavefronts of shared memory */
};

struct gr_row {
    char *kernel, *title; /* "01_naive"; for a library's own row "openblas" */
    char *path;           /* the kernel's file; null for a library */
    char *device;         /* "cpu" */
    struct gr_problem problem;
    int threads;
    int callers; /* the number of callers that computed it at the same time, each with `threads`; 0:
                    one */
    bool is_peer;
    /* The operands are rotated through more memory than the last-level cache holds. */
    bool cold;
    int64_t requested_m, requested_n, requested_k; /* the requested size; `problem` may be capped */
    /* The ISA or the parameter values: "avx512 8x48", "BM=64 BN=32"; may be null. */
    char *variant;
    char *flags; /* compiler and flags; may be null */

    enum gr_verdict verdict;
    char *reason; /* one line that explains a verdict other than right; may be null */
    struct gr_worst worst;
    /* "full float64 reference", or which errors Freivalds' check would have detected. */
    char *checked_by;
    struct gr_findings findings;
    char *log; /* a compiler's complete messages; may be null */

    bool simulated; /* run on the simulator: it has counts and no times */
    struct gr_row_counts counts;
    struct gr_row_traffic traffic;
    struct gr_stat time_ns; /* of one GEMM; with several callers, of a GEMM of each while all of
                               them compute */
    /* The share of the rounds in which its threads waited for a core (records/steady.h);
     * negative: unknown. */
    double disturbed;
    double gflops; /* with several callers, the sum of their rates */
    /* As a fraction of the measured FMA peak with this many threads, of all callers together; 0:
     * unknown. */
    double peak_fraction;
    struct gr_peer_result peer;
    struct gr_ratio speedup; /* of the row over `peer`: above 1 is faster */
    /* If the row was timed against several libraries: all of them; `peer` is the fastest one. */
    struct gr_competitor *competitors;
    int competitor_count;

    char *command;  /* a command that reproduces the row */
    char *diagnose; /* a command that diagnoses a wrong row; null: none */
};

/* A GPU's rated throughputs, in 10^9 per second; 0: unknown. Those of L2, L1 and shared memory
 * are bytes per clock times the clock rate. */
struct gr_roofs {
    double gflops_f32, gflops_f64, dram_gbps, l2_gbps, l1_gbps, shared_gbps;
};

/* A ceiling of the machine, measured or from data. */
struct gr_ceiling {
    /* "fma.f32.1" (one thread), "fma.f32.2", "read.l1", "read.dram", "copy.dram". */
    char name[32];
    double value; /* GFLOP/s or GB/s */
    char unit[12];
    /* Its threads waited for a core in every burst, so the true ceiling may be higher. */
    bool unsteady;
};

struct gr_environment {
    char *version; /* of Gradus, and how it was built */
    char *date;    /* ISO 8601, UTC */
    char *system;  /* OS and kernel */
    char *cpu, *isa;
    int cores;      /* allowed by affinity and the cgroup's quota */
    char *caches;   /* "L1d 32 KB, L2 1 MB, L3 36 MB" */
    char *compiler; /* the compiler that built Gradus */
    /* The GPU of the run: name, clock, power and driver; null: the CPU. */
    char *gpu;
    struct gr_roofs roofs; /* of that device */
    char *fill;            /* how operands are filled: "uniform" */
    uint64_t seed;
    struct gr_ceiling *ceilings;
    int ceiling_count;
    char *command; /* of the whole run */
};

/* One run, which report/ renders. Rows are owned. */
struct gr_run {
    struct gr_environment environment;
    struct gr_row *rows;
    int row_count;
    char *title; /* "ladder on cpu" */
    /* Many problems against many libraries: formats show one line per problem, and means. */
    bool sweep;
    /* The means are computed by the amount of work of the products (records/sums.h). */
    bool by_work;
    int planned; /* the number of rows that were requested; 0: those in the list */
    /* No library to compare with was found, although none was named or excluded. */
    bool found_no_peer;
    /* What ended the run before all rows were measured: "SIGINT", "--stop-after 10m"; null:
     * nothing. */
    char *stopped;
};

/* Appends an empty row and returns it (null: out of memory). Earlier row pointers become
 * invalid. */
struct gr_row *gr_run_add(struct gr_run *run);
/* Removes the last row, which was not finished. */
void gr_run_drop(struct gr_run *run);
/* Moves the rows of `from` to the end of `to`. False: memory is out, and the other rows stay in
 * `from`. */
bool gr_run_append(struct gr_run *to, struct gr_run *from);
/* Does the row make the exit status 1? It does if its verdict is bad, or if it is refused
 * because of a fault, such as a launch that a GPU refuses. A problem that a `require` excludes
 * is not a failure. */
bool gr_row_is_bad(const struct gr_row *row);
/* May it show its speed? Only a row that is right and was timed. */
bool gr_row_has_speed(const struct gr_row *row);
/* May it show what the simulator counted? */
bool gr_row_has_counts(const struct gr_row *row);
/* The requested size, which differs from the row's problem if the row is capped. */
void gr_row_requested(const struct gr_row *row, int64_t *m, int64_t *n, int64_t *k);
bool gr_row_is_capped(const struct gr_row *row);
/* How many callers computed it at the same time, and how many threads they have together. */
int gr_row_callers(const struct gr_row *row);
int gr_row_all_threads(const struct gr_row *row);
/* Was it measured on the host's processor? */
bool gr_row_is_of_host(const struct gr_row *row);
void gr_row_free(struct gr_row *row);
void gr_run_free(struct gr_run *run);
/* The value of a ceiling; 0 if it is unknown or unsteady. */
double gr_ceiling_find(const struct gr_environment *environment, const char *name);
/* "faster", "slower", "even" (the confidence interval contains 1), or "" if unknown. */
const char *gr_ratio_word(const struct gr_ratio *ratio);

#endif
