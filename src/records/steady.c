/* steady.c: decides whether the times of a row are reliable. SPDX-License-Identifier: MIT */
#include "records/steady.h"

static bool has_speed(const struct gr_row *row)
{
    return row->verdict == GR_RIGHT && row->time_ns.n > 0;
}

static bool is_disturbed(const struct gr_row *row)
{
    return row->disturbed > GR_MOST_DISTURBED;
}

static bool has_wide_interval(const struct gr_row *row)
{
    const struct gr_ratio *r = &row->speedup;
    return r->n > 0 && !(r->hi - r->lo <= GR_WIDEST * r->median);
}

/* If there is a ratio, its interval decides: a varying clock changes both sides alike. */
static bool has_wide_times(const struct gr_row *row)
{
    return row->speedup.n == 0 && !(row->time_ns.iqr <= GR_WIDEST * row->time_ns.median);
}

bool gr_row_is_unsteady(const struct gr_row *row)
{
    return has_speed(row) && (is_disturbed(row) || has_wide_interval(row) || has_wide_times(row));
}

void gr_row_format_unsteady(const struct gr_row *row, struct gr_str *out)
{
    const double median = row->speedup.median;
    if (!gr_row_is_unsteady(row))
        return;
    if (is_disturbed(row))
        gr_str_printf(
            out, "in %.0f%% of its rounds other processes used its cores (steady: at most %.0f%%)",
            100 * row->disturbed, 100 * GR_MOST_DISTURBED);
    else if (has_wide_interval(row))
        gr_str_printf(
            out, "the interval of its ratio is %.0f%% of the median wide (steady: at most %.0f%%)",
            100 * (row->speedup.hi - row->speedup.lo) / median, 100 * GR_WIDEST);
    else
        gr_str_printf(
            out,
            "the quartiles of its times are %.0f%% of the median apart (steady: at most %.0f%%)",
            100 * row->time_ns.iqr / row->time_ns.median, 100 * GR_WIDEST);
}

void gr_run_format_unsteady(const struct gr_run *run, struct gr_str *out)
{
    int unsteady = 0, timed = 0;
    for (int i = 0; i < run->row_count; i++) {
        unsteady += gr_row_is_unsteady(&run->rows[i]);
        timed += has_speed(&run->rows[i]);
    }
    if (unsteady)
        gr_str_printf(
            out,
            "%d of %d rows: their speed is not reliable; measure again when the machine is idle",
            unsteady, timed);
}

const char *gr_row_word(const struct gr_row *row)
{
    return gr_row_is_unsteady(row) ? "unsteady" : gr_ratio_word(&row->speedup);
}
