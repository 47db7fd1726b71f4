/* exec_report.h: the report of `gradus exec` about a program that ran.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_EXEC_REPORT_H
#define CLI_EXEC_REPORT_H

#include "base/str.h"
#include "core/ledger.h"

#include <stdbool.h>

/* The reasons why nothing was intercepted, each with a remedy. */
struct gr_exec_reasons {
    struct {
        char *why, *remedy; /* owned; remedy may be null */
    } items[8];
    int count;
};

struct gr_exec_run {
    const char *command; /* the program's command line, quoted for a shell */
    const char *program; /* its file; null if none was found */
    const char *library; /* the library that was preloaded */
    bool gpu;            /* the library replaced cuBLAS */
    bool pblas;          /* the library replaced PBLAS */
    bool timed;          /* the time on the GPU was to be measured */
    struct gr_ledger *ledger;
    int status; /* as returned by waitpid */
    int64_t wall_ns;
    struct gr_exec_reasons reasons; /* empty if calls were intercepted */
};

/* For a program that made no call: examines the ledger, the program's file and the libraries that
 * it had loaded, and fills in the reasons. */
void gr_exec_explain(struct gr_exec_run *run);
void gr_exec_reasons_free(struct gr_exec_reasons *reasons);

/* The number of all calls. */
uint64_t gr_exec_calls(const struct gr_ledger *ledger);

/* Appends the report, as text or as JSON (docs/drop-in.md), with at most `top` shapes, those that
 * took longest; negative: all. Returns false if memory runs out. */
bool gr_exec_report(const struct gr_exec_run *run, int top, struct gr_str *out);
bool gr_exec_report_gpu(const struct gr_exec_run *run, int top, struct gr_str *out);
bool gr_exec_report_json(const struct gr_exec_run *run, int top, struct gr_str *out);

/* Appends the reasons, which end every report. */
void gr_exec_add_reasons(const struct gr_exec_reasons *reasons, struct gr_str *out);

/* The name, such as "tf32", and the description, such as "the program allows TF32, …", of an enum
 * gr_passed_on; "" for none. */
const char *gr_passed_on_name(unsigned reason);
const char *gr_passed_on_text(unsigned reason);

/* A line of the report: the sum of the complete entries of a table that have the same key. Lines
 * are sorted by time, the longest first. */
struct gr_exec_line {
    const struct gr_ledger_key *key;
    uint64_t calls, flop, time_ns;
    uint64_t timed, gpu_flop, gpu_ns; /* as in struct gr_ledger_entry */
};
/* Returns *count lines, malloc'ed; null if memory runs out. */
struct gr_exec_line *gr_exec_lines(const struct gr_ledger_entry *table, int size, int *count);
/* In GFLOP/s; 0 if no time was measured. */
double gr_exec_rate(const struct gr_exec_line *line);

#endif
