/* exec_report.c: the report of `gradus exec` as text. SPDX-License-Identifier: MIT */
#include "cli/exec_report.h"

#include "report/words.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Appends the time and the rate, the last columns of every table. */
static void add_speed(struct gr_str *out, const struct gr_exec_line *line)
{
    char time[GR_WORD], rate[GR_WORD];
    gr_word_time((double)line->time_ns, time);
    gr_word_rate(gr_exec_rate(line), rate);
    gr_str_printf(out, "  %8" PRIu64 "  %8s  %8s\n", line->calls, time, rate);
}

static struct gr_exec_line sum_of(const struct gr_exec_line *lines, int count)
{
    struct gr_exec_line sum = {0};
    for (int i = 0; i < count; i++) {
        sum.calls += lines[i].calls;
        sum.flop += lines[i].flop;
        sum.time_ns += lines[i].time_ns;
    }
    return sum;
}

static void add_head(const struct gr_exec_run *run, const struct gr_exec_line *sum,
                     struct gr_str *out)
{
    char time[GR_WORD], rate[GR_WORD], wall[GR_WORD];
    const unsigned callers = run->ledger->callers, processes = run->ledger->calling;
    gr_word_time((double)sum->time_ns, time);
    gr_word_time((double)run->wall_ns, wall);
    gr_word_rate(gr_exec_rate(sum), rate);
    gr_str_printf(out, "gradus: %" PRIu64 " call%s intercepted", sum->calls, plural(sum->calls));
    if (sum->calls)
        gr_str_printf(out,
                      ": %s in them, %s GFLOP/s, of %s in all\n"
                      "        called by %u thread%s of %u process%s; up to %u thread%s a call",
                      time, rate, wall, callers, plural(callers), processes,
                      processes == 1 ? "" : "es", run->ledger->threads,
                      plural(run->ledger->threads));
    gr_str_add(out, "\n");
}

/* Returns the width of the column before the numbers: that of its longest line. Names are ASCII, so
 * bytes are columns. */
static int width_of(const struct gr_str *names, int count)
{
    int width = 0;
    for (int i = 0; i < count; i++)
        if ((int)names[i].length > width)
            width = (int)names[i].length;
    return width;
}

static void name_shape(const struct gr_ledger_key *key, int routine_width, struct gr_str *out)
{
    gr_str_printf(out, "%-*s  %s  %c%c  %" PRId64 "x%" PRId64 "x%" PRId64, routine_width,
                  key->routine, key->row_major ? "row" : "col", key->trans_a ? 'T' : 'N',
                  key->trans_b ? 'T' : 'N', key->m, key->n, key->k);
}

/* Appends routines and, below them, the slowest shapes, with the same column widths. */
static void add_tables(const struct gr_exec_line *routines, int routine_count,
                       const struct gr_exec_line *shapes, int shape_count, struct gr_str *out)
{
    const int count = 2 + routine_count + shape_count;
    struct gr_str *names = calloc((size_t)count, sizeof *names);
    if (!names) {
        out->failed = true;
        return;
    }
    gr_str_add(&names[0], "routine");
    for (int i = 0; i < routine_count; i++)
        gr_str_add(&names[1 + i], routines[i].key->routine);
    const int routine_width = width_of(names, 1 + routine_count);
    gr_str_printf(&names[1 + routine_count], "%-*s  %-3s  %-2s  MxNxK", routine_width, "shape", "",
                  "op");
    for (int i = 0; i < shape_count; i++)
        name_shape(shapes[i].key, routine_width, &names[2 + routine_count + i]);
    const int width = width_of(names, count);
    for (int i = 0; i < (shape_count ? count : count - 1); i++) {
        const int shape = i - 2 - routine_count;
        gr_str_printf(out, "%s  %-*s", i == 0 || shape == -1 ? "\n" : "", width,
                      gr_str_text(&names[i]));
        if (i == 0 || shape == -1)
            gr_str_printf(out, "  %8s  %8s  %8s\n", "calls", "time", "GFLOP/s");
        else
            add_speed(out, shape < 0 ? &routines[i - 1] : &shapes[shape]);
    }
    for (int i = 0; i < count; i++)
        gr_str_free(&names[i]);
    free(names);
}

/* Appends a line for all that is not in the table. */
static void add_rest(const struct gr_exec_line *lines, int count, int shown, uint64_t calls,
                     struct gr_str *out)
{
    const struct gr_exec_line rest = sum_of(lines + shown, count - shown);
    const uint64_t uncounted = calls - sum_of(lines, count).calls;
    if (shown && count > shown)
        gr_str_printf(out, "  and %d shape%s more, %" PRIu64 " call%s\n", count - shown,
                      plural((uint64_t)(count - shown)), rest.calls, plural(rest.calls));
    if (uncounted)
        gr_str_printf(out, "  and %" PRIu64 " call%s of shapes beyond the first %d\n", uncounted,
                      plural(uncounted), GR_LEDGER_SHAPES);
}

void gr_exec_add_reasons(const struct gr_exec_reasons *reasons, struct gr_str *out)
{
    enum { COLUMNS = 80, INDENT = 8 };
    for (int i = 0; i < reasons->count; i++) {
        gr_str_add(out, "  why:  ");
        gr_wrap(out, reasons->items[i].why, COLUMNS, INDENT, INDENT);
        gr_str_add(out, "\n");
        if (!reasons->items[i].remedy)
            continue;
        gr_str_add(out, "  do:   ");
        gr_wrap(out, reasons->items[i].remedy, COLUMNS, INDENT, INDENT);
        gr_str_add(out, "\n");
    }
}

bool gr_exec_report(const struct gr_exec_run *run, int top, struct gr_str *out)
{
    int routine_count, shape_count;
    struct gr_exec_line *routines =
        gr_exec_lines(run->ledger->routines, GR_LEDGER_ROUTINES, &routine_count);
    struct gr_exec_line *shapes =
        gr_exec_lines(run->ledger->shapes, GR_LEDGER_SHAPES, &shape_count);
    const bool right = routines && shapes;
    if (right) {
        const struct gr_exec_line sum = sum_of(routines, routine_count);
        add_head(run, &sum, out);
        if (sum.calls) {
            const int shown = top < 0 || top > shape_count ? shape_count : top;
            add_tables(routines, routine_count, shapes, shown, out);
            add_rest(shapes, shape_count, shown, sum.calls, out);
        }
        gr_exec_add_reasons(&run->reasons, out);
    }
    free(routines);
    free(shapes);
    return right && !out->failed;
}
