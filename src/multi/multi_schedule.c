/* multi_schedule.c: estimates the time of a schedule by going through it tile by tile, with what
 * each GPU receives from which others and how long each of its products takes.
 * SPDX-License-Identifier: MIT
 *
 * With more tiles, more of the communication is hidden. With fewer, the products are larger: less
 * is lost in a partial last wave, and the pieces of B are made less often. */
#include "multi/multi_schedule.h"

#include "cpu/gemm.h"
#include "device/device_product.h"

#include <string.h>

enum { RANKS = 64, SHAPES = 32, TILES_MOST = 64 };

/* Times whose relative difference is below this are considered equal. */
static const double SAME = 1e-9;

/* The expected time of a product with a tile's shape. */
struct shape {
    int64_t rows, cols;
    double seconds;
    double of_a, of_b; /* the parts of `seconds` in which pieces of A and B are made */
    double idle; /* idle time at its end, in which the next product's pieces of A can be made */
};

struct model {
    const struct gr_multi_gemm *gemm;
    const struct gr_multi_rates *rates;
    int64_t ranks;
    double scale;
    struct shape shapes[SHAPES];
    int shape_count, turn;
};

/* The time of a schedule, and the largest sums of products and of transfers of any GPU. */
struct time {
    double all, product, transfer;
};

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double by_rate(const struct model *m, const struct gradus_gemm *g)
{
    return 2 * (double)g->m * (double)g->n * (double)g->k / m->rates->flop_per_s;
}

/* The factor by which the model's times are multiplied. Measured times of large products are longer
 * because of the GPU's power limit, which also affects a small tile of such a product. */
static double scale_of(const struct model *m)
{
    const struct gradus_gemm *const g = &m->gemm->gemm;
    struct gr_device_expected modelled, tuned;
    double whole = m->rates->whole_s;
    if (!gr_device_expected(m->rates->gpu, false, g, &modelled))
        return 1;
    if (whole == 0 && gr_device_expected(m->rates->gpu, true, g, &tuned))
        whole = 1e-6 * tuned.us;
    return whole > 0 ? whole / (1e-6 * modelled.us) : 1;
}

static struct shape expect(const struct model *m, int64_t rows, int64_t cols)
{
    struct gradus_gemm g = m->gemm->gemm;
    struct shape s = {.rows = rows, .cols = cols};
    struct gr_device_expected expected;
    const double scale = 1e-6 * m->scale;
    g.m = rows, g.n = cols;
    g.lda = g.trans_a ? rows : g.k;
    g.ldb = g.trans_b ? g.k : cols;
    g.ldc = cols;
    s.seconds = by_rate(m, &g);
    if (!m->rates->gpu || !gr_device_expected(m->rates->gpu, false, &g, &expected))
        return s;
    s.seconds = expected.us * scale;
    s.of_a = expected.pieces.a_us * scale;
    s.of_b = expected.pieces.b_us * scale;
    s.idle = expected.pieces.idle_us * scale;
    return s;
}

static struct shape *shape_of(struct model *m, int64_t rows, int64_t cols)
{
    for (int i = 0; i < m->shape_count; i++)
        if (m->shapes[i].rows == rows && m->shapes[i].cols == cols)
            return &m->shapes[i];
    struct shape *const s = &m->shapes[m->turn++ % SHAPES];
    m->shape_count += m->shape_count < SHAPES;
    *s = expect(m, rows, cols);
    return s;
}

/* The time of one tile's product. All tiles of a pass except the first find the pieces of B already
 * made, and those of A as far as the idle time of the product before was enough to make them. */
static double product_s(struct model *m, const struct gr_multi_plan *plan, int64_t rank,
                        int64_t tile)
{
    const struct gr_multi_rect t = gr_multi_tile(m->gemm, plan, rank, tile);
    if (t.rows == 0 || t.cols == 0)
        return 0;
    const struct shape s = *shape_of(m, t.rows, t.cols);
    if (tile % plan->steps == 0)
        return s.seconds;
    const struct gr_multi_rect last = gr_multi_tile(m->gemm, plan, rank, tile - 1);
    const double idle = last.rows > 0 ? shape_of(m, last.rows, last.cols)->idle : 0;
    return s.seconds - s.of_b - (idle < s.of_a ? idle : s.of_a);
}

/* Bytes of a tile that each GPU receives from others, sends to others, and copies in its own
 * memory. */
struct bytes {
    double in[RANKS], out[RANKS], copied[RANKS];
    bool is_from[RANKS][RANKS]; /* to, from */
};

static void add_bytes(const struct model *m, const struct gr_multi_plan *plan, int64_t tile,
                      struct bytes *b)
{
    struct gr_multi_rect part;
    memset(b, 0, sizeof *b);
    for (int x = 0; x < GR_MULTI_OPERANDS; x++) {
        if (!gr_multi_comes(plan, x, tile))
            continue;
        for (int64_t to = 0; to < m->ranks; to++)
            for (int64_t from = 0; from < m->ranks; from++) {
                if (!gr_multi_part(m->gemm, plan, x, from, to, tile, &part))
                    continue;
                const double bytes =
                    (double)part.rows * (double)part.cols * (double)gr_multi_element(m->gemm, x);
                if (from == to) {
                    b->copied[to] += bytes;
                    continue;
                }
                b->in[to] += bytes, b->out[from] += bytes;
                b->is_from[to][from] = true;
            }
    }
}

