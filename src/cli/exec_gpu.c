/* exec_gpu.c: the report of `gradus exec --gpu` as text: the calls that Gradus computed in place of
 * cuBLAS, and the calls that were passed on to cuBLAS, with the reasons.
 * SPDX-License-Identifier: MIT */
#include "cli/exec_report.h"

#include "report/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Sorts by work, because the time is that of the host, which says little. */
static int by_work(const void *x, const void *y)
{
    const struct gr_exec_line *a = x, *b = y;
    if (a->flop != b->flop)
        return a->flop < b->flop ? 1 : -1;
    return a->calls < b->calls ? 1 : a->calls > b->calls ? -1 : 0;
}

static struct gr_exec_line sum_of(const struct gr_exec_line *lines, int count, bool passed)
{
    struct gr_exec_line sum = {0};
    for (int i = 0; i < count; i++)
        if ((lines[i].key->passed != 0) == passed) {
            sum.calls += lines[i].calls;
            sum.flop += lines[i].flop;
            sum.time_ns += lines[i].time_ns;
        }
    return sum;
}

static void add_head(const struct gr_exec_run *run, const struct gr_exec_line *ours,
                     const struct gr_exec_line *passed, struct gr_str *out)
{
    char wall[GR_WORD];
    const uint64_t calls = ours->calls + passed->calls;
    const unsigned callers = run->ledger->callers, processes = run->ledger->calling;
    gr_word_time((double)run->wall_ns, wall);
    gr_str_printf(out, "gradus: %" PRIu64 " call%s of cuBLAS intercepted", calls, plural(calls));
    if (calls)
        gr_str_printf(out,
                      ": %" PRIu64 " computed by gradus, %" PRIu64 " passed on; %s in all\n"
                      "        called by %u thread%s of %u process%s; a call returns when its work "
                      "is queued:\n"
                      "        host/call is until then, %s",
                      ours->calls, passed->calls, wall, callers, plural(callers), processes,
                      processes == 1 ? "" : "es",
                      run->timed ? "GPU/call by events in the stream"
                                 : "and the GPU's time is not measured (--time does)");
    gr_str_add(out, "\n");
}

static void add_numbers(const struct gr_exec_line *line, bool timed, struct gr_str *out)
{
    char time[GR_WORD];
    gr_word_time(line->calls ? (double)line->time_ns / (double)line->calls : 0, time);
    gr_str_printf(out, "  %8" PRIu64 "  %10.4g  %9s", line->calls, (double)line->flop * 1e-9, time);
    if (timed && line->timed) {
        gr_word_time((double)line->gpu_ns / (double)line->timed, time);
        gr_str_printf(out, "  %9s  %7.1f", time,
                      line->gpu_ns ? (double)line->gpu_flop / (double)line->gpu_ns * 1e-3 : 0);
    }
    gr_str_add(out, "\n");
}

/* Appends the lines of one kind, at most `top` of them (negative: all). */
static void add_table(const char *title, const struct gr_exec_line *lines, int count, int top,
                      bool shapes, bool passed, bool timed, struct gr_str *out)
{
    enum { NAMES = 29, SHAPE = 25 };
    int shown = 0, left = 0;
    for (int i = 0; i < count; i++) {
        const struct gr_ledger_key *key = lines[i].key;
        char shape[80] = "";
        if ((key->passed != 0) != passed)
            continue;
        if (top >= 0 && shown >= top) {
            left++;
            continue;
        }
        if (shown++ == 0)
            gr_str_printf(out, "\n  %-*s  %-*s  %8s  %10s  %9s%s\n", NAMES, title,
                          shapes ? SHAPE : 0, shapes ? "op  MxNxK" : "", "calls", "GFLOP",
                          "host/call", timed ? "   GPU/call  TFLOP/s" : "");
        snprintf(shape, sizeof shape, "%c%c  %" PRId64 "x%" PRId64 "x%" PRId64,
                 key->trans_a ? 'T' : 'N', key->trans_b ? 'T' : 'N', key->m, key->n, key->k);
        gr_str_printf(out, "  %-*s  %-*s", NAMES, key->routine, shapes ? SHAPE : 0,
                      shapes ? shape : "");
        add_numbers(&lines[i], timed, out);
        if (passed && !shapes)
            gr_str_printf(out, "      because: %s\n", gr_passed_on_text(key->passed));
    }
    if (left && shown)
        gr_str_printf(out, "  and %d more\n", left);
}

static void add_refusals(const struct gr_ledger *ledger, struct gr_str *out)
{
    enum { COLUMNS = 80, INDENT = 8 };
    for (int i = 0; i < GR_LEDGER_REFUSALS; i++) {
        if (!gr_ledger_ready(&ledger->refusals[i].state))
            continue;
        gr_str_add(out, "\n  said:  ");
        gr_wrap(out, ledger->refusals[i].path, COLUMNS, INDENT + 1, INDENT + 1);
        gr_str_add(out, "\n");
    }
}

bool gr_exec_report_gpu(const struct gr_exec_run *run, int top, struct gr_str *out)
{
    int routine_count, shape_count;
    struct gr_exec_line *routines =
        gr_exec_lines(run->ledger->routines, GR_LEDGER_ROUTINES, &routine_count);
    struct gr_exec_line *shapes =
        gr_exec_lines(run->ledger->shapes, GR_LEDGER_SHAPES, &shape_count);
    const bool right = routines && shapes;
    if (right) {
        const struct gr_exec_line ours = sum_of(routines, routine_count, false);
        const struct gr_exec_line passed = sum_of(routines, routine_count, true);
        qsort(routines, (size_t)routine_count, sizeof *routines, by_work);
        qsort(shapes, (size_t)shape_count, sizeof *shapes, by_work);
        add_head(run, &ours, &passed, out);
        add_table("computed by gradus", routines, routine_count, -1, false, false, run->timed, out);
        add_table("shape", shapes, shape_count, top, true, false, run->timed, out);
        add_table("passed on to cuBLAS", routines, routine_count, -1, false, true, run->timed, out);
        add_table("shape", shapes, shape_count, top, true, true, run->timed, out);
        add_refusals(run->ledger, out);
        gr_exec_add_reasons(&run->reasons, out);
    }
    free(routines);
    free(shapes);
    return right && !out->failed;
}
