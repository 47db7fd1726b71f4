/* dist_cost.c: words, memory and time of one grid. SPDX-License-Identifier: MIT
 *
 * All counts are those of rank (0, 0, 0), whose parts are the largest in every dimension. */
#include "dist/dist_cost.h"

#include <math.h>

static int64_t parts_of(int64_t size, int64_t part)
{
    return (size + part - 1) / part;
}

int64_t gr_dist_fewest_parts(int64_t size, int64_t parts)
{
    return size <= 0 ? 1 : parts_of(size, parts_of(size, parts));
}

static int64_t log2_up(int64_t n)
{
    return n > 1 ? 64 - __builtin_clzll((unsigned long long)(n - 1)) : 0;
}

/* Of the collectives of dist_panels.c: Bruck's all-gather, and one message to each other rank. */
static int64_t rounds(enum gr_dist_operand operand, int64_t sharers)
{
    return operand == GR_DIST_C ? sharers - 1 : log2_up(sharers);
}

/* One operand's block and how it is shared. */
struct shared {
    int64_t block;   /* words of the block */
    int64_t sharers; /* ranks that share it */
    int64_t own;     /* words that a rank owns of it at most */
    int64_t moved;   /* words of it that a rank receives (A, B) or sends (C) at most */
    double per_step; /* words of its panel for each index of the step's dimension; 0: not stepped */
    double own_per_step; /* those of a panel that a rank owns */
    enum gr_dist_dim split;
};

/* x, y: the operand's dimensions. It is shared along the one which shares it more evenly, and never
 * along the step's dimension, so that each panel is shared evenly, too. */
static struct shared share(const int64_t size[3], const int64_t grid[3], enum gr_dist_dim x,
                           enum gr_dist_dim y, enum gr_dist_dim missing, enum gr_dist_dim step)
{
    struct shared s = {.block = size[x] * size[y], .sharers = grid[missing]};
    const int64_t p = s.sharers;
    const int64_t least_x = size[x] / p * size[y], least_y = size[y] / p * size[x];
    s.split = x == step || (y != step && least_y > least_x) ? y : x;
    const enum gr_dist_dim other = s.split == x ? y : x;
    s.own = parts_of(size[s.split], p) * size[other];
    s.moved = s.block - (s.split == x ? least_x : least_y);
    if (x == step || y == step) {
        s.per_step = (double)size[s.split];
        s.own_per_step = (double)parts_of(size[s.split], p);
    }
    return s;
}

/* Words of the buffers: fixed ones, and those for each index of a panel. A block that a rank owns
 * whole needs none. For C: the partial sums, and a part of another rank's to be added. */
static void buffers(const struct shared s[3], bool two, double *fixed, double *per_step)
{
    *fixed = 0, *per_step = 0;
    for (int x = 0; x < 3; x++) {
        if (s[x].sharers == 1)
            continue;
        const double copies = two && s[x].per_step > 0 ? 2 : 1;
        const double panel = s[x].per_step + (x == GR_DIST_C ? s[x].own_per_step : 0);
        *per_step += copies * panel;
        if (s[x].per_step == 0)
            *fixed += (double)s[x].block + (x == GR_DIST_C ? (double)s[x].own : 0);
    }
}

/* The local product of one rank: at the rate of its arithmetic or of its memory. */
static double compute_time(const struct gr_dist_machine *machine, const int64_t size[3],
                           enum gr_dist_dim step, int64_t steps, double element)
{
    double side[3] = {(double)size[0], (double)size[1], (double)size[2]};
    side[step] /= (double)steps;
    const double m = side[GR_DIST_M], n = side[GR_DIST_N], k = side[GR_DIST_K];
    const double flop = 2 * m * n * k, bytes = element * (m * k + k * n + 2 * m * n);
    const double at_rate = flop / machine->flop_per_s;
    const double at_memory = flop > 0 ? bytes / machine->memory_bytes_per_s : 0;
    return (double)steps * (at_rate > at_memory ? at_rate : at_memory);
}

static void times(struct gr_dist_plan *plan, const struct gr_dist_machine *machine,
                  const int64_t size[3], const struct shared s[3])
{
    const double element = (double)plan->problem.element_bytes, steps = (double)plan->steps;
    plan->messages = 0;
    for (int x = 0; x < 3; x++)
        plan->messages +=
            rounds((enum gr_dist_operand)x, s[x].sharers) * (s[x].per_step > 0 ? plan->steps : 1);
    plan->compute_s = compute_time(machine, size, plan->step_dim, plan->steps, element);
    plan->transfer_s = (double)plan->words * element / machine->link_bytes_per_s +
                       (double)plan->messages * machine->latency_s;
    plan->time_s = plan->compute_s + plan->transfer_s;
    if (machine->overlap) { /* all but the first panel is gathered during a product */
        const double longer = fmax(plan->compute_s, plan->transfer_s);
        plan->time_s = longer + fmin(plan->compute_s, plan->transfer_s) / steps;
    }
}

/* Steps that overlap best: what is not hidden falls with their number, what messages take rises. */
static int64_t steps_to_overlap(const struct gr_dist_plan *plan,
                                const struct gr_dist_machine *machine, int64_t least, int64_t most)
{
    const double hidden = fmin(plan->compute_s, plan->transfer_s);
    const double each = machine->latency_s * (double)plan->messages / (double)plan->steps;
    double best = each > 0 ? sqrt(hidden / each) : 64;
    best = fmin(fmin(best, 64), (double)most);
    return best > (double)least ? (int64_t)best : least;
}