/* The time until a GPU has its panels: the transfer time of the busiest link of this GPU and those
 * that send to it. */
static double travel_s(const struct model *m, const struct bytes *b, int64_t to)
{
    double most = b->in[to];
    for (int64_t from = 0; from < m->ranks; from++)
        if (b->is_from[to][from])
            most = larger(most, b->out[from]);
    return (most > 0 ? most / m->rates->link_bytes_per_s + m->rates->latency_s : 0) +
           2 * b->copied[to] / m->rates->memory_bytes_per_s;
}

static struct time go_through(struct model *m, const struct gr_multi_plan *plan)
{
    struct bytes bytes;
    /* For each GPU: when its panels have arrived, and when its last product and the one before it
     * end. */
    double there[RANKS] = {0}, end[RANKS] = {0}, before[RANKS] = {0};
    double product[RANKS] = {0}, transfer[RANKS] = {0};
    struct time time = {0, 0, 0};
    for (int64_t tile = 0; tile < plan->steps * plan->passes; tile++) {
        add_bytes(m, plan, tile, &bytes);
        for (int64_t r = 0; r < m->ranks; r++) {
            const double travel = travel_s(m, &bytes, r), multiply = product_s(m, plan, r, tile);
            there[r] = larger(there[r], before[r]) + travel; /* a place must be free */
            before[r] = end[r];
            end[r] = larger(end[r], there[r]) + multiply;
            product[r] += multiply, transfer[r] += travel;
        }
    }
    for (int64_t r = 0; r < m->ranks; r++) {
        time.all = larger(time.all, end[r]);
        time.product = larger(time.product, product[r]);
        time.transfer = larger(time.transfer, transfer[r]);
    }
    return time;
}

static void take(const struct model *m, const struct gr_multi_plan *tried, const struct time *time,
                 struct gr_multi_plan *plan)
{
    const struct gradus_gemm *const g = &m->gemm->gemm;
    struct gr_dist_plan *const model = &plan->model;
    plan->steps = tried->steps, plan->passes = tried->passes;
    model->step_dim = tried->steps > 1 ? GR_DIST_M : GR_DIST_N;
    model->steps = tried->steps * tried->passes;
    model->overlap = model->steps > 1;
    model->compute_s = time->product;
    model->transfer_s = time->transfer;
    model->time_s = time->all;
    if (time->all > 0)
        model->efficiency = 2 * (double)g->m * (double)g->n * (double)g->k /
                            ((double)m->ranks * m->rates->flop_per_s * time->all);
}

/* The sum of the times of GPU 0's products, a lower bound for every schedule with these tiles. */
static double alone_s(struct model *m, const struct gr_multi_plan *plan)
{
    double sum = 0;
    for (int64_t tile = 0; tile < plan->steps * plan->passes; tile++)
        sum += product_s(m, plan, 0, tile);
    return sum;
}

/* Does any GPU need a part of the operand that is not in its own block? */
static bool travels(const struct model *m, const struct gr_multi_plan *plan, int operand)
{
    struct gr_multi_plan whole = *plan;
    struct gr_multi_rect part;
    whole.steps = whole.passes = 1;
    for (int64_t to = 0; to < m->ranks; to++)
        for (int64_t from = 0; from < m->ranks; from++)
            if (gr_multi_part(m->gemm, &whole, operand, from, to, 0, &part))
                return true;
    return false;
}

/* Can a dimension of each block be cut into this many parts? */
static bool can_cut(int64_t parts, int64_t grid, int64_t size)
{
    return parts == 1 || parts * grid <= size;
}

/* With as many steps as A's rows have blocks, or as many passes as B's columns have, each GPU can
 * begin with its own block. An operand that does not travel need not be cut. */
void gr_multi_schedule(const struct gr_multi_gemm *gemm, int64_t ranks,
                       const struct gr_multi_rates *rates, struct gr_multi_plan *plan)
{
    struct model m = {.gemm = gemm, .rates = rates, .ranks = ranks};
    const struct gradus_gemm *const g = &gemm->gemm;
    const int64_t parts_a = gemm->a.grid[g->trans_a ? 1 : 0];
    const int64_t parts_b = gemm->b.grid[g->trans_b ? 0 : 1];
    const int64_t steps[] = {parts_a, 1, 2, 3, 4, 6, 8, 12, 16}, passes[] = {1, parts_b, 2, 4};
    double least = -1;
    if (ranks > RANKS || g->m == 0 || g->n == 0)
        return;
    if (rates->gpu)
        m.scale = scale_of(&m);
    const bool cut_a = travels(&m, plan, GR_MULTI_A), cut_b = travels(&m, plan, GR_MULTI_B);
    for (size_t p = 0; p < sizeof passes / sizeof *passes; p++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            struct gr_multi_plan tried = *plan;
            tried.steps = steps[s], tried.passes = passes[p];
            if (tried.steps * tried.passes > (tried.passes > 1 ? TILES_MOST / 4 : TILES_MOST) ||
                (tried.steps > 1 && !cut_a) || (tried.passes > 1 && !cut_b) ||
                !can_cut(tried.steps, plan->grid[0], g->m) ||
                !can_cut(tried.passes, plan->grid[1], g->n) ||
                (least >= 0 && alone_s(&m, &tried) >= least * (1 - SAME)))
                continue;
            const struct time time = go_through(&m, &tried);
            if (least >= 0 && time.all >= least * (1 - SAME))
                continue;
            least = time.all;
            take(&m, &tried, &time, plan);
        }
}
