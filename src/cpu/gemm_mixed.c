/* gemm_mixed.c: the five loops of gemm_packed.c for operands whose type changes when they are
 * packed, and for a C whose elements are narrower than its sums. SPDX-License-Identifier: MIT
 *
 * A C of bf16 is rounded once, at the end, so its sums are stored elsewhere until all of k has been
 * added. Such a C is computed in parts whose sums take about a megabyte; each part is a product of
 * its own. */
#include "cpu/gemm_mixed.h"

#include "cpu/bf16.h"
#include "cpu/cpu.h"
#include "cpu/dispatch.h"
#include "cpu/gemm_blocks.h"

#include <stddef.h>

/* Blocks of k are multiples of 64 steps, which are 64 bytes of the narrowest elements. */
enum { KC_STEP = 64 };
/* The rows and columns of a part of a C of bf16. */
enum { PART_ROWS = 512, PART_COLUMNS = 512 };
/* Blocks of at most this size are on the stack, of which a caller may have little.
 * LITTLE_STACK_BYTES is the limit for panels of floats, because packing them needs some stack
 * itself; STACK_BYTES holds one panel of each of the other types. */
enum { LITTLE_STACK_BYTES = 2 << 10, STACK_BYTES = 17 << 8 };
/* The steps of k in a block if no memory can be allocated. */
enum { LAST_RESORT_KC = 128 };
/* The size of a block of B if one block of A holds all rows. */
enum { STREAMED_BYTES = 256 << 10 };
/* With fewer tasks for each thread than this, some threads are idle while the last tasks are
 * computed. */
enum { TASKS_A_THREAD = 3 };

struct plan {
    const struct gr_product *product;
    const struct gr_mixed *mixed;
    int threads;
    int64_t mc_panels, kc, nc_panels; /* the sizes of the largest block */
    int64_t part_rows, part_columns;  /* the size of the largest part of C */
    char *b_block;                    /* kc x nc */
    char *a_blocks;                   /* mc x kc for each thread */
    float *sums;                      /* the sums of a part; null if C holds them */
    int64_t a_block_bytes, b_block_bytes, sums_bytes;
    bool a_in_place; /* A is read in place; the blocks of A then hold only the initial values of the
                        sums, if there are any */
    int64_t start_step; /* 1: the sums of each row start from a value of their own; 0: all start
                           from 0 */
    bool streams;       /* one block of A holds all rows, and blocks of B are small enough for L2 */
    int64_t *held;      /* for each thread: the block of A that it has packed, or -1 */
    /* The current part, and how it is divided. */
    int64_t i0, m, j0, n;
    int64_t a_tasks, b_tasks;
    /* The current block. */
    int64_t jc, nc, pc, depth;
};

/* A task of the parallel packing loop: packs one panel of B. */
static void pack_b_panel(void *context, int64_t tile, int thread)
{
    (void)thread;
    const struct plan *plan = context;
    const struct gr_product *p = plan->product;
    const int64_t nr = p->ukr->nr, j = plan->jc + tile * nr;
    plan->mixed->pack_b(p, plan->b_block + tile * plan->mixed->b_bytes(p->ukr, plan->depth), j,
                        gr_min64(nr, plan->jc + plan->nc - j), plan->pc, plan->depth);
}

static float *sums_at(const struct plan *plan, int64_t i, int64_t j)
{
    return plan->sums + (i - plan->i0) * plan->part_columns + (j - plan->j0);
}

/* Converts a tile of C to sums, before the first block of k. */
static void widen(const struct plan *plan, int64_t i, int64_t m, int64_t j, int64_t n)
{
    const int64_t ldc = plan->product->ldc;
    const uint16_t *c = (const uint16_t *)(const void *)plan->product->c + i * ldc + j;
    float *sums = sums_at(plan, i, j);
    for (; m > 0; m--, c += ldc, sums += plan->part_columns)
        for (int64_t x = 0; x < n; x++)
            sums[x] = gr_bf16_to_f32(c[x]);
}

/* Rounds the finished sums of a tile to C. */
static void narrow(const struct plan *plan, int64_t i, int64_t m, int64_t j, int64_t n)
{
    const int64_t ldc = plan->product->ldc;
    uint16_t *c = (uint16_t *)(void *)plan->product->c + i * ldc + j;
    const float *sums = sums_at(plan, i, j);
    for (; m > 0; m--, c += ldc, sums += plan->part_columns)
        for (int64_t x = 0; x < n; x++)
            c[x] = gr_bf16_from_f32(sums[x]);
}

/* The first panel of the current block in an operand that was packed beforehand: blocks of k follow
 * one another, each with all of its panels. */
