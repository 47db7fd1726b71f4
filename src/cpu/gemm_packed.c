/* gemm_packed.c: the five loops of Goto and van de Geijn around the micro-kernel, over packed
 * blocks and a team of threads. SPDX-License-Identifier: MIT
 *
 *     for jc in steps of nc           a slab of B and C, nc columns wide
 *       for pc in steps of kc         a block of B, kc x nc, packed by all threads; it stays in L3
 *         for ic in steps of mc       a block of A, mc x kc, packed by the thread that uses it: L2
 *           for jr in steps of nr     a micro-panel of B, kc x nr: stays in L1 while ir runs
 *             for ir in steps of mr   a micro-panel of A, kc x mr: streams; the micro-kernel
 *
 * A task is one block of A times some of the micro-panels of B (gemm_plan.c); threads take tasks
 * as they finish. A thread that finds no task left packs micro-panels of the next block of B;
 * there are two blocks of B then. Where B is small, or there is one thread, each thread packs the
 * part of B that it needs during the multiplication: the first tile of a micro-panel packs it, or a
 * narrow one whose columns are not contiguous is transposed right before (gemm_plan.c). */
#include "cpu/cpu.h"
#include "cpu/gemm.h"
#include "cpu/gemm_blocks.h"
#include "cpu/gemm_plan.h"
#include "cpu/pack.h"

#include <stddef.h>

/* Steps of k in a block where there is no memory: blocks are one micro-panel each then. */
enum { LAST_RESORT_KC = 96 };

/* Adjacent panels share cache lines and pages of B, so a packing task is many of them. */
enum { PACK_TASKS_A_THREAD = 4 };

static int64_t pack_tasks(const struct gr_gemm_plan *plan)
{
    const int64_t panels = gr_cdiv(plan->next.nc, plan->product->ukr->nr);
    return plan->threads > 1 && !plan->b_own
               ? gr_min64(panels, (int64_t)plan->threads * PACK_TASKS_A_THREAD)
               : 1;
}

/* The column of a block of B at which a panel begins; past the last one, the end. Panels are nr
 * wide, but the last two share what is left in equal parts: a tile of a single vector would spend
 * its time on loads. */
static int64_t panel_start(const struct gr_product *p, const struct gr_gemm_block *block,
                           int64_t panel)
{
    const int64_t nr = p->ukr->nr, lanes = p->ukr->lanes, last = gr_cdiv(block->nc, nr) - 1;
    if (panel > last)
        return block->nc;
    if (panel < last || last == 0 || p->b_panels)
        return panel * nr;
    const int64_t before = (last - 1) * nr;
    return before + gr_cdiv(gr_cdiv(block->nc - before, lanes), 2) * lanes;
}

/* Column j of the block, in place. */
static const char *b_at(const struct gr_product *p, const struct gr_gemm_block *block, int64_t j)
{
    return p->b + (block->pc * p->b_row + (block->jc + j) * p->b_col) * p->bytes;
}

/* `columns` columns of the block from column j on, as panels from number `panel` on. */
static void pack_b(const struct gr_product *p, const struct gr_gemm_block *block, int64_t panel,
                   int64_t j, int64_t columns)
{
    const int64_t nr = p->ukr->nr;
    gr_pack(p, block->panels + (panel - block->first) * nr * block->depth * p->bytes,
            b_at(p, block, j), columns, block->depth, nr, p->b_col, p->b_row);
}

/* Panels first..end-1 of a block. */
static void pack_b_panels(const struct gr_product *p, const struct gr_gemm_block *block,
                          int64_t first, int64_t end)
{
    const int64_t nr = p->ukr->nr, last = gr_cdiv(block->nc, nr) - 1;
    const int64_t j = panel_start(p, block, last);
    if (first < last)
        pack_b(p, block, first, first * nr, (gr_min64(end, last) - first) * nr);
    if (first <= last && end > last)
        pack_b(p, block, last, j, block->nc - j);
}

/* The last two panels of a block may be narrower than the others. */
static int64_t whole_panels(const struct gr_product *p, const struct gr_gemm_block *block)
{
    const int64_t nr = p->ukr->nr, panels = gr_cdiv(block->nc, nr);
    return block->nc % nr ? gr_max64(0, panels - 2) : panels;
}

