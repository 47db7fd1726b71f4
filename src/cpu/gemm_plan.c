/* gemm_plan.c: how the five loops of gemm_packed.c divide a product. SPDX-License-Identifier: MIT
 *
 * The block sizes depend on the caches. The tasks of a block of B are parts of the rows of A times
 * parts of the panels of B. If B is large, all threads pack it together and take tasks from a
 * common sequence. If it is small, the threads form a grid over C, and each packs what it needs,
 *
 *                        B: | part 0 | part 1 |
 *         A: part 0         |   t0   |   t2   |
 *            part 1         |   t1   |   t3   |
 *
 * so that no thread waits for another, and no data moves from core to core, except for tasks that
 * another thread takes over at the end.
 *
 * If a single thread packs narrow panels of a B whose columns are not contiguous, it transposes
 * each panel right before it multiplies it, so that B is loaded from L3 during the multiplications.
 * If one block of A holds all rows, a panel is not needed again, and the next panel uses the same
 * memory, which is in L1. */
#include "cpu/gemm_plan.h"

#include "cpu/cpu.h"
#include "cpu/gemm_blocks.h"

/* In a grid of threads over C, each thread packs its own part of B if the part is no larger than
 * this. This is faster than a barrier and reading what other threads have packed from the caches of
 * their cores. A part that is packed during the multiplication of enough rows (OWN_PANELS panels of
 * A for each thread) may be as large as OWN_ON_THE_WAY_BYTES. */
enum { OWN_BYTES = 128 << 10, OWN_ON_THE_WAY_BYTES = 3 << 19, OWN_PANELS = 2 };

/* MC, the rows of a block of A: the micro-kernel's hint, or more if three eighths of L2 hold more.
 * The rest is for the current panel of B, the next one, and C. */
static int64_t block_rows(const struct gr_product *p, int64_t depth)
{
    const int64_t fitting = gr_cpu_cache_bytes(2) / 8 * 3 / (depth * p->bytes);
    return gr_max64(p->ukr->mc, fitting);
}

/* NC, the columns of a block of B: the micro-kernel's hint, or up to twice that if a quarter of L3
 * holds them, or up to four times if a sixteenth does. C is then read and A packed less often, and
 * there are fewer barriers. */
static int64_t block_columns(const struct gr_product *p, int64_t depth)
{
    const int64_t hint = p->ukr->nc, column = depth * p->bytes, l3 = gr_cpu_cache_bytes(3);
    return gr_max64(
        hint, gr_max64(gr_min64(2 * hint, l3 / 4 / column), gr_min64(4 * hint, l3 / 16 / column)));
}

/* With at most FEW_COLUMNS columns of C, a packed copy of A is read too few times to be worth its
 * time, unless the rows of A are so far apart that those of a tile evict one another from L1. If
 * the columns of A are contiguous, A may have up to SMALL_BYTES with any leading dimension, and up
 * to SPREAD_BYTES if its columns are spread over all sets of L2. */
enum { FEW_COLUMNS = 352, CONFLICTING_BYTES = 4096, SMALL_BYTES = 64 << 10 };
enum { SPREAD_BYTES = 192 << 10, SPREADING_BYTES = 512 };
/* On CPUs whose tiles may read from L2 and L3, A may be larger: up to twice L2, or a quarter of L3
 * if there are so few tiles of columns that A is read only a few times. */
enum { NEAR_TILES = 2, NEAR_COLUMNS = 256 };

static int64_t spread_bytes(const struct gr_product *p)
{
    if (!gr_gemm_reads_from_afar(p) || p->n > gr_max64(NEAR_COLUMNS, NEAR_TILES * p->ukr->nr))
        return SPREAD_BYTES;
    const bool few = p->n <= NEAR_TILES * p->ukr->nr;
    return gr_max64(SPREAD_BYTES, few ? gr_cpu_cache_bytes(3) / 4 : 2 * gr_cpu_cache_bytes(2));
}

bool gr_gemm_a_usable_in_place(const struct gr_product *p)
{
    if (p->a_panels)
        return false;
    if (p->a_col == 1)
        return p->n <= FEW_COLUMNS && p->a_row * p->bytes % CONFLICTING_BYTES;
    const bool spread = p->a_col * p->bytes % SPREADING_BYTES != 0;
    return p->m * p->k * p->bytes <= (spread ? spread_bytes(p) : SMALL_BYTES) &&
           p->n * p->bytes <= CONFLICTING_BYTES;
}