static const char *whole_block(const struct plan *plan, const char *panels, int64_t lanes,
                               int64_t width, int64_t first,
                               int64_t (*bytes)(const struct ukr *ukr, int64_t depth))
{
    const struct ukr *u = plan->product->ukr;
    return panels + plan->pc / plan->kc * gr_cdiv(lanes, width) * bytes(u, plan->kc) +
           first / width * bytes(u, plan->depth);
}

/* Values that all tiles of a task share. */
struct stage {
    const void *beta; /* the caller's beta in the first block of k, then 1 */
    bool widens, finishes, narrows;
};

/* The rows of A of a task. */
struct block {
    const char *rows;
    int64_t step;          /* bytes from one tile's rows to the next tile's */
    const int32_t *starts; /* the initial values of the sums of rows in place; if start_step is 0,
                              one 0 for all rows */
    int64_t start_step;
};

static struct stage stage_of(const struct plan *plan)
{
    static const union gr_number one_f32 = {.f32 = 1}, one_s32 = {.s32 = 1};
    const struct gr_product *p = plan->product;
    const bool first = plan->pc == 0, last = plan->pc + plan->depth == p->k;
    return (struct stage){
        .beta = first                       ? &p->beta
                : p->sum_type == GRADUS_S32 ? &one_s32
                                            : &one_f32,
        .widens = plan->sums && first && p->beta.f32 != 0,
        .finishes = last && p->finishes,
        .narrows = last && plan->sums,
    };
}

/* Multiplies tile `tile` of a block of rows, in one block of k. */
static void multiply_tile(const struct plan *plan, const struct stage *stage,
                          const struct block *block, int64_t tile, const char *b, int64_t i,
                          int64_t m, int64_t j, int64_t n)
{
    const struct gr_product *p = plan->product;
    const struct ukr *u = p->ukr;
    const char *a = block->rows + tile * block->step;
    void *c = plan->sums ? (void *)sums_at(plan, i, j) : p->c + (i * p->ldc + j) * p->bytes;
    const int64_t ldc = plan->sums ? plan->part_columns : p->ldc;
    if (stage->widens)
        widen(plan, i, m, j, n);
    if (plan->a_in_place)
        u->run_rows(m, n, plan->depth, &p->alpha, a, p->a_row * p->a_bytes,
                    block->starts + tile * u->mr * block->start_step, block->start_step, b,
                    stage->beta, c, ldc);
    else
        u->run(m, n, plan->depth, &p->alpha, a, b, stage->beta, c, ldc);
    if (stage->finishes)
        gr_gemm_finish(p, c, ldc, i, m, j, n);
    if (stage->narrows)
        narrow(plan, i, m, j, n);
}

/* Loops jr and ir: packed rows i0..i1 of A times panels j0..j1 of B. */
static void macro_kernel(const struct plan *plan, const struct block *block, int64_t i0, int64_t i1,
                         int64_t j0, int64_t j1)
{
    const struct gr_product *p = plan->product;
    const struct ukr *u = p->ukr;
    const struct stage stage = stage_of(plan);
    const int64_t b_bytes = plan->mixed->b_bytes(u, plan->depth);
    const char *b =
        p->b_panels ? whole_block(plan, p->b_panels, p->n, u->nr, plan->jc, plan->mixed->b_bytes)
                    : plan->b_block;
    b += j0 * b_bytes;
    if (u->begin)
        u->begin();
    for (int64_t panel = j0; panel < j1; panel++, b += b_bytes) {
        const int64_t j = plan->jc + panel * u->nr, n = gr_min64(u->nr, plan->jc + plan->nc - j);
        for (int64_t i = i0, tile = 0; i < i1; i += u->mr, tile++)
            multiply_tile(plan, &stage, block, tile, b, i, gr_min64(u->mr, i1 - i), j, n);
    }
    if (u->end)
        u->end();
}

/* Returns rows i0..i1 of A: packed beforehand, read in place, or packed into `memory`. If `held` is
 * true, `memory` has their packed copy already. */
static struct block block_of(const struct plan *plan, int64_t i0, int64_t i1, char *memory,
                             bool held)
{
    static const int32_t zero;
    const struct gr_product *p = plan->product;
    const int64_t mr = p->ukr->mr;
    struct block block = {memory, plan->mixed->a_bytes(p->ukr, plan->depth), &zero, 0};
    if (p->a_panels) {
        block.rows = whole_block(plan, p->a_panels, p->m, mr, i0, plan->mixed->a_bytes);
    } else if (plan->a_in_place) {
        int32_t *starts = (int32_t *)(void *)memory;
        block.rows = p->a + (i0 * p->a_row + plan->pc * p->a_col) * p->a_bytes;
        block.step = mr * p->a_row * p->a_bytes;
        block.start_step = plan->start_step;
        block.starts = plan->start_step ? starts : &zero;
        if (plan->start_step && !held)
            plan->mixed->starts(p, starts, i0, i1 - i0, plan->pc, plan->depth);
    } else if (!held) {
        plan->mixed->pack_a(p, memory, i0, i1 - i0, plan->pc, plan->depth);
    }
    return block;
}

