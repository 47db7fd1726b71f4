/* change.c: another element of A or B, without computing the reference anew. SPDX-License-Identifier: MIT */
#include "check/check.h"
#include "check/element.h"
#include "check/judge.h"
#include "check/reference.h"

#include <math.h>

/* The change of an element: at `position` of line `line` of X, or of Y, by `by`; of its magnitude, by `size_by`. */
struct change {
    bool of_x;
    int64_t line, position;
    double by, size_by;
};

/* C changes in one row (of X) or column (of Y); element i of that line by so much. */
static void add(const struct gr_reference *r, const struct change *c, int64_t i, double *product,
                double *absolute)
{
    double other = gr_view_at(c->of_x ? &r->y : &r->x, i, c->position);
    *product += c->by * other;
    *absolute += c->size_by * fabs(other);
}

static void change_full(struct gr_reference *r, const struct change *c)
{
    int64_t n = r->problem.n, count = c->of_x ? n : r->problem.m;
    for (int64_t i = 0; i < count; i++) {
        int64_t at = c->of_x ? c->line * n + i : i * n + c->line;
        add(r, c, i, &r->product[at], &r->absolute[at]);
    }
}

/* Sampled lines of C: those along the changed one change as a whole, those across in an element. */
static void change_lines(struct gr_reference *r, const struct change *c, struct gr_lines *lines,
                         bool along)
{
    for (int64_t l = 0; l < lines->count; l++) {
        double *product = lines->product + l * lines->length;
        double *absolute = lines->absolute + l * lines->length;
        if (!along)
            add(r, c, lines->index[l], &product[c->line], &absolute[c->line]);
        for (int64_t i = 0; along && lines->index[l] == c->line && i < lines->length; i++)
            add(r, c, i, &product[i], &absolute[i]);
    }
}

static void change_image(struct gr_reference *r, const struct change *c)
{
    const struct gr_view *lines = r->by_cols ? &r->y : &r->x;
    if (c->of_x != r->by_cols) { /* one of the screen's own lines */
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

/* The norm of the changed line may be the greatest now; one that no longer is leaves a bound that is too wide by a little. */
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
    bool turned = c.of_x ? r->problem.trans_a : !r->problem.trans_b;
    const struct gr_view *view = c.of_x ? &r->x : &r->y;
    c.line = turned ? col : row;
    c.position = turned ? row : col;
    double now = gr_view_at(view, c.line, c.position);
    old = view->rounded != view->type ? gr_round_to(view->rounded, old) : old;
    c.by = now - old;
    c.size_by = fabs(now) - fabs(old);
    if (r->full) {
        change_full(r, &c);
        return;
    }
    change_lines(r, &c, &r->rows, c.of_x);
    change_lines(r, &c, &r->cols, !c.of_x);
    change_image(r, &c);
    change_norm(r, &c);
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
