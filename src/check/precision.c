/* precision.c: detects inputs that were rounded to fewer bits than their type has.
 *
 * The effect p of rounding the inputs can be computed without the kernel: p = sum r(a) r(b) -
 * sum a b. For some elements of C the observed error e is compared with p. If the inputs were
 * rounded, e = p + the rounding errors of the sum, so that the regression of e on p has slope 1
 * and p explains e. The rounding errors of a sum are independent of p, which gives a slope of 0,
 * however long the sum is and whatever its bound. Since p is much larger than they are, they
 * cannot imitate it by chance. SPDX-License-Identifier: MIT */
#include "check/precision.h"

#include "base/rng.h"
#include "check/element.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 8, MOST = SIDE * SIDE, CHUNK = 256, FEWEST = 12 };

/* Some elements of C: those where `rows` lines of X and `cols` lines of Y cross. Element e is
 * row e / cols, column e % cols. */
struct sample {
    const struct gr_tally *tally;
    int rows, cols, count;
    int64_t row[MOST], col[MOST];
    double error[MOST]; /* errors of C in units of |alpha| sum|a||b|; NaN: not usable */
    double unit[MOST];
    double (*x)[CHUNK], (*y)[CHUNK], (*dx)[CHUNK], (*dy)[CHUNK]; /* a section of those lines */
};

/* The effect of rounding one operand on each element, in the same units. */
struct model {
    int bits; /* mantissa bits that are kept */
    bool nearest;
    double a[MOST], b[MOST];
};

static const char *const operands[] = {"A", "B", "A and B"};

/* How well a model fits. */
struct fit {
    int bits, which; /* of `operands` */
    bool nearest;
    double explained; /* the fraction of the squared error; 0: no model fits */
    int same, of; /* same: elements whose error agrees with the model's; of: elements compared */
};

/* Selects lines spread over [0, count), one at random in each part. */
static void choose_lines(int64_t count, int wanted, struct gr_rng *rng, int64_t *line)
{
    for (int i = 0; i < wanted; i++) {
        int64_t begin = count * i / wanted, end = count * (i + 1) / wanted;
        line[i] = begin + (int64_t)(gr_rng_unit(rng) * (double)(end - begin));
    }
}

static int at_most(int64_t count, int most)
{
    return count < most ? (int)count : most;
}

static bool make_sample(const struct gr_tally *tally, struct sample *s)
{
    const struct gr_reference *r = tally->reference;
    struct gr_rng rng = {r->seed ^ 0x70726563};
    *s = (struct sample){.tally = tally};
    s->rows = at_most(r->x.lines, SIDE);
    s->cols = at_most(r->y.lines, s->rows ? MOST / s->rows : 0);
    s->rows = at_most(r->x.lines, s->cols ? MOST / s->cols : 0);
    if (s->cols >= SIDE && s->rows >= SIDE)
        s->rows = s->cols = SIDE;
    s->count = s->rows * s->cols;
    if (s->count < FEWEST)
        return false;
    choose_lines(r->x.lines, s->rows, &rng, s->row);
    choose_lines(r->y.lines, s->cols, &rng, s->col);
    s->x = malloc(2 * (size_t)(s->rows + s->cols) * sizeof *s->x);
    if (!s->x)
        return false;
    s->y = s->x + s->rows;
    s->dx = s->y + s->cols;
    s->dy = s->dx + s->rows;
    return true;
}

static int64_t read_part(const struct sample *s, int64_t from)
{
    const struct gr_reference *r = s->tally->reference;
    int64_t rest = r->x.length - from, count = rest < CHUNK ? rest : CHUNK;
    for (int i = 0; i < s->rows; i++)
        gr_view_read(&r->x, s->row[i], from, count, s->x[i]);
    for (int j = 0; j < s->cols; j++)
        gr_view_read(&r->y, s->col[j], from, count, s->y[j]);
    return count;
}

/* The errors, and their magnitude relative to the largest product sum and to the root of the sum
 * of squares of the products. False if there are no errors to explain. */
