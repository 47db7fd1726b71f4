/* advise.h: functions that rules of advice share: places in the source, their cost, and what a
 * fix would gain. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_ADVISE_H
#define EXPLAIN_ADVISE_H

#include "explain/analysis.h"

/* The places of a stanza, the most expensive first. A place is a line of the source that accesses
 * one array in one way. It has the summed counts of all accesses that the compiler made of it, and
 * the pattern of the most expensive one. The caller frees the array. Null and count 0 if there is
 * no trace, or if memory runs out. */
struct gr_trace_site *gr_places(const struct gr_analysis_input *input, int *count);

/* A lower bound of the clocks for which a place occupies the load/store units, summed over all
 * SMs. A unit starts one request per clock and moves 32 banks of 4 bytes per clock: one
 * wavefront of shared memory, or 4 sectors of L1. (SMs from sm_70 on move 128 bytes per clock.
 * Turing moves 64, so that the true cost is higher there.) */
double gr_place_clocks(const struct gr_trace_site *place);
/* The part of these clocks that would be saved if the accesses of the lanes were contiguous,
 * without excess sectors and bank conflicts. */
double gr_place_excess(const struct gr_trace_site *place);
/* The same sum over all places; 0 without a trace. */
double gr_lsu_clocks(const struct gr_analysis_input *input);

/* Lower bounds of a stanza's time, in seconds; no run takes less than the largest one. All
 * except `memory` assume that all blocks do equal work and that one SM runs at least ceil(blocks
 * / SMs) of them. */
struct gr_bounds {
    /* The multiply-adds at the peak rate; 0 if the stanza does not multiply, or the rate of its
     * tensor cores is not known. */
    double compute;
    double issue;  /* all instructions of the hot loop per multiply-add; 0 without machine code */
    double memory; /* A, B and C moved once between DRAM and the GPU */
    double lsu;    /* gr_lsu_clocks */
    /* The bytes that blocks load, at 64 bytes per clock and SM, the width of an SM's port to L2. */
    double l2;
    /* The blocks of the busiest SM divided by the mean; the other bounds include it. */
    double uneven;
};
struct gr_bounds gr_bounds_of(const struct gr_analysis_input *input,
                              const struct gr_explanation *sections);
double gr_bounds_floor(const struct gr_bounds *bounds);
/* The reduction of the time floor, in seconds, if the load/store units are relieved of `clocks`,
 * summed over all SMs. */
double gr_gain_lsu(const struct gr_analysis_input *input, const struct gr_explanation *sections,
                   double clocks);

/* A fact of this stanza by its key without the stanza's prefix; false if there is none. */
bool gr_advice_fact(const struct gr_analysis_input *input, const struct gr_explanation *sections,
                    const char *key, double *value);
/* The blocks of the busiest SM divided by the mean, for equal blocks: ceil(blocks / SMs) * SMs /
 * blocks. `launch` must not be null. */
double gr_unevenness(const struct gr_analysis_input *input);
/* The elements of C that each thread computes, from the launch; at least 1, and 1 without a launch.
 * If tiles extend beyond C and the quotient is not an integer, it is rounded up to a power of two.
 */
double gr_results_a_thread(const struct gr_analysis_input *input);
/* The warp-level multiply-adds of the launch, results * K for each thread, including those of
 * tiles beyond the edges of C; 0 if the stanza does not multiply. */
double gr_warp_fmas(const struct gr_analysis_input *input);
/* Threads in a warp. */
int gr_advice_warp(const struct gr_analysis_input *input);
/* The operand that an array is: 'A', 'B' or 'C'; 0 for other arrays. */
char gr_array_operand(const struct gr_analysis_input *input, const struct gr_trace_array *array);
/* Is the array A or B, or does the file declare it as read only? */
bool gr_array_is_input(const struct gr_analysis_input *input, const struct gr_trace_array *array);
/* The distance between rows of the array in bytes; 0 if it is not a matrix. */
int64_t gr_row_bytes(const struct gr_analysis_input *input, const struct gr_trace_array *array);
/* Returns true if the accesses of the place may be narrower than 16 bytes because the rows of its
 * array are not aligned to vectors, and writes the remedy to `text`: "its rows are … : pad …". */
bool gr_unaligned_rows(const struct gr_analysis_input *input, const struct gr_trace_site *place,
                       char *text, size_t size);
/* The array's name; "memory" if the place accesses more than one. */
const char *gr_place_array(const struct gr_analysis_input *input,
                           const struct gr_trace_site *place);
/* True when the kernel stores to shared memory. */
bool gr_uses_shared(const struct gr_analysis_input *input);

/* The counts of a finding; without counts `unit` is null. */
struct gr_gain {
    double now, fixed;
    const char *unit;
    double saves_s;
};
/* Appends a finding at the place's line. If that is in another file than the kernel's, the text
 * begins with "FILE:LINE: " and the finding's line is 0. `place` null: the finding is about the
 * kernel as a whole. */
void gr_advise(struct gr_findings *findings, enum gr_finding_kind kind,
               const struct gr_trace_site *place, const struct gr_gain *gain, const char *format,
               ...) __attribute__((format(printf, 5, 6)));
/* "32", "0.44": a count as it is written in a sentence. */
struct gr_count_text {
    char text[24];
};
struct gr_count_text gr_count_text(double count);

#endif
