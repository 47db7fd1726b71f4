/* estimate.c: how long a run will still take. SPDX-License-Identifier: MIT
 *
 * Each row that is to come gets a shortest and a longest time. Where a kernel was measured at
 * another size, its product is scaled from there, and what the pipeline does with products is
 * known: so many to verify, so many rounds beside the peer. What it does besides (copying,
 * comparing, edge shapes) is what other rows have taken besides. Where the sums of the shortest and
 * the longest are far apart, nothing is told: an estimate that may be wrong by more than a factor
 * of two is worse than none. */
#include "measure/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gr_estimate_row {
    bool done, measured; /* measured: not kept, so that its time is known */
    double spent_ns;     /* on the row */
    double gap_ns;       /* before it: inputs, references, the race of the peers */
    double product_ns;   /* of the kernel, at `flops`; 0: not timed */
    double beside_ns;    /* of the peers' products in a round, at `flops` */
    double flops;        /* of the problem that was timed */
    double rest_ns;      /* of spent_ns, what products do not explain */
};

struct span {
    double least, most;
};

/* Of the most to the least, so that the middle is at most sqrt(3.4) = 1.84 times off. */
static const double widest = 3.4;
/* As measure/timing.c and measure/fit.c have it. */
static const double bursts = 3, warm_up_ns = 60e6, long_round_ns = 3e8, products_of_fit = 1.15;
/* Twice the dimensions, and the part of the time limit that ten products of a row may take. */
static const double work_of_double = 8, products_per_row = 10;
/* A doubled size is so much less certain. */
static const double farther = 1.3;

static double flops_of(const struct gr_row *row)
{
    double flops = gr_problem_flops(&row->problem);
    return flops > 1 ? flops : 1;
}

/* What verifying and timing take of a kernel whose product takes so long. */
static double model_ns(const struct gr_estimate *e, double product_ns, double beside_ns,
                       bool is_peer)
{
    double verify_ns = (3 + (is_peer ? 0 : products_of_fit)) * product_ns;
    double round_ns = product_ns + beside_ns;
    double least_samples = round_ns < long_round_ns ? 3 : 1;
    double samples_ns = fmax((double)e->terms.budget_ns, bursts * least_samples * round_ns);
    return verify_ns + (e->terms.verify_only ? 0 : samples_ns + fmax(warm_up_ns, round_ns));
}

/* The same kernel; `strictly`: of the same types, transposes and threads. */
static bool same_kernel(const struct gr_row *x, const struct gr_row *y, bool strictly)
{
    const struct gr_problem *p = &x->problem, *q = &y->problem;
    bool same =
        x->is_peer == y->is_peer && x->kernel && y->kernel && strcmp(x->kernel, y->kernel) == 0;
    return same && (!strictly || (gr_types_equal(p->types, q->types) && x->threads == y->threads &&
                                  p->trans_a == q->trans_a && p->trans_b == q->trans_b));
}

/* The done row of that kernel which is nearest in size; -1: none. `but` is left out, and so is its
 * size. */
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

/* A product's time with so many times the work: the farther, the less certain. A short one is ruled
 * by what does not grow, and may have been disturbed. */
static struct span grow(double product_ns, double ratio, double power, double doubt)
{
    const double short_ns = 3e6, least_power = 0.6;
    doubt *= pow(farther, fabs(log(ratio) / log(work_of_double)));
    struct span span = span_of(product_ns * pow(ratio, power), doubt);
    if (product_ns < short_ns && ratio > 1)
        span.least = product_ns * pow(ratio, least_power) / doubt;
    return span;
}

/* The product of row `index`, scaled from row `from`: by the power of the work that two sizes of it
 * show, or else in proportion and with little trust. */
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
    /* A kernel that would take too long is capped: at the first size from below of which ten times
     * as much is too long. */
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

/* What the measured rows nearest in size have taken besides products, of kernels or of peers: the
 * middle one, and by how much the work has grown since. NAN: there is none. */