static bool find_errors(struct sample *s, double *of_sums, double *of_walks)
{
    const struct gr_tally *tally = s->tally;
    double product[MOST] = {0}, absolute[MOST] = {0}, squares[MOST] = {0}, sums = 0, walks = 0;
    for (int64_t from = 0; from < tally->reference->x.length; from += CHUNK) {
        int64_t count = read_part(s, from);
        for (int e = 0; e < s->count; e++)
            for (int64_t l = 0; l < count; l++) {
                double one = s->x[e / s->cols][l] * s->y[e % s->cols][l];
                product[e] += one;
                absolute[e] += fabs(one);
                squares[e] += one * one;
            }
    }
    int known = 0;
    for (int e = 0; e < s->count; e++) {
        int64_t row = s->row[e / s->cols], col = s->col[e % s->cols];
        struct gr_want want =
            gr_rule_want(&tally->rule, product[e], absolute[e], gr_tally_c0(tally, row, col));
        double error = gr_tally_got(tally, row, col) - want.value;
        s->unit[e] = fabs(tally->rule.alpha) * absolute[e];
        s->error[e] = s->unit[e] > 0 && isfinite(error) ? error / s->unit[e] : (double)NAN;
        if (isnan(s->error[e]))
            continue;
        known++;
        double walk = s->error[e] * absolute[e] / sqrt(squares[e]);
        sums += s->error[e] * s->error[e];
        walks += walk * walk;
    }
    *of_sums = sqrt(sums / fmax(1, known));
    *of_walks = sqrt(walks / fmax(1, known));
    return known >= FEWEST && sums > 0 && isfinite(walks);
}

/* x with a mantissa of `bits` bits. */
static double with_bits(double x, int bits, bool nearest)
{
    uint64_t word, low = ((uint64_t)1 << (52 - bits)) - 1;
    memcpy(&word, &x, sizeof word);
    if (nearest)
        word += (low >> 1) + (word >> (52 - bits) & 1);
    word &= ~low;
    memcpy(&x, &word, sizeof x);
    return x;
}

static void predict(const struct sample *s, struct model *m)
{
    memset(m->a, 0, sizeof m->a);
    memset(m->b, 0, sizeof m->b);
    for (int64_t from = 0; from < s->tally->reference->x.length; from += CHUNK) {
        int64_t count = read_part(s, from);
        for (int i = 0; i < s->rows; i++)
            for (int64_t l = 0; l < count; l++)
                s->dx[i][l] = with_bits(s->x[i][l], m->bits, m->nearest) - s->x[i][l];
        for (int j = 0; j < s->cols; j++)
            for (int64_t l = 0; l < count; l++)
                s->dy[j][l] = with_bits(s->y[j][l], m->bits, m->nearest) - s->y[j][l];
        for (int e = 0; e < s->count; e++) {
            const double *x = s->x[e / s->cols], *dx = s->dx[e / s->cols];
            const double *y = s->y[e % s->cols], *dy = s->dy[e % s->cols];
            double a = 0, b = 0;
            for (int64_t l = 0; l < count; l++) {
                a += dx[l] * y[l];
                b += (x[l] + dx[l]) * dy[l];
            }
            m->a[e] += a;
            m->b[e] += b;
        }
    }
    for (int e = 0; e < s->count; e++) {
        double unit = s->tally->rule.alpha / s->unit[e];
        m->a[e] *= unit;
        m->b[e] *= unit;
    }
}

/* As many values of a normal distribution would say as much about a regression as these, of which a
 * few may be far larger than the others: (sum v^2)^2 / sum v^4 is a third of their number if they
 * are of such a distribution, and near 1 if one outweighs the others. */
static double weight_of(double squares, double fourths)
{
    return fourths > 0 ? 3 * squares * squares / fourths : 0;
}

