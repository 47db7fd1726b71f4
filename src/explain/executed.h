/* executed.h: what a trace of machine code says about all instructions together, and by mnemonic.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_EXECUTED_H
#define EXPLAIN_EXECUTED_H

#include "records/trace.h"

#include "code/instruction.h"

enum { GR_MNEMONICS = 256, GR_MNEMONIC = 24 };

/* The instructions of one mnemonic. */
struct gr_executed_mnemonic {
    char name[GR_MNEMONIC]; /* "FFMA" */
    int instructions;       /* of the kernel, that were executed at least once */
    struct gr_executed executed;
};

struct gr_executed_totals {
    struct gr_executed all;
    int64_t branches; /* executions of branches, of which all.divergent are divergent */
    int64_t by_class[GR_OP_CLASS_COUNT]; /* executions by warps */
    /* Local memory, and of shared memory what LDSM (ldmatrix) loads. */
    int64_t local_loads, local_load_sectors, local_stores, local_store_sectors;
    int64_t ldsm_requests, ldsm_wavefronts, ldsm_wavefronts_ideal;
    struct gr_executed_mnemonic mnemonics[GR_MNEMONICS]; /* by falling executions */
    int mnemonic_count;
};

/* Exact as requests are, if blocks of one class execute alike. */
bool gr_executed_is_exact(const struct gr_trace *trace);
/* What is said where they are not. */
extern const char gr_executed_extrapolated[];
/* All zero where the machine code was not executed. */
void gr_executed_totals_of(const struct gr_trace *trace, struct gr_executed_totals *totals);
/* The mnemonic of an executed bulk copy, whose bytes are in no count; null: there is none. */
const char *gr_executed_bulk_copy(const struct gr_trace *trace);
/* Blocks have waited for the others of their cluster. */
bool gr_executed_in_clusters(const struct gr_trace *trace);
/* "FFMA" of "@!P0 FFMA.FTZ R4, R8, R12, R4". */
void gr_executed_mnemonic_of(const struct gr_trace_instruction *at, char name[GR_MNEMONIC]);

#endif
