/* problem.c: problems, and the text of their sizes. SPDX-License-Identifier: MIT */
#include "records/problem.h"

#include "core/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t at_least_one(int64_t x)
{
    return x > 1 ? x : 1;
}

struct gr_problem gr_problem_dense(int64_t m, int64_t n, int64_t k, bool trans_a, bool trans_b,
                                   struct gr_types types)
{
    struct gr_problem p = {.m = m, .n = n, .k = k, .trans_a = trans_a, .trans_b = trans_b};
    p.alpha = 1;
    p.types = types;
    p.lda = at_least_one(gr_problem_cols(&p, 'A'));
    p.ldb = at_least_one(gr_problem_cols(&p, 'B'));
    p.ldc = at_least_one(gr_problem_cols(&p, 'C'));
    return p;
}

int64_t gr_problem_rows(const struct gr_problem *p, char operand)
{
    if (operand == 'A')
        return p->trans_a ? p->k : p->m;
    if (operand == 'B')
        return p->trans_b ? p->n : p->k;
    return p->m;
}

int64_t gr_problem_cols(const struct gr_problem *p, char operand)
{
    if (operand == 'A')
        return p->trans_a ? p->m : p->k;
    if (operand == 'B')
        return p->trans_b ? p->k : p->n;
    return p->n;
}

int64_t gr_problem_ld(const struct gr_problem *p, char operand)
{
    return operand == 'A' ? p->lda : operand == 'B' ? p->ldb : p->ldc;
}

int64_t gr_problem_span(const struct gr_problem *p, char operand)
{
    int64_t rows = gr_problem_rows(p, operand), cols = gr_problem_cols(p, operand);
    return rows && cols ? (rows - 1) * gr_problem_ld(p, operand) + cols : 0;
}

enum gr_dtype gr_problem_type(const struct gr_problem *p, char operand)
{
    return operand == 'A' ? p->types.a : operand == 'B' ? p->types.b : p->types.c;
}

double gr_problem_flops(const struct gr_problem *p)
{
    return 2.0 * (double)p->m * (double)p->n * (double)p->k;
}

double gr_problem_bytes(const struct gr_problem *p)
{
    double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    return m * k * (double)gr_dtype_bytes(p->types.a) + k * n * (double)gr_dtype_bytes(p->types.b) +
           m * n * (double)gr_dtype_bytes(p->types.c);
}

const char *gr_problem_trans(const struct gr_problem *p)
{
    static const char *const names[] = {"nn", "nt", "tn", "tt"};
    return names[2 * p->trans_a + p->trans_b];
}

void gr_size_name(int64_t m, int64_t n, int64_t k, char *text, size_t size)
{
    if (m == n && n == k)
        snprintf(text, size, "%" PRId64, m);
    else
        snprintf(text, size, "%" PRId64 "x%" PRId64 "x%" PRId64, m, n, k);
}

enum gradus_status gr_size_parse(const char *text, int64_t *m, int64_t *n, int64_t *k,
                                 struct gradus_error *error)
{
    int64_t value[3];
    int count = 0;
    const char *p = text;
    while (count < 3) {
        char *end;
        errno = 0;
        long long x = *p >= '0' && *p <= '9' ? strtoll(p, &end, 10) : -1;
        if (x < 0 || errno || x > INT32_MAX) {
            count = 0;
            break;
        }
        value[count++] = x;
        p = end;
        if (*p != 'x' || count == 3)
            break;
        p++;
    }
    if (*p || (count != 1 && count != 3))
        return gr_fail(error, GRADUS_INVALID,
                       "size '%s': wanted one number (1024) or MxNxK (64x128x256), each 0 to %d",
                       text, INT32_MAX);
    *m = value[0];
    *n = value[count == 3 ? 1 : 0];
    *k = value[count == 3 ? 2 : 0];
    return GRADUS_OK;
}

struct gr_scales gr_scales_distinct(enum gr_dtype acc)
{
    bool whole = gr_dtype_eps(acc) == 0;
    return whole ? (struct gr_scales){3, -2} : (struct gr_scales){1.5, 0.5};
}

double gr_problem_least_bytes(const struct gr_problem *p)
{
    const double c = (double)p->m * (double)p->n * (double)gr_dtype_bytes(p->types.c);
    return gr_problem_bytes(p) + (p->beta != 0 ? c : 0);
}

bool gr_types_read(const char *text, struct gr_types *types)
{
    enum gr_dtype type;
    char name[4][8];
    int end = -1;
    if (gr_dtype_parse(text, &type)) {
        *types = gr_types_of(type);
        return true;
    }
    return sscanf(text, "A=%7[a-z0-9] B=%7[a-z0-9] C=%7[a-z0-9] ACC=%7[a-z0-9]%n", name[0], name[1],
                  name[2], name[3], &end) == 4 &&
           end == (int)strlen(text) && gr_dtype_parse(name[0], &types->a) &&
           gr_dtype_parse(name[1], &types->b) && gr_dtype_parse(name[2], &types->c) &&
           gr_dtype_parse(name[3], &types->acc);
}