/* Compares the errors with those that rounding one operand, or both, would cause. */
static struct fit fit_one(const struct sample *s, const struct model *m, int which)
{
    const double near_one = 0.2, alike = 0.25;
    struct fit fit = {.bits = m->bits, .which = which, .nearest = m->nearest};
    double ee = 0, ep = 0, pp = 0, e4 = 0, p4 = 0;
    for (int e = 0; e < s->count; e++) {
        double p = (which != 1 ? m->a[e] : 0) + (which != 0 ? m->b[e] : 0);
        if (isnan(s->error[e]) || !isfinite(p))
            continue;
        ee += s->error[e] * s->error[e];
        ep += s->error[e] * p;
        pp += p * p;
        e4 += pow(s->error[e], 4);
        p4 += pow(p, 4);
        fit.of++;
        fit.same += p != 0 && fabs(s->error[e] - p) <= alike * fabs(p);
    }
    if (!(ee > 0 && pp > 0))
        return fit;
    double explained = ep * ep / (ee * pp), enough = 60;
    double known = fmin(fit.of, fmin(weight_of(ee, e4), weight_of(pp, p4)));
    bool all = fabs(ep / pp - 1) <= near_one && explained >= 0.5 &&
               known * explained >= enough * (1 - explained);
    /* Of independent errors of the same magnitude, one in thirteen agrees within a quarter by
     * chance. */
    bool part = fit.same >= FEWEST && 8 * fit.same >= 3 * fit.of;
    fit.explained = all ? explained : part ? 0.5 * fit.same / fit.of : 0;
    return fit;
}

/* Tries the numbers of bits that errors of this magnitude may come from: rounding errors add up
 * like a random walk or, if all have the same sign, like the sums themselves. */
static struct fit best_fit(const struct sample *s, double of_sums, double of_walks)
{
    const struct gr_reference *r = s->tally->reference;
    const int digits_x = gr_dtype_digits(r->x.type), digits_y = gr_dtype_digits(r->y.type);
    int most = (digits_x > digits_y ? digits_x : digits_y) - 4;
    int first = (int)floor(-log2(of_walks)) - 4, last = (int)ceil(-log2(of_sums)) + 2;
    struct fit best = {0};
    struct model model;
    for (int bits = first < 1 ? 1 : first; bits <= (last < most ? last : most); bits++)
        for (int nearest = 0; nearest < 2; nearest++) {
            model.bits = bits;
            model.nearest = nearest;
            predict(s, &model);
            for (int which = 0; which < 3; which++) {
                struct fit fit = fit_one(s, &model, which);
                if (fit.explained > best.explained)
                    best = fit;
            }
        }
    return best;
}

/* The format with that many mantissa bits. */
static const char *name_of(int bits)
{
    static const struct {
        int bits;
        const char *name;
    } formats[] = {{23, "f32"}, {10, "tf32 (or f16)"}, {7, "bf16"}, {3, "e4m3"}, {2, "e5m2"}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].bits == bits)
            return formats[i].name;
    return NULL;
}

static void report(const struct sample *s, const struct fit *fit, struct gr_findings *findings)
{
    const char *name = name_of(fit->bits);
    bool declarable = name && fit->which == 2;
    gr_findings_add(findings, GR_FIND_WRONG_ELEMENT, 0,
                    "this is what %s%s%d bits of the mantissa of %s give%s: %d of %d errors are "
                    "those of that rounding%s%.*s",
                    name ? name : "", name ? ", " : "", fit->bits, operands[fit->which],
                    fit->nearest ? "" : ", the rest cut off", fit->same, s->count,
                    declarable ? "; say so with //@ math " : "",
                    declarable ? (int)strcspn(name, " ") : 0, declarable ? name : "");
}

bool gr_find_rounded(const struct gr_tally *tally, struct gr_findings *findings)
{
    struct sample sample;
    double of_sums, of_walks;
    struct fit fit = {0};
    if (gr_dtype_eps(tally->reference->problem.types.acc) == 0 || tally->rule.alpha == 0 ||
        !make_sample(tally, &sample))
        return false;
    if (find_errors(&sample, &of_sums, &of_walks))
        fit = best_fit(&sample, of_sums, of_walks);
    if (fit.explained > 0 && findings)
        report(&sample, &fit, findings);
    free(sample.x);
    return fit.explained > 0;
}
