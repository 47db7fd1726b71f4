/* executed.h: sums a trace of executed machine code, over all instructions and by mnemonic.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_EXECUTED_H
#define EXPLAIN_EXECUTED_H

#include "records/trace.h"

#include "code/instruction.h"

enum { GR_MNEMONICS = 256, GR_MNEMONIC = 24 };

/* The instructions of one mnemonic. */
struct gr_executed_mnemonic {
    char name[GR_MNEMONIC]; /* "FFMA" */
    int instructions;       /* instructions of the kernel that were executed at least once */
    struct gr_executed executed;
};

struct gr_executed_totals {
    struct gr_executed all;
    int64_t branches; /* executions of branches, of which all.divergent are divergent */
    int64_t by_class[GR_OP_CLASS_COUNT]; /* executions by warps */
    /* Local memory; and of shared memory, the loads of LDSM (ldmatrix). */
    int64_t local_loads, local_load_sectors, local_stores, local_store_sectors;
    int64_t ldsm_requests, ldsm_wavefronts, ldsm_wavefronts_ideal;
    struct gr_executed_mnemonic mnemonics[GR_MNEMONICS]; /* in descending order of executions */
    int mnemonic_count;
};

/* Are the counts exact? They are if every block was traced, or if the blocks of each class execute
 * the same instructions. */
bool gr_executed_is_exact(const struct gr_trace *trace);
/* The sentence for counts that are not exact. */
extern const char gr_executed_extrapolated[];
/* All counts are 0 if the machine code was not executed. */
void gr_executed_totals_of(const struct gr_trace *trace, struct gr_executed_totals *totals);
/* The mnemonic of an executed bulk copy, whose bytes are not counted; null if there was none. */
const char *gr_executed_bulk_copy(const struct gr_trace *trace);
/* Have blocks waited for the other blocks of their cluster? */
bool gr_executed_in_clusters(const struct gr_trace *trace);
/* "FFMA" of "@!P0 FFMA.FTZ R4, R8, R12, R4". */
void gr_executed_mnemonic_of(const struct gr_trace_instruction *at, char name[GR_MNEMONIC]);

#endif
