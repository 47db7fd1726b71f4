/* dist_cost.c: computes the words, the memory and the time of one grid.
 * SPDX-License-Identifier: MIT
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

/* The rounds of the collectives of dist_panels.c: log2 for Bruck's all-gather of A and B; for the
 * reduce-scatter of C, one message to each other rank. */
static int64_t rounds(enum gr_dist_operand operand, int64_t sharers)
{
    return operand == GR_DIST_C ? sharers - 1 : log2_up(sharers);
}

/* An operand's block, and how it is divided among the ranks that share it. */
struct shared {
    int64_t block;   /* words of the block */
    int64_t sharers; /* ranks that share it */
    int64_t own;     /* the most words of it that a rank owns */
    int64_t moved;   /* the most words of it that a rank receives (A, B) or sends (C) */
    double per_step; /* words of its panel for each index of the step's dimension; 0: the operand is
                        not stepped */
    double own_per_step; /* the same, of the part that a rank owns */
    enum gr_dist_dim split;
};

/* x and y are the operand's dimensions. The block is divided along the one that can be divided more
 * evenly, but never along the step's dimension, so that each panel is divided evenly, too. */
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

/* Words of the buffers: those of fixed size, and those for each index of a panel. A block that a
 * rank owns completely needs no buffer. C needs buffers for the partial sums and for another rank's
 * part that is to be added. With overlap there are two buffers for each panel. */
static void buffers(const struct shared s[3], bool overlap, double *fixed, double *per_step)
{
    *fixed = 0, *per_step = 0;
    for (int x = 0; x < 3; x++) {
        if (s[x].sharers == 1)
            continue;
        *per_step += (overlap ? 2 : 1) * s[x].per_step;
        *per_step += x == GR_DIST_C ? s[x].own_per_step : 0;
        if (s[x].per_step == 0)
            *fixed += (double)s[x].block + (x == GR_DIST_C ? (double)s[x].own : 0);
    }
}

/* The time of a rank's local product: by its arithmetic or its memory traffic, whichever takes
 * longer, plus what dividing it into steps adds. Each step reads again what all steps share: steps
 * along k all of C, which they also write; steps along m or n all of B or A, which is packed each
 * time, that is read, written, and read again. No arithmetic overlaps with this. */
static double compute_time(const struct gr_dist_machine *machine, const int64_t size[3],
                           enum gr_dist_dim step, int64_t steps, double element)
{
    const double m = (double)size[GR_DIST_M], n = (double)size[GR_DIST_N],
                 k = (double)size[GR_DIST_K];
    const double flop = 2 * m * n * k, bytes = element * (m * k + k * n + 2 * m * n);
    const double again[] = {
        [GR_DIST_M] = 3 * k * n, [GR_DIST_N] = 3 * m * k, [GR_DIST_K] = 2 * m * n};
    if (flop == 0)
        return 0;
    return fmax(flop / machine->flop_per_s, bytes / machine->memory_bytes_per_s) +
           (double)(steps - 1) * element * again[step] / machine->memory_bytes_per_s;
}

/* The time to add received partial sums to this rank's: two words are read and one is written. */
static double adding_time(const struct gr_dist_machine *machine, const struct shared *s,
                          enum gr_dist_operand operand, double element)
{
    return operand == GR_DIST_C ? 3 * (double)s->moved * element / machine->memory_bytes_per_s : 0;
}

/* The time of one operand's transfers, which move all that is moved of it once, in `times`
 * pieces. */
static double transfer_time(const struct gr_dist_machine *machine, const struct shared *s,
                            enum gr_dist_operand operand, int64_t times, double element)
{
    return (double)s->moved * element / machine->link_bytes_per_s +
           adding_time(machine, s, operand, element) +
           (double)(rounds(operand, s->sharers) * times) * machine->latency_s;
}

/* The times of the transfers of a plan: before the first product, after the last, and in each
 * step. */
struct transfers {
    double before, after;  /* operands that are not stepped */
    double gather, reduce; /* the panels of one step */
};

