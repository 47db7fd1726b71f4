/* screen.c: selects lines with Freivalds' check; comparing their elements one by one decides.
 *
 *
 * For a random vector s of +-1 the residual of line i of C is r_i = sum_j e_ij s_j, where e_ij
 * is the error of an element. Whatever the other errors are, |r_i| >= |e_ij| for at least one of
 * the two signs of s_j. So one of GR_VECTORS residuals is at least |e_ij|, except with a
 * probability of 2^-GR_VECTORS. The lines with the largest residuals are compared completely; T,
 * the largest residual of the other lines, bounds every error that was not examined. A residual
 * alone never makes C wrong: a correct C passes, however its rounding errors add up.
 * SPDX-License-Identifier: MIT */
#include "check/screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct screen {
    struct gr_tally *tally;
    const struct gr_reference *reference;
    bool *done_rows, *done_cols; /* lines that were compared completely */
    double *residual;            /* for each line, the largest of the vectors */
    int64_t *order;              /* lines by falling residual */
};

/* The largest finite magnitude in C0, if beta is not 0. */
static double largest_c0(const struct gr_tally *tally)
{
    const struct gr_problem *p = &tally->reference->problem;
    double largest = 0;
    if (tally->rule.beta != 0)
        for (int64_t i = 0; i < p->m; i++)
            for (int64_t j = 0; j < p->n; j++) {
                double size = fabs(gr_tally_c0(tally, i, j));
                if (size > largest && isfinite(size))
                    largest = size;
            }
    return largest;
}

/* The widest bound of any element of C: sum|a||b| is at most the product of the lines' norms
 * (Cauchy-Schwarz). */
static struct gr_want largest_want(const struct gr_tally *tally)
{
    double norms = tally->reference->largest_x * tally->reference->largest_y;
    struct gr_rule rule = tally->rule;
    rule.alpha = fabs(rule.alpha);
    rule.beta = fabs(rule.beta);
    return gr_rule_want(&rule, norms, norms, largest_c0(tally));
}

static void judge_lines(struct screen *s, const struct gr_lines *lines, bool cols)
{
    bool *done = cols ? s->done_cols : s->done_rows, *crossing = cols ? s->done_rows : s->done_cols;
    for (int64_t l = 0; l < lines->count; l++) {
        for (int64_t i = 0; i < lines->length; i++) {
            if (crossing[i])
                continue;
            int64_t at = l * lines->length + i, line = lines->index[l];
            gr_tally_add(s->tally, cols ? i : line, cols ? line : i, lines->product[at],
                         lines->absolute[at]);
        }
    }
    for (int64_t l = 0; l < lines->count; l++)
        done[lines->index[l]] = true;
}

/* The largest |C s - alpha X (Y^T s) - beta C0 s| of a line; `old` is null if C0 is not read.
 * NaN counts as infinite. */
static double largest_residual(const struct gr_rule *rule, const double *got, const double *image,
                               const double *old)
{
    double largest = 0;
    for (int v = 0; v < GR_VECTORS; v++) {
        double right =
            (rule->alpha == 0 ? 0 : rule->alpha * image[v]) + (old ? rule->beta * old[v] : 0);
        double size = fabs(got[v] - right);
        if (!(size <= largest))
            largest = isnan(size) ? (double)INFINITY : size;
    }
    return largest;
}

static bool find_residuals(struct screen *s)
{
    const struct gr_reference *r = s->reference;
    const struct gr_rule *rule = &s->tally->rule;
    struct gr_view c = gr_screen_view(r, s->tally->c), c0 = gr_screen_view(r, s->tally->c0);
    bool reads_c0 = rule->beta != 0;
    gr_bundle *got = malloc(((size_t)c.lines + 1) * sizeof *got);
    gr_bundle *old = reads_c0 ? malloc(((size_t)c.lines + 1) * sizeof *old) : NULL;
    bool done = got && (old || !reads_c0);
    if (done) {
        gr_apply(&c, r->signs, r->threads, got);
        if (old)
            gr_apply(&c0, r->signs, r->threads, old);
        for (int64_t i = 0; i < c.lines; i++)
            s->residual[i] = largest_residual(rule, got[i], r->image[i], old ? old[i] : NULL);
    }
    free(got);
    free(old);
    return done;
}

static int larger_first(const void *x, const void *y, void *residual)
{
    int64_t i = *(const int64_t *)x, j = *(const int64_t *)y;
    double a = ((const double *)residual)[i], b = ((const double *)residual)[j];
    return a != b ? (a < b) - (a > b) : (i > j) - (i < j);
}

/* Compares the lines with the largest residuals: at least FEW, and up to MANY of those above
 * `target`. *unseen: the largest residual of the other lines. */
