/* estimate.c: estimates the remaining time of a run.
 *
 * Each remaining row gets a lower and an upper bound. If its kernel was measured at another
 * size, the time of one GEMM is scaled from there, and the number of GEMMs in a row is known:
 * some to verify, some rounds together with the peer. The rest of a row's time (copying, comparing,
 * edge shapes) is estimated from other rows. If the sums of the lower and upper bounds are too
 * far apart, no estimate is given: one that may be wrong by more than a factor of two is worse
 * than none. SPDX-License-Identifier: MIT */
#include "measure/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gr_estimate_row {
    bool done, measured; /* measured: its time is known, since it was not kept */
    double spent_ns;     /* for the row */
    double gap_ns;       /* before the row: inputs, references, the comparison of the peers */
    double product_ns;   /* one GEMM of the kernel, at `flops`; 0: not timed */
    double peers_ns;     /* the peers' GEMMs in a round, at `flops` */
    double flops;        /* of the problem that was timed */
    double rest_ns;      /* the part of spent_ns that GEMMs do not account for */
};

struct span {
    double least, most;
};

/* The largest ratio of upper to lower bound: their geometric mean is then at most sqrt(3.4) =
 * 1.84 times off. */
static const double widest = 3.4;
/* The same values as in measure/timing.c and measure/fit.c. */
static const double bursts = 3, warm_up_ns = 60e6, long_round_ns = 3e8, products_of_fit = 1.15;
/* The factor in work when all dimensions double, and the fraction of the time limit that each of
 * a row's ten GEMMs may take. */
static const double work_of_double = 8, products_per_row = 10;
/* The uncertainty that each doubling of the size adds. */
static const double farther = 1.3;

static double flops_of(const struct gr_row *row)
{
    double flops = gr_problem_flops(&row->problem);
    return flops > 1 ? flops : 1;
}

/* The time to verify and time a kernel whose GEMM takes product_ns. */
static double model_ns(const struct gr_estimate *e, double product_ns, double peers_ns,
                       bool is_peer)
{
    double verify_ns = (3 + (is_peer ? 0 : products_of_fit)) * product_ns;
    double round_ns = product_ns + peers_ns;
    double least_samples = round_ns < long_round_ns ? 3 : 1;
    double samples_ns = fmax((double)e->terms.budget_ns, bursts * least_samples * round_ns);
    return verify_ns + (e->terms.verify_only ? 0 : samples_ns + fmax(warm_up_ns, round_ns));
}

/* Is it the same kernel; if `strictly`, also with the same types, transposes and threads? */
static bool same_kernel(const struct gr_row *x, const struct gr_row *y, bool strictly)
{
    const struct gr_problem *p = &x->problem, *q = &y->problem;
    bool same =
        x->is_peer == y->is_peer && x->kernel && y->kernel && strcmp(x->kernel, y->kernel) == 0;
    return same && (!strictly || (gr_types_equal(p->types, q->types) && x->threads == y->threads &&
                                  p->trans_a == q->trans_a && p->trans_b == q->trans_b));
}

/* The finished row of that kernel with the nearest size; -1: none. Row `but` and others of its
 * size are left out. */
static int nearest(const struct gr_estimate *e, int index, bool strictly, int but)
{
    int best = -1;
    double least = 0, wanted = log(flops_of(&e->plan->rows[index]));
    for (int i = 0; i < e->plan->row_count; i++) {
        const struct gr_estimate_row *r = &e->rows[i];
        if (!r->done || i == but ||
            !same_kernel(&e->plan->rows[i], &e->plan->rows[index], strictly) ||
            (but >= 0 && r->flops == e->rows[but].flops))
            continue;
        double distance = fabs(log(flops_of(&e->plan->rows[i])) - wanted);
        if (best < 0 || distance <= least) {
            best = i;
            least = distance;
        }
    }
    return best;
}

static struct span span_of(double middle, double factor)
{
    return (struct span){middle / factor, middle * factor};
}

/* The time of a GEMM with `ratio` times the work; the larger the ratio, the less certain. The
 * time of a short one is dominated by overhead that does not grow, and may have been disturbed. */
static struct span grow(double product_ns, double ratio, double power, double doubt)
{
    const double short_ns = 3e6, least_power = 0.6;
    doubt *= pow(farther, fabs(log(ratio) / log(work_of_double)));
    struct span span = span_of(product_ns * pow(ratio, power), doubt);
    if (product_ns < short_ns && ratio > 1)
        span.least = product_ns * pow(ratio, least_power) / doubt;
    return span;
}

