/* exec_json.c: the report of `gradus exec` as JSON, as described in docs/drop-in.md.
 * SPDX-License-Identifier: MIT */
#include "cli/exec_report.h"

#include "io/json_out.h"

#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>

static void put_line(struct gr_json *w, const struct gr_exec_line *line, bool shape, bool gpu)
{
    const struct gr_ledger_key *key = line->key;
    gr_json_open_object(w, NULL, GR_JSON_ONE_LINE);
    gr_json_put_text(w, "routine", key->routine);
    if (shape) {
        const char trans[] = {key->trans_a ? 't' : 'n', key->trans_b ? 't' : 'n', 0};
        gr_json_put_text(w, "layout", key->row_major ? "row" : "col");
        gr_json_put_text(w, "trans", trans);
        gr_json_put_whole(w, "m", key->m);
        gr_json_put_whole(w, "n", key->n);
        gr_json_put_whole(w, "k", key->k);
    }
    gr_json_put_whole(w, "calls", (int64_t)line->calls);
    gr_json_put_whole(w, "flop", (int64_t)line->flop);
    gr_json_put_whole(w, "time_ns", (int64_t)line->time_ns);
    if (gpu && line->timed) {
        gr_json_put_whole(w, "gpu_calls", (int64_t)line->timed);
        gr_json_put_whole(w, "gpu_time_ns", (int64_t)line->gpu_ns);
        gr_json_put_real(w, "gflops",
                         line->gpu_ns ? (double)line->gpu_flop / (double)line->gpu_ns : NAN);
    }
    if (gpu)
        gr_json_put_text(w, "passed_on", key->passed ? gr_passed_on_name(key->passed) : NULL);
    else
        gr_json_put_real(w, "gflops", line->time_ns ? gr_exec_rate(line) : NAN);
    gr_json_close(w);
}

static bool put_table(struct gr_json *w, const char *name, const struct gr_ledger_entry *table,
                      int size, int top, bool gpu)
{
    int count;
    struct gr_exec_line *lines = gr_exec_lines(table, size, &count);
    if (!lines)
        return false;
    const int shown = top < 0 || top > count ? count : top;
    gr_json_open_array(w, name, GR_JSON_LINES);
    for (int i = 0; i < shown; i++)
        put_line(w, &lines[i], size == GR_LEDGER_SHAPES, gpu);
    gr_json_close(w);
    free(lines);
    return true;
}

static void put_reasons(struct gr_json *w, const struct gr_exec_reasons *reasons)
{
    gr_json_open_array(w, "reasons", GR_JSON_LINES);
    for (int i = 0; i < reasons->count; i++) {
        gr_json_open_object(w, NULL, GR_JSON_ONE_LINE);
        gr_json_put_text(w, "why", reasons->items[i].why);
        gr_json_put_text(w, "do", reasons->items[i].remedy);
        gr_json_close(w);
    }
    gr_json_close(w);
}

static void put_refusals(struct gr_json *w, const struct gr_ledger *ledger)
{
    gr_json_open_array(w, "refusals", GR_JSON_LINES);
    for (int i = 0; i < GR_LEDGER_REFUSALS; i++)
        if (gr_ledger_ready(&ledger->refusals[i].state))
            gr_json_put_text(w, NULL, ledger->refusals[i].path);
    gr_json_close(w);
}

bool gr_exec_report_json(const struct gr_exec_run *run, int top, struct gr_str *out)
{
    const struct gr_ledger *ledger = run->ledger;
    struct gr_json writer = {.out = out}, *w = &writer;
    gr_json_open_object(w, NULL, GR_JSON_LINES);
    gr_json_put_text(w, "schema", "gradus-exec");
    gr_json_put_whole(w, "schema_version", 1);
    gr_json_put_text(w, "command", run->command);
    gr_json_put_text(w, "program", run->program);
    gr_json_put_text(w, "library", run->library);
    if (WIFSIGNALED(run->status))
        gr_json_put_whole(w, "signal", WTERMSIG(run->status));
    else
        gr_json_put_whole(w, "exit", WEXITSTATUS(run->status));
    gr_json_put_whole(w, "wall_ns", run->wall_ns);
    gr_json_put_whole(w, "calls", (int64_t)gr_exec_calls(ledger));
    gr_json_put_whole(w, "processes_loaded", ledger->loaded);
    gr_json_put_whole(w, "processes_calling", ledger->calling);
    gr_json_put_whole(w, "threads_calling", ledger->callers);
    gr_json_put_whole(w, "threads_per_call", ledger->threads);
    const bool right =
        put_table(w, "routines", ledger->routines, GR_LEDGER_ROUTINES, -1, run->gpu) &&
        put_table(w, "shapes", ledger->shapes, GR_LEDGER_SHAPES, top, run->gpu);
    if (run->gpu)
        put_refusals(w, ledger);
    put_reasons(w, &run->reasons);
    gr_json_close(w);
    gr_str_add(out, "\n");
    return right && !out->failed;
}
