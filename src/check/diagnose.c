/* diagnose.c: diagnoses a wrong C: zeros, NaN, unwritten elements, an edge, single elements.
 * SPDX-License-Identifier: MIT */
#include "check/diagnose.h"

#include "check/element.h"
#include "check/diagnose_operands.h"
#include "check/narrow_sums.h"
#include "check/precision.h"
#include "check/scalars.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct gr_problem *problem_of(const struct gr_tally *tally)
{
    return &tally->reference->problem;
}

static void find_zeros(const struct gr_tally *tally, struct gr_findings *findings)
{
    const struct gr_problem *p = problem_of(tally);
    bool all = true;
    for (int64_t i = 0; i < p->m && all; i++)
        for (int64_t j = 0; j < p->n && all; j++)
            all = gr_tally_got(tally, i, j) == 0;
    int64_t zeros = 0;
    for (int64_t w = 0; w < tally->wrong_listed; w++)
        zeros += gr_tally_got(tally, tally->wrong[w].row, tally->wrong[w].col) == 0;
    if (all)
        gr_findings_add(findings, GR_FIND_ZEROS, 0, "every element of C is zero");
    else if (zeros > 1 && zeros == tally->wrong_count)
        gr_findings_add(findings, GR_FIND_ZEROS, 0, "all %" PRId64 " wrong elements are zero",
                        zeros);
}

/* How many of the wrong elements may equal their previous value by chance: there are few
 * different integers, and of two half-precision numbers in one octave every thousandth pair is
 * equal. */
static double by_chance(const struct gr_tally *tally)
{
    enum { INTEGERS = 17 }; /* the different values of integer fills */
    int digits = gr_dtype_digits(problem_of(tally)->types.c);
    double one = tally->rule.exact ? 1.0 / INTEGERS : ldexp(1, 1 - digits);
    return (double)tally->wrong_listed * fmax(2 * one, 1e-3);
}

static void find_unwritten(const struct gr_tally *tally, const void *untouched,
                           struct gr_findings *findings)
{
    const struct gr_problem *p = problem_of(tally);
    size_t bytes = gr_dtype_bytes(p->types.c);
    int64_t same = 0;
    struct gr_place first = {0, 0};
    for (int64_t w = 0; w < tally->wrong_listed; w++) {
        struct gr_place at = tally->wrong[w];
        size_t offset = (size_t)(at.row * p->ldc + at.col) * bytes;
        if (memcmp((const char *)tally->c + offset, (const char *)untouched + offset, bytes) != 0)
            continue;
        if (same++ == 0)
            first = at;
    }
    if (same && (double)same > by_chance(tally))
        gr_findings_add(findings, GR_FIND_UNWRITTEN, 0,
                        "%" PRId64 " of %" PRId64 " wrong elements still hold what C held before, "
                        "first C[%" PRId64 ",%" PRId64 "]",
                        same, tally->wrong_count, first.row, first.col);
}

static void find_odd(const struct gr_tally *tally, struct gr_findings *findings)
{
    if (tally->nonfinite_count)
        gr_findings_add(findings, GR_FIND_NAN, 0,
                        "C[%" PRId64 ",%" PRId64 "] is %s where the reference is finite; %" PRId64
                        " such element%s",
                        tally->odd_first.row, tally->odd_first.col,
                        isnan(tally->odd_value) ? "NaN"
                        : tally->odd_value > 0  ? "Inf"
                                                : "-Inf",
                        tally->nonfinite_count, tally->nonfinite_count == 1 ? "" : "s");
}

/* Are all wrong elements at row >= row or col >= col, and so many that it is unlikely by chance? */
static bool confined(const struct gr_tally *tally, int64_t row, int64_t col)
{
    double m = (double)problem_of(tally)->m, n = (double)problem_of(tally)->n;
    double inside = 1 - (double)row / m * ((double)col / n);
    if (inside <= 0 || (double)tally->wrong_listed * log(inside) > log(1e-4))
        return false;
    for (int64_t w = 0; w < tally->wrong_listed; w++)
        if (tally->wrong[w].row < row && tally->wrong[w].col < col)
            return false;
    return true;
}

/* Finds errors beyond the last whole tile only, in columns, rows or both. The smallest tile size
 * that fits is reported. */
static void find_edge(const struct gr_tally *tally, struct gr_findings *findings)
{
    const int64_t m = problem_of(tally)->m, n = problem_of(tally)->n;
    for (int64_t tile = 2; tile <= 256; tile++) {
        int64_t row = m / tile * tile, col = n / tile * tile;
        char where[96] = "";
        if (confined(tally, m, col))
            snprintf(where, sizeof where, "col >= %" PRId64, col);
        else if (confined(tally, row, n))
            snprintf(where, sizeof where, "row >= %" PRId64, row);
        else if (confined(tally, row, col))
            snprintf(where, sizeof where, "row >= %" PRId64 " or col >= %" PRId64, row, col);
        if (!*where)
            continue;
        gr_findings_add(findings, GR_FIND_WRONG_ELEMENT, 0,
                        "wrong only where %s, beyond the last whole tile of %" PRId64, where, tile);
        return;
    }
}

static void find_worst(const struct gr_tally *tally, struct gr_findings *findings)
{
    const struct gr_worst *w = &tally->worst;
    int digits = problem_of(tally)->types.c == GR_F64 ? 17 : 9; /* all digits of the type */
    char count[96];
    if (tally->compared == 1)
        snprintf(count, sizeof count, "the only one compared");
    else if (tally->wrong_count == 1)
        snprintf(count, sizeof count, "no other of %" PRId64 " compared is wrong",
                 tally->compared - 1);
    else
        snprintf(count, sizeof count, "%" PRId64 " of %" PRId64 " compared are wrong",
                 tally->wrong_count, tally->compared);
    gr_findings_add(findings, GR_FIND_WRONG_ELEMENT, 0,
                    "C[%" PRId64 ",%" PRId64
                    "]: got %.*g, wanted %.*g (ratio %.3g, limit %.3g); %s",
                    w->row, w->col, digits, w->got, digits, w->want, w->ratio, w->limit, count);
}

/* Only one of the mistakes that explain the result is reported. */
static void find_mistake(const struct gr_tally *tally, struct gr_findings *findings)
{
    const int before = findings->count;
    gr_diagnose_operands(tally, findings);
    if (findings->count == before)
        gr_find_scalars(tally, findings);
}

void gr_diagnose(const struct gr_tally *tally, const void *untouched, struct gr_findings *findings)
{
    if (!findings || tally->wrong_count == 0)
        return;
    find_zeros(tally, findings);
    find_mistake(tally, findings);
    gr_find_rounded(tally, findings);
    gr_find_narrow_sums(tally, findings);
    if (untouched)
        find_unwritten(tally, untouched, findings);
    find_odd(tally, findings);
    find_edge(tally, findings);
    find_worst(tally, findings);
}
