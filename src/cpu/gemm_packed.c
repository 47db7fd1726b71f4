/* gemm_packed.c: the five loops of Goto and van de Geijn around the micro-kernel, over packed
 * blocks and a team of threads. SPDX-License-Identifier: MIT
 *
 *     for jc in steps of nc          a slab of B and C, nc columns wide
 *       for pc in steps of kc        a block of B, kc x nc, packed by all threads; it stays in L3
 *         for ic in steps of mc      a block of A, mc x kc, packed by its thread; it stays in L2
 *           for jr in steps of nr    a micro-panel of B, kc x nr; it stays in L1 during loop ir
 *             for ir in steps of mr  a micro-panel of A, kc x mr, from L2; the micro-kernel
 *
 * A task is one block of A times some of the micro-panels of B (gemm_plan.c). A thread takes
 * another task when it has finished one. If no task is left, it packs micro-panels of the next
 * block of B; for this there are two buffers for blocks of B. If B is small, or there is only one
 * thread, each thread packs the part of B that it needs during the multiplication: the first tile
 * of a micro-panel packs it; or, if micro-panels are narrow and the columns of B are not
 * contiguous, each micro-panel is transposed right before it is multiplied (gemm_plan.c). */
#include "cpu/cpu.h"
#include "cpu/gemm.h"
#include "cpu/gemm_blocks.h"
#include "cpu/gemm_plan.h"
#include "cpu/pack.h"

#include <stddef.h>

/* The steps of k in a block if no memory can be allocated. Blocks are then one micro-panel each. */
enum { LAST_RESORT_KC = 96 };

/* Adjacent panels share cache lines and pages of B, so each packing task has many adjacent
 * panels. */
enum { PACK_TASKS_A_THREAD = 4 };

static int64_t pack_tasks(const struct gr_gemm_plan *plan)
{
    const int64_t panels = gr_cdiv(plan->next.nc, plan->product->ukr->nr);
    return plan->threads > 1 && !plan->b_own
               ? gr_min64(panels, (int64_t)plan->threads * PACK_TASKS_A_THREAD)
               : 1;
}

/* The column of a block of B at which a panel begins; for the panel after the last one, the end of
 * the block. Panels are nr columns wide, except that the last two divide their columns into equal
 * parts: a tile of a single vector would spend most of its time on loads. */
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

/* The address of column j of the block, in place. */
static const char *b_at(const struct gr_product *p, const struct gr_gemm_block *block, int64_t j)
{
    return p->b + (block->pc * p->b_row + (block->jc + j) * p->b_col) * p->bytes;
}

/* Packs `columns` columns of the block from column j on into the panels from `panel` on. */
static void pack_b(const struct gr_product *p, const struct gr_gemm_block *block, int64_t panel,
                   int64_t j, int64_t columns)
{
    const int64_t nr = p->ukr->nr;
    gr_pack(p, block->panels + (panel - block->first) * nr * block->depth * p->bytes,
            b_at(p, block, j), columns, block->depth, nr, p->b_col, p->b_row);
}

/* Packs panels first..end-1 of a block. */
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

/* The number of panels that are nr columns wide: the last two may be narrower. */
static int64_t whole_panels(const struct gr_product *p, const struct gr_gemm_block *block)
{
    const int64_t nr = p->ukr->nr, panels = gr_cdiv(block->nc, nr);
    return block->nc % nr ? gr_max64(0, panels - 2) : panels;
}

/* A task of the parallel packing loop: packs some panels of the next block of B. */
static void pack_b_task(void *context, int64_t tile, int thread)
{
    (void)thread;
    const struct gr_gemm_plan *plan = context;
    const struct gr_product *p = plan->product;
    const int64_t panels = gr_cdiv(plan->next.nc, p->ukr->nr), tasks = pack_tasks(plan);
    pack_b_panels(p, &plan->next, gr_part_start(panels, tasks, tile),
                  gr_part_start(panels, tasks, tile + 1));
}

/* The panels of a block: in its packed copy, or in an operand that was packed as a whole. */
struct panels {
    const char *at;
    int64_t step;  /* bytes from one to the next */
    int64_t first; /* the number of the panel at `at` */
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

/* Values that all tiles of a task share. */
struct stage {
    struct panels a, b;
    int64_t i0, i1;   /* rows of A */
    const void *beta; /* the caller's beta in the first block of k, then 1 */
    bool finishes;
    bool packs; /* panels of B are packed during the multiplication */
};

/* Whether the first tile of rows packs a panel of n columns. It can do so only if it is a full
 * tile. */
static bool packs_on_the_way(const struct gr_gemm_plan *plan, const struct stage *stage, int64_t n)
{
    const struct ukr *u = plan->product->ukr;
    return stage->packs && !plan->b_turned && n == u->nr && stage->i1 - stage->i0 >= u->mr;
}

/* Rows of B, packed or in place, and the bytes from one to the next. */
struct rows {
    const char *first;
    int64_t step;
};

/* The memory that is prefetched during a multiplication: panel `next`, or the rows of B from which
 * it will be packed. */
static struct rows rows_of(const struct gr_gemm_plan *plan, const struct stage *stage, int64_t next)
{
    const struct gr_product *p = plan->product;
    const int64_t nr = p->ukr->nr;
    if (stage->packs && !plan->b_turned)
        return (struct rows){b_at(p, &plan->now, next * nr), p->b_row * p->bytes};
    return (struct rows){panel_at(&stage->b, next), nr * p->bytes};
}

/* The rows that tile `tile` prefetches. When earlier tiles have prefetched everything, these are
 * rows that are in the cache already. */
static const char *ahead_of(const struct gr_gemm_plan *plan, struct rows rows, int64_t tile)
{
    const int64_t row = tile * (plan->now.depth / UKR_AHEAD_STEPS);
    return row < plan->now.depth ? rows.first + row * rows.step : rows.first;
}

/* A B of this size stays in L2 together with parts of A and C. */
enum { NEAR_B_BYTES = 192 << 10 };

/* Prefetches columns of panel `next` of a B that is transposed panel by panel. Each tile of rows
 * prefetches its share: the tile that begins at row i of m prefetches from column i/m of the panel
 * on. */
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

/* Multiplies all rows by panel `panel` of B, which is columns j..j+n-1 of the block, and prefetches
 * the next panel. */
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

/* The same with one or both operands in place. If A is in place, all rows are multiplied in one
 * call, except those of the tile that packs B. */
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

/* Loops jr and ir, over panels j0..j1 of B. */
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

/* The same in the other order: all panels of B for one tile of rows, then for the next one. The
 * rows of C are then written from beginning to end, and the panels of B come from L2 for each tile
 * of rows. */
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

struct task {
    int64_t a, b; /* which part of A and which part of B */
    int64_t i0, i1, j0, j1;
};

/* Consecutive tasks have the same block of A or, if each thread packs its own part of B, the same
 * part of B. */
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

/* Packs a thread's own part of B, unless it has done so already. Returns true if panels are left to
 * be packed during the multiplication: those of nr columns, or all if each is packed right before
 * its multiplication. */
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

/* A task of the parallel multiplying loop: loop ic, divided further if there are few rows. A thread
 * that takes two consecutive tasks has packed their common block of A, or part of B, already. */
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

/* Loops jc and pc: continues with the next block. Returns false after the last one. */
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

/* Multiplies the current block and packs the next one, both at the same time if there is a second
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

/* Halves the blocks until there is enough memory for them. */
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