/* A tile of the parallel packing loop: some panels of the next block of B. */
static void pack_b_task(void *context, int64_t tile, int thread)
{
    (void)thread;
    const struct gr_gemm_plan *plan = context;
    const struct gr_product *p = plan->product;
    const int64_t panels = gr_cdiv(plan->next.nc, p->ukr->nr), tasks = pack_tasks(plan);
    pack_b_panels(p, &plan->next, gr_part_start(panels, tasks, tile),
                  gr_part_start(panels, tasks, tile + 1));
}

/* Where the panels of a block are: in its packed copy, or in an operand that was packed whole. */
struct panels {
    const char *at;
    int64_t step;  /* bytes from one to the next */
    int64_t first; /* the one at `at` */
};

static char *panel_at(const struct panels *panels, int64_t panel)
{
    return (char *)panels->at + (panel - panels->first) * panels->step;
}

static struct panels panels_of(const struct gr_gemm_plan *plan, const char *block,
                               const char *whole, int64_t lanes, int64_t width)
{
    const int64_t bytes = plan->product->bytes, k = plan->product->k;
    if (!whole)
        return (struct panels){block, width * plan->now.depth * bytes, 0};
    return (struct panels){whole + (lanes * k + plan->now.pc * width) * bytes, width * k * bytes,
                           0};
}

/* What the tiles of a task have in common. */
struct stage {
    struct panels a, b;
    int64_t i0, i1;   /* rows of A */
    const void *beta; /* the caller's in the first block of k, then 1 */
    bool finishes;
    bool packs; /* whole panels of B are packed during the multiplication */
};

/* Whether the first tile of rows packs a panel of n columns: it must be a whole tile. */
static bool packs_on_the_way(const struct gr_gemm_plan *plan, const struct stage *stage, int64_t n)
{
    const struct ukr *u = plan->product->ukr;
    return stage->packs && !plan->b_turned && n == u->nr && stage->i1 - stage->i0 >= u->mr;
}

/* Rows of B, packed or in place; the step in bytes from one to the next. */
struct rows {
    const char *first;
    int64_t step;
};

/* What is prefetched meanwhile: panel `next`, or the memory from which it will be packed. */
static struct rows rows_of(const struct gr_gemm_plan *plan, const struct stage *stage, int64_t next)
{
    const struct gr_product *p = plan->product;
    const int64_t nr = p->ukr->nr;
    if (stage->packs && !plan->b_turned)
        return (struct rows){b_at(p, &plan->now, next * nr), p->b_row * p->bytes};
    return (struct rows){panel_at(&stage->b, next), nr * p->bytes};
}

/* The part of it that tile `tile` prefetches; or, where earlier tiles have prefetched everything,
 * memory that is in the cache already. */
static const char *ahead_of(const struct gr_gemm_plan *plan, struct rows rows, int64_t tile)
{
    const int64_t row = tile * (plan->now.depth / UKR_AHEAD_STEPS);
    return row < plan->now.depth ? rows.first + row * rows.step : rows.first;
}

/* A B of this size, and a part of A and C, stay in L2. */
enum { NEAR_B_BYTES = 192 << 10 };

/* Of a B that is turned, prefetches the columns of panel `next` before it is transposed: those
 * whose share of the panel is that of the tile of rows which begins at row i of m. */
static void prefetch_turned(const struct gr_gemm_plan *plan, int64_t next, int64_t i, int64_t m)
{
    const struct gr_product *p = plan->product;
    const int64_t nr = p->ukr->nr, bytes = plan->now.depth * p->bytes;
    if (bytes * plan->now.nc <= NEAR_B_BYTES)
        return;
    const int64_t end = gr_min64(nr, gr_cdiv((i + p->ukr->mr) * nr, m));
    for (int64_t column = gr_cdiv(i * nr, m); column < end; column++) {
        const char *at = b_at(p, &plan->now, next * nr + column);
        for (int64_t line = 0; line < bytes; line += GR_BLOCK_ALIGNMENT)
            __builtin_prefetch(at + line, 0, 2);
    }
}

/* Multiplies panel `panel` of B, columns j..j+n-1 of the block, by all rows; the next one is
 * prefetched. */