static struct transfers transfers_of(const struct gr_dist_plan *plan,
                                     const struct gr_dist_machine *machine,
                                     const struct shared s[3])
{
    struct transfers t = {0};
    for (int x = 0; x < 3; x++) {
        const bool stepped = s[x].per_step > 0;
        const double time =
            transfer_time(machine, &s[x], (enum gr_dist_operand)x, stepped ? plan->steps : 1,
                          (double)plan->problem.element_bytes);
        double *const whole = x == GR_DIST_C ? &t.after : &t.before;
        double *const each = x == GR_DIST_C ? &t.reduce : &t.gather;
        *(stepped ? each : whole) += stepped ? time / (double)plan->steps : time;
    }
    return t;
}

/* The time of a product that overlaps with transfers. Each takes as long as it would alone, except
 * that the product stands still for a part of the transfers' time. */
static double beside(const struct gr_dist_machine *machine, double product, double transfers)
{
    return fmax(product + machine->carried * transfers, transfers);
}

/* The time of the pipeline of dist_pipeline.c: the first product overlaps with an all-gather, the
 * last with a reduce-scatter, and those between with both. */
static double overlapped_time(const struct gr_dist_machine *machine, double product, double steps,
                              struct transfers t)
{
    return machine->carrier_s + t.before + t.gather + beside(machine, product, t.gather) +
           (steps - 2) * beside(machine, product, t.gather + t.reduce) +
           beside(machine, product, t.reduce) + t.reduce + t.after;
}

/* The time of the two agreements, before and after the product, each up and down the tree of
 * dist_agree.c. All ranks take part, also those that the plan does not use. */
static double agreeing_time(const struct gr_dist_machine *machine)
{
    enum { TIMES = 2, WAYS = 2 };
    const int64_t depth = log2_up(machine->ranks + 1) - 1;
    return (double)(TIMES * WAYS * depth) * machine->latency_s;
}

