/* columns.c: the table of the columns of a row. SPDX-License-Identifier: MIT */
#include "records/columns.h"

#include "records/steady.h"

#include <string.h>

/* ---- When a group of values is known ---- */

static bool is_compared(const struct gr_row *row)
{
    return gr_row_has_speed(row) && row->speedup.n > 0;
}

static bool has_peer(const struct gr_row *row)
{
    return row->peer.name[0] != 0;
}

static bool has_loads(const struct gr_row *row)
{
    return gr_row_has_counts(row) && row->counts.load_sectors > 0;
}

static bool has_stores(const struct gr_row *row)
{
    return gr_row_has_counts(row) && row->counts.store_sectors > 0;
}

static bool has_traffic(const struct gr_row *row)
{
    return row->verdict == GR_RIGHT && row->traffic.l1 > 0;
}

static bool has_worst(const struct gr_row *row)
{
    return row->worst.known;
}

#define AT(member) offsetof(struct gr_row, member), sizeof(((struct gr_row *)0)->member)
#define NOWHERE 0, 0

const struct gr_column gr_columns[] = {
    {"kernel", "kernel", "", GR_COLUMN_TEXT, AT(kernel), NULL, GR_COLUMN_REQUIRED},
    {"title", "title", "", GR_COLUMN_TEXT, AT(title), NULL, 0},
    {NULL, "path", "", GR_COLUMN_TEXT, AT(path), NULL, 0},
    {"device", "device", "", GR_COLUMN_TEXT, AT(device), NULL, GR_COLUMN_REQUIRED},
    {"dtype", "dtype", "", GR_COLUMN_DERIVED, NOWHERE, NULL, 0},
    {"trans", "trans", "", GR_COLUMN_DERIVED, NOWHERE, NULL, 0},
    {"m", "m", "", GR_COLUMN_INT64, AT(problem.m), NULL, GR_COLUMN_REQUIRED},
    {"n", "n", "", GR_COLUMN_INT64, AT(problem.n), NULL, GR_COLUMN_REQUIRED},
    {"k", "k", "", GR_COLUMN_INT64, AT(problem.k), NULL, GR_COLUMN_REQUIRED},
    {NULL, "lda", "elements", GR_COLUMN_INT64, AT(problem.lda), NULL, 0},
    {NULL, "ldb", "elements", GR_COLUMN_INT64, AT(problem.ldb), NULL, 0},
    {NULL, "ldc", "elements", GR_COLUMN_INT64, AT(problem.ldc), NULL, 0},
    {NULL, "alpha", "", GR_COLUMN_REAL, AT(problem.alpha), NULL, GR_COLUMN_SIGNED},
    {NULL, "beta", "", GR_COLUMN_REAL, AT(problem.beta), NULL, GR_COLUMN_SIGNED},
    {"asked_m", "asked.m", "", GR_COLUMN_REQUESTED, AT(requested_m), NULL, GR_COLUMN_REQUIRED},
    {"asked_n", "asked.n", "", GR_COLUMN_REQUESTED, AT(requested_n), NULL, GR_COLUMN_REQUIRED},
    {"asked_k", "asked.k", "", GR_COLUMN_REQUESTED, AT(requested_k), NULL, GR_COLUMN_REQUIRED},
    {"threads", "threads", "", GR_COLUMN_INT, AT(threads), NULL, GR_COLUMN_REQUIRED},
    {"cache", "cache", "", GR_COLUMN_DERIVED, NOWHERE, NULL, 0},
    {"is_peer", "is_peer", "", GR_COLUMN_BOOL, AT(is_peer), NULL, 0},
    {"variant", "variant", "", GR_COLUMN_TEXT, AT(variant), NULL, 0},
    {"verdict", "verdict", "", GR_COLUMN_DERIVED, NOWHERE, NULL, 0},
    {"reason", "reason", "", GR_COLUMN_TEXT, AT(reason), NULL, 0},
    {NULL, "worst.row", "", GR_COLUMN_INT64, AT(worst.row), has_worst, GR_COLUMN_REQUIRED},
    {NULL, "worst.col", "", GR_COLUMN_INT64, AT(worst.col), has_worst, GR_COLUMN_REQUIRED},
    {NULL, "worst.got", "", GR_COLUMN_ELEMENT, AT(worst.got), has_worst, GR_COLUMN_REQUIRED},
    {NULL, "worst.want", "", GR_COLUMN_ELEMENT, AT(worst.want), has_worst, GR_COLUMN_REQUIRED},
    {NULL, "worst.ratio", "", GR_COLUMN_ELEMENT, AT(worst.ratio), has_worst, GR_COLUMN_REQUIRED},
    {NULL, "worst.limit", "", GR_COLUMN_ELEMENT, AT(worst.limit), has_worst, 0},
    {NULL, "checked_by", "", GR_COLUMN_TEXT, AT(checked_by), NULL, 0},
    {"time_ns_median", "time_ns.median", "ns", GR_COLUMN_REAL, AT(time_ns.median), gr_row_has_speed,
     GR_COLUMN_REQUIRED},
    {"time_ns_min", "time_ns.min", "ns", GR_COLUMN_REAL, AT(time_ns.min), gr_row_has_speed,
     GR_COLUMN_REQUIRED},
    {"time_ns_iqr", "time_ns.iqr", "ns", GR_COLUMN_REAL, AT(time_ns.iqr), gr_row_has_speed,
     GR_COLUMN_REQUIRED},
    {"time_ns_n", "time_ns.n", "", GR_COLUMN_INT, AT(time_ns.n), gr_row_has_speed,
     GR_COLUMN_REQUIRED | GR_COLUMN_COUNTS},
    {"gflops", "gflops", "GFLOP/s", GR_COLUMN_REAL, AT(gflops), gr_row_has_speed, 0},
    {"peak_fraction", "peak_fraction", "", GR_COLUMN_REAL, AT(peak_fraction), gr_row_has_speed,
     GR_COLUMN_POSITIVE},
    {"peer", "peer.name", "", GR_COLUMN_NAME, AT(peer.name), has_peer, GR_COLUMN_REQUIRED},
    {"peer_version", "peer.version", "", GR_COLUMN_NAME, AT(peer.version), has_peer, 0},
    {"peer_core", "peer.core", "", GR_COLUMN_NAME, AT(peer.core), has_peer, 0},
    {"peer_threads", "peer.threads", "", GR_COLUMN_INT, AT(peer.threads), has_peer, 0},
    {"peer_gflops", "peer.gflops", "GFLOP/s", GR_COLUMN_REAL, AT(peer.gflops), has_peer,
     GR_COLUMN_POSITIVE},
    {"speedup_median", "speedup.median", "", GR_COLUMN_REAL, AT(speedup.median), is_compared,
     GR_COLUMN_REQUIRED},
    {"speedup_lo", "speedup.lo", "", GR_COLUMN_REAL, AT(speedup.lo), is_compared,
     GR_COLUMN_REQUIRED},
    {"speedup_hi", "speedup.hi", "", GR_COLUMN_REAL, AT(speedup.hi), is_compared,
     GR_COLUMN_REQUIRED},
    {NULL, "speedup.n", "", GR_COLUMN_INT, AT(speedup.n), is_compared, GR_COLUMN_COUNTS},
    {NULL, "rivals", "", GR_COLUMN_LIST, NOWHERE, NULL, 0},
    {"findings", "findings", "", GR_COLUMN_LIST, NOWHERE, NULL, 0},
    {"simulated", "simulated", "", GR_COLUMN_BOOL, AT(simulated), NULL, 0},
    {NULL, "counts.sampled", "", GR_COLUMN_BOOL, AT(counts.sampled), gr_row_has_counts, 0},
    {"load_sectors_per_request", "counts.load_sectors_per_request", "sectors", GR_COLUMN_REAL,
     AT(counts.load_sectors), gr_row_has_counts, GR_COLUMN_POSITIVE},
    {"load_sectors_per_request_ideal", "counts.load_sectors_per_request_ideal", "sectors",
     GR_COLUMN_REAL, AT(counts.load_ideal), has_loads, 0},
    {"store_sectors_per_request", "counts.store_sectors_per_request", "sectors", GR_COLUMN_REAL,
     AT(counts.store_sectors), gr_row_has_counts, GR_COLUMN_POSITIVE},
    {"store_sectors_per_request_ideal", "counts.store_sectors_per_request_ideal", "sectors",
     GR_COLUMN_REAL, AT(counts.store_ideal), has_stores, 0},
    {NULL, "counts.global_requests", "", GR_COLUMN_INT64, AT(counts.requests), gr_row_has_counts,
     0},
    {NULL, "counts.global_sectors", "", GR_COLUMN_INT64, AT(counts.sectors), gr_row_has_counts, 0},
    {NULL, "counts.shared_wavefronts", "", GR_COLUMN_INT64, AT(counts.wavefronts),
     gr_row_has_counts, 0},
    {"shared_conflicts", "counts.shared_conflicts", "wavefronts", GR_COLUMN_INT64,
     AT(counts.conflicts), gr_row_has_counts, 0},
    {"registers", "counts.registers", "", GR_COLUMN_INT, AT(counts.registers), gr_row_has_counts,
     GR_COLUMN_POSITIVE},
    {"occupancy", "counts.occupancy", "", GR_COLUMN_REAL, AT(counts.occupancy), gr_row_has_counts,
     GR_COLUMN_POSITIVE},
    {NULL, "traffic.dram_bytes", "bytes", GR_COLUMN_REAL, AT(traffic.dram), has_traffic, 0},
    {NULL, "traffic.l2_bytes", "bytes", GR_COLUMN_REAL, AT(traffic.l2), has_traffic, 0},
    {NULL, "traffic.l1_bytes", "bytes", GR_COLUMN_REAL, AT(traffic.l1), has_traffic, 0},
    {NULL, "traffic.shared_bytes", "bytes", GR_COLUMN_REAL, AT(traffic.shared), has_traffic, 0},
    {"disturbed", "disturbed", "", GR_COLUMN_REAL, AT(disturbed), gr_row_has_speed,
     GR_COLUMN_SHARE},
    {"unsteady", "unsteady", "", GR_COLUMN_DERIVED, NOWHERE, NULL, 0},
    {"callers", "callers", "", GR_COLUMN_INT, AT(callers), NULL, GR_COLUMN_POSITIVE},
    {"flags", "flags", "", GR_COLUMN_TEXT, AT(flags), NULL, 0},
    {NULL, "log", "", GR_COLUMN_TEXT, AT(log), NULL, 0},
    {"command", "command", "", GR_COLUMN_TEXT, AT(command), NULL, 0},
    {NULL, "diagnose", "", GR_COLUMN_TEXT, AT(diagnose), NULL, 0},
    {NULL, NULL, NULL, 0, NOWHERE, NULL, 0}};

