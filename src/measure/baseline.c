/* baseline.c: classifies a row as faster, slower or unchanged. SPDX-License-Identifier: MIT */
#include "measure/baseline.h"

#include "records/steady.h"

#include <string.h>

const char *gr_change_word(enum gr_change change)
{
    static const char *const words[] = {"new", "faster", "even", "slower", "broken", "unsteady"};
    return words[change];
}

const struct gr_row *gr_baseline_find(const struct gr_run *old, const struct gr_row *row)
{
    for (int i = 0; i < old->row_count; i++) {
        const struct gr_row *o = &old->rows[i];
        const struct gr_problem *p = &o->problem, *q = &row->problem;
        if (strcmp(o->kernel, row->kernel) == 0 && strcmp(o->device, row->device) == 0 &&
            gr_types_equal(p->types, q->types) && p->m == q->m && p->n == q->n && p->k == q->k &&
            p->trans_a == q->trans_a && p->trans_b == q->trans_b && o->threads == row->threads &&
            gr_row_callers(o) == gr_row_callers(row) && o->cold == row->cold)
            return o;
    }
    return NULL;
}

/* A speed with an interval. */
struct speed {
    double lo, median, hi;
};

static struct speed share(const struct gr_row *row)
{
    return (struct speed){row->speedup.lo, row->speedup.median, row->speedup.hi};
}

static struct speed rate(const struct gr_row *row)
{
    const struct gr_stat *t = &row->time_ns;
    double fastest = t->median - t->iqr / 2 > t->min ? t->median - t->iqr / 2 : t->min;
    return (struct speed){1 / (t->median + t->iqr / 2), 1 / t->median, 1 / fastest};
}

enum gr_change gr_baseline_compare(const struct gr_row *old, const struct gr_row *row,
                                   double tolerance, double *ratio)
{
    *ratio = 0;
    if (!old)
        return GR_CHANGE_NEW;
    if (row->verdict != GR_RIGHT)
        return old->verdict == GR_RIGHT ? GR_CHANGE_BROKEN : GR_CHANGE_EVEN;
    if (old->time_ns.n == 0 || row->time_ns.n == 0)
        return GR_CHANGE_EVEN;
    if (gr_row_is_unsteady(old) || gr_row_is_unsteady(row))
        return GR_CHANGE_UNSTEADY;
    bool same_peer = old->speedup.n && row->speedup.n &&
                     strcmp(old->peer.name, row->peer.name) == 0 &&
                     strcmp(old->peer.version, row->peer.version) == 0;
    struct speed before = same_peer ? share(old) : rate(old),
                 now = same_peer ? share(row) : rate(row);
    *ratio = now.median / before.median;
    if (now.hi < before.lo && *ratio < 1 - tolerance)
        return GR_CHANGE_SLOWER;
    if (now.lo > before.hi && *ratio > 1 + tolerance)
        return GR_CHANGE_FASTER;
    return GR_CHANGE_EVEN;
}
