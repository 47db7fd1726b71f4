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

/* X(enumerator, name, severity without GR_SEVERITY_, what it means): the kinds of findings, with
 * the severity that a finding has unless the code that adds it sets another. The build makes the
 * list from findings/<name>.txt (cmake/findings.cmake). */
#include "registry/finding_list.h"

enum gr_finding_kind {
#define GR_FINDING_ENUM(enumerator, name, severity, meaning) enumerator,
    GR_FINDING_LIST(GR_FINDING_ENUM)
#undef GR_FINDING_ENUM
};

const char *gr_finding_name(enum gr_finding_kind kind);
/* "an access is outside its array" */
const char *gr_finding_meaning(enum gr_finding_kind kind);
/* The kind's severity in the list. */
enum gr_severity gr_finding_severity(enum gr_finding_kind kind);

struct gr_finding {
    enum gr_finding_kind kind;
    enum gr_severity severity;
    int line;       /* in the kernel's file; 0: unknown */
    char *text;     /* one line, owned */
    char about[64]; /* the array that it is about; "": none */
    /* The next three are filled for advice only, and 0 otherwise. */
    double now, fixed; /* a count as it is now, and as it would be after the fix */
    const char *unit;  /* of both counts: "sectors a request"; not owned; null: no count */
    double saves_s;    /* the reduction of the time floor; 0: none or unknown */
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
/* True if the list has a finding of this kind. */
bool gr_findings_has(const struct gr_findings *list, enum gr_finding_kind kind);
void gr_findings_free(struct gr_findings *list);

#endif