static bool judge_suspicious_lines(struct screen *s, double target, double *unseen, int64_t *judged)
{
    enum { FEW = 8, MANY = 64 };
    const struct gr_reference *r = s->reference;
    const bool *done = r->by_cols ? s->done_cols : s->done_rows;
    int64_t count = r->by_cols ? r->problem.n : r->problem.m, taken = 0;
    int64_t *index = malloc(MANY * sizeof *index);
    if (!index)
        return false;
    for (int64_t i = 0; i < count; i++)
        s->order[i] = i;
    qsort_r(s->order, (size_t)count, sizeof *s->order, larger_first, s->residual);
    *unseen = 0;
    for (int64_t o = 0; o < count; o++) {
        int64_t line = s->order[o];
        if (done[line])
            continue;
        if (taken >= MANY || (taken >= FEW && s->residual[line] <= target)) {
            *unseen = s->residual[line];
            break;
        }
        index[taken++] = line;
    }
    struct gr_lines lines;
    const struct gr_view *x = r->by_cols ? &r->y : &r->x, *y = r->by_cols ? &r->x : &r->y;
    if (!gr_lines_make(x, y, index, taken, r->threads, &lines))
        return false;
    judge_lines(s, &lines, r->by_cols);
    gr_lines_free(&lines);
    *judged = taken;
    return true;
}

static void judge_by_dot(struct screen *s, int64_t row, int64_t col)
{
    double product, absolute;
    gr_view_dot(&s->reference->x, row, &s->reference->y, col, &product, &absolute);
    gr_tally_add(s->tally, row, col, product, absolute);
}

/* Scans all elements of C for NaN, Inf and unwritten ones, which need no reference. */
static void scan(struct screen *s, const void *untouched)
{
    enum { MANY = 1024 };
    const struct gr_reference *r = s->reference;
    const struct gr_problem *p = &r->problem;
    size_t bytes = gr_dtype_bytes(p->types.c);
    int64_t odd = 0, same = 0;
    for (int64_t i = 0; i < p->m; i++) {
        for (int64_t j = 0; j < p->n; j++) {
            if (s->done_rows[i] || s->done_cols[j])
                continue;
            int64_t at = (i * p->ldc + j) * (int64_t)bytes;
            double got = gr_tally_got(s->tally, i, j);
            if (!isfinite(got)) {
                bool expected = r->odd_rows[i] || r->odd_cols[j] ||
                                !isfinite(gr_tally_c0(s->tally, i, j)) || isinf(got);
                if (odd++ < MANY)
                    judge_by_dot(s, i, j);
                else if (!expected)
                    gr_tally_add_nonfinite(s->tally, i, j);
            } else if (untouched && same < MANY &&
                       memcmp((const char *)s->tally->c + at, (const char *)untouched + at,
                              bytes) == 0) {
                same++;
                judge_by_dot(s, i, j);
            }
        }
    }
}

/* The smallest error that was certainly examined, given the largest residual of the other lines
 * and the widest bound of an element. Rounding of the residuals themselves is a random walk
 * through both products; integers have none. */
static double smallest_seen(const struct gr_tally *tally, double unseen, struct gr_want widest)
{
    const struct gr_problem *p = &tally->reference->problem;
    double length = (double)(tally->reference->by_cols ? p->m : p->n);
    double target = tally->rule.limit * widest.scale + widest.slack;
    double walk = sqrt(length) + length / sqrt((double)p->k + 1);
    double noise = target > 0 ? 0x1p-52 * walk * widest.scale / tally->rule.eps : 0;
    return 1.001 * fmax(unseen + noise, target);
}

bool gr_screen(struct gr_tally *tally, const void *untouched, double *sees, int64_t *lines)
{
    const struct gr_reference *r = tally->reference;
    const struct gr_problem *p = &r->problem;
    size_t line_count = (size_t)(r->by_cols ? p->n : p->m);
    struct screen s = {.tally = tally, .reference = r};
    s.done_rows = calloc((size_t)p->m + 1, 1);
    s.done_cols = calloc((size_t)p->n + 1, 1);
    s.residual = calloc(line_count + 1, sizeof *s.residual);
    s.order = calloc(line_count + 1, sizeof *s.order);
    double unseen = 0;
    bool done = s.done_rows && s.done_cols && s.residual && s.order && find_residuals(&s);
    if (done) {
        struct gr_want widest = largest_want(tally);
        judge_lines(&s, &r->rows, false);
        judge_lines(&s, &r->cols, true);
        done = judge_suspicious_lines(&s, tally->rule.limit * widest.scale + widest.slack, &unseen,
                                      lines);
        scan(&s, untouched);
        *sees = smallest_seen(tally, unseen, widest);
    }
    free(s.done_rows);
    free(s.done_cols);
    free(s.residual);
    free(s.order);
    return done;
}
