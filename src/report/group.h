/* group.h: groups of comparable rows of a run: the same requested size, types and device.
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_GROUP_H
#define REPORT_GROUP_H

#include "base/str.h"
#include "records/row.h"

struct gr_group {
    int64_t m, n, k; /* as requested */
    const struct gr_row **rows;
    int count;
    const struct gr_row
        *lead; /* the first row timed at the requested size; a kernel's row if there is one */
    const struct gr_peer_result *peer; /* the first peer that a row names; null: none */
    bool peers_differ;                 /* some rows have another peer */
};

struct gr_groups {
    struct gr_group *items;
    int count;
};

/* Makes the groups, in the order of their first rows. They point into the run. */
enum gradus_status gr_groups_make(const struct gr_run *run, struct gr_groups *groups,
                                  struct gradus_error *error);
void gr_groups_free(struct gr_groups *groups);

/* Do rows x and y differ only in kernel, size and measurement? Types, transposes, device and
 * threads must be equal. */
bool gr_rows_alike(const struct gr_row *x, const struct gr_row *y);

/* The FMA peak in GFLOP/s: the median of the peaks that the shares of the steady rows refer to or,
 * without any, the machine's ceiling if it is steady. 0: unknown. */
double gr_group_peak(const struct gr_run *run, const struct gr_group *group);

/* Does a row rank before the best one so far (null: none yet)? The share of the peer decides or, if
 * neither was compared with a peer, the rate. */
bool gr_row_is_better(const struct gr_row *row, const struct gr_row *best);
/* The best kernel among the steady rows that were timed at the requested size, or null. */
const struct gr_row *gr_group_best(const struct gr_group *group);

/* Appends for example "f32, 1 thread, cold; beside openblas 0.3.21 (SkylakeX); peak 118.4
 * GFLOP/s". */
void gr_group_format(const struct gr_run *run, const struct gr_group *group, struct gr_str *out);

/* The notes below a row, one line each, in this order: why it is not right, at which size it was
 * timed if it was capped, how its cache state differs from the group's, and its findings. Calls
 * say(context, kind, line) for each. `kind` is the name of the finding; it is null for the
 * verdict. */
typedef void gr_note_fn(void *context, const char *kind, const char *line);
void gr_row_format_notes(const struct gr_group *group, const struct gr_row *row, gr_note_fn *say,
                         void *context);

#endif