/* A task of the parallel multiplying loop: loop ic, divided further if there are few rows. */
static void multiply_task(void *context, int64_t tile, int thread)
{
    const struct plan *plan = context;
    const struct gr_product *p = plan->product;
    const int64_t mr = p->ukr->mr, nr = p->ukr->nr;
    const int64_t a_task = tile / plan->b_tasks, b_task = tile % plan->b_tasks;
    const int64_t m_panels = gr_cdiv(plan->m, mr), n_panels = gr_cdiv(plan->nc, nr);
    const int64_t from = gr_part_start(m_panels, plan->a_tasks, a_task) * mr;
    const int64_t to = gr_min64(plan->m, gr_part_start(m_panels, plan->a_tasks, a_task + 1) * mr);
    const struct block block =
        block_of(plan, plan->i0 + from, plan->i0 + to,
                 plan->a_blocks + thread * plan->a_block_bytes, plan->held[thread] == a_task);
    plan->held[thread] = a_task;
    macro_kernel(plan, &block, plan->i0 + from, plan->i0 + to,
                 gr_part_start(n_panels, plan->b_tasks, b_task),
                 gr_part_start(n_panels, plan->b_tasks, b_task + 1));
}

static void cut_up(struct plan *plan)
{
    const int64_t m_panels = gr_cdiv(plan->m, plan->product->ukr->mr);
    const int64_t n_panels = gr_min64(plan->nc_panels, gr_cdiv(plan->n, plan->product->ukr->nr));
    plan->a_tasks = gr_cdiv(m_panels, plan->mc_panels);
    plan->b_tasks = 1;
    if (plan->threads > 1 && plan->a_tasks < plan->threads * TASKS_A_THREAD) {
        if (plan->a_tasks > 1 || m_panels >= plan->threads)
            plan->a_tasks =
                gr_min64(m_panels, gr_cdiv(plan->a_tasks, plan->threads) * plan->threads);
        plan->b_tasks = gr_min64(n_panels, gr_cdiv(plan->threads * TASKS_A_THREAD, plan->a_tasks));
    }
}

/* Packs the block of B that begins at row pc and column jc, and multiplies it. */
static void run_block(struct plan *plan, struct gr_team *team, int64_t jc, int64_t pc)
{
    const struct gr_product *p = plan->product;
    const int64_t nr = p->ukr->nr;
    if (pc != plan->pc || !plan->streams)
        for (int t = 0; t < plan->threads; t++)
            plan->held[t] = -1;
    plan->jc = jc, plan->nc = gr_min64(plan->nc_panels * nr, plan->j0 + plan->n - jc);
    plan->pc = pc, plan->depth = gr_min64(plan->kc, p->k - pc);
    if (!p->b_panels)
        gr_for_all(team, gr_cdiv(plan->nc, nr), pack_b_panel, plan);
    gr_for_all(team, plan->a_tasks * plan->b_tasks, multiply_task, plan);
}

/* Loops jc and pc, in one part of C. With jc as the outer loop, a block of C is complete sooner;
 * with jc as the inner loop, a block of A is packed only once. */
static void run_part(struct plan *plan, struct gr_team *team)
{
    const int64_t columns = plan->nc_panels * plan->product->ukr->nr, end = plan->j0 + plan->n;
    const int64_t k = plan->product->k;
    cut_up(plan);
    plan->pc = -1;
    if (plan->streams)
        for (int64_t pc = 0; pc < k; pc += plan->kc)
            for (int64_t jc = plan->j0; jc < end; jc += columns)
                run_block(plan, team, jc, pc);
    else
        for (int64_t jc = plan->j0; jc < end; jc += columns)
            for (int64_t pc = 0; pc < k; pc += plan->kc)
                run_block(plan, team, jc, pc);
}

static void run_parts(struct plan *plan, struct gr_team *team)
{
    const struct gr_product *p = plan->product;
    for (plan->i0 = 0; plan->i0 < p->m; plan->i0 += plan->part_rows) {
        plan->m = gr_min64(plan->part_rows, p->m - plan->i0);
        for (plan->j0 = 0; plan->j0 < p->n; plan->j0 += plan->part_columns) {
            plan->n = gr_min64(plan->part_columns, p->n - plan->j0);
            run_part(plan, team);
        }
    }
}