/* The GEMM time of row `index`, scaled from row `from`: with the exponent that two measured
 * sizes show, or else proportionally and with a large uncertainty. */
static struct span scale(const struct gr_estimate *e, int index, int from, bool strictly)
{
    const struct gr_estimate_row *r = &e->rows[from];
    double ratio = flops_of(&e->plan->rows[index]) / r->flops, power = 1,
           doubt = strictly ? 1.5 : 2.5;
    int other = nearest(e, index, strictly, from);
    if (strictly && other >= 0 && e->rows[other].product_ns > 0) {
        double work = log(r->flops / e->rows[other].flops);
        if (fabs(work) > 0.5) {
            power = log(r->product_ns / e->rows[other].product_ns) / work;
            power = fmin(fmax(power, 0.7), 1.35);
            doubt = 1.25;
        }
    }
    if (fabs(log(ratio)) < 0.1)
        doubt = strictly ? 1.1 : 2.5;
    struct span product = grow(r->product_ns, ratio, power, doubt);
    if (e->plan->rows[index].is_peer)
        return product;
    /* A kernel that would take too long is capped at the first size, going up, at which ten
     * times the work is too long. */
    const double most_ns = (double)e->terms.time_limit_ns / products_per_row / products_per_row;
    double middle = sqrt(product.least * product.most), capped = middle;
    while (capped > work_of_double * most_ns)
        capped /= work_of_double;
    return (struct span){product.least * capped / middle, product.most * capped / middle};
}

