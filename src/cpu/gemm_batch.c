/* gemm_batch.c: many products of the same sizes. SPDX-License-Identifier: MIT
 *
 * Small products are divided into chunks, and each chunk is computed by one thread. If the products
 * are large, or fewer than the threads need, they are computed one after another, and all threads
 * work on each product. This choice does not change the results: the order in which a product is
 * summed depends on its shape alone. */
#include "cpu/batch.h"

#include "cpu/gemm_blocks.h"
#include "cpu/call_resources.h"

#include <limits.h>
#include <stddef.h>

/* Below this many multiply-adds, it takes longer to assign a chunk to a thread than to compute
 * it. */
static const double TILE_PAYS = 48.0 * 48.0 * 48.0;
/* Above this many multiply-adds, a product keeps all threads busy, and they share its packed
 * blocks. */
static const double INSIDE_PAYS = 384.0 * 384.0 * 384.0;
/* With fewer products for each thread than this, some threads are idle while the last products are
 * computed. */
enum { PRODUCTS_A_THREAD = 4 };

struct division {
    int threads;
    bool inside; /* all threads work on each product */
    int64_t products_a_tile;
};

static double work_of(const struct gr_product *p)
{
    return (double)p->m * (double)p->n * (double)(p->k > 0 ? p->k : 1);
}

static const char *operand_at(const void *base, const void *const *array, int64_t stride,
                              int64_t bytes, int64_t i)
{
    if (array)
        return array[i];
    return base ? (const char *)base + i * stride * bytes : NULL;
}

void gr_batch_point(struct gr_product *p, const struct gradus_gemm *g, int64_t i)
{
    const bool col = g->layout == GRADUS_COL_MAJOR;
    const char *a = operand_at(g->a, g->a_array, g->stride_a, gr_gemm_type_bytes(g->a_type), i);
    const char *b = operand_at(g->b, g->b_array, g->stride_b, gr_gemm_type_bytes(g->b_type), i);
    p->a = col ? b : a;
    p->b = col ? a : b;
    p->c = g->c_array ? g->c_array[i] : (char *)g->c + i * g->stride_c * p->c_bytes;
}

static int64_t slice_bytes(const struct gr_product *p)
{
    const int64_t bytes = p->k > 0 ? p->driver->workspace_bytes(p, 1) : 0;
    return gr_padded(bytes);
}

static int64_t tile_of(double work, int64_t batch, int threads)
{
    const int64_t fair = batch / ((int64_t)threads * PRODUCTS_A_THREAD);
    const int64_t wanted = work < TILE_PAYS ? (int64_t)TILE_PAYS / (int64_t)work + 1 : 1;
    return fair < 1 ? 1 : wanted < fair ? wanted : fair;
}

static struct division divide(const struct gradus_gemm *g, const struct gr_product *p)
{
    const double work = work_of(p);
    const bool worth_it = work * (double)g->batch > GR_THREADS_PAY;
    const int threads = gr_call_threads(g, worth_it ? INT_MAX : 1);
    const int inside = p->k > 0 ? gr_call_threads(g, p->driver->threads_worth(p)) : 1;
    if (threads <= 1 ||
        (inside > 1 && (g->batch < threads * (int64_t)PRODUCTS_A_THREAD || work > INSIDE_PAYS)))
        return (struct division){.threads = threads <= 1 ? 1 : inside, .inside = true};
    return (struct division){.threads = threads,
                             .products_a_tile = tile_of(work, g->batch, threads)};
}

int64_t gr_batch_bytes(const struct gradus_gemm *g, const struct gr_product *p)
{
    const struct division how = divide(g, p);
    if (how.inside)
        return p->k > 0 ? p->driver->workspace_bytes(p, how.threads) : 0;
    return how.threads * slice_bytes(p);
}

/* Threads and memory are acquired only when the first product needs them. */
static void run_in_turn(const struct gradus_gemm *g, const struct gr_product *first, int threads)
{
    struct gr_product p = *first;
    struct gr_call_resources resources;
    bool got = false;
    for (int64_t i = 0; i < g->batch; i++) {
        gr_batch_point(&p, g, i);
        if (gr_gemm_easy(&p))
            continue;
        if (!got)
            gr_call_resources_take(&resources, g, threads);
        got = true;
        p.driver->run(&p, &resources.workspace);
    }
    if (got)
        gr_call_resources_give(&resources);
}

struct chunk {
    const struct gradus_gemm *gemm;
    const struct gr_product *first;
    int64_t products;     /* in each chunk */
    char *buffer;         /* null if there is not enough memory */
    int64_t buffer_bytes; /* for each thread */
};

static void run_chunk(void *context, int64_t tile, int thread)
{
    const struct chunk *h = context;
    const int64_t begin = tile * h->products, left = h->gemm->batch - begin;
    const int64_t end = begin + (left < h->products ? left : h->products);
    struct gr_workspace slice = {
        .threads = h->buffer ? 1 : 0,
        .lent = true,
        .buffer = h->buffer ? h->buffer + thread * h->buffer_bytes : NULL,
        .buffer_bytes = h->buffer_bytes,
    };
    struct gr_product p = *h->first;
    for (int64_t i = begin; i < end; i++) {
        gr_batch_point(&p, h->gemm, i);
        if (!gr_gemm_easy(&p))
            p.driver->run(&p, &slice);
    }
}

static void run_side_by_side(const struct gradus_gemm *g, const struct gr_product *first,
                             const struct division *how)
{
    struct gr_call_resources resources;
    gr_call_resources_take(&resources, g, how->threads);
    struct gr_team *team = resources.workspace.team;
    struct chunk h = {g, first, how->products_a_tile, NULL, slice_bytes(first)};
    const int64_t tiles = (g->batch + h.products - 1) / h.products;
    if (resources.workspace.threads > 0 &&
        gr_workspace_reserve(&resources.workspace, h.buffer_bytes * (team ? team->threads : 1)))
        h.buffer = resources.workspace.buffer;
    if (team)
        team->run(team, tiles, run_chunk, &h);
    for (int64_t tile = 0; !team && tile < tiles; tile++)
        run_chunk(&h, tile, 0);
    gr_call_resources_give(&resources);
}

void gr_batch_run(const struct gradus_gemm *g, const struct gr_product *first)
{
    const struct division how = divide(g, first);
    if (how.inside)
        run_in_turn(g, first, how.threads);
    else
        run_side_by_side(g, first, &how);
}
