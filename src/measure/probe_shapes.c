/* probe_shapes.c: lists the shapes to probe, adapted to a kernel's `require`.
 * SPDX-License-Identifier: MIT */
#include "measure/probe_shapes.h"

#include "core/error.h"

/* Used after the edge shapes: C or K is larger than common block sizes in one dimension alone. */
static const struct gr_probe_shape long_ones[] = {
    {.m = 3, .n = 307, .k = 5},
    {.m = 311, .n = 2, .k = 7},
    {.m = 2, .n = 5, .k = 331, .padded = true},
    {.m = 1, .n = 1031, .k = 3},
    {.m = 1033, .n = 1, .k = 2},
    {.m = 2, .n = 3, .k = 1029},
};

/* Larger than 16-bit indices, for kernels in C. */
static const struct gr_probe_shape very_long[] = {
    {.m = 1, .n = 65551, .k = 1}, {.m = 65551, .n = 1, .k = 1}, {.m = 1, .n = 1, .k = 65551}};

/* With K = 0, C is beta C. */
static const struct gr_probe_shape no_products[] = {{.m = 5, .n = 7, .k = 0},
                                                    {.m = 64, .n = 64, .k = 0},
                                                    {.m = 33, .n = 65, .k = 0, .padded = true}};

/* An empty C must stay empty, and nothing around it may be written. On a GPU nothing is launched
 * then. */
static const struct gr_probe_shape no_elements[] = {{.m = 0, .n = 5, .k = 3},
                                                    {.m = 5, .n = 0, .k = 3},
                                                    {.m = 0, .n = 64, .k = 64},
                                                    {.m = 64, .n = 0, .k = 64},
                                                    {.m = 0, .n = 0, .k = 0}};

struct list {
    const struct gr_variant *variant;
    const struct gr_problem *requested;
    /* The limit of the multiplications: a shape that is long in one dimension may be much work
     * if the others are rounded to whole tiles. */
    double most;
    struct gr_probe_shape *shapes;
    int count;
};

struct gr_problem gr_probe_problem(struct gr_probe_shape shape, const struct gr_problem *like)
{
    struct gr_problem p =
        gr_problem_dense(shape.m, shape.n, shape.k, like->trans_a, like->trans_b, like->types);
    p.alpha = 1;
    p.beta = 0;
    return p;
}

bool gr_probe_shape_admitted(const struct gr_variant *variant, const struct gr_problem *requested,
                             struct gr_probe_shape shape)
{
    struct gradus_error why = {0};
    const struct gr_problem problem = gr_probe_problem(shape, requested);
    const bool ok = !variant || gr_variant_admits(variant, &problem, NULL, &why) == GRADUS_OK;
    gradus_error_clear(&why);
    return ok;
}

/* 0 stays 0; a number below one multiple becomes one multiple. */
static int64_t to_multiple(int64_t x, int64_t of, bool less)
{
    if (x == 0)
        return 0;
    const int64_t down = x / of * of, up = (x + of - 1) / of * of;
    return less && down > 0 ? down : up;
}

static struct gr_probe_shape rounded(struct gr_probe_shape shape, int64_t of)
{
    shape.m = to_multiple(shape.m, of, shape.less);
    shape.n = to_multiple(shape.n, of, shape.less);
    shape.k = to_multiple(shape.k, of, shape.less);
    return shape;
}

static int64_t largest(struct gr_probe_shape shape)
{
    const int64_t mn = shape.m > shape.n ? shape.m : shape.n;
    return mn > shape.k ? mn : shape.k;
}

/* For a kernel that has M alone: the cube of the longest side, unless that is much more work
 * than the shape. */
static struct gr_probe_shape cube(struct gr_probe_shape shape)
{
    const int64_t side = largest(shape);
    const bool empty = shape.m == 0 || shape.n == 0 || shape.k == 0;
    shape.m = shape.n = shape.k = empty ? 0 : side;
    return shape;
}

