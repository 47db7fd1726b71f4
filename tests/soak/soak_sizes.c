/* soak_sizes.c: sizes as they are measured, and sizes at the edges of tiles and blocks.
 * SPDX-License-Identifier: MIT */
#include "soak/soak_sizes.h"

#include "measure/random_sizes.h"
#include "sanitized.h"

/* The most elements of a matrix whose sizes are near edges. */
enum { EDGE_ELEMENTS = 1 << 16 };

/* A sanitizer takes up to a hundred times as long for the plain loop that results are compared
 * with. */
#ifdef UNDER_SANITIZER
static const double MOST_DRAWN = 4e6;
#else
static const double MOST_DRAWN = 4000.0 * 4000.0 * 4000.0;
#endif

static int64_t below(struct gr_rng *rng, int64_t count)
{
    return (int64_t)(gr_rng_next(rng) % (uint64_t)count);
}

static bool one_in(struct gr_rng *rng, int64_t count)
{
    return below(rng, count) == 0;
}

static int64_t any_size(struct gr_rng *rng)
{
    static const int64_t steps[] = {4, 6, 8, 9, 12, 16, 24, 32, 48, 96, 144, 256, 320, 384, 512};
    switch (below(rng, 12)) {
    case 0:
        return below(rng, 2);
    case 1:
    case 2:
    case 3:
        return 1 + below(rng, 17);
    case 4:
    case 5:
        return 1 + below(rng, 100);
    case 6:
    case 7:
    case 8:
    case 9:
        return steps[below(rng, sizeof steps / sizeof *steps)] * (1 + below(rng, 3)) - 1 +
               below(rng, 3);
    case 10:
        return 1 + below(rng, 700);
    default:
        return 1 + below(rng, SOAK_MOST_SIZE);
    }
}

/* Most are small, so that there can be many; some reach every loop over blocks, and a second
 * thread. */
static void choose_near_edges(struct gradus_gemm *g, struct gr_rng *rng)
{
    const bool large = one_in(rng, 4);
    const double most = large ? 4e6 : 2e5;
    int64_t *sizes[] = {&g->m, &g->n, &g->k};
    for (int i = 0; i < 3; i++)
        *sizes[i] = large && !one_in(rng, 5) ? 90 + below(rng, 400) : any_size(rng);
    while ((double)g->m * (double)g->n * (double)g->k > most || g->m * g->n > EDGE_ELEMENTS ||
           g->m * g->k > EDGE_ELEMENTS || g->n * g->k > EDGE_ELEMENTS) {
        int64_t *largest = sizes[0];
        for (int i = 1; i < 3; i++)
            if (*sizes[i] > *largest || (*sizes[i] == *largest && one_in(rng, 2)))
                largest = sizes[i];
        *largest = *largest * 3 / 4;
    }
}

/* The largest dimensions repeat after six products. */
static void draw(struct gradus_gemm *g, struct gr_rng *rng)
{
    enum { PERIOD = 6 };
    struct gr_random_size drawn[PERIOD], *d;
    do {
        gr_random_sizes_draw(gr_rng_next(rng), PERIOD, drawn);
        d = &drawn[below(rng, PERIOD)];
    } while ((double)d->size.m * (double)d->size.n * (double)d->size.k > MOST_DRAWN);
    g->m = d->size.m, g->n = d->size.n, g->k = d->size.k;
    g->trans_a = d->trans_a, g->trans_b = d->trans_b;
}

void soak_choose_sizes(struct soak_problem *p, struct gr_rng *rng)
{
    p->drawn = one_in(rng, 2);
    if (p->drawn)
        draw(&p->g, rng);
    else
        choose_near_edges(&p->g, rng);
}