/* ---- Values ---- */

void *gr_column_member(const struct gr_column *c, struct gr_row *row)
{
    return (char *)row + c->offset;
}

static void derive(const struct gr_column *c, const struct gr_row *row, struct gr_cell *cell)
{
    cell->kind = GR_CELL_TEXT;
    if (strcmp(c->json, "dtype") == 0) {
        gr_types_name(row->problem.types, cell->room, sizeof cell->room);
        cell->text = cell->room;
    } else if (strcmp(c->json, "trans") == 0) {
        cell->text = gr_problem_trans(&row->problem);
    } else if (strcmp(c->json, "cache") == 0) {
        cell->text = row->cold ? "cold" : "warm";
    } else if (strcmp(c->json, "verdict") == 0) {
        cell->text = gr_verdict_name(row->verdict);
    } else {
        cell->kind = GR_CELL_BOOL;
        cell->truth = gr_row_is_unsteady(row);
    }
}

static void put_real(double x, unsigned flags, struct gr_cell *cell)
{
    const bool unknown =
        ((flags & GR_COLUMN_POSITIVE) && x <= 0) || ((flags & GR_COLUMN_SHARE) && x < 0);
    cell->kind = unknown ? GR_CELL_UNKNOWN : GR_CELL_REAL;
    cell->real = x;
}

