/* format_csv.c: a run as comma-separated values (RFC 4180), one line a row, for spreadsheets and
 * data frames. What is not known is an empty field. SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "core/error.h"
#include "base/utf8.h"
#include "records/steady.h"
#include "report/words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char header[] =
    "kernel,title,device,dtype,trans,m,n,k,asked_m,asked_n,asked_k,threads,cache,is_peer,variant,"
    "verdict,reason,time_ns_median,time_ns_min,time_ns_iqr,time_ns_n,gflops,peak_fraction,peer,"
    "peer_version,peer_core,peer_threads,peer_gflops,speedup_median,speedup_lo,speedup_hi,findings,"
    "simulated,load_sectors_per_request,load_sectors_per_request_ideal,store_sectors_per_request,"
    "store_sectors_per_request_ideal,shared_conflicts,registers,occupancy,disturbed,unsteady,flags,"
    "command\n";

/* A field, quoted when it holds what would end it; its line ends become blanks, so that a row is a
 * line. */
static void add_text(struct gr_str *out, const char *text)
{
    struct gr_str line = {0};
    gr_str_add_line(&line, text ? text : "");
    const char *p = gr_str_text(&line);
    bool quoted = strpbrk(p, ",\"") || *p == ' ';
    gr_str_add(out, quoted ? "\"" : "");
    for (; *p; p++)
        gr_str_add(out, *p == '"' ? "\"\"" : (char[]){*p, 0});
    gr_str_add(out, quoted ? "\"," : ",");
    gr_str_free(&line);
}

static void add_number(struct gr_str *out, double x, bool known)
{
    if (known && isfinite(x))
        gr_str_printf(out, "%.9g", x);
    gr_str_add(out, ",");
}

static void add_count(struct gr_str *out, int64_t x)
{
    gr_str_printf(out, "%" PRId64 ",", x);
}

static void add_problem(struct gr_str *out, const struct gr_row *row)
{
    char types[64];
    int64_t m, n, k;
    gr_types_name(row->problem.types, types, sizeof types);
    gr_row_asked(row, &m, &n, &k);
    add_text(out, types);
    add_text(out, gr_problem_trans(&row->problem));
    add_count(out, row->problem.m);
    add_count(out, row->problem.n);
    add_count(out, row->problem.k);
    add_count(out, m);
    add_count(out, n);
    add_count(out, k);
}

static void add_speed(struct gr_str *out, const struct gr_row *row)
{
    bool timed = gr_row_has_speed(row), has_peer = row->peer.name[0] != 0;
    add_number(out, row->time_ns.median, timed);
    add_number(out, row->time_ns.min, timed);
    add_number(out, row->time_ns.iqr, timed);
    add_number(out, row->time_ns.n, timed);
    add_number(out, row->gflops, timed);
    add_number(out, row->peak_fraction, timed && row->peak_fraction > 0);
    add_text(out, row->peer.name);
    add_text(out, row->peer.version);
    add_text(out, row->peer.core);
    add_number(out, row->peer.threads, has_peer);
    add_number(out, row->peer.gflops, has_peer && row->peer.gflops > 0);
    bool compared = timed && row->speedup.n > 0;
    add_number(out, row->speedup.median, compared);
    add_number(out, row->speedup.lo, compared);
    add_number(out, row->speedup.hi, compared);
}

static void add_counts(struct gr_str *out, const struct gr_row *row)
{
    const struct gr_row_counts *c = &row->counts;
    bool known = gr_row_has_counts(row);
    add_text(out, row->simulated ? "true" : "false");
    add_number(out, c->load_sectors, known && c->load_sectors > 0);
    add_number(out, c->load_ideal, known && c->load_sectors > 0);
    add_number(out, c->store_sectors, known && c->store_sectors > 0);
    add_number(out, c->store_ideal, known && c->store_sectors > 0);
    add_number(out, (double)c->conflicts, known);
    add_number(out, c->registers, known && c->registers > 0);
    add_number(out, c->occupancy, known && c->occupancy > 0);
}

static void add_findings(struct gr_str *out, const struct gr_row *row)
{
    struct gr_str all = {0};
    for (int i = 0; i < row->findings.count; i++) {
        gr_str_add(&all, i ? "; " : "");
        gr_finding_say(&row->findings.items[i], &all);
    }
    add_text(out, gr_str_text(&all));
    gr_str_free(&all);
}

static void add_row(struct gr_str *out, const struct gr_row *row)
{
    add_text(out, row->kernel);
    add_text(out, row->title);
    add_text(out, row->device);
    add_problem(out, row);
    add_count(out, row->threads);
    add_text(out, row->simulated ? "" : row->cold ? "cold" : "warm");
    add_text(out, row->is_peer ? "true" : "false");
    add_text(out, row->variant);
    add_text(out, gr_verdict_name(row->verdict));
    add_text(out, row->reason);
    add_speed(out, row);
    add_findings(out, row);
    add_counts(out, row);
    add_number(out, row->disturbed, gr_row_has_speed(row) && row->disturbed >= 0);
    add_text(out, gr_row_is_unsteady(row) ? "true" : "false");
    add_text(out, row->flags);
    add_text(out, row->command);
    if (!out->failed)
        out->text[out->length - 1] = '\n'; /* the last field's comma */
}

/* A record of its own, so that a reader who counts fields is content: no kernel, the verdict
 * `partial`, and why. */
static void add_partial(struct gr_str *out, const struct gr_run *run)
{
    enum { FIELDS_BEFORE = 15 };
    struct gr_str why = {0};
    int fields = 1;
    for (const char *p = header; *p; p++)
        fields += *p == ',';
    for (int i = 0; i < FIELDS_BEFORE; i++)
        gr_str_add(out, ",");
    gr_str_add(out, "partial,");
    gr_run_say_partial(run, true, &why);
    add_text(out, gr_str_text(&why));
    for (int i = FIELDS_BEFORE + 2; i + 1 < fields; i++)
        gr_str_add(out, ",");
    gr_str_add(out, "\n");
    gr_str_free(&why);
}

static enum gradus_status render(const struct gr_run *run, const struct gr_style *style,
                                 struct gr_str *out, struct gradus_error *error)
{
    (void)style;
    gr_str_add(out, header);
    for (int i = 0; i < run->row_count; i++)
        add_row(out, &run->rows[i]);
    if (run->stopped)
        add_partial(out, run);
    return out->failed ? gr_fail_memory(error, "the CSV", out->length) : GRADUS_OK;
}

static void print_header(struct gr_sheet *sheet)
{
    gr_str_add(sheet->out, header);
}

static void print_row(struct gr_sheet *sheet, const struct gr_group *group,
                      const struct gr_row *row)
{
    (void)group;
    add_row(sheet->out, row);
}

static void print_end(struct gr_sheet *sheet)
{
    if (sheet->run->stopped)
        add_partial(sheet->out, sheet->run);
}

static const struct gr_format_parts parts = {
    .begin = print_header, .row = print_row, .end = print_end};

const struct gr_format gr_format_csv = {"csv", render, &parts};
