/* random_sizes.c: draws sizes of products. SPDX-License-Identifier: MIT */
#include "measure/random_sizes.h"

#include "base/rng.h"

#include <math.h>

/* The largest dimensions of six products in turn: a third, half and a sixth of all. */
static const int largest[] = {40, 800, 40, 800, 4000, 800};

static int64_t draw_dimension(struct gr_rng *rng, int most)
{
    const int64_t drawn = (int64_t)exp(gr_rng_unit(rng) * log(most + 1.0));
    return drawn > most ? most : drawn;
}

void gr_random_sizes_draw(uint64_t seed, int count, struct gr_random_size *drawn)
{
    struct gr_rng rng = {seed};
    for (int i = 0; i < count; i++) {
        const int most = largest[i % (int)(sizeof largest / sizeof *largest)];
        struct gr_random_size *d = &drawn[i];
        d->size.m = draw_dimension(&rng, most);
        d->size.n = draw_dimension(&rng, most);
        d->size.k = draw_dimension(&rng, most);
        const uint64_t transposes = gr_rng_next(&rng) >> 62;
        d->trans_a = transposes >> 1;
        d->trans_b = transposes & 1;
    }
}
