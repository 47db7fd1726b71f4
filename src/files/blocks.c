/* blocks.c: divides matrices into blocks and packs them. SPDX-License-Identifier: MIT */
#include "files/blocks.h"

#include "ukr.h"

#include <math.h>
#include <string.h>

enum { LEAST = 32, MOST = 8192, DEEPEST = 2048, PANELS = 4 };

static int64_t min(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static int64_t round_down(int64_t x)
{
    return x / LEAST * LEAST > LEAST ? x / LEAST * LEAST : LEAST;
}

/* With sides b and depth k = min(b, DEEPEST), two of each panel and block have 2 b^2 + 4 b k <=
 * 6 b^2 elements. A panel is at most a quarter of K deep, so that copying one overlaps with
 * multiplying another. */
struct gr_block_plan gr_blocks_plan(int64_t m, int64_t n, int64_t k, int64_t elements)
{
    int64_t side = round_down(min((int64_t)sqrt((double)elements / 8), MOST));
    int64_t quarter = round_down((k + PANELS - 1) / PANELS + LEAST - 1);
    int64_t deep = min(min(side, DEEPEST), quarter);
    return (struct gr_block_plan){min(side, m), min(side, n), min(deep, k)};
}

struct packing {
    const struct gr_block_source *from;
    int64_t row, col, rows, cols, to_ld;
    char *to;
};

enum { STRIP = 32 }; /* the rows that one task packs */

static void pack_row(const struct packing *p, int64_t i)
{
    const size_t bytes = p->from->element_bytes;
    const char *source = p->from->elements;
    char *to = p->to + (size_t)(i * p->to_ld) * bytes;
    memcpy(to, source + (size_t)((p->row + i) * p->from->ld + p->col) * bytes,
           (size_t)p->cols * bytes);
}

/* Packs one strip of a transposed block: reads a column of the source for STRIP rows of the
 * destination at a time. */
static void turn_strip(const struct packing *p, int64_t begin, int64_t end)
{
    const size_t bytes = p->from->element_bytes;
    for (int64_t j = 0; j < p->cols; j++) {
        const char *source =
            (const char *)p->from->elements + (size_t)((p->col + j) * p->from->ld + p->row) * bytes;
        for (int64_t i = begin; i < end; i++)
            memcpy(p->to + (size_t)(i * p->to_ld + j) * bytes, source + (size_t)i * bytes, bytes);
    }
}

static void pack_strip(void *context, int64_t tile, int member)
{
    const struct packing *p = context;
    int64_t begin = tile * STRIP, end = min(begin + STRIP, p->rows);
    (void)member;
    if (p->from->transposed)
        turn_strip(p, begin, end);
    else
        for (int64_t i = begin; i < end; i++)
            pack_row(p, i);
}

void gr_block_pack(struct gr_team *team, const struct gr_block_source *from, int64_t row,
                   int64_t col, int64_t rows, int64_t cols, void *to, int64_t to_ld)
{
    struct packing packing = {from, row, col, rows, cols, to_ld, to};
    team->run(team, (rows + STRIP - 1) / STRIP, pack_strip, &packing);
}
