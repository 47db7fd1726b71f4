/* reference.c: computes the float64 reference of one pair A, B. SPDX-License-Identifier: MIT */
#include "check/reference.h"

#include "core/error.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The full reference keeps two float64 matrices of at most this many elements (1 GiB). */
static const double most_elements = 0x1p26;

static size_t at_least_one(int64_t count)
{
    return count > 0 ? (size_t)count : 1;
}

bool gr_lines_make(const struct gr_view *x, const struct gr_view *y, int64_t *index, int64_t count,
                   int threads, struct gr_lines *lines)
{
    *lines = (struct gr_lines){.count = count, .length = y->lines, .index = index};
    size_t cells = at_least_one(count * y->lines);
    double *gathered = malloc(at_least_one(count * x->length) * sizeof *gathered);
    lines->product = calloc(cells, sizeof *lines->product);
    lines->absolute = calloc(cells, sizeof *lines->absolute);
    bool done = gathered && lines->product && lines->absolute;
    if (done) {
        for (int64_t l = 0; l < count; l++)
            gr_view_read(x, index[l], 0, x->length, gathered + l * x->length);
        struct gr_view chosen = gr_view_dense(gathered, count, x->length);
        done = gr_product(&chosen, y, false, threads, lines->product) &&
               gr_product(&chosen, y, true, threads, lines->absolute);
    }
    free(gathered);
    if (!done)
        gr_lines_free(lines);
    return done;
}

void gr_lines_free(struct gr_lines *lines)
{
    free(lines->index);
    free(lines->product);
    free(lines->absolute);
    *lines = (struct gr_lines){0};
}

struct gr_view gr_screen_view(const struct gr_reference *reference, const void *c)
{
    struct gr_view rows = gr_view_of(&reference->problem, 'C', c);
    return reference->by_cols ? gr_view_transposed(rows) : rows;
}