static void times(struct gr_dist_plan *plan, const struct gr_dist_machine *machine,
                  const int64_t size[3], const struct shared s[3])
{
    const double steps = (double)plan->steps;
    const struct transfers t = transfers_of(plan, machine, s);
    plan->messages = 0;
    for (int x = 0; x < 3; x++)
        plan->messages +=
            rounds((enum gr_dist_operand)x, s[x].sharers) * (s[x].per_step > 0 ? plan->steps : 1);
    plan->compute_s = compute_time(machine, size, plan->step_dim, plan->steps,
                                   (double)plan->problem.element_bytes);
    plan->transfer_s = t.before + t.after + steps * (t.gather + t.reduce);
    plan->agree_s = agreeing_time(machine);
    plan->time_s =
        plan->agree_s + (plan->overlap ? overlapped_time(machine, plan->compute_s / steps, steps, t)
                                       : plan->compute_s + plan->transfer_s);
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

/* A grid with steps along one dimension. */
struct stepping {
    const struct gr_dist_machine *machine;
    const int64_t *size; /* of the box */
    struct shared shared[3];
    int64_t length; /* length of the box along the steps, at least 1 */
    double owned;   /* words that a rank owns */
};

static void with_steps(const struct stepping *st, int64_t steps, struct gr_dist_plan *plan)
{
    plan->steps = steps;
    times(plan, st->machine, st->size, st->shared);
}

/* Finds the number of steps that takes the least time: first among the powers of two times `least`,
 * then in smaller and smaller intervals around the best of them. */
static void overlap_best(const struct stepping *st, int64_t least, struct gr_dist_plan *plan)
{
    int64_t best = least;
    with_steps(st, least, plan);
    double time = plan->time_s;
    for (int64_t steps = least; steps <= st->length / 2;) {
        steps *= 2;
        with_steps(st, steps, plan);
        if (plan->time_s < time)
            time = plan->time_s, best = steps;
    }
    for (int64_t width = best / 2; width > 0; width /= 2)
        for (int sign = -1; sign <= 1; sign += 2) {
            const int64_t steps = best + sign * width;
            if (steps < least || steps > st->length)
                continue;
            with_steps(st, steps, plan);
            if (plan->time_s < time)
                time = plan->time_s, best = steps;
        }
    with_steps(st, best, plan);
}

/* Takes the fewest steps that the memory allows or, with overlap, the best number of steps. */
static bool try_buffers(const struct stepping *st, bool overlap, struct gr_dist_plan *plan,
                        int64_t *least_bytes)
{
    const struct gr_dist_machine *const machine = st->machine;
    const double element = (double)plan->problem.element_bytes;
    double fixed, per_step;
    buffers(st->shared, overlap, &fixed, &per_step);
    if (overlap && (per_step == 0 || st->length < 2))
        return false;
    const int64_t least = memory_at(st->owned, fixed, per_step, st->length, st->length, element);
    *least_bytes = least < *least_bytes ? least : *least_bytes;
    int64_t steps = overlap ? 2 : 1;
    if (machine->memory_bytes > 0) {
        if (least > machine->memory_bytes)
            return false;
        const double room = (double)machine->memory_bytes / element - st->owned - fixed;
        if (per_step * (double)parts_of(st->length, steps) > room) {
            const int64_t width = (int64_t)(room / per_step);
            steps = parts_of(st->length, width > 0 ? width : 1);
        }
    }
    plan->overlap = overlap;
    if (overlap)
        overlap_best(st, steps, plan);
    else
        with_steps(st, steps, plan);
    plan->memory_bytes = memory_at(st->owned, fixed, per_step, st->length, plan->steps, element);
    return machine->memory_bytes <= 0 || plan->memory_bytes <= machine->memory_bytes;
}

/* Tries one grid with steps along `step`, without and with overlap. */
static void try_steps(const struct gr_dist_machine *machine, const int64_t size[3],
                      enum gr_dist_dim step, const struct gr_dist_plan *start,
                      struct gr_dist_plan *best, bool *found, int64_t *least_bytes)
{
    struct gr_dist_plan plan = *start;
    struct stepping st = {
        .machine = machine,
        .size = size,
        .shared = {[GR_DIST_A] = share(size, plan.grid, GR_DIST_M, GR_DIST_K, GR_DIST_N, step),
                   [GR_DIST_B] = share(size, plan.grid, GR_DIST_K, GR_DIST_N, GR_DIST_M, step),
                   [GR_DIST_C] = share(size, plan.grid, GR_DIST_M, GR_DIST_N, GR_DIST_K, step)},
        .length = size[step] > 1 ? size[step] : 1};
    plan.step_dim = step;
    for (int x = 0; x < 3; x++) {
        plan.split[x] = st.shared[x].split;
        st.owned += (double)st.shared[x].own;
    }
    plan.words_a = st.shared[GR_DIST_A].moved;
    plan.words_b = st.shared[GR_DIST_B].moved;
    plan.words_c = st.shared[GR_DIST_C].moved;
    plan.words = plan.words_a + plan.words_b + plan.words_c;
    for (int overlap = 0; overlap <= (machine->overlap ? 1 : 0); overlap++) {
        if (!try_buffers(&st, overlap, &plan, least_bytes))
            continue;
        if (!*found || gr_dist_better(&plan, best))
            *best = plan;
        *found = true;
    }
}

bool gr_dist_cost(const struct gr_dist_problem *problem, const struct gr_dist_machine *machine,
                  const int64_t grid[3], struct gr_dist_plan *plan, int64_t *least_bytes)
{
    static const enum gr_dist_dim order[] = {GR_DIST_K, GR_DIST_M, GR_DIST_N};
    const int64_t size[3] = {parts_of(problem->m, grid[0]), parts_of(problem->n, grid[1]),
                             parts_of(problem->k, grid[2])};
    const struct gr_dist_plan trial = {.problem = *problem,
                                       .grid = {grid[0], grid[1], grid[2]},
                                       .ranks = grid[0] * grid[1] * grid[2]};
    bool found = false;
    if (machine->whole_k && grid[2] > 1)
        return false;
    for (int i = machine->whole_k ? 1 : 0; i < 3; i++)
        try_steps(machine, size, order[i], &trial, plan, &found, least_bytes);
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
    const double least =
        agreeing_time(machine) + (machine->overlap ? fmax(compute, transfer) : compute + transfer);
    return least * (1 - 1e-12); /* must not exceed the time itself by rounding */
}
