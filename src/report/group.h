/* group.h: the rows of a run that may be compared with one another: one requested size, one type,
 * one device. SPDX-License-Identifier: MIT */
#ifndef REPORT_GROUP_H
#define REPORT_GROUP_H

#include "base/str.h"
#include "records/row.h"

struct gr_group {
    int64_t m, n, k; /* as requested */
    const struct gr_row **rows;
    int count;
    const struct gr_row
        *lead; /* the first row timed at the requested size, a kernel's if there is one */
    const struct gr_peer_result *peer; /* the first that a row names; null: none */
    bool peers_differ;                 /* not all rows have that peer */
};

struct gr_groups {
    struct gr_group *items;
    int count;
};

/* Groups in the order of their first rows. The groups point into the run. */
enum gradus_status gr_groups_make(const struct gr_run *run, struct gr_groups *groups,
                                  struct gradus_error *error);
void gr_groups_free(struct gr_groups *groups);

/* True when rows x and y differ in nothing but kernel, size and measurement: same types,
 * transposes, device, threads. */
bool gr_rows_alike(const struct gr_row *x, const struct gr_row *y);

/* The FMA rate that the steady rows' shares of the peak are shares of (their median), or else the
 * machine's ceiling, where that is steady; GFLOP/s, 0: unknown. */
double gr_group_peak(const struct gr_run *run, const struct gr_group *group);

/* Whether a row comes before the best so far (null: none yet): by its share of the peer, or where
 * neither was compared with one by its rate. */
bool gr_row_is_better(const struct gr_row *row, const struct gr_row *best);
/* The kernel that comes out best, of those timed at the requested size and steady. Null: none. */
const struct gr_row *gr_group_best(const struct gr_group *group);

/* Appends "f32, 1 thread, cold; beside openblas 0.3.21 (SkylakeX); peak 118.4 GFLOP/s". */
void gr_group_format(const struct gr_run *run, const struct gr_group *group, struct gr_str *out);

/* What the formats say below a row, one line each, in order: why it is not right, at what size it
 * was timed when capped, how its cache differs from the group's, its findings. Calls say(context,
 * kind, line) for each; `kind` is the finding's name, null for the verdict's own line. */
typedef void gr_note_fn(void *context, const char *kind, const char *line);
void gr_row_format_notes(const struct gr_group *group, const struct gr_row *row, gr_note_fn *say,
                         void *context);

#endif