/* MC, as in gemm_plan.c: the micro-kernel's hint, or more if three eighths of L2 hold more rows. */
static int64_t block_rows(const struct gr_product *p, const struct gr_mixed *mixed, int64_t kc)
{
    const int64_t row = mixed->a_bytes(p->ukr, kc) / p->ukr->mr;
    return gr_max64(p->ukr->mc, gr_cpu_cache_bytes(2) / 8 * 3 / row);
}

static int64_t block_columns(const struct gr_product *p, const struct gr_mixed *mixed, int64_t kc)
{
    const int64_t column = mixed->b_bytes(p->ukr, kc) / p->ukr->nr;
    return gr_max64(p->ukr->nc, gr_min64(2 * p->ukr->nc, gr_cpu_cache_bytes(3) / 4 / column));
}

/* This must depend on the shape alone, because the rounding of float sums depends on it. */
int64_t gr_gemm_mixed_depth(const struct gr_product *p)
{
    return gr_min64(p->k, gr_cdiv(gr_even_part(p->k, p->ukr->kc), KC_STEP) * KC_STEP);
}

static struct plan plan_of(const struct gr_product *p, const struct gr_mixed *mixed, int threads)
{
    const struct ukr *u = p->ukr;
    const bool narrows = p->c_bytes < p->bytes;
    struct plan plan = {
        .product = p,
        .mixed = mixed,
        .threads = threads,
        .kc = gr_gemm_mixed_depth(p),
        .a_in_place = !p->a_panels && mixed->a_in_place && mixed->a_in_place(p),
        .part_rows = narrows ? gr_min64(p->m, PART_ROWS / u->mr * u->mr) : p->m,
        .part_columns = narrows ? gr_min64(p->n, PART_COLUMNS / u->nr * u->nr) : p->n,
    };
    plan.mc_panels = gr_even_part(gr_cdiv(plan.part_rows, u->mr),
                                  gr_max64(1, block_rows(p, mixed, plan.kc) / u->mr));
    plan.start_step =
        plan.a_in_place && mixed->starts && mixed->starts(p, NULL, 0, 0, 0, 0) ? 1 : 0;
    plan.streams = threads == 1 && plan.mc_panels * u->mr >= plan.part_rows;
    plan.nc_panels =
        gr_even_part(gr_cdiv(plan.part_columns, u->nr),
                     gr_max64(1, plan.streams ? STREAMED_BYTES / mixed->b_bytes(u, plan.kc)
                                              : block_columns(p, mixed, plan.kc) / u->nr));
    return plan;
}

static int64_t plan_bytes(struct plan *plan)
{
    const struct gr_product *p = plan->product;
    const int64_t a_panel =
        plan->a_in_place ? p->ukr->mr * p->bytes : plan->mixed->a_bytes(p->ukr, plan->kc);
    plan->a_block_bytes = p->a_panels ? 0 : gr_padded(plan->mc_panels * a_panel);
    plan->b_block_bytes =
        p->b_panels ? 0 : gr_padded(plan->nc_panels * plan->mixed->b_bytes(p->ukr, plan->kc));
    plan->sums_bytes =
        p->c_bytes < p->bytes ? gr_padded(plan->part_rows * plan->part_columns * p->bytes) : 0;
    return plan->threads * (plan->a_block_bytes + gr_padded((int64_t)sizeof *plan->held)) +
           plan->b_block_bytes + plan->sums_bytes;
}

static void place(struct plan *plan, char *memory)
{
    plan->b_block = memory;
    plan->a_blocks = plan->b_block + plan->b_block_bytes;
    memory = plan->a_blocks + plan->threads * plan->a_block_bytes;
    plan->sums = plan->sums_bytes ? (float *)(void *)memory : NULL;
    plan->held = (int64_t *)(void *)(memory + plan->sums_bytes);
}

/* Halves the blocks until there is enough memory for them. */
static bool reserve(struct plan *plan, struct gr_workspace *workspace)
{
    while (!gr_workspace_reserve(workspace, plan_bytes(plan)))
        if (!gr_halve_blocks(&plan->nc_panels, &plan->mc_panels))
            return false;
    return true;
}

static __attribute__((noinline)) void run_on_little_stack(struct plan *plan)
{
    _Alignas(GR_BLOCK_ALIGNMENT) char memory[LITTLE_STACK_BYTES];
    place(plan, memory);
    run_parts(plan, NULL);
}

