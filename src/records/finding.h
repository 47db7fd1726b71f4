/* finding.h: what is found about a kernel in addition to its result: its faults, and what could
 * be better. There is one list of kinds and one scale of severity, for the simulator, the checks
 * of results, the advice and every output format. SPDX-License-Identifier: MIT */
#ifndef RECORDS_FINDING_H
#define RECORDS_FINDING_H

#include <stdbool.h>

/* X(enumerator, name, what it means): how much a finding matters, the worst first. Every output
 * format shows the same severity. A finding makes the exit status of `explain` 1 if it is a fault,
 * and not otherwise. */
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

/* X(enumerator, name, severity without GR_SEVERITY_): the kinds of findings, with the severity
 * that a finding has unless the code that adds it sets another. The kinds from BOUNDS on come
 * from the simulator: first the faults of a trace (records/trace.h), then what makes a kernel
 * slow. */
#define GR_FINDING_LIST(X)                                                                         \
    X(GR_FIND_WRONG_ELEMENT, "wrong-element", FAULT) /* the worst element, or how many differ */   \
    X(GR_FIND_NAN, "nan", FAULT) /* NaN or Inf where the reference is finite */                    \
    X(GR_FIND_ZEROS, "zeros", FAULT)                                                               \
    X(GR_FIND_TRANSPOSED, "transposed", FAULT) /* looks like a transpose, or A and B swapped */    \
    X(GR_FIND_UNWRITTEN, "unwritten", FAULT)   /* elements of C left as they were */               \
    X(GR_FIND_WROTE_OUTSIDE, "wrote-outside",                                                      \
      FAULT) /* a guard zone, row padding or page was written */                                   \
    X(GR_FIND_READ_OUTSIDE, "read-outside", FAULT) /* a guard page next to A or B was read */      \
    X(GR_FIND_INPUT_CHANGED, "input-changed", FAULT)                                               \
    X(GR_FIND_LATE, "late", FAULT) /* C changed after the kernel had returned */                   \
    X(GR_FIND_READS_C, "reads-c-at-beta-0", ADVICE)                                                \
    X(GR_FIND_SHAPE, "shape", WARNING) /* wrong at other shapes; text has the `require` */         \
    X(GR_FIND_DIED, "died", FAULT) /* killed by a signal, exited or ran out of time, and where */  \
    X(GR_FIND_COMPILER, "compiler", FAULT)         /* the compiler's messages */                   \
    X(GR_FIND_CAPPED, "capped", NOTE)              /* timed at a smaller size than requested */    \
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
    X(GR_FIND_LAUNCH, "launch", FAULT)     /* a GPU refuses the launch */                          \
    X(GR_FIND_OVERFLOW, "overflow", FAULT) /* of a 32-bit index */                                 \
    X(GR_FIND_COALESCING, "coalescing", ADVICE)                                                    \
    X(GR_FIND_BANKS, "banks", ADVICE)                                                              \
    X(GR_FIND_OCCUPANCY, "occupancy", ADVICE)                                                      \
    X(GR_FIND_SPILLS, "spills", ADVICE)                                                            \
    X(GR_FIND_WIDTH, "width", ADVICE) /* narrow accesses where vectorized ones are possible */     \
    X(GR_FIND_REUSE, "reuse", ADVICE) /* data loaded again that could be kept */                   \
    X(GR_FIND_INTENSITY, "intensity", ADVICE)   /* too little arithmetic for the bytes */          \
    X(GR_FIND_DIVERGENCE, "divergence", ADVICE) /* inactive lanes */                               \
    X(GR_FIND_WAVES, "waves", ADVICE)           /* the last wave of blocks leaves SMs idle */      \
    X(GR_FIND_BARRIERS, "barriers", ADVICE)     /* little work between barriers */                 \
    X(GR_FIND_ISSUE, "issue", ADVICE)           /* few of the instructions are multiply-adds */    \
    X(GR_FIND_BLOCK_SHAPE, "block-shape",                                                          \
      ADVICE) /* the block is tiny, or is not a whole number of warps */                           \
    X(GR_FIND_TENSOR_CORES, "tensor-cores", ADVICE)                                                \
    X(GR_FIND_ATOMICS, "atomics", ADVICE) /* atomics on one element are serialized */              \
    X(GR_FIND_LATENCY, "latency", ADVICE) /* too few warps to hide the latency of memory */

enum gr_finding_kind {
#define GR_FINDING_ENUM(enumerator, name, severity) enumerator,
    GR_FINDING_LIST(GR_FINDING_ENUM)
#undef GR_FINDING_ENUM
};

const char *gr_finding_name(enum gr_finding_kind kind);
/* The kind's severity in the list above. */
enum gr_severity gr_finding_severity(enum gr_finding_kind kind);

struct gr_finding {
    enum gr_finding_kind kind;
    enum gr_severity severity;
    int line;       /* in the kernel's file; 0: unknown */
    char *text;     /* one line, owned */
    char about[64]; /* the array that it is about; "": none */
    /* The next three are filled for advice only, and 0 otherwise. */
    double now, mended; /* a count as it is now, and as it would be after the fix */
    const char *unit;   /* of both counts: "sectors a request"; not owned; null: no count */
    double saves_s;     /* the reduction of the time floor; 0: none or unknown */
};

struct gr_findings {
    struct gr_finding *items;
    int count;
};

/* Appends a finding with a printf-formatted text and its kind's severity, and returns it (null:
 * memory is out, and the finding is dropped). Earlier pointers into the list become invalid. */
struct gr_finding *gr_findings_add(struct gr_findings *list, enum gr_finding_kind kind, int line,
                                   const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Appends a copy of another list's finding. */
void gr_findings_copy(struct gr_findings *list, const struct gr_finding *from);
/* True if the list has a finding of this severity or a worse one. */
bool gr_findings_matter(const struct gr_findings *list, enum gr_severity severity);
/* True when the list has one of that kind. */
bool gr_findings_has(const struct gr_findings *list, enum gr_finding_kind kind);
void gr_findings_free(struct gr_findings *list);

#endif
