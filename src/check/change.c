/* change.c: updates a reference after one element of A or B has changed, without computing it
 * anew. SPDX-License-Identifier: MIT */
#include "check/check.h"
#include "check/element.h"
#include "check/judge.h"
#include "check/reference.h"

#include <math.h>

/* The change of the element at `position` of line `line` of X or Y, by `by`. */
struct change {
    bool of_x;
    int64_t line, position;
    double by;
};

/* Recomputes the element instead of adding the difference: if a large number appeared and
 * disappeared again, its rounding errors would remain. */
static void compute(const struct gr_reference *r, int64_t row, int64_t col, int64_t at,
                    double *product, double *absolute)
{
    gr_view_dot(&r->x, row, &r->y, col, &product[at], &absolute[at]);
}

static void change_full(struct gr_reference *r, const struct change *c)
{
    int64_t n = r->problem.n, count = c->of_x ? n : r->problem.m;
    for (int64_t i = 0; i < count; i++) {
        int64_t row = c->of_x ? c->line : i, col = c->of_x ? i : c->line;
        compute(r, row, col, row * n + col, r->product, r->absolute);
    }
}

/* Updates the sampled lines of C: a line in the direction of the changed one changes completely,
 * one across it in a single element. */
static void change_lines(struct gr_reference *r, const struct change *c, struct gr_lines *lines,
                         bool rows)
{
    const bool along = rows == c->of_x;
    for (int64_t l = 0; l < lines->count; l++) {
        int64_t line = lines->index[l], from = along ? 0 : c->line;
        int64_t end = !along ? from + 1 : line == c->line ? lines->length : 0;
        for (int64_t i = from; i < end; i++)
            compute(r, rows ? line : i, rows ? i : line, l * lines->length + i, lines->product,
                    lines->absolute);
    }
}

static void change_image(struct gr_reference *r, const struct change *c)
{
    const struct gr_view *lines = r->by_cols ? &r->y : &r->x;
    if (c->of_x != r->by_cols) { /* the changed line is one of those in `image` */
        for (int v = 0; v < GR_VECTORS; v++)
            r->image[c->line][v] += c->by * r->middle[c->position][v];
        return;
    }
    for (int v = 0; v < GR_VECTORS; v++)
        r->middle[c->position][v] += c->by * r->signs[c->line][v];
    for (int64_t i = 0; i < lines->lines; i++) {
        double factor = c->by * gr_view_at(lines, i, c->position);
        for (int v = 0; v < GR_VECTORS; v++)
            r->image[i][v] += factor * r->signs[c->line][v];
    }
}

/* The norm of the changed line may now be the largest. If it was the largest and shrank, the
 * bound stays slightly too wide. */
static void change_norm(struct gr_reference *r, const struct change *c)
{
    const struct gr_view *view = c->of_x ? &r->x : &r->y;
    double *largest = c->of_x ? &r->largest_x : &r->largest_y, squares = 0;
    for (int64_t i = 0; i < view->length; i++) {
        double value = gr_view_at(view, c->line, i);
        squares += value * value;
    }
    *largest = fmax(*largest, sqrt(squares));
}

void gr_reference_change(struct gr_reference *r, char operand, int64_t row, int64_t col, double old)
{
    struct change c = {.of_x = operand == 'A'};
    bool transposed = c.of_x ? r->problem.trans_a : !r->problem.trans_b;
    const struct gr_view *view = c.of_x ? &r->x : &r->y;
    c.line = transposed ? col : row;
    c.position = transposed ? row : col;
    double now = gr_view_at(view, c.line, c.position);
    old = view->rounded != view->type ? gr_round_to(view->rounded, old) : old;
    c.by = now - old;
    if (r->full) {
        change_full(r, &c);
        return;
    }
    change_lines(r, &c, &r->rows, true);
    change_lines(r, &c, &r->cols, false);
    change_image(r, &c);
    change_norm(r, &c);
}

/* By their multiply-adds, of which one of a dot product takes as long as `SLOWER` of the product of
 * tiles, since it reads a line across the matrix's own lines. A change is one of A or of B, as
 * likely, and a line of C that is sampled changes completely if its own line of A or B does. */
double gr_reference_worth_changes(const struct gr_reference *r)
{
    enum { SLOWER = 16 };
    const double m = (double)r->problem.m, n = (double)r->problem.n, k = (double)r->problem.k;
    if (r->full)
        return 2 * m * n / (m + n) / SLOWER;
    const double rows = (double)r->rows.count, cols = (double)r->cols.count;
    const double lines = rows * n + cols * m, image = r->by_cols ? n : m;
    const double all = lines * k + GR_VECTORS * (m + n) * k;
    const double one = (lines / m + lines / n + rows + cols) * k / 2 * SLOWER;
    return all / (one + GR_VECTORS * image + k);
}

bool gr_check_element(const struct gr_problem *problem, const char *math, const void *a,
                      const void *b, const void *c, int64_t row, int64_t col)
{
    struct gr_reference r = {
        .problem = *problem, .x = gr_view_of(problem, 'A', a), .y = gr_view_of(problem, 'B', b)};
    if (gr_reference_set_math(&r, math, NULL) != GRADUS_OK)
        return true;
    struct gr_tally tally = {.reference = &r, .c = c, .rule = gr_rule_make(&r, 1, 0, false)};
    double product, absolute;
    gr_view_dot(&r.x, row, &r.y, col, &product, &absolute);
    struct gr_want want = gr_rule_want(&tally.rule, product, absolute, 0);
    return gr_rule_ratio(&tally.rule, want, gr_tally_got(&tally, row, col)) <= tally.rule.limit;
}