bool gr_probe_shape_fit(const struct gr_variant *variant, const struct gr_problem *requested,
                        struct gr_probe_shape *shape)
{
    enum { MOST = 256, MOST_CUBE = 160 };
    const struct gr_probe_shape wanted[] = {*shape, cube(*shape)};
    for (int c = 0; c < 2 && (c == 0 || largest(*shape) <= MOST_CUBE); c++) {
        for (int64_t of = 1; of <= MOST; of *= 2) {
            *shape = rounded(wanted[c], of);
            if (gr_probe_shape_admitted(variant, requested, *shape))
                return true;
        }
        for (int i = 0; variant && i < variant->kernel->param_count; i++) {
            const int64_t of = variant->params[i];
            *shape = of > 0 && of <= MOST ? rounded(wanted[c], of) : wanted[c];
            if (gr_probe_shape_admitted(variant, requested, *shape))
                return true;
        }
        *shape = wanted[0];
    }
    return false;
}

static void add(struct list *list, struct gr_probe_shape shape)
{
    if (list->count == GR_PROBE_SHAPES || shape.m < 0 || shape.n < 0 || shape.k < 0 ||
        !gr_probe_shape_fit(list->variant, list->requested, &shape) ||
        (double)shape.m * (double)shape.n * (double)shape.k > list->most)
        return;
    for (int i = 0; i < list->count; i++) {
        const struct gr_probe_shape *s = &list->shapes[i];
        if (s->m == shape.m && s->n == shape.n && s->k == shape.k && s->padded == shape.padded)
            return;
    }
    list->shapes[list->count++] = shape;
}

static void add_all(struct list *list, const struct gr_probe_shape *shapes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(list, shapes[i]);
}

static void add_edges(struct list *list)
{
    struct gr_edge_shape edges[GR_EDGE_SHAPES];
    const int count = gr_edge_shapes(list->variant, edges);
    for (int i = 0; i < count; i++)
        add(list,
            (struct gr_probe_shape){
                .m = edges[i].m, .n = edges[i].n, .k = edges[i].k, .padded = edges[i].pad > 0});
}

/* Adds the requested size plus and minus one, or the adjacent multiples, in one dimension alone
 * with the others short; sizes above twice the requested one; then all three dimensions at once,
 * if that is little work. */
static void add_neighbours(struct list *list, bool slow)
{
    const struct gr_problem *p = list->requested;
    const int64_t most = slow ? 1100 : 20000;
    const double most_work = slow ? 0x1p18 : 0x1p24;
    for (int step = -1; step <= 1; step += 2) {
        const bool less = step < 0;
        if (p->m <= most)
            add(list, (struct gr_probe_shape){p->m + step, 22, 19, false, less});
        if (p->n <= most)
            add(list, (struct gr_probe_shape){21, p->n + step, 18, true, less});
        if (p->k <= most)
            add(list, (struct gr_probe_shape){20, 23, p->k + step, false, less});
        if (gr_problem_flops(p) / 2 <= most_work)
            add(list, (struct gr_probe_shape){p->m + step, p->n + step, p->k + step, !less, less});
    }
    if (2 * p->m + 3 <= most)
        add(list, (struct gr_probe_shape){2 * p->m + 3, 2, 3, false, false});
    if (2 * p->n + 3 <= most)
        add(list, (struct gr_probe_shape){2, 2 * p->n + 3, 3, false, false});
    if (2 * p->k + 3 <= most)
        add(list, (struct gr_probe_shape){3, 2, 2 * p->k + 3, false, false});
}

int gr_probe_shapes(const struct gr_variant *variant, const struct gr_problem *requested, bool slow,
                    struct gr_probe_shape shapes[GR_PROBE_SHAPES])
{
    struct list list = {variant, requested, slow ? 0x1p22 : 0x1p24, shapes, 0};
    const bool c = variant && variant->kernel->language == GR_LANGUAGE_C;
    add_edges(&list);
    add_all(&list, long_ones, sizeof long_ones / sizeof *long_ones);
    add_neighbours(&list, slow);
    add_all(&list, no_products, sizeof no_products / sizeof *no_products);
    if (c)
        add_all(&list, no_elements, sizeof no_elements / sizeof *no_elements);
    if (c)
        add_all(&list, very_long, sizeof very_long / sizeof *very_long);
    return list.count;
}
