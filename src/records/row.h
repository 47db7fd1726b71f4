/* row.h: what one kernel did on one problem: verdict, findings, time, and the run's environment.
 * What measure/ fills and report/ renders. SPDX-License-Identifier: MIT */
#ifndef RECORDS_ROW_H
#define RECORDS_ROW_H

#include "records/finding.h"
#include "records/problem.h"

#include <stdbool.h>
#include <stdint.h>

/* X(enumerator, name, what it says to the user). Only RIGHT rows show a speed. */
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
/* WRONG, CRASH, EXIT, TIMEOUT, NO_COMPILE and FAILED: whatever else the row has. See gr_row_is_bad.
 */
bool gr_verdict_is_bad(enum gr_verdict verdict);

/* The element of C with the largest error ratio (facts: |got-want| / (eps (|alpha| sum|a||b| +
 * |beta||c0|))). */
struct gr_worst {
    bool known;
    int64_t row, col;
    double got, want, ratio, limit;
};

/* A sample of times. n 0: not timed. */
struct gr_stat {
    double median, min, iqr;
    int n;
};

/* A ratio with a 95 % confidence interval. n 0: unknown. */
struct gr_ratio {
    double median, lo, hi;
    int n;
};

/* The library a row was timed beside. name empty: none. */
struct gr_peer_result {
    char name[32];    /* "openblas" */
    char version[64]; /* "0.3.21" */
    char core[48];    /* the core type it chose: "SkylakeX" */
    int threads;
    unsigned types; /* what it multiplies here: GR_BIT_ bits; 0 where a row tells of it */
    double gflops;
};

/* One of several libraries that a row was timed beside, all in turns. */
struct gr_rival {
    struct gr_peer_result peer;
    struct gr_ratio speedup; /* of the row over it */
};

/* What the simulator counts of a row, of all warps. */
struct gr_row_counts {
    bool known, sampled;                /* sampled: of some blocks, and not exact */
    double load_sectors, store_sectors; /* a request of global memory; 0: there is none */
    double load_ideal, store_ideal;     /* the fewest for the same bytes */
    int64_t requests, sectors;          /* of global memory, atomics among them */
    int64_t wavefronts;                 /* of shared memory */
    int64_t conflicts;                  /* of them: turns beyond the fewest */
    int registers;                      /* a thread; 0: unknown */
    double occupancy;                   /* of an SM's warps; 0: unknown */
};

/* Bytes that the launches of a product on a GPU move at each level, as simulated; 0: not known. */
struct gr_row_traffic {
    double dram;   /* that the grid touches: no cache does better */
    double l2;     /* that each block touches, added up over the blocks */
    double l1;     /* in the sectors of all requests */
    double shared; /* that the passes over the banks of shared memory could carry */
};

struct gr_row {
    char *kernel, *title; /* "01_naive"; a peer's own row: "openblas" */
    char *path;           /* the file; null for a peer */
    char *device;         /* "cpu" */
    struct gr_problem problem;
    int threads;
    bool is_peer;
    bool cold;                         /* operands rotated through more than the last-level cache */
    int64_t asked_m, asked_n, asked_k; /* the size asked for; differs from problem when capped */
    char *variant; /* "avx512 8x48", "BM=64 BN=32": isa, parameters; may be null */
    char *flags;   /* compiler and flags; may be null */

    enum gr_verdict verdict;
    char *reason; /* one line beside a verdict other than right; may be null */
    struct gr_worst worst;
    char *checked_by; /* "full float64 reference", or what Freivalds' check would have seen */
    struct gr_findings findings;
    char *log; /* a compiler's whole log; may be null */