static int compare(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The time apart from GEMMs of the measured rows with the nearest sizes, for kernels or for
 * peers: the median, and the growth of the work since then. NAN: there is none. */
static double middle_rest(const struct gr_estimate *e, int index, bool slow_too, double *growth)
{
    const struct gr_row *row = &e->plan->rows[index];
    double wanted = log(flops_of(row)), least = INFINITY;
    double *rests = malloc((size_t)e->plan->row_count * sizeof *rests), rest = NAN;
    int count = 0;
    for (int i = 0; rests && i < e->plan->row_count; i++) {
        const struct gr_estimate_row *r = &e->rows[i];
        /* A row with long GEMMs does not show well what the rest takes. */
        if (r->product_ns > 0.03 * r->spent_ns && !slow_too)
            continue;
        double distance = fabs(log(flops_of(&e->plan->rows[i])) - wanted);
        if (!r->measured || r->product_ns <= 0 || e->plan->rows[i].is_peer != row->is_peer ||
            distance > least + 0.1)
            continue;
        if (distance < least - 0.1)
            count = 0;
        least = fmin(least, distance);
        *growth = fmax(1, flops_of(row) / flops_of(&e->plan->rows[i]));
        rests[count++] = r->rest_ns;
    }
    if (count) {
        qsort(rests, (size_t)count, sizeof *rests, compare);
        rest = rests[count / 2];
    }
    free(rests);
    return rest;
}

static double rest_of(const struct gr_estimate *e, int index, double *growth)
{
    double rest = middle_rest(e, index, false, growth);
    return isnan(rest) ? middle_rest(e, index, true, growth) : rest;
}

/* The peers' GEMMs in a round, at the rate of the nearest row. */
static struct span peers_span(const struct gr_estimate *e, int index)
{
    double wanted = log(flops_of(&e->plan->rows[index])), least = INFINITY;
    struct span peers = {0};
    for (int i = 0; i < e->plan->row_count; i++) {
        const struct gr_estimate_row *r = &e->rows[i];
        double distance = fabs(log(flops_of(&e->plan->rows[i])) - wanted);
        if (!r->done || r->peers_ns <= 0 || distance > least)
            continue;
        least = distance;
        peers = grow(r->peers_ns, flops_of(&e->plan->rows[index]) / r->flops, 1, 1.1);
    }
    return peers;
}

/* The bounds of a row's time, from those of its GEMM. */
static struct span row_span(const struct gr_estimate *e, int index, struct span product)
{
    double growth = 1, rest = rest_of(e, index, &growth);
    struct span peers = peers_span(e, index);
    bool is_peer = e->plan->rows[index].is_peer;
    if (isnan(rest))
        return (struct span){0, INFINITY};
    double least = model_ns(e, product.least, peers.least, is_peer);
    double most = model_ns(e, product.most, peers.most, is_peer);
    /* The rest varies, and grows little from one size to the next. From small to large sizes,
     * where references are computed, its growth is unknown. */
    double most_growth = growth <= work_of_double ? pow(growth, 1.0 / 6) : sqrt(growth);
    double grown = rest * most_growth;
    /* The rest is negative if fewer samples of the shortest GEMMs were taken than the budget
     * allows. */
    if (rest < 0)
        grown = growth <= 1.1 ? rest : growth <= work_of_double ? 0 : -grown;
    return (struct span){fmax(least + 0.7 * rest, 0.5 * least),
                         fmax(most + 1.3 * grown, 0.5 * most)};
}

/* If it was not timed, the whole row is scaled: at least nothing grows, at most everything. */
static struct span whole_span(const struct gr_estimate *e, int index, int from)
{
    double ratio = flops_of(&e->plan->rows[index]) / flops_of(&e->plan->rows[from]);
    double spent = e->rows[from].spent_ns;
    return (struct span){0.8 * spent * fmin(1, ratio), 1.25 * spent * fmax(1, ratio)};
}

/* Rungs are ordered by speed, so that one is rarely slower than the one before it. */
static bool is_rung(const char *name)
{
    return name && name[0] >= '0' && name[0] <= '9' && name[1] >= '0' && name[1] <= '9' &&
           name[2] == '_';
}

/* The bounds of a row whose kernel was never measured. */
static struct span third_party_span(const struct gr_estimate *e, int index)
{
    const struct gr_row *row = &e->plan->rows[index];
    enum { LATELY = 3 };
    struct span met = {INFINITY, 0};
    for (int i = index - 1, count = 0; i >= 0 && count < LATELY; i--) {
        const struct gr_row *before = &e->plan->rows[i];
        const struct gr_estimate_row *r = &e->rows[i];
        if (!r->measured || before->is_peer != row->is_peer || flops_of(before) != flops_of(row))
            continue;
        if (!row->is_peer && is_rung(row->kernel) && is_rung(before->kernel) && r->product_ns > 0)
            return row_span(e, index, (struct span){0, r->product_ns});
        met.least = fmin(met.least, r->spent_ns);
        met.most = fmax(met.most, r->spent_ns);
        count++;
    }
    /* Rows of peers take similar times, and so do rows that are only verified; the time of a
     * third-party kernel is unknown. */
    bool alike = met.most > 0 && (row->is_peer || row->simulated || e->terms.verify_only);
    return alike ? (struct span){0.5 * met.least, 1.35 * met.most} : (struct span){0, INFINITY};
}

static struct span span_of_row(const struct gr_estimate *e, int index)
{
    for (int strictly = 1; strictly >= 0; strictly--) {
        int from = nearest(e, index, strictly, -1);
        if (from < 0)
            continue;
        if (e->rows[from].product_ns > 0)
            return row_span(e, index, scale(e, index, from, strictly));
        if (e->rows[from].measured)
            return whole_span(e, index, from);
    }
    return third_party_span(e, index);
}

/* Does another row have the same work as row `index`? */
static bool same_work(const struct gr_estimate *e, int index, int other)
{
    return flops_of(&e->plan->rows[index]) == flops_of(&e->plan->rows[other]);
}

/* The pauses before the rows with the same work as row `index`. */
static double gaps_at(const struct gr_estimate *e, int index)
{
    double sum = 0;
    for (int i = 0; i < e->plan->row_count; i++)
        sum += same_work(e, index, i) ? e->rows[i].gap_ns : 0;
    return sum;
}

/* The nearest size with a measured row, except the size of row `but`; -1: none. */
static int nearest_gap(const struct gr_estimate *e, int index, int but)
{
    double wanted = log(flops_of(&e->plan->rows[index])), least = INFINITY;
    int best = -1;
    for (int i = 0; i < e->plan->row_count; i++) {
        double distance = fabs(log(flops_of(&e->plan->rows[i])) - wanted);
        if (!e->rows[i].measured || distance >= least || (but >= 0 && same_work(e, i, but)))
            continue;
        least = distance;
        best = i;
    }
    return best;
}

/* Before the first row of a problem, inputs and references are computed and peers are compared.
 * Two measured sizes show which part grows with the work, one does not; beyond 1024^3 no full
 * references are computed. */
static struct span gap_span(const struct gr_estimate *e, int index)
{
    const double full_flops = 0x1p31, distinct_flops = 0x1p28,
                 slowest_reference = 4; /* ns a FLOP */
    int near = nearest_gap(e, index, -1), far = near < 0 ? -1 : nearest_gap(e, index, near);
    if (near < 0)
        return (struct span){0, INFINITY};
    double gap = gaps_at(e, near), work = fmin(flops_of(&e->plan->rows[index]), full_flops);
    double near_work = fmin(flops_of(&e->plan->rows[near]), full_flops);
    double ratio = work / near_work;
    if (far < 0)
        return (struct span){0.7 * gap * fmin(1, ratio), 1.4 * gap * fmin(fmax(1, ratio), 8)};
    double far_work = fmin(flops_of(&e->plan->rows[far]), full_flops);
    double slope = near_work != far_work ? (gap - gaps_at(e, far)) / (near_work - far_work) : 0;
    slope = fmin(fmax(slope, 0), slowest_reference);
    double most = fmax(gap + slope * (work - near_work), 0.3 * gap);
    /* Between small sizes the difference is noise. */
    bool sure = near_work >= distinct_flops || work <= near_work;
    /* Beyond that size operands are still filled, and the peers are compared with longer GEMMs. */
    double beyond =
        fmax(1, flops_of(&e->plan->rows[index]) / fmax(full_flops, flops_of(&e->plan->rows[near])));
    return (struct span){sure ? most / 1.5 : 0.7 * gap, 1.5 * most * sqrt(beyond)};
}

/* Is it the first row of its work in the plan, and has no other row of that work begun? */
static bool opens_problem(const struct gr_estimate *e, int index)
{
    for (int i = 0; i < e->plan->row_count; i++)
        if (same_work(e, index, i) && (i < index || e->rows[i].done || i == e->current))
            return false;
    return true;
}

bool gr_estimate_begin(struct gr_estimate *e, const struct gr_run *plan,
                       const struct gr_estimate_terms *terms, int64_t now_ns)
{
    *e = (struct gr_estimate){.plan = plan, .terms = *terms, .current = -1, .since_ns = now_ns};
    e->rows = calloc((size_t)plan->row_count + 1, sizeof *e->rows);
    return e->rows != NULL;
}

void gr_estimate_free(struct gr_estimate *e)
{
    free(e->rows);
    *e = (struct gr_estimate){.current = -1};
}

void gr_estimate_row_begins(struct gr_estimate *e, int index, int64_t now_ns)
{
    if (!e->rows)
        return;
    e->rows[index].gap_ns = (double)(now_ns - e->since_ns);
    e->current = index;
    e->since_ns = now_ns;
}

void gr_estimate_row_ends(struct gr_estimate *e, int index, const struct gr_row *row, bool kept,
                          int64_t now_ns)
{
    if (!e->rows)
        return;
    struct gr_estimate_row *r = &e->rows[index];
    r->done = true;
    r->measured = !kept;
    r->flops = flops_of(row);
    const double flops_of_all = r->flops * gr_row_callers(row); /* that a rate is made of */
    r->product_ns = row->verdict == GR_RIGHT && row->time_ns.n > 0 ? row->time_ns.median : 0;
    if (row->peer.gflops > 0 && strcmp(row->peer.name, row->kernel ? row->kernel : "") != 0)
        r->peers_ns = flops_of_all / row->peer.gflops;
    for (int i = 0; i < row->competitor_count; i++)
        if (row->competitors[i].peer.gflops > 0 &&
            row->competitors[i].peer.gflops < row->peer.gflops)
            r->peers_ns += flops_of_all / row->competitors[i].peer.gflops;
    if (!kept) {
        r->spent_ns = (double)(now_ns - e->since_ns);
        r->rest_ns = r->spent_ns - model_ns(e, r->product_ns, r->peers_ns, row->is_peer);
    }
    e->current = -1;
    e->since_ns = now_ns;
}

int64_t gr_estimate_left(const struct gr_estimate *e, int64_t now_ns)
{
    struct span left = {0};
    double passed = (double)(now_ns - e->since_ns);
    if (!e->rows)
        return -1;
    for (int i = 0; i < e->plan->row_count; i++) {
        if (e->rows[i].done)
            continue;
        struct span row = span_of_row(e, i);
        if (i == e->current) {
            /* A row that has exceeded its estimate may take as long again. */
            row.least = fmax(row.least - passed, 0);
            row.most = fmax(row.most - passed, passed > row.most ? passed / 2 : 0.2 * row.most);
        } else if (opens_problem(e, i)) {
            struct span gap = gap_span(e, i);
            row.least += gap.least;
            row.most += gap.most;
        }
        left.least += row.least;
        left.most += row.most;
    }
    const double nothing = 2e9; /* with so little time left it is not worth an estimate */
    if (!(left.most <= widest * left.least) && !(left.most <= nothing))
        return -1;
    return (int64_t)sqrt(fmax(left.least, left.most / widest) * left.most);
}