bool gr_dist_better(const struct gr_dist_plan *x, const struct gr_dist_plan *y)
{
    if (x->time_s != y->time_s)
        return x->time_s < y->time_s;
    if (x->words != y->words)
        return x->words < y->words;
    if (x->ranks != y->ranks)
        return x->ranks < y->ranks;
    return x->memory_bytes < y->memory_bytes;
}

static int64_t memory_at(double owned, double fixed, double per_step, int64_t length, int64_t steps,
                         double element)
{
    return (int64_t)((owned + fixed + per_step * (double)parts_of(length, steps)) * element);
}

/* One grid with the steps along `step`. */
static bool try_steps(const struct gr_dist_machine *machine, const int64_t size[3],
                      enum gr_dist_dim step, struct gr_dist_plan *plan, int64_t *least_bytes)
{
    const struct shared s[3] = {
        [GR_DIST_A] = share(size, plan->grid, GR_DIST_M, GR_DIST_K, GR_DIST_N, step),
        [GR_DIST_B] = share(size, plan->grid, GR_DIST_K, GR_DIST_N, GR_DIST_M, step),
        [GR_DIST_C] = share(size, plan->grid, GR_DIST_M, GR_DIST_N, GR_DIST_K, step),
    };
    const double element = (double)plan->problem.element_bytes;
    const int64_t length = size[step] > 1 ? size[step] : 1;
    double fixed, per_step, owned = 0;
    buffers(s, machine->overlap, &fixed, &per_step);
    for (int x = 0; x < 3; x++) {
        plan->split[x] = s[x].split;
        owned += (double)s[x].own;
    }
    const int64_t least = memory_at(owned, fixed, per_step, length, length, element);
    *least_bytes = least < *least_bytes ? least : *least_bytes;
    plan->words_a = s[GR_DIST_A].moved;
    plan->words_b = s[GR_DIST_B].moved;
    plan->words_c = s[GR_DIST_C].moved;
    plan->words = plan->words_a + plan->words_b + plan->words_c;
    plan->step_dim = step;
    plan->steps = 1;
    if (machine->memory_bytes > 0) {
        if (least > machine->memory_bytes)
            return false;
        const double room = (double)machine->memory_bytes / element - owned - fixed;
        if (per_step * (double)length > room) {
            const int64_t width = (int64_t)(room / per_step);
            plan->steps = parts_of(length, width > 0 ? width : 1);
        }
    }
    times(plan, machine, size, s);
    if (machine->overlap && per_step > 0) {
        plan->steps = steps_to_overlap(plan, machine, plan->steps, length);
        times(plan, machine, size, s);
    }
    plan->memory_bytes = memory_at(owned, fixed, per_step, length, plan->steps, element);
    return machine->memory_bytes <= 0 || plan->memory_bytes <= machine->memory_bytes;
}

bool gr_dist_cost(const struct gr_dist_problem *problem, const struct gr_dist_machine *machine,
                  const int64_t grid[3], struct gr_dist_plan *plan, int64_t *least_bytes)
{
    static const enum gr_dist_dim order[] = {GR_DIST_K, GR_DIST_M, GR_DIST_N};
    const int64_t size[3] = {parts_of(problem->m, grid[0]), parts_of(problem->n, grid[1]),
                             parts_of(problem->k, grid[2])};
    struct gr_dist_plan trial = {.problem = *problem,
                                 .grid = {grid[0], grid[1], grid[2]},
                                 .ranks = grid[0] * grid[1] * grid[2]};
    bool found = false;
    for (int i = 0; i < 3; i++) {
        if (!try_steps(machine, size, order[i], &trial, least_bytes))
            continue;
        if (!found || gr_dist_better(&trial, plan))
            *plan = trial;
        found = true;
    }
    return found;
}

double gr_dist_least_time(const struct gr_dist_problem *problem,
                          const struct gr_dist_machine *machine, const int64_t grid[3], bool exact)
{
    const double m = (double)parts_of(problem->m, grid[0]);
    const double n = (double)parts_of(problem->n, grid[1]);
    const double k = (double)parts_of(problem->k, grid[2]);
    double words = m * k * (1 - 1 / (double)grid[1]) + k * n * (1 - 1 / (double)grid[0]);
    int64_t messages = rounds(GR_DIST_B, grid[0]) + rounds(GR_DIST_A, grid[1]);
    if (exact) {
        words += m * n * (1 - 1 / (double)grid[2]);
        messages += rounds(GR_DIST_C, grid[2]);
    }
    const double transfer = words * (double)problem->element_bytes / machine->link_bytes_per_s +
                            (double)messages * machine->latency_s;
    const double bytes = (double)problem->element_bytes * (m * k + k * n + 2 * m * n);
    const double flop = 2 * m * n * k;
    const double compute =
        flop > 0 ? fmax(flop / machine->flop_per_s, bytes / machine->memory_bytes_per_s) : 0;
    const double least = machine->overlap ? fmax(compute, transfer) : compute + transfer;
    return least * (1 - 1e-12); /* rounding must not make it more than the time itself */
}
