/* exec_report.h: what `gradus exec` says of a program that ran. SPDX-License-Identifier: MIT */
#ifndef CLI_EXEC_REPORT_H
#define CLI_EXEC_REPORT_H

#include "base/str.h"
#include "core/ledger.h"

#include <stdbool.h>

/* Why nothing was intercepted, and what to do: pairs of sentences. */
struct gr_exec_reasons {
    struct {
        char *why, *remedy; /* owned; remedy may be null */
    } items[8];
    int count;
};

struct gr_exec_run {
    const char *command; /* the program's line, quoted for a shell */
    const char *program; /* its file; null where none was found */
    const char *library; /* what was preloaded */
    bool gpu;            /* it took cuBLAS's place */
    bool pblas;          /* or PBLAS's */
    bool timed;          /* what the GPU takes was to be measured */
    struct gr_ledger *ledger;
    int status; /* as waitpid has it */
    int64_t wall_ns;
    struct gr_exec_reasons reasons; /* empty where something was intercepted */
};

/* Looks at the ledger, the program's file and the libraries that it had loaded, and fills in the
 * reasons. For a program that made no call. */
void gr_exec_explain(struct gr_exec_run *run);
void gr_exec_reasons_free(struct gr_exec_reasons *reasons);

/* All calls. */
uint64_t gr_exec_calls(const struct gr_ledger *ledger);

/* Appends the report, as text or as JSON (docs/drop-in.md), with at most `top` shapes, those that
 * took longest; negative: all. False when memory is out. */
bool gr_exec_report(const struct gr_exec_run *run, int top, struct gr_str *out);
bool gr_exec_report_gpu(const struct gr_exec_run *run, int top, struct gr_str *out);
bool gr_exec_report_json(const struct gr_exec_run *run, int top, struct gr_str *out);

/* Appends the reasons, as every report ends. */
void gr_exec_add_reasons(const struct gr_exec_reasons *reasons, struct gr_str *out);

/* "tf32" and "the program allows TF32, …", of an enum gr_passed_on; "" for none. */
const char *gr_passed_on_name(unsigned reason);
const char *gr_passed_on_text(unsigned reason);

/* Entries of a table as they are reported: ready ones, those of one key added up, the longest
 * first. */
struct gr_exec_line {
    const struct gr_ledger_key *key;
    uint64_t calls, flop, time_ns;
    uint64_t timed, gpu_flop, gpu_ns; /* as in struct gr_ledger_entry */
};
/* malloc'ed, *count lines; null when memory is out. */
struct gr_exec_line *gr_exec_lines(const struct gr_ledger_entry *table, int size, int *count);
/* GFLOP/s; 0 where no time was seen. */
double gr_exec_rate(const struct gr_exec_line *line);

#endif