static double middle_rest(const struct gr_estimate *e, int index, bool slow_too, double *growth)
{
    const struct gr_row *row = &e->plan->rows[index];
    double wanted = log(flops_of(row)), least = INFINITY;
    double *rests = malloc((size_t)e->plan->row_count * sizeof *rests), rest = NAN;
    int count = 0;
    for (int i = 0; rests && i < e->plan->row_count; i++) {
        const struct gr_estimate_row *r = &e->rows[i];
        /* A row of long products tells little of what comes besides. */
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

/* A round's products of the peers: at the rate that the nearest row saw. */
static struct span beside_of(const struct gr_estimate *e, int index)
{
    double wanted = log(flops_of(&e->plan->rows[index])), least = INFINITY;
    struct span beside = {0};
    for (int i = 0; i < e->plan->row_count; i++) {
        const struct gr_estimate_row *r = &e->rows[i];
        double distance = fabs(log(flops_of(&e->plan->rows[i])) - wanted);
        if (!r->done || r->beside_ns <= 0 || distance > least)
            continue;
        least = distance;
        beside = grow(r->beside_ns, flops_of(&e->plan->rows[index]) / r->flops, 1, 1.1);
    }
    return beside;
}

/* From the time of its product to that of the row. */
static struct span row_span(const struct gr_estimate *e, int index, struct span product)
{
    double growth = 1, rest = rest_of(e, index, &growth);
    struct span beside = beside_of(e, index);
    bool is_peer = e->plan->rows[index].is_peer;
    if (isnan(rest))
        return (struct span){0, INFINITY};
    double least = model_ns(e, product.least, beside.least, is_peer);
    double most = model_ns(e, product.most, beside.most, is_peer);
    /* What comes besides wanders, and grows little from one size to the next; from small ones to
     * large ones, with references to make, by nobody knows how much. */
    double most_growth = growth <= work_of_double ? pow(growth, 1.0 / 6) : sqrt(growth);
    double grown = rest * most_growth;
    /* Less than nothing: of the shortest products not as many are sampled as the budget has room
     * for. */
    if (rest < 0)
        grown = growth <= 1.1 ? rest : growth <= work_of_double ? 0 : -grown;
    return (struct span){fmax(least + 0.7 * rest, 0.5 * least),
                         fmax(most + 1.3 * grown, 0.5 * most)};
}

/* Where it was not timed, the whole row is scaled: at the least nothing grows, at the most all of
 * it. */
static struct span whole_span(const struct gr_estimate *e, int index, int from)
{
    double ratio = flops_of(&e->plan->rows[index]) / flops_of(&e->plan->rows[from]);
    double spent = e->rows[from].spent_ns;
    return (struct span){0.8 * spent * fmin(1, ratio), 1.25 * spent * fmax(1, ratio)};
}

/* Rungs are in the order of their speed, so that one is hardly slower than the one before it. */
static bool is_rung(const char *name)
{
    return name && name[0] >= '0' && name[0] <= '9' && name[1] >= '0' && name[1] <= '9' &&
           name[2] == '_';
}

/* Of a kernel that was never measured. */
static struct span stranger_span(const struct gr_estimate *e, int index)
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
    /* Peers take alike, and what is only verified as well, as far as can be told; a stranger's
     * kernel may take anything. */
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
    return stranger_span(e, index);
}

/* Of the work of row `index`. */
static bool same_work(const struct gr_estimate *e, int index, int other)
{
    return flops_of(&e->plan->rows[index]) == flops_of(&e->plan->rows[other]);
}

/* What lay between the rows of as much work as row `index`. */
static double gaps_at(const struct gr_estimate *e, int index)
{
    double sum = 0;
    for (int i = 0; i < e->plan->row_count; i++)
        sum += same_work(e, index, i) ? e->rows[i].gap_ns : 0;
    return sum;
}

/* The nearest in size of which a row is measured, but for those of as much work as row `but`; -1:
 * none. */
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

/* Before the first row of a problem there are inputs and references to be made, and a race. Of two
 * sizes it is known what grows with the work, of one it is not; beyond 1024^3 references are not
 * made in full. */
static struct span gap_span(const struct gr_estimate *e, int index)
{
    const double full_flops = 0x1p31, telling_flops = 0x1p28, slowest_reference = 4; /* ns a flop */
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
    /* Of small sizes the difference is chance. */
    bool sure = near_work >= telling_flops || work <= near_work;
    /* Beyond, operands are still to be filled, and the peers race with longer products. */
    double beyond =
        fmax(1, flops_of(&e->plan->rows[index]) / fmax(full_flops, flops_of(&e->plan->rows[near])));
    return (struct span){sure ? most / 1.5 : 0.7 * gap, 1.5 * most * sqrt(beyond)};
}

/* The first of its work in the plan, of which no row has begun yet. */
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
    r->product_ns = row->verdict == GR_RIGHT && row->time_ns.n > 0 ? row->time_ns.median : 0;
    if (row->peer.gflops > 0 && strcmp(row->peer.name, row->kernel ? row->kernel : "") != 0)
        r->beside_ns = r->flops / row->peer.gflops;
    for (int i = 0; i < row->rival_count; i++)
        if (row->rivals[i].peer.gflops > 0 && row->rivals[i].peer.gflops < row->peer.gflops)
            r->beside_ns += r->flops / row->rivals[i].peer.gflops;
    if (!kept) {
        r->spent_ns = (double)(now_ns - e->since_ns);
        r->rest_ns = r->spent_ns - model_ns(e, r->product_ns, r->beside_ns, row->is_peer);
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
            /* One that is late takes perhaps as long again. */
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
    const double nothing = 2e9; /* of so short a time the end is told soon enough */
    if (!(left.most <= widest * left.least) && !(left.most <= nothing))
        return -1;
    return (int64_t)sqrt(fmax(left.least, left.most / widest) * left.most);
}