static void multiply_packed(const struct gr_gemm_plan *plan, const struct stage *stage,
                            int64_t panel, int64_t next, int64_t j, int64_t n)
{
    const struct gr_product *p = plan->product;
    const struct ukr *u = p->ukr;
    const int64_t depth = plan->now.depth;
    const char *a = stage->a.at;
    char *b = panel_at(&stage->b, panel);
    char *c = p->c + (stage->i0 * p->ldc + plan->now.jc + j) * p->bytes;
    const bool packs = packs_on_the_way(plan, stage, n);
    const bool turns = stage->packs && plan->b_turned && next > panel;
    const struct rows from = rows_of(plan, stage, next);
    for (int64_t i = stage->i0, tile = 0; i < stage->i1; i += u->mr, tile++) {
        const int64_t m = gr_min64(u->mr, stage->i1 - i);
        if (turns)
            prefetch_turned(plan, next, i - stage->i0, stage->i1 - stage->i0);
        if (packs && tile == 0)
            u->run_packing(depth, &p->alpha, a, 1, u->mr, b_at(p, &plan->now, j), p->b_row,
                           from.first, stage->beta, c, p->ldc, b);
        else
            u->run_ahead(m, n, depth, &p->alpha, a, b, stage->beta, c, p->ldc,
                         ahead_of(plan, from, tile - packs), from.step);
        if (stage->finishes)
            gr_gemm_finish(p, c, p->ldc, i, m, plan->now.jc + j, n);
        a += stage->a.step;
        c += u->mr * p->ldc * p->bytes;
    }
}

/* The same with one or both operands in place. Rows are multiplied in one call, except those
 * during which B is packed. */
static void multiply_strided(const struct gr_gemm_plan *plan, const struct stage *stage,
                             int64_t panel, int64_t next, int64_t j, int64_t n)
{
    const struct gr_product *p = plan->product;
    const struct ukr *u = p->ukr;
    const int64_t a_row = plan->a_in_place ? p->a_row : 1;
    const int64_t a_step = plan->a_in_place ? p->a_col : u->mr;
    const int64_t b_step = plan->b_in_place ? p->b_row : u->nr;
    const char *a = stage->a.at;
    char *b = panel_at(&stage->b, panel);
    if (plan->a_in_place)
        a = p->a + (stage->i0 * p->a_row + plan->now.pc * p->a_col) * p->bytes;
    if (plan->b_in_place)
        b = (char *)b_at(p, &plan->now, j);
    char *c = p->c + (stage->i0 * p->ldc + plan->now.jc + j) * p->bytes;
    bool packs = packs_on_the_way(plan, stage, n);
    for (int64_t i = stage->i0, m; i < stage->i1; i += m, packs = false) {
        m = packs || !plan->a_in_place ? gr_min64(u->mr, stage->i1 - i) : stage->i1 - i;
        if (packs)
            u->run_packing(plan->now.depth, &p->alpha, a, a_row, a_step, b_at(p, &plan->now, j),
                           p->b_row, b_at(p, &plan->now, next * u->nr), stage->beta, c, p->ldc, b);
        else
            u->run_strided(&(struct ukr_strided){m, n, plan->now.depth, &p->alpha, a, a_row, a_step,
                                                 b, b_step, stage->beta, c, p->ldc, 0});
        if (stage->finishes)
            gr_gemm_finish(p, c, p->ldc, i, m, plan->now.jc + j, n);
        a += plan->a_in_place ? m * p->a_row * p->bytes : stage->a.step;
        c += m * p->ldc * p->bytes;
    }
}

/* Loops jr and ir: panels j0..j1 of B. */
static void macro_kernel(const struct gr_gemm_plan *plan, const struct stage *stage, int64_t j0,
                         int64_t j1)
{
    const struct gr_product *p = plan->product;
    for (int64_t panel = j0; panel < j1; panel++) {
        const int64_t j = panel_start(p, &plan->now, panel);
        const int64_t n = panel_start(p, &plan->now, panel + 1) - j;
        const int64_t next = panel + 1 < j1 ? panel + 1 : j0;
        if (stage->packs && (plan->b_turned || plan->b_passing) &&
            !packs_on_the_way(plan, stage, n))
            gr_pack(p, panel_at(&stage->b, panel), b_at(p, &plan->now, j), n, plan->now.depth,
                    p->ukr->nr, p->b_col, p->b_row);
        if (plan->a_in_place || plan->b_in_place)
            multiply_strided(plan, stage, panel, next, j, n);
        else
            multiply_packed(plan, stage, panel, next, j, n);
    }
}