    bool simulated; /* run without its device: counted, never timed */
    struct gr_row_counts counts;
    struct gr_row_traffic traffic;
    struct gr_stat time_ns; /* one product */
    double disturbed;       /* the share of its rounds in which its threads waited for a core:
                               records/steady.h; negative: unknown */
    double gflops;
    double peak_fraction; /* of the measured FMA ceiling with this many threads; 0: unknown */
    struct gr_peer_result peer;
    struct gr_ratio speedup; /* over the peer: above 1 is faster */
    /* Where it was timed beside several in turns: each of them; `peer` is the fastest of them. */
    struct gr_rival *rivals;
    int rival_count;

    char *command;  /* reproduces the row */
    char *diagnose; /* a command that looks for the fault of a row that is wrong; null: none */
};

/* What a GPU's data say of its rates, in 10^9 a second; 0: not known. Those of L2, L1 and shared
 * memory are what their wires carry in a clock. */
struct gr_roofs {
    double gflops_f32, gflops_f64, dram_gbps, l2_gbps, l1_gbps, shared_gbps;
};

/* A measured or stated ceiling of the machine. */
struct gr_ceiling {
    char name[32]; /* "fma.f32.1" (one thread), "fma.f32.2", "read.l1", "read.dram", "copy.dram" */
    double value;  /* GFLOP/s or GB/s */
    char unit[12];
    bool unsteady; /* its threads waited for a core in every burst, so the machine may reach more */
};

struct gr_environment {
    char *version; /* of Gradus, with build facts */
    char *date;    /* ISO 8601, UTC */
    char *system;  /* OS and kernel */
    char *cpu, *isa;
    int cores;      /* allowed: affinity and cgroup quota */
    char *caches;   /* "L1d 32 KB, L2 1 MB, L3 36 MB" */
    char *compiler; /* what built Gradus */
    char *gpu;      /* the device of the run: its name, clock, power and driver; null: the CPU */
    struct gr_roofs roofs; /* of that device */
    char *fill;            /* "uniform" */
    uint64_t seed;
    struct gr_ceiling *ceilings;
    int ceiling_count;
    char *command; /* the whole run */
};

/* One run: what report/ renders. Rows are owned. */
struct gr_run {
    struct gr_environment environment;
    struct gr_row *rows;
    int row_count;
    char *title; /* "ladder on cpu" */
    bool sweep; /* many problems, beside many libraries: shown as a line a problem, and summed up */
    int planned;   /* rows that were asked for; 0: those that are there */
    char *stopped; /* what ended it before all of them were there: "SIGINT", "--stop-after 10m";
                      null: nothing did */
};

/* Appends an empty row and returns it (null: out of memory). Earlier row pointers become invalid.
 */
struct gr_row *gr_run_add(struct gr_run *run);
/* Takes the last row away again: one that was not finished. */
void gr_run_drop(struct gr_run *run);
/* Moves the rows of `from` to the end of `to`. False: out of memory; the rest stays. */
bool gr_run_append(struct gr_run *to, struct gr_run *from);
/* Does the row make the exit status 1? Those do whose verdict is bad, and those that are refused
 * for a fault: a GPU does not take the launch. Where a `require` excludes the problem, all is well.
 */
bool gr_row_is_bad(const struct gr_row *row);
/* May it show its speed? Only a row that is right and was timed. */
bool gr_row_has_speed(const struct gr_row *row);
/* May it show what the simulator counted? */
bool gr_row_has_counts(const struct gr_row *row);
/* The size that was asked for, which differs from the row's problem where the row is capped. */
void gr_row_asked(const struct gr_row *row, int64_t *m, int64_t *n, int64_t *k);
bool gr_row_is_capped(const struct gr_row *row);
/* Was it measured on the host's processor? */
bool gr_row_is_of_host(const struct gr_row *row);
void gr_row_free(struct gr_row *row);
void gr_run_free(struct gr_run *run);
/* The ceiling's value; 0 where there is none, or an unsteady one. */
double gr_ceiling_find(const struct gr_environment *environment, const char *name);
/* "faster", "slower", "even", or "" when unknown: "even" when the interval straddles 1. */
const char *gr_ratio_word(const struct gr_ratio *ratio);

#endif