static int ascending(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

/* Selects lines of [0, count) to compare completely: the first and last, both sides of a random
 * and of the last boundary of tiles of 32 to 256, and random ones. Ascending and distinct. */
static int64_t *choose_lines(int64_t count, struct gr_rng *rng, int64_t *chosen)
{
    enum { RANDOM = 8, MOST = 4 + 4 * 4 + RANDOM };
    int64_t *list = malloc(MOST * sizeof *list), wanted = 0;
    *chosen = 0;
    if (!list)
        return NULL;
    const int64_t ends[] = {0, 1, count - 2, count - 1};
    for (int i = 0; i < 4; i++)
        list[wanted++] = ends[i];
    for (int64_t tile = 32; tile <= 256; tile *= 2) {
        int64_t last = (count - 1) / tile, any = (int64_t)(gr_rng_unit(rng) * (double)last) + 1;
        for (int side = -1; side <= 0; side++) {
            list[wanted++] = last * tile + side;
            list[wanted++] = any * tile + side;
        }
    }
    while (wanted < MOST)
        list[wanted++] = (int64_t)(gr_rng_unit(rng) * (double)count);
    qsort(list, (size_t)wanted, sizeof *list, ascending);
    for (int64_t i = 0; i < wanted; i++)
        if (list[i] >= 0 && list[i] < count && (*chosen == 0 || list[*chosen - 1] != list[i]))
            list[(*chosen)++] = list[i];
    return list;
}

/* The largest norm of a line; lines with NaN or Inf are marked in `odd` and ignored. */
static double largest_norm(const struct gr_view *view, bool *odd)
{
    enum { CHUNK = 256 };
    double largest = 0, values[CHUNK];
    for (int64_t line = 0; line < view->lines; line++) {
        double squares = 0, zeros = 0;
        for (int64_t from = 0; from < view->length; from += CHUNK) {
            int64_t count = view->length - from < CHUNK ? view->length - from : CHUNK;
            gr_view_read(view, line, from, count, values);
            for (int64_t i = 0; i < count; i++) {
                squares += values[i] * values[i];
                zeros += values[i] * 0; /* becomes NaN for NaN and Inf */
            }
        }
        odd[line] = isnan(zeros);
        if (!odd[line] && squares > largest)
            largest = squares;
    }
    return sqrt(largest);
}

static bool make_full(struct gr_reference *r)
{
    size_t cells = at_least_one(r->problem.m * r->problem.n);
    r->product = calloc(cells, sizeof *r->product);
    r->absolute = calloc(cells, sizeof *r->absolute);
    return r->product && r->absolute && gr_product(&r->x, &r->y, false, r->threads, r->product) &&
           gr_product(&r->x, &r->y, true, r->threads, r->absolute);
}

/* Prepares the check of a C too large for the full reference: sampled lines, and the products X
 * (Y^T s) with random sign vectors s. */
static bool make_screen(struct gr_reference *r)
{
    struct gr_rng rng = {r->seed ^ 0x5eed};
    int64_t chosen, *index = choose_lines(r->x.lines, &rng, &chosen);
    if (!index || !gr_lines_make(&r->x, &r->y, index, chosen, r->threads, &r->rows))
        return false;
    index = choose_lines(r->y.lines, &rng, &chosen);
    if (!index || !gr_lines_make(&r->y, &r->x, index, chosen, r->threads, &r->cols))
        return false;
    r->by_cols = r->problem.n > r->problem.m;
    const struct gr_view *lines = r->by_cols ? &r->y : &r->x, *across = r->by_cols ? &r->x : &r->y;
    size_t row = sizeof(gr_bundle);
    r->middle = malloc(at_least_one(lines->length) * row);
    r->signs = malloc(at_least_one(across->lines) * row);
    r->image = malloc(at_least_one(lines->lines) * row);
    r->odd_rows = calloc(at_least_one(r->x.lines), 1);
    r->odd_cols = calloc(at_least_one(r->y.lines), 1);
    bool done = r->middle && r->signs && r->image && r->odd_rows && r->odd_cols;
    if (done) {
        for (int64_t j = 0; j < across->lines; j++) {
            uint64_t bits = gr_rng_next(&rng);
            for (int v = 0; v < GR_VECTORS; v++)
                r->signs[j][v] = bits >> v & 1 ? 1 : -1;
        }
        struct gr_view transposed = gr_view_transposed(*across);
        gr_apply(&transposed, r->signs, r->threads, r->middle);
        gr_apply(lines, r->middle, r->threads, r->image);
        r->largest_x = largest_norm(&r->x, r->odd_rows);
        r->largest_y = largest_norm(&r->y, r->odd_cols);
    }
    return done;
}

/* The products of a reference whose other members are known. */
static enum gradus_status compute(struct gr_reference *r, struct gradus_error *error)
{
    const uint64_t elements = (uint64_t)(r->problem.m * r->problem.n);
    if (r->full ? make_full(r) : make_screen(r))
        return GRADUS_OK;
    return gr_fail_memory(error, "the float64 reference", r->full ? elements * 16 : 0);
}

enum gradus_status gr_reference_set_math(struct gr_reference *r, const char *math,
                                         struct gradus_error *error)
{
    enum gr_dtype type;
    if (!math || !*math)
        return GRADUS_OK;
    if (!gr_dtype_parse(math, &type) || gr_dtype_eps(type) == 0)
        return gr_fail(error, GRADUS_INVALID,
                       "math '%s': wanted f64, f32, tf32, f16, bf16, e4m3 or e5m2", math);
    if (gr_dtype_eps(type) > gr_dtype_eps(r->x.type))
        r->x.rounded = type;
    if (gr_dtype_eps(type) > gr_dtype_eps(r->y.type))
        r->y.rounded = type;
    return GRADUS_OK;
}

enum gradus_status gr_reference_make(const struct gr_problem *problem, const void *a, const void *b,
                                     const char *math, uint64_t seed, int64_t full_limit,
                                     int threads, struct gr_reference **reference,
                                     struct gradus_error *error)
{
    *reference = NULL;
    struct gr_reference *r = calloc(1, sizeof *r);
    if (!r)
        return gr_fail_memory(error, "a reference", sizeof *r);
    r->problem = *problem;
    r->x = gr_view_of(problem, 'A', a);
    r->y = gr_view_of(problem, 'B', b);
    r->seed = seed;
    r->threads = threads > 1 ? threads : 1;
    enum gradus_status status = gr_reference_set_math(r, math, error);
    double work = gr_problem_flops(problem) / 2, elements = (double)problem->m * (double)problem->n;
    r->full = work <= (full_limit > 0 ? (double)full_limit : 0x1p30) && elements <= most_elements;
    if (status == GRADUS_OK)
        status = compute(r, error);
    if (status != GRADUS_OK) {
        gr_reference_free(r);
        return status;
    }
    *reference = r;
    return GRADUS_OK;
}

enum gradus_status gr_reference_again(const struct gr_reference *from,
                                      struct gr_reference **reference, struct gradus_error *error)
{
    struct gr_reference *r = *reference = calloc(1, sizeof *r);
    if (!r)
        return gr_fail_memory(error, "a reference", sizeof *r);
    r->problem = from->problem;
    r->x = from->x;
    r->y = from->y;
    r->seed = from->seed;
    r->threads = from->threads;
    r->full = from->full;
    enum gradus_status status = compute(r, error);
    if (status != GRADUS_OK) {
        gr_reference_free(r);
        *reference = NULL;
    }
    return status;
}

static void *copy_of(const void *from, int64_t count, size_t bytes, bool *done)
{
    void *copy = from ? malloc(at_least_one(count) * bytes) : NULL;
    if (copy)
        memcpy(copy, from, (size_t)count * bytes);
    *done &= !from || copy;
    return copy;
}

static void copy_lines(struct gr_lines *lines, bool *done)
{
    int64_t cells = lines->count * lines->length;
    lines->index = copy_of(lines->index, lines->count, sizeof *lines->index, done);
    lines->product = copy_of(lines->product, cells, sizeof *lines->product, done);
    lines->absolute = copy_of(lines->absolute, cells, sizeof *lines->absolute, done);
}

struct gr_reference *gr_reference_copy(const struct gr_reference *from)
{
    struct gr_reference *r = malloc(sizeof *r);
    if (!r)
        return NULL;
    *r = *from;
    r->relaid = false;
    const struct gr_view *lines = r->by_cols ? &r->y : &r->x, *across = r->by_cols ? &r->x : &r->y;
    int64_t cells = r->problem.m * r->problem.n;
    bool done = true;
    r->product = copy_of(from->product, cells, sizeof *r->product, &done);
    r->absolute = copy_of(from->absolute, cells, sizeof *r->absolute, &done);
    copy_lines(&r->rows, &done);
    copy_lines(&r->cols, &done);
    r->signs = copy_of(from->signs, across->lines, sizeof(gr_bundle), &done);
    r->middle = copy_of(from->middle, lines->length, sizeof(gr_bundle), &done);
    r->image = copy_of(from->image, lines->lines, sizeof(gr_bundle), &done);
    r->odd_rows = copy_of(from->odd_rows, r->x.lines, 1, &done);
    r->odd_cols = copy_of(from->odd_cols, r->y.lines, 1, &done);
    if (done)
        return r;
    gr_reference_free(r);
    return NULL;
}

enum gradus_status gr_reference_with_ld(const struct gr_reference *from,
                                        const struct gr_problem *problem, const void *a,
                                        const void *b, struct gr_reference **reference,
                                        struct gradus_error *error)
{
    struct gr_reference *r = *reference = malloc(sizeof *r);
    if (!r)
        return gr_fail_memory(error, "a reference", sizeof *r);
    *r = *from;
    r->relaid = true;
    r->problem = *problem;
    r->x = gr_view_of(problem, 'A', a);
    r->y = gr_view_of(problem, 'B', b);
    r->x.rounded = from->x.rounded;
    r->y.rounded = from->y.rounded;
    return GRADUS_OK;
}

void gr_reference_free(struct gr_reference *r)
{
    if (!r)
        return;
    if (r->relaid) {
        free(r);
        return;
    }
    gr_lines_free(&r->rows);
    gr_lines_free(&r->cols);
    free(r->product);
    free(r->absolute);
    free(r->signs);
    free(r->middle);
    free(r->image);
    free(r->odd_rows);
    free(r->odd_cols);
    free(r);
}
