/* row.h: what one kernel did on one problem: verdict, findings, time, and the run's environment.
 * What measure/ fills and report/ renders. SPDX-License-Identifier: MIT */
#ifndef RECORDS_ROW_H
#define RECORDS_ROW_H

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

/* X(enumerator, name, what it says): how much a finding matters, the worst first. It is the same in
 * every format, and decides the exit status of `explain`: a fault makes it 1, whatever else does
 * not. */
#define GR_SEVERITY_LIST(X)                                                                        \
    X(GR_SEVERITY_FAULT, "fault", "the kernel is wrong, or only right by chance")                  \
    X(GR_SEVERITY_WARNING, "warning", "right here, and not everywhere")                            \
    X(GR_SEVERITY_ADVICE, "advice", "right, and could be better")                                  \
    X(GR_SEVERITY_NOTE, "note", "worth knowing")

enum gr_severity {
#define GR_SEVERITY_ENUM(enumerator, name, text) enumerator,
    GR_SEVERITY_LIST(GR_SEVERITY_ENUM)
#undef GR_SEVERITY_ENUM
};

const char *gr_severity_name(enum gr_severity severity);

/* X(enumerator, name, severity without GR_SEVERITY_): kinds of findings, and how much they matter
 * where the finding does not say otherwise. The last groups are the simulator's: faults
 * (records/trace.h), and what makes a kernel slow. */
#define GR_FINDING_LIST(X)                                                                         \
    X(GR_FIND_WRONG_ELEMENT, "wrong-element", FAULT) /* the worst element, or how many differ */   \
    X(GR_FIND_NAN, "nan", FAULT) /* NaN or Inf where the reference is finite */                    \
    X(GR_FIND_ZEROS, "zeros", FAULT)                                                               \
    X(GR_FIND_TRANSPOSED, "transposed", FAULT) /* looks like the transpose, or A and B swapped */  \
    X(GR_FIND_UNWRITTEN, "unwritten", FAULT)   /* elements of C left as they were */               \
    X(GR_FIND_WROTE_OUTSIDE, "wrote-outside",                                                      \
      FAULT) /* a guard zone, row padding or page was written */                                   \
    X(GR_FIND_READ_OUTSIDE, "read-outside", FAULT) /* a faulting page beside A or B was read */    \
    X(GR_FIND_INPUT_CHANGED, "input-changed", FAULT)                                               \
    X(GR_FIND_LATE, "late", FAULT) /* C changed after the kernel had returned */                   \
    X(GR_FIND_READS_C, "reads-c-at-beta-0", ADVICE)                                                \
    X(GR_FIND_SHAPE, "shape", WARNING)     /* wrong at other shapes; text has the `require` */     \
    X(GR_FIND_DIED, "died", FAULT)         /* signal, exit status or limit, and where */           \
    X(GR_FIND_COMPILER, "compiler", FAULT) /* the compiler's words */                              \
    X(GR_FIND_CAPPED, "capped", NOTE)      /* timed at a smaller size than asked */                \
    X(GR_FIND_MEASUREMENT, "measurement", WARNING) /* above the ceiling, unstable, too short */    \
    X(GR_FIND_IMPLIED, "implied", NOTE)            /* e.g. alpha==1 && beta==0 implied */          \
    X(GR_FIND_NOTE, "note", NOTE)                                                                  \
    X(GR_FIND_CASE, "case", NOTE) /* the shape, leading dimensions, alpha and beta that fail */    \
    X(GR_FIND_BOUNDS, "bounds", FAULT)                                                             \
    X(GR_FIND_RACE, "race", FAULT)                                                                 \
    X(GR_FIND_BARRIER, "barrier", FAULT)                                                           \
    X(GR_FIND_UNINITIALISED, "uninitialised", FAULT)                                               \
    X(GR_FIND_UNUSED, "unused", WARNING)                                                           \
    X(GR_FIND_ALIGNMENT, "alignment", FAULT)                                                       \
    X(GR_FIND_LAUNCH, "launch", FAULT)     /* a GPU refuses it */                                  \
    X(GR_FIND_OVERFLOW, "overflow", FAULT) /* of an index of 32 bits */                            \
    X(GR_FIND_COALESCING, "coalescing", ADVICE)                                                    \
    X(GR_FIND_BANKS, "banks", ADVICE)                                                              \
    X(GR_FIND_OCCUPANCY, "occupancy", ADVICE)                                                      \
    X(GR_FIND_SPILLS, "spills", ADVICE)                                                            \
    X(GR_FIND_WIDTH, "width", ADVICE)           /* narrow accesses where wide ones would do */     \
    X(GR_FIND_REUSE, "reuse", ADVICE)           /* data fetched again that could be kept */        \
    X(GR_FIND_INTENSITY, "intensity", ADVICE)   /* too little arithmetic for the bytes */          \
    X(GR_FIND_DIVERGENCE, "divergence", ADVICE) /* lanes that take no part */                      \
    X(GR_FIND_WAVES, "waves", ADVICE)           /* the last wave of blocks leaves SMs idle */      \
    X(GR_FIND_BARRIERS, "barriers", ADVICE)     /* little work between barriers */                 \
    X(GR_FIND_ISSUE, "issue", ADVICE)           /* few of the instructions are multiply-adds */    \
    X(GR_FIND_BLOCK_SHAPE, "block-shape",                                                          \
      ADVICE) /* a block that is no whole number of warps, or tiny */                              \
    X(GR_FIND_TENSOR_CORES, "tensor-cores", ADVICE)                                                \
    X(GR_FIND_ATOMICS, "atomics", ADVICE) /* lanes that add to one element in turn */              \
    X(GR_FIND_LATENCY, "latency", ADVICE) /* waiting for memory with nothing else to do */

