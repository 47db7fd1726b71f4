/* exec_json.c: the report of `gradus exec` as JSON; docs/drop-in.md is the schema. SPDX-License-Identifier: MIT */
#include "cli/exec_report.h"

#include "cli/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/wait.h>

static void add_string(struct gr_str *out, const char *name, const char *value)
{
    gr_str_printf(out, ",\n  \"%s\": ", name);
    if (value)
        gr_text_json(out, value);
    else
        gr_str_add(out, "null");
}

static void add_counts(struct gr_str *out, const struct gr_exec_line *line)
{
    gr_str_printf(out, "\"calls\": %" PRIu64 ", \"flop\": %" PRIu64 ", \"time_ns\": %" PRIu64,
                  line->calls, line->flop, line->time_ns);
    if (line->time_ns)
        gr_str_printf(out, ", \"gflops\": %.6g}", gr_exec_rate(line));
    else
        gr_str_add(out, ", \"gflops\": null}");
}

static void add_line(struct gr_str *out, const struct gr_exec_line *line, bool shape)
{
    const struct gr_ledger_key *key = line->key;
    gr_str_add(out, "{\"routine\": ");
    gr_text_json(out, key->routine);
    if (shape)
        gr_str_printf(out,
                      ", \"layout\": \"%s\", \"trans\": \"%c%c\", \"m\": %" PRId64
                      ", \"n\": %" PRId64 ", \"k\": %" PRId64,
                      key->row_major ? "row" : "col", key->trans_a ? 't' : 'n',
                      key->trans_b ? 't' : 'n', key->m, key->n, key->k);
    gr_str_add(out, ", ");
    add_counts(out, line);
}

static bool add_table(struct gr_str *out, const char *name, const struct gr_ledger_entry *table,
                      int size, int top)
{
    int count;
    struct gr_exec_line *lines = gr_exec_lines(table, size, &count);
    if (!lines)
        return false;
    const int shown = top < 0 || top > count ? count : top;
    gr_str_printf(out, ",\n  \"%s\": [", name);
    for (int i = 0; i < shown; i++) {
        gr_str_add(out, i ? ",\n    " : "\n    ");
        add_line(out, &lines[i], size == GR_LEDGER_SHAPES);
    }
    gr_str_add(out, shown ? "\n  ]" : "]");
    free(lines);
    return true;
}

static void add_reasons(struct gr_str *out, const struct gr_exec_reasons *reasons)
{
    gr_str_add(out, ",\n  \"reasons\": [");
    for (int i = 0; i < reasons->count; i++) {
        gr_str_add(out, i ? ",\n    {\"why\": " : "\n    {\"why\": ");
        gr_text_json(out, reasons->items[i].why);
        gr_str_add(out, ", \"do\": ");
        if (reasons->items[i].remedy)
            gr_text_json(out, reasons->items[i].remedy);
        else
            gr_str_add(out, "null");
        gr_str_add(out, "}");
    }
    gr_str_add(out, reasons->count ? "\n  ]" : "]");
}

bool gr_exec_report_json(const struct gr_exec_run *run, int top, struct gr_str *out)
{
    const struct gr_ledger *ledger = run->ledger;
    gr_str_add(out, "{\n  \"schema\": \"gradus-exec\",\n  \"schema_version\": 1");
    add_string(out, "command", run->command);
    add_string(out, "program", run->program);
    add_string(out, "library", run->library);
    if (WIFSIGNALED(run->status))
        gr_str_printf(out, ",\n  \"signal\": %d", WTERMSIG(run->status));
    else
        gr_str_printf(out, ",\n  \"exit\": %d", WEXITSTATUS(run->status));
    gr_str_printf(out,
                  ",\n  \"wall_ns\": %" PRId64 ",\n  \"calls\": %" PRIu64
                  ",\n  \"processes_loaded\": %u,\n  \"processes_calling\": %u"
                  ",\n  \"threads_calling\": %u,\n  \"threads_per_call\": %u",
                  run->wall_ns, gr_exec_calls(ledger), (unsigned)ledger->loaded,
                  (unsigned)ledger->calling, (unsigned)ledger->callers, (unsigned)ledger->threads);
    const bool right = add_table(out, "routines", ledger->routines, GR_LEDGER_ROUTINES, -1) &&
                       add_table(out, "shapes", ledger->shapes, GR_LEDGER_SHAPES, top);
    add_reasons(out, &run->reasons);
    gr_str_add(out, "\n}\n");
    return right && !out->failed;
}