/* The same, a tile's rows at a time, so that C is written from end to end; B's panels come from L2
 * for each of them. */
static void by_rows(const struct gr_gemm_plan *plan, const struct stage *stage, int64_t j0,
                    int64_t j1)
{
    const int64_t mr = plan->product->ukr->mr;
    struct stage part = *stage;
    for (; part.i0 < stage->i1; part.i0 += mr) {
        part.i1 = gr_min64(part.i0 + mr, stage->i1);
        macro_kernel(plan, &part, j0, j1);
        part.a.at += part.a.step;
        part.packs = false;
    }
}

/* What a task multiplies: rows of A, and panels of the current block of B. */
struct task {
    int64_t a, b; /* the indices of the parts of A and of B */
    int64_t i0, i1, j0, j1;
};

/* Consecutive tasks share a block of A or, on a grid, a part of B. */
static struct task task_of(const struct gr_gemm_plan *plan, int64_t tile)
{
    const struct gr_product *p = plan->product;
    const int64_t mr = p->ukr->mr, m_panels = gr_cdiv(p->m, mr);
    const int64_t n_panels = gr_cdiv(plan->now.nc, p->ukr->nr);
    const int64_t a = plan->b_own ? tile % plan->a_tasks : tile / plan->b_tasks;
    const int64_t b = plan->b_own ? tile / plan->a_tasks : tile % plan->b_tasks;
    return (struct task){
        .a = a,
        .b = b,
        .i0 = gr_part_start(m_panels, plan->a_tasks, a) * mr,
        .i1 = gr_min64(p->m, gr_part_start(m_panels, plan->a_tasks, a + 1) * mr),
        .j0 = gr_part_start(n_panels, plan->b_tasks, b),
        .j1 = gr_part_start(n_panels, plan->b_tasks, b + 1),
    };
}

/* Packs a thread's own part of B, if it has not done so already. True: whole panels, or all where
 * B is turned, are left to be packed during the multiplication. */
static bool pack_own_b(const struct gr_gemm_plan *plan, const struct task *task, int thread)
{
    const struct gr_product *p = plan->product;
    struct gr_gemm_block own = plan->now;
    own.panels += thread * plan->b_block_bytes;
    own.first = task->j0;
    if (plan->held[thread].b == task->b)
        return false;
    if (plan->b_turned || plan->b_passing)
        return true;
    const bool on_the_way = plan->b_on_the_way && task->i1 - task->i0 >= p->ukr->mr;
    const int64_t begin = on_the_way ? gr_max64(task->j0, whole_panels(p, &own)) : task->j0;
    if (begin < task->j1)
        pack_b_panels(p, &own, begin, task->j1);
    return on_the_way;
}

/* A tile of the parallel multiplying loop: loop ic, divided further where there are few rows. A
 * thread that takes the task after its last one has a block of A, or its part of B, packed
 * already. */
static void multiply_task(void *context, int64_t tile, int thread)
{
    const struct gr_gemm_plan *plan = context;
    const struct gr_product *p = plan->product;
    const int64_t mr = p->ukr->mr, nr = p->ukr->nr;
    const struct task task = task_of(plan, tile);
    char *a_block = plan->a_blocks + thread * plan->a_block_bytes;
    const bool packs = plan->b_own && pack_own_b(plan, &task, thread);
    if (plan->held[thread].a != task.a && !p->a_panels && !plan->a_in_place)
        gr_pack(p, a_block, p->a + (task.i0 * p->a_row + plan->now.pc * p->a_col) * p->bytes,
                task.i1 - task.i0, plan->now.depth, mr, p->a_row, p->a_col);
    plan->held[thread] = (struct gr_packed_parts){task.a, task.b};
    const union gr_number one = gr_gemm_one(p);
    struct stage stage = {
        .a = panels_of(plan, a_block, p->a_panels, task.i0, mr),
        .b = panels_of(plan, plan->now.panels, p->b_panels, plan->now.jc, nr),
        .i0 = task.i0,
        .i1 = task.i1,
        .beta = plan->now.pc == 0 ? (const void *)&p->beta : (const void *)&one,
        .finishes = p->finishes && plan->now.pc + plan->now.depth == p->k,
        .packs = packs,
    };
    if (plan->b_own) {
        stage.b.at += thread * plan->b_block_bytes;
        stage.b.first = task.j0;
        if (plan->b_passing)
            stage.b.step = 0;
    }
    (plan->by_rows ? by_rows : macro_kernel)(plan, &stage, task.j0, task.j1);
}