enum gr_finding_kind {
#define GR_FINDING_ENUM(enumerator, name, severity) enumerator,
    GR_FINDING_LIST(GR_FINDING_ENUM)
#undef GR_FINDING_ENUM
};

const char *gr_finding_name(enum gr_finding_kind kind);

struct gr_finding {
    enum gr_finding_kind kind;
    enum gr_severity severity;
    int line;       /* in the kernel's file; 0: none */
    char *text;     /* one line, owned */
    char about[64]; /* the array that it is about; "": none */
    /* What advice adds; all 0 elsewhere. */
    double now, mended; /* a count as it is, and as it would be */
    const char *unit;   /* of both: "sectors a request"; not owned; null: no count */
    double saves_s;     /* by how much the time floor would fall; 0: not at all, or not known */
};

struct gr_findings {
    struct gr_finding *items;
    int count;
};

/* Appends a finding with a printf-formatted text and its kind's severity, and returns it (null:
 * memory is out, and it is dropped). Earlier pointers into the list become invalid. */
struct gr_finding *gr_findings_add(struct gr_findings *list, enum gr_finding_kind kind, int line,
                                   const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Appends a copy of another list's finding. */
void gr_findings_copy(struct gr_findings *list, const struct gr_finding *from);
/* True when the list has one that matters as much as `severity`, or more. */
bool gr_findings_matter(const struct gr_findings *list, enum gr_severity severity);
/* True when the list has one of that kind. */
bool gr_findings_has(const struct gr_findings *list, enum gr_finding_kind kind);
void gr_findings_free(struct gr_findings *list);

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
/* Was it measured on the host's processor? */
bool gr_row_is_of_host(const struct gr_row *row);
void gr_row_free(struct gr_row *row);
void gr_run_free(struct gr_run *run);
/* The ceiling's value; 0 where there is none, or an unsteady one. */
double gr_ceiling_find(const struct gr_environment *environment, const char *name);
/* "faster", "slower", "even", or "" when unknown: "even" when the interval straddles 1. */
const char *gr_ratio_word(const struct gr_ratio *ratio);

#endif
