/* advise.h: what rules of advice share: places in the source, what they cost, and what would be
 * gained. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_ADVISE_H
#define EXPLAIN_ADVISE_H

#include "explain/analysis.h"

/* A place is a line of the source that touches one array in one way, with the counts of all
 * accesses that the compilers made of it; its pattern is that of the costliest. The costliest place
 * is first. The caller frees it; null and count 0 where there is no trace (or no memory). */
struct gr_trace_site *gr_places(const struct gr_specimen *specimen, int *count);

/* Clocks for which a place keeps the load/store unit of an SM busy at least, all SMs added up. It
 * begins one request a clock, and moves 32 banks of 4 bytes a clock: a pass over the banks, 4
 * sectors of L1. (128 bytes a clock are what SMs from sm_70 on have; Turing has 64, so that there
 * the true cost is higher still.) */
double gr_place_clocks(const struct gr_trace_site *place);
/* Those of them that go away where its bytes lie side by side, in banks as in sectors. */
double gr_place_excess(const struct gr_trace_site *place);
/* Of all places; 0 without a trace. */
double gr_lsu_clocks(const struct gr_specimen *specimen);

/* Lower bounds of a stanza's time, in seconds: no run takes less than the largest. All but `memory`
 * assume that the blocks are equal and that an SM has at least ceil(blocks / SMs) of them. */
struct gr_bounds {
    double compute; /* the multiply-adds at the peak rate; 0 where the stanza does not multiply, or
                       by tensor cores */
    double
        issue; /* all instructions of the hot loop for each multiply-add; 0 without machine code */
    double memory; /* A, B and C moved once between DRAM and the chip */
    double lsu;    /* gr_lsu_clocks */
    double l2;     /* what blocks fetch, at 64 bytes a clock and SM, the width of an SM's port */
    double uneven; /* by which factor the busiest SM has more blocks than the mean; in the others
                      already */
};
struct gr_bounds gr_bounds_of(const struct gr_specimen *specimen,
                              const struct gr_explanation *sections);
double gr_bounds_floor(const struct gr_bounds *bounds);
/* By how much the floor falls when the load/store units are spared `clocks`, of all SMs added up.
 */
double gr_gain_lsu(const struct gr_specimen *specimen, const struct gr_explanation *sections,
                   double clocks);

/* A fact of this stanza by its key without the stanza's prefix; false where there is none. */
bool gr_advice_fact(const struct gr_specimen *specimen, const struct gr_explanation *sections,
                    const char *key, double *value);
/* Blocks that are equal, an SM: ceil(blocks / SMs) * SMs / blocks. `launch` is not null. */
double gr_unevenness(const struct gr_specimen *specimen);
/* Elements of C that a thread makes, from the launch: 1 at least. Where tiles hang over the edges
 * of C and it comes out broken, the next power of two. */
double gr_results_a_thread(const struct gr_specimen *specimen);
/* Warp-wide multiply-adds of the launch, those of tiles beyond the edges of C with them: results *
 * K of each thread; 0 where the stanza does not multiply. */
double gr_warp_fmas(const struct gr_specimen *specimen);
/* Threads in a warp. */
int gr_advice_warp(const struct gr_specimen *specimen);
/* The operand that an array is: 'A', 'B' or 'C'; 0: none. */
char gr_array_operand(const struct gr_specimen *specimen, const struct gr_trace_array *array);
/* Bytes from a row of the operand to the next; 0 for an array that is none. */
int64_t gr_row_bytes(const struct gr_specimen *specimen, const struct gr_trace_array *array);
/* Fills `text` with the remedy for rows of an operand on which no vector may begin, "its rows are …
 * : pad …": where the place's accesses are of less than 16 bytes, the leading dimension may be why.
 * False where it is not. */
bool gr_unaligned_rows(const struct gr_specimen *specimen, const struct gr_trace_site *place,
                       char *text, size_t size);
/* The array's name, "memory" where the place is not one array's. */
const char *gr_place_array(const struct gr_specimen *specimen, const struct gr_trace_site *place);
/* True when the kernel stores to shared memory. */
bool gr_uses_shared(const struct gr_specimen *specimen);

/* What a finding counts; unit null: nothing. */
struct gr_gain {
    double now, mended;
    const char *unit;
    double saves_s;
};
/* Appends a finding at the place's line; where that is in another file than the kernel's, the text
 * begins with "FILE:LINE: " and the finding's line is 0. `place` null: of the kernel as a whole. */
void gr_advise(struct gr_findings *findings, enum gr_finding_kind kind,
               const struct gr_trace_site *place, const struct gr_gain *gain, const char *format,
               ...) __attribute__((format(printf, 5, 6)));
/* "32", "0.44": a count as a sentence has it. */
struct gr_count_text {
    char text[24];
};
struct gr_count_text gr_count_text(double count);

#endif