static void put_whole(int64_t x, unsigned flags, struct gr_cell *cell)
{
    cell->kind = (flags & GR_COLUMN_POSITIVE) && x <= 0 ? GR_CELL_UNKNOWN : GR_CELL_WHOLE;
    cell->whole = x;
}

static int64_t requested(const struct gr_column *c, const struct gr_row *row)
{
    int64_t m, n, k;
    gr_row_requested(row, &m, &n, &k);
    return c->offset == offsetof(struct gr_row, requested_m)   ? m
           : c->offset == offsetof(struct gr_row, requested_n) ? n
                                                               : k;
}

void gr_column_cell(const struct gr_column *c, const struct gr_row *row, struct gr_cell *cell)
{
    const void *at = (const char *)row + c->offset;
    cell->kind = GR_CELL_UNKNOWN;
    if (c->known && !c->known(row))
        return;
    switch (c->kind) {
    case GR_COLUMN_TEXT:
        cell->text = *(char *const *)at;
        cell->kind = cell->text ? GR_CELL_TEXT : GR_CELL_UNKNOWN;
        break;
    case GR_COLUMN_NAME:
        cell->text = at;
        cell->kind = GR_CELL_TEXT;
        break;
    case GR_COLUMN_BOOL:
        cell->truth = *(const bool *)at;
        cell->kind = GR_CELL_BOOL;
        break;
    case GR_COLUMN_INT:
        put_whole(*(const int *)at, c->flags, cell);
        break;
    case GR_COLUMN_INT64:
        put_whole(*(const int64_t *)at, c->flags, cell);
        break;
    case GR_COLUMN_REQUESTED:
        put_whole(requested(c, row), c->flags, cell);
        break;
    case GR_COLUMN_REAL:
    case GR_COLUMN_ELEMENT:
        put_real(*(const double *)at, c->flags, cell);
        break;
    case GR_COLUMN_DERIVED:
        derive(c, row, cell);
        break;
    case GR_COLUMN_LIST:
        break;
    }
}
