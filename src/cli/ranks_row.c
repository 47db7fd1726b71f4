/* ranks_row.c: prints the rows of gradus bench --mpi. SPDX-License-Identifier: MIT */
#include "cli/ranks_row.h"

#include "records/problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *type_name(enum gradus_type type)
{
    return type == GRADUS_F64 ? "f64" : "f32";
}

static void flush_text(struct gr_ranks_output *output)
{
    if (!output->silent)
        fputs(gr_str_text(&output->text), stdout);
    fflush(stdout);
    gr_str_free(&output->text);
    output->text = (struct gr_str){0};
}

static void begin_table(struct gr_ranks_output *output, const struct gr_ranks_task *task)
{
    gr_str_printf(&output->text, "%" PRId64 " rank%s of %d thread%s, %s; times in ms\n",
                  output->ranks, output->ranks == 1 ? "" : "s", task->threads,
                  task->threads == 1 ? "" : "s", type_name(task->type));
    gr_str_printf(&output->text, "%-16s %-10s %6s %9s %8s %6s %9s %9s %9s %9s %6s\n", "size",
                  "grid", "steps", "time", "Gflop/s", "eff.", "product", "transfers", "waiting",
                  "planned", "ratio");
}

/* Prints, below a row, the rates of ranks and links that the plan is based on. */
static void add_rates(struct gr_ranks_output *output, const struct gr_ranks_row *row)
{
    const struct gr_dist_machine *const m = &row->rates.machine;
    gr_str_printf(&output->text,
                  "  a rank: %.1f Gflop/s alone, %.1f beside the others, memory %.1f GB/s; link "
                  "%.2f GB/s, %.1f us%s; %.2f MB sent\n"
                  "  first product %.2f ms; a transfer delays a concurrent product by %.0f%% of "
                  "its time\n",
                  row->rates.alone_flop_per_s * 1e-9, m->flop_per_s * 1e-9,
                  m->memory_bytes_per_s * 1e-9, m->link_bytes_per_s * 1e-9, m->latency_s * 1e6,
                  output->ranks > 1 ? "" : " (assumed)", (double)row->mean.sent_bytes * 1e-6,
                  1e3 * row->first_s, 100 * m->carried);
}

static void add_table_row(struct gr_ranks_output *output, const struct gr_ranks_row *row)
{
    const struct gr_dist_plan *const p = &row->plan;
    char size[80], grid[64];
    gr_size_name(row->task.m, row->task.n, row->task.k, size, sizeof size);
    snprintf(grid, sizeof grid, "%" PRId64 "x%" PRId64 "x%" PRId64, p->grid[0], p->grid[1],
             p->grid[2]);
    gr_str_printf(&output->text, "%-16s %-10s %5" PRId64 "%c ", size, grid, p->steps,
                  p->overlap      ? "MNK"[p->step_dim]
                  : p->steps == 1 ? ' '
                                  : "mnk"[p->step_dim]);
    if (row->wrong_row >= 0) {
        gr_str_printf(&output->text, "wrong: row %" PRId64 " of C\n", row->wrong_row);
        return;
    }
    gr_str_printf(&output->text, "%9.2f %8.1f %5.1f%% %9.2f %9.2f %9.2f %9.2f %6.2f\n",
                  1e3 * row->time_s.median, row->flop_per_s * 1e-9, 100 * row->efficiency,
                  1e3 * row->mean.product_s, 1e3 * row->mean.transfer_s, 1e3 * row->mean.wait_s,
                  1e3 * p->time_s, p->time_s / row->mean_s);
    add_rates(output, row);
}

static void begin_csv(struct gr_ranks_output *output)
{
    gr_str_add(
        &output->text,
        "m,n,k,dtype,ranks,threads,grid_m,grid_n,grid_k,step_dim,steps,overlap,right,samples,"
        "time_s,min_s,gflops,efficiency,product_s,transfer_s,wait_s,bring_s,sent_bytes,"
        "planned_s,planned_product_s,planned_transfer_s,planned_bytes,rank_alone_gflops,"
        "rank_gflops,memory_bytes_per_s,link_bytes_per_s,latency_s,carrier_s,carried,first_s,mean_"
        "s\n");
}

static void add_csv_row(struct gr_ranks_output *output, const struct gr_ranks_row *row)
{
    const struct gr_dist_plan *const p = &row->plan;
    const struct gr_dist_machine *const m = &row->rates.machine;
    struct gr_str *const out = &output->text;
    gr_str_printf(out,
                  "%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%" PRId64 ",%d,%" PRId64 ",%" PRId64
                  ",%" PRId64 ",%c,%" PRId64 ",%s,%s,%d,",
                  row->task.m, row->task.n, row->task.k, type_name(row->task.type), output->ranks,
                  row->task.threads, p->grid[0], p->grid[1], p->grid[2], "mnk"[p->step_dim],
                  p -> steps, p -> overlap ? "yes" : "no", row->wrong_row < 0 ? "yes" : "no",
                  row->time_s.n);
    if (row->wrong_row < 0)
        gr_str_printf(out, "%.9g,%.9g,%.6g,%.6g,%.9g,%.9g,%.9g,%.9g,%" PRId64 ",",
                      row->time_s.median, row->time_s.min, row->flop_per_s * 1e-9, row->efficiency,
                      row->mean.product_s, row->mean.transfer_s, row->mean.wait_s,
                      row->mean.bring_s, row->mean.sent_bytes);
    else
        gr_str_add(out, ",,,,,,,,,");
    gr_str_printf(out, "%.9g,%.9g,%.9g,%" PRId64 ",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.9g,%.9g\n",
                  p->time_s, p->compute_s, p->transfer_s, p->words * p->problem.element_bytes,
                  row->rates.alone_flop_per_s * 1e-9, m->flop_per_s * 1e-9, m->memory_bytes_per_s,
                  m->link_bytes_per_s, m->latency_s, m->carrier_s, m->carried, row->first_s,
                  row->mean_s);
}