struct gr_gemm_plan gr_gemm_plan(const struct gr_product *p, int threads)
{
    const struct ukr *u = p->ukr;
    const int64_t kc = gr_gemm_depth(p), steps = gr_max64(kc, u->kc);
    return (struct gr_gemm_plan){
        .product = p,
        .threads = threads,
        .a_in_place = gr_gemm_a_usable_in_place(p),
        .b_in_place = !p->b_panels && gr_gemm_b_usable_unpacked(p),
        .mc_panels = gr_even_part(gr_cdiv(p->m, u->mr), gr_max64(1, block_rows(p, steps) / u->mr)),
        .kc = kc,
        .nc_panels =
            gr_even_part(gr_cdiv(p->n, u->nr), gr_max64(1, block_columns(p, steps) / u->nr)),
    };
}

/* The number of columns of the grid of threads for which the least is packed. B is packed during
 * the multiplication; A is not, so it counts twice. */
static int64_t grid_columns(const struct gr_product *p, int threads)
{
    int64_t best = 1;
    double least = 2.0 * (double)p->m + (double)p->n * threads;
    for (int columns = 2; columns <= threads; columns++) {
        const double packed = 2.0 * (double)p->m * columns + (double)p->n * (threads / columns);
        if (threads % columns == 0 && packed < least) {
            least = packed;
            best = columns;
        }
    }
    return best;
}

/* With at most this many steps, writing C takes a large part of the time. If one panel of B is
 * multiplied by all rows, each row of a tile of C is a separate stream of writes, and only as many
 * lines are in flight as L1 can request. The prefetchers of L2, which can request more, follow rows
 * that are written from beginning to end. The panels of B then come from L2. With vectors of 32
 * bytes this takes longer than waiting for C, unless the rows of C share sets of the cache. */
enum { WRITING_STEPS = 64, SHARED_SETS_BYTES = 8192, LEAST_FAR_C_BYTES = 1 << 20 };

static bool writes_by_rows(const struct gr_gemm_plan *plan)
{
    const struct gr_product *p = plan->product;
    const int64_t l2 = gr_cpu_cache_bytes(2);
    const int64_t columns = gr_min64(p->n, plan->nc_panels * p->ukr->nr);
    const bool wide = p->ukr->lanes * p->bytes > 32;
    return p->k <= WRITING_STEPS && p->m * p->n * p->bytes > gr_max64(l2, LEAST_FAR_C_BYTES) &&
           p->k * columns * p->bytes <= (wide ? l2 / 2 : l2) &&
           (wide || p->ldc * p->bytes % SHARED_SETS_BYTES == 0);
}

/* Chooses whether each thread packs its own part of B, and into how many parts B is divided. */
static void choose_grid(struct gr_gemm_plan *plan)
{
    const struct gr_product *p = plan->product;
    const bool packs = !p->b_panels && !plan->b_in_place;
    const bool one = plan->kc >= p->k && plan->nc_panels * p->ukr->nr >= p->n;
    int64_t parts = gr_min64(plan->nc_panels, grid_columns(p, plan->threads));
    const bool many_rows = p->m * parts >= plan->threads * OWN_PANELS * p->ukr->mr;
    if (!many_rows && plan->threads > 1)
        parts = plan->nc_panels;
    const int64_t bytes = gr_cdiv(plan->nc_panels, parts) * p->ukr->nr * plan->kc * p->bytes;
    plan->b_on_the_way = packs && p->b_col == 1 && (many_rows || plan->threads == 1);
    plan->b_turned = packs && p->b_col != 1 && plan->threads == 1 && !gr_gemm_has_wide_panels(p);
    plan->b_passing = packs && plan->threads == 1 && plan->mc_panels >= gr_cdiv(p->m, p->ukr->mr) &&
                      (plan->b_turned || plan->b_on_the_way);
    plan->by_rows = !plan->b_passing && writes_by_rows(plan);
    plan->b_own = packs && (plan->threads == 1 || (one && bytes <= OWN_BYTES) ||
                            (plan->b_on_the_way && bytes <= OWN_ON_THE_WAY_BYTES));
    plan->b_parts = plan->b_own ? parts : 1;
    plan->b_block_count = plan->b_own ? plan->threads : plan->threads > 1 && !one ? 2 : 1;
}