/* Loops jc and pc: moves on to the next block; false past the last one. */
static bool step(const struct gr_gemm_plan *plan, struct gr_gemm_block *block)
{
    const struct gr_product *p = plan->product;
    const int64_t columns = plan->nc_panels * p->ukr->nr;
    block->pc += plan->kc;
    if (block->pc >= p->k) {
        block->pc = 0;
        block->jc += columns;
    }
    block->nc = gr_min64(columns, p->n - block->jc);
    block->depth = gr_min64(plan->kc, p->k - block->pc);
    if (plan->b_block_count > 1 && !plan->b_own)
        block->panels =
            block->panels == plan->b_blocks ? plan->b_blocks + plan->b_block_bytes : plan->b_blocks;
    return block->jc < p->n;
}

/* Multiplies the current block and packs the next one; at the same time if there is a second
 * buffer. */
static void run_block(struct gr_gemm_plan *plan, struct gr_team *team, bool packs)
{
    const struct gr_loop multiply = {plan->a_tasks * plan->b_tasks, multiply_task};
    const struct gr_loop pack = {pack_tasks(plan), pack_b_task};
    for (int t = 0; t < plan->threads; t++)
        plan->held[t] = (struct gr_packed_parts){-1, -1};
    if (packs && team && plan->b_block_count > 1) {
        gr_team_run_both(team, multiply, pack, plan);
        return;
    }
    gr_for_all(team, multiply.tiles, multiply.body, plan);
    if (packs)
        gr_for_all(team, pack.tiles, pack.body, plan);
}

static void run_blocks(struct gr_gemm_plan *plan, struct gr_team *team)
{
    const struct gr_product *p = plan->product;
    const bool packs = !p->b_panels && !plan->b_in_place && !plan->b_own;
    plan->next = (struct gr_gemm_block){.pc = -plan->kc, .panels = plan->b_blocks};
    bool more = step(plan, &plan->next);
    if (packs)
        gr_for_all(team, pack_tasks(plan), pack_b_task, plan);
    while (more) {
        plan->now = plan->next;
        more = step(plan, &plan->next);
        run_block(plan, team, packs && more);
    }
}

static void place(struct gr_gemm_plan *plan, char *memory)
{
    plan->b_blocks = memory;
    plan->a_blocks = plan->b_blocks + plan->b_block_count * plan->b_block_bytes;
    plan->held =
        (struct gr_packed_parts *)(void *)(plan->a_blocks + plan->threads * plan->a_block_bytes);
}

/* Tries smaller and smaller blocks until there is memory for them. */
static bool reserve(struct gr_gemm_plan *plan, struct gr_workspace *workspace)
{
    while (!gr_workspace_reserve(workspace, gr_gemm_plan_bytes(plan)))
        if (!gr_halve_blocks(&plan->nc_panels, &plan->mc_panels))
            return false;
    return true;
}

static void run_without_memory(struct gr_gemm_plan *plan)
{
    plan->threads = 1;
    plan->mc_panels = plan->nc_panels = 1;
    plan->kc = gr_min64(plan->kc, LAST_RESORT_KC);
    gr_gemm_plan_bytes(plan);
    gr_gemm_plan_tasks(plan);
    place(plan, gr_last_memory_take());
    run_blocks(plan, NULL);
    gr_last_memory_give();
}

void gr_gemm_packed(const struct gr_product *p, struct gr_workspace *workspace)
{
    struct gr_gemm_plan plan = gr_gemm_plan(p, workspace->team ? workspace->team->threads : 1);
    if (workspace->threads == 0 || !reserve(&plan, workspace)) {
        run_without_memory(&plan);
        return;
    }
    gr_gemm_plan_tasks(&plan);
    place(&plan, workspace->buffer);
    run_blocks(&plan, workspace->team);
}