static void begin_json(struct gr_ranks_output *output, const struct gr_ranks_task *task)
{
    struct gr_json *const w = &output->json;
    w->out = &output->text;
    gr_json_open_object(w, NULL, GR_JSON_LINES);
    gr_json_put_text(w, "command", output->command);
    gr_json_put_whole(w, "ranks", output->ranks);
    gr_json_put_whole(w, "threads", task->threads);
    gr_json_put_text(w, "dtype", type_name(task->type));
    gr_json_open_array(w, "rows", GR_JSON_LINES);
}

static void put_plan(struct gr_json *w, const struct gr_dist_plan *p)
{
    gr_json_open_object(w, "plan", GR_JSON_ONE_LINE);
    gr_json_open_array(w, "grid", GR_JSON_ONE_LINE);
    for (int d = 0; d < 3; d++)
        gr_json_put_whole(w, NULL, p->grid[d]);
    gr_json_close(w);
    gr_json_put_text(w, "step_dim", (const char *[]){"m", "n", "k"}[p->step_dim]);
    gr_json_put_whole(w, "steps", p->steps);
    gr_json_put_bool(w, "overlap", p->overlap);
    gr_json_put_real(w, "time_s", p->time_s);
    gr_json_put_real(w, "product_s", p->compute_s);
    gr_json_put_real(w, "transfer_s", p->transfer_s);
    gr_json_put_whole(w, "moved_bytes", p->words * p->problem.element_bytes);
    gr_json_close(w);
}

static void put_rates(struct gr_json *w, const struct gr_ranks_rates *rates)
{
    const struct gr_dist_machine *const m = &rates->machine;
    gr_json_open_object(w, "measured", GR_JSON_ONE_LINE);
    gr_json_put_real(w, "rank_alone_flop_per_s", rates->alone_flop_per_s);
    gr_json_put_real(w, "rank_flop_per_s", m->flop_per_s);
    gr_json_put_real(w, "memory_bytes_per_s", m->memory_bytes_per_s);
    gr_json_put_real(w, "link_bytes_per_s", m->link_bytes_per_s);
    gr_json_put_real(w, "latency_s", m->latency_s);
    gr_json_put_real(w, "carrier_s", m->carrier_s);
    gr_json_put_real(w, "carried", m->carried);
    gr_json_close(w);
}

static void put_times(struct gr_json *w, const struct gr_ranks_row *row)
{
    gr_json_put_real(w, "first_s", row->first_s);
    gr_json_put_real(w, "time_s", row->time_s.median);
    gr_json_put_real(w, "min_s", row->time_s.min);
    gr_json_put_real(w, "mean_s", row->mean_s);
    gr_json_put_whole(w, "samples", row->time_s.n);
    gr_json_put_real(w, "gflops", row->flop_per_s * 1e-9);
    gr_json_put_real(w, "efficiency", row->efficiency);
    gr_json_open_object(w, "mean", GR_JSON_ONE_LINE);
    gr_json_put_real(w, "product_s", row->mean.product_s);
    gr_json_put_real(w, "transfer_s", row->mean.transfer_s);
    gr_json_put_real(w, "wait_s", row->mean.wait_s);
    gr_json_put_real(w, "bring_s", row->mean.bring_s);
    gr_json_put_whole(w, "sent_bytes", row->mean.sent_bytes);
    gr_json_close(w);
}

static void add_json_row(struct gr_ranks_output *output, const struct gr_ranks_row *row)
{
    struct gr_json *const w = &output->json;
    gr_json_open_object(w, NULL, GR_JSON_LINES);
    gr_json_put_whole(w, "m", row->task.m);
    gr_json_put_whole(w, "n", row->task.n);
    gr_json_put_whole(w, "k", row->task.k);
    gr_json_put_bool(w, "right", row->wrong_row < 0);
    if (row->wrong_row < 0)
        put_times(w, row);
    else
        gr_json_put_whole(w, "wrong_row", row->wrong_row);
    put_plan(w, &row->plan);
    put_rates(w, &row->rates);
    gr_json_close(w);
}

void gr_ranks_output_begin(struct gr_ranks_output *output, const struct gr_ranks_task *task)
{
    if (strcmp(output->format, "json") == 0)
        begin_json(output, task);
    else if (strcmp(output->format, "csv") == 0)
        begin_csv(output);
    else
        begin_table(output, task);
}

void gr_ranks_output_row(struct gr_ranks_output *output, const struct gr_ranks_row *row)
{
    if (strcmp(output->format, "json") == 0) {
        add_json_row(output, row);
        return;
    }
    (strcmp(output->format, "csv") == 0 ? add_csv_row : add_table_row)(output, row);
    flush_text(output);
}

void gr_ranks_output_end(struct gr_ranks_output *output)
{
    if (strcmp(output->format, "json") == 0) {
        gr_json_close(&output->json);
        gr_json_close(&output->json);
        gr_str_add(&output->text, "\n");
    }
    flush_text(output);
}