int64_t gr_gemm_plan_bytes(struct gr_gemm_plan *plan)
{
    const struct gr_product *p = plan->product;
    choose_grid(plan);
    plan->a_block_bytes = p->a_panels || plan->a_in_place
                              ? 0
                              : gr_padded(plan->mc_panels * p->ukr->mr * plan->kc * p->bytes);
    const int64_t panels = plan->b_passing ? 1 : gr_cdiv(plan->nc_panels, plan->b_parts);
    plan->b_block_bytes =
        p->b_panels || plan->b_in_place ? 0 : gr_padded(panels * p->ukr->nr * plan->kc * p->bytes);
    return plan->threads * (plan->a_block_bytes + gr_padded((int64_t)sizeof *plan->held)) +
           plan->b_block_count * plan->b_block_bytes;
}

/* With fewer tasks for each thread than this, some threads are idle at the end, because some cores
 * may run at half the speed of others. There are more tasks (up to TASKS_A_THREAD_MOST) if each has
 * ENOUGH_PANELS panels for its block of A. */
enum { TASKS_A_THREAD = 6, TASKS_A_THREAD_MOST = 12, ENOUGH_PANELS = 6 };

void gr_gemm_plan_tasks(struct gr_gemm_plan *plan)
{
    const int64_t threads = plan->threads;
    const int64_t m_panels = gr_cdiv(plan->product->m, plan->product->ukr->mr);
    const int64_t n_panels =
        gr_min64(plan->nc_panels, gr_cdiv(plan->product->n, plan->product->ukr->nr));
    plan->a_tasks = gr_cdiv(m_panels, plan->mc_panels);
    plan->b_tasks = 1;
    if (plan->b_own && threads > 1) {
        const int64_t rows = gr_max64(1, threads / plan->b_parts);
        plan->b_tasks = plan->b_parts;
        if (plan->b_parts < threads)
            plan->a_tasks = gr_max64(plan->a_tasks, rows * TASKS_A_THREAD);
        plan->a_tasks = gr_min64(m_panels, gr_cdiv(plan->a_tasks, rows) * rows);
        return;
    }
    /* If B is read in place, only the rows are divided, so that no block of A is packed by two
     * threads. */
    if (threads > 1 && plan->b_in_place)
        plan->a_tasks = gr_max64(plan->a_tasks, gr_min64(m_panels, threads * TASKS_A_THREAD));
    else if (threads == 1 || plan->a_tasks >= threads * TASKS_A_THREAD)
        return;
    if (plan->a_tasks > 1 || m_panels >= threads)
        plan->a_tasks = gr_min64(m_panels, gr_cdiv(plan->a_tasks, threads) * threads);
    const int64_t least = gr_min64(n_panels, gr_cdiv(threads * TASKS_A_THREAD, plan->a_tasks));
    const int64_t most = gr_cdiv(threads * TASKS_A_THREAD_MOST, plan->a_tasks);
    plan->b_tasks = gr_max64(least, gr_min64(most, n_panels / ENOUGH_PANELS));
}

int64_t gr_gemm_packed_bytes(const struct gr_product *p, int threads)
{
    struct gr_gemm_plan plan = gr_gemm_plan(p, threads);
    return gr_gemm_plan_bytes(&plan);
}

void gr_gemm_packed_describe(const struct gr_product *p, int threads, struct gr_dispatch *dispatch)
{
    struct gr_gemm_plan plan = gr_gemm_plan(p, threads);
    gr_gemm_plan_bytes(&plan);
    gr_gemm_plan_tasks(&plan);
    dispatch->mc = gr_min64(p->m, plan.mc_panels * p->ukr->mr);
    dispatch->kc = plan.kc;
    dispatch->nc = gr_min64(p->n, plan.nc_panels * p->ukr->nr);
    dispatch->tasks = plan.a_tasks * plan.b_tasks;
}