static __attribute__((noinline)) void run_on_stack(struct plan *plan)
{
    _Alignas(GR_BLOCK_ALIGNMENT) char memory[STACK_BYTES];
    place(plan, memory);
    run_parts(plan, NULL);
}

/* Blocks are one panel of each operand and, for a C of bf16, one tile of sums. If an operand was
 * packed beforehand, the depth of its blocks cannot be changed. */
static void run_without_memory(struct plan *plan)
{
    const struct gr_product *p = plan->product;
    plan->threads = 1;
    plan->mc_panels = plan->nc_panels = 1;
    if (!p->a_panels && !p->b_panels)
        plan->kc = gr_min64(plan->kc, LAST_RESORT_KC);
    if (p->c_bytes < p->bytes) {
        plan->part_rows = gr_min64(plan->part_rows, p->ukr->mr);
        plan->part_columns = gr_min64(plan->part_columns, p->ukr->nr);
    }
    plan_bytes(plan);
    place(plan, gr_last_memory_take());
    run_parts(plan, NULL);
    gr_last_memory_give();
}

bool gr_gemm_mixed_small(const struct gr_product *p, const struct gr_mixed *mixed)
{
    if (p->driver->threads_worth(p) <= 1 && gr_gemm_in_place(p, mixed, NULL))
        return true;
    if ((double)p->m * (double)p->n > STACK_BYTES || p->k > STACK_BYTES)
        return false;
    struct plan plan = plan_of(p, mixed, 1);
    const bool of_floats = p->ukr->run_strided;
    /* The micro-kernel itself may need a tile on the stack (with AMX, a copy of its tile
     * registers). */
    const int64_t tile_bytes = gr_min64(p->m, p->ukr->mr) * p->ukr->nr * p->bytes;
    const bool is_full = of_floats || tile_bytes > LITTLE_STACK_BYTES;
    const int64_t bytes = plan_bytes(&plan);
    if (bytes > (is_full ? LITTLE_STACK_BYTES : STACK_BYTES))
        return false;
    (bytes <= LITTLE_STACK_BYTES ? run_on_little_stack : run_on_stack)(&plan);
    return true;
}

int64_t gr_gemm_mixed_bytes(const struct gr_product *p, const struct gr_mixed *mixed, int threads)
{
    if (gr_gemm_is_in_place(p, mixed))
        return 0;
    struct plan plan = plan_of(p, mixed, threads);
    return plan_bytes(&plan);
}

void gr_gemm_mixed(const struct gr_product *p, const struct gr_mixed *mixed,
                   struct gr_workspace *workspace)
{
    if (gr_gemm_in_place(p, mixed, workspace->team))
        return;
    struct plan plan = plan_of(p, mixed, workspace->team ? workspace->team->threads : 1);
    if (workspace->threads == 0 || !reserve(&plan, workspace)) {
        run_without_memory(&plan);
        return;
    }
    place(&plan, workspace->buffer);
    run_parts(&plan, workspace->team);
}

int64_t gr_gemm_mixed_whole(const struct gr_product *p, const struct gr_mixed *mixed, bool as_b,
                            char *panels)
{
    const struct ukr *u = p->ukr;
    const int64_t lanes = as_b ? p->n : p->m, width = as_b ? u->nr : u->mr,
                  kc = gr_gemm_mixed_depth(p);
    int64_t (*const bytes_of)(const struct ukr *, int64_t) = as_b ? mixed->b_bytes : mixed->a_bytes;
    if (((double)lanes + 64) * ((double)p->k + 128) * 8 > 0x1p62)
        return -1;
    int64_t bytes = 0;
    for (int64_t pc = 0; pc < p->k && lanes > 0; pc += kc) {
        const int64_t depth = gr_min64(kc, p->k - pc);
        if (panels)
            (as_b ? mixed->pack_b : mixed->pack_a)(p, panels + bytes, 0, lanes, pc, depth);
        bytes += gr_cdiv(lanes, width) * bytes_of(u, depth);
    }
    return bytes;
}

void gr_gemm_mixed_describe(const struct gr_product *p, const struct gr_mixed *mixed, int threads,
                            struct gr_dispatch *dispatch)
{
    struct plan plan = plan_of(p, mixed, threads);
    plan.m = plan.part_rows, plan.n = plan.part_columns;
    cut_up(&plan);
    dispatch->path = "packed";
    dispatch->mc = gr_min64(p->m, plan.mc_panels * p->ukr->mr);
    dispatch->kc = plan.kc;
    dispatch->nc = gr_min64(p->n, plan.nc_panels * p->ukr->nr);
    dispatch->tasks = plan.a_tasks * plan.b_tasks;
}
