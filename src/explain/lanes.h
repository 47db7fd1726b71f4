/* lanes.h: classifies the addresses of a warp's lanes in one request, for the rules of advice.
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_LANES_H
#define EXPLAIN_LANES_H

#include "records/trace.h"

/* Lanes are examined in their order. A run of lanes at a constant distance is a group, and the
 * groups follow each other at a constant distance, the jump. A warp that reads 16 elements of
 * each of 2 rows has 2 groups, and the jump is the distance between the rows. */
enum gr_lane_shape {
    GR_LANES_NONE,   /* no lane is active */
    GR_LANES_ONE,    /* all lanes at one address: a broadcast */
    GR_LANES_SIDE,   /* contiguous: each lane begins where the previous one ends */
    GR_LANES_STRIDE, /* at a constant distance, `stride` */
    /* Groups of `period` lanes, `stride` apart within a group, `jump` from one to the next. */
    GR_LANES_GROUPS,
    GR_LANES_SCATTERED /* no regular pattern */
};

struct gr_lanes {
    enum gr_lane_shape shape;
    int active;   /* active lanes */
    int distinct; /* distinct addresses */
    int pieces;   /* contiguous pieces of memory, in the order of the addresses */
    int period;
    int64_t stride, jump;     /* in bytes; negative if addresses decrease */
    int sectors;              /* accessed */
    int sectors_if_aligned;   /* if each piece began at a multiple of 32 bytes */
    int sectors_side_by_side; /* if the distinct bytes were one aligned, contiguous piece */
};
struct gr_lanes gr_lanes_of(const struct gr_trace_site *site);

/* The number of rows that the request accesses in a matrix whose rows are `row_bytes` apart; 0
 * if row_bytes is 0. */
int gr_lanes_rows(const struct gr_trace_site *site, int64_t row_bytes);

/* The worst bank conflict of a request to shared memory. `lanes`: the lanes of one wavefront
 * that access different words of that bank. `first` and `second`: two of them, which are `words`
 * of 4 bytes apart. If lanes is 0 or 1, there is no conflict. */
struct gr_bank_clash {
    int bank, lanes, first, second;
    int64_t words;
};
struct gr_bank_clash gr_lanes_clash(const struct gr_trace_site *site);

/* The load of the banks by a request to shared memory, independent of the order in which it is
 * served: the number of distinct 4-byte `words`, and how many of them are in the fullest bank
 * (`deepest`). A bank serves one word per clock, so no order takes less time. */
struct gr_bank_load {
    int words, deepest;
};
struct gr_bank_load gr_lanes_bank_load(const struct gr_trace_site *site);

#endif
