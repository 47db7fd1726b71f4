/* lanes.h: how the threads of a warp lie beside one another in one request: the diagnosis that
 * rules of advice share. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_LANES_H
#define EXPLAIN_LANES_H

#include "records/trace.h"

/* The lanes are taken in order. Neighbours at one distance throughout make a `group`; groups follow
 * each other at one distance, the `jump`. A warp that reads 2 rows, 16 elements of each, has 2
 * groups, and the jump is a row. */
enum gr_lane_shape {
    GR_LANES_NONE,   /* no lane takes part */
    GR_LANES_ONE,    /* all lanes at one address: a broadcast */
    GR_LANES_SIDE,   /* side by side, each where its neighbour's access ends */
    GR_LANES_STRIDE, /* at one distance, `stride` */
    GR_LANES_GROUPS, /* groups of `period` lanes, `stride` apart within a group, `jump` from one to
                        the next */
    GR_LANES_SCATTERED /* none of these */
};

struct gr_lanes {
    enum gr_lane_shape shape;
    int active;   /* lanes that take part */
    int distinct; /* different addresses among them */
    int pieces;   /* stretches of memory without a gap, of the addresses in ascending order */
    int period;
    int64_t stride, jump;     /* in bytes; negative where addresses descend */
    int sectors;              /* touched */
    int sectors_if_aligned;   /* where each piece began at a multiple of 32 bytes */
    int sectors_side_by_side; /* what the distinct bytes need, in one piece that is aligned */
};
struct gr_lanes gr_lanes_of(const struct gr_trace_site *site);

/* The rows of a matrix with `row_bytes` from one to the next that the request touches; 0 where
 * row_bytes is 0. */
int gr_lanes_rows(const struct gr_trace_site *site, int64_t row_bytes);

/* The fullest bank of a request of shared memory. `lanes`: those of one pass that ask it for
 * different words. `first` and `second`: two of them, `words` of 4 bytes apart. lanes 0 or 1: no
 * two collide. */
struct gr_bank_clash {
    int bank, lanes, first, second;
    int64_t words;
};
struct gr_bank_clash gr_lanes_clash(const struct gr_trace_site *site);

/* What a request of shared memory asks of the banks, whatever order they serve it in: `words` of 4
 * bytes, each counted once however many lanes want it, `deepest` of them in one bank. A bank gives
 * a word a clock: no order is faster. */
struct gr_bank_load {
    int words, deepest;
};
struct gr_bank_load gr_lanes_bank_load(const struct gr_trace_site *site);

#endif
