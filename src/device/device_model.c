/* device_model.c: cost models, which estimate how long each kernel takes for a product.
 * SPDX-License-Identifier: MIT */
#include "device/device_model.h"

#include <string.h>

/* From this k on, the error bound of `accurate`, 14 + k/64, is not above that of float
 * multiply-adds, k/2: docs/accuracy.md. */
enum { ACCURATE_FROM_K = 32 };

/* All times are those of an H100 in us, for products that run back to back. Other GPUs are faster
 * or slower by about the same factor for all kernels, except for what depends on the number of
 * multiprocessors. */
static const double bytes_per_us = 2.5e6;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double cdiv(int64_t a, int64_t b)
{
    return (double)gr_device_cdiv(a, b);
}

static double bytes_of_c(const struct gr_device_given *g)
{
    return 4 * (double)g->m * (double)g->n;
}

/* The number of steps along k that each multiprocessor computes, where `slots` tiles are computed
 * at a time. If there are fewer tiles than slots, k is split into *shares shares (split-K) of at
 * least `least` steps. */
static double depth_of(double tiles, double slots, double steps, double least, double *shares)
{
    double most = (double)(int64_t)(steps / least), wanted = (double)(int64_t)(slots / tiles);
    most = larger(most, 1);
    *shares = wanted < 1 ? 1 : wanted > most ? most : wanted;
    return larger(tiles * steps / slots, (double)gr_device_cdiv((int64_t)steps, (int64_t)*shares));
}

/* The number of waves. Where there are very many, the idle slots of the last one do not matter. */
static double waves_of(double blocks, int64_t slots)
{
    return blocks < 1e9 ? cdiv((int64_t)blocks, slots) : blocks / (double)slots;
}

/* Memory traffic in bytes for each float that is split: reading it, in 22_scaled twice, and writing
 * its pieces. */
enum { SPLIT_BYTES_OF_21 = 10, SPLIT_BYTES_OF_22 = 12 };
static const double STEP_US_OF_21 = 1.89;

/* Waves of tiles of 128 x 256 x 32, or of the shares into which they are split along k: how many a
 * multiprocessor computes one after another, at most and in the mean, and the steps of each. */
struct waves {
    double shares, most, mean, steps;
};

static struct waves waves_of_pieces(const struct gr_device_given *g)
{
    const double tiles = cdiv(g->m, 128) * cdiv(g->n, 256);
    const double steps = cdiv(g->k > 0 ? g->k : 1, 32);
    struct waves w;
    depth_of(tiles, g->sms, steps, 8, &w.shares);
    w.mean = tiles * w.shares / (double)g->sms;
    w.most = cdiv((int64_t)(tiles * w.shares), g->sms);
    w.steps = cdiv((int64_t)steps, (int64_t)w.shares);
    return w;
}

/* Both operands are split into pieces, in whole tiles of 128 x 256 x 32, with a traffic of
 * `split_bytes` bytes for each element; then each step of the product takes `step` us. */
static double time_of_pieces(const struct gr_device_given *g, double split_bytes, double step,
                             double overhead)
{
    const double rows = cdiv(g->m, 128), columns = cdiv(g->n, 256);
    const double steps = cdiv(g->k > 0 ? g->k : 1, 32), share_us = 1.5;
    const struct waves w = waves_of_pieces(g);
    const double split = (128 * rows + 256 * columns) * 32 * steps * split_bytes;
    const double parts = w.shares > 1 ? 2 * w.shares * bytes_of_c(g) : 0;
    return overhead + w.most * w.steps * step + (split + parts + bytes_of_c(g)) / bytes_per_us +
           (w.shares > 1 ? share_us * w.shares : 0);
}

static double time_of_21(const struct gr_device_given *g, const struct gr_device_plan *plan)
{
    (void)plan;
    return time_of_pieces(g, SPLIT_BYTES_OF_21, STEP_US_OF_21, 11);
}

static double time_of_22(const struct gr_device_given *g, const struct gr_device_plan *plan)
{
    (void)plan;
    return time_of_pieces(g, SPLIT_BYTES_OF_22, 1.3, 22);
}

/* A batch in one launch, or products whose addresses only the GPU knows. */
static bool is_batch(const struct gr_device_given *g)
{
    return g->batch > 1 || g->arrays;
}

static double tiles_of(const struct gr_device_given *g, int64_t tile_m, int64_t tile_n)
{
    const double products = g->batch > 1 ? (double)g->batch : 1;
    return products * cdiv(g->m, tile_m) * cdiv(g->n, tile_n);
}

/* The bytes that are moved: A once for each column of tiles, B once for each row of tiles, and
 * C. */
static double bytes_of_tiles(const struct gr_device_given *g, double of_ab, double of_c,
                             int64_t tile_m, int64_t tile_n)
{
    const double m = (double)g->m, n = (double)g->n, k = (double)g->k;
    const double products = g->batch > 1 ? (double)g->batch : 1;
    return products *
           (of_ab * k * (m * cdiv(g->n, tile_n) + n * cdiv(g->m, tile_m)) + of_c * m * n);
}

/* The position in memory of a matrix of 16-bit elements, in elements; 0 where only the GPU knows
 * it. */
static int64_t place_of(const struct gr_device_given *g, uint64_t address)
{
    return g->arrays ? 0 : (int64_t)(address / 2);
}

/* The part of the tiles that 18_stages copies through registers: those whose rows are not aligned
 * to vectors, and those that the edge of the matrix cuts. */
static double part_by_registers(int64_t apart, int64_t size, int64_t tile)
{
    enum { VECTOR = 8 };
    if (apart % VECTOR != 0)
        return 1;
    return size % tile ? 1 / cdiv(size, tile) : 0;
}

/* A multiprocessor has several resident blocks and computes their steps in turn. What a block waits
 * for (its first tiles, its stores and, in each step, an operand that it copies through registers),
 * it waits for at the same time as the other blocks. A C whose rows are not aligned to four
 * elements is stored one element at a time. The constants are fitted to 840 times of 386 random
 * batches on an H200, in two types and with all three tiles; the error is 22 % (root mean square).
 */
static double time_of_18(const struct gr_device_given *g, const struct gr_device_plan *plan)
{
    enum { RESERVED = 1024 };
    const double launch = 0.45, ends = 2.47, by_registers = 0.55, of_64_x_64_x_16 = 0.076;
    const double from_memory = 11.7e6, of_an_element = 3.3e-6;
    const int64_t bm = plan->tile[0], bn = plan->tile[1], bk = plan->tile[2];
    const double steps = cdiv(g->k > 0 ? g->k : 1, bk);
    const double step = (double)(bm * bn * bk) / 65536 * of_64_x_64_x_16;
    const double parts = part_by_registers(g->lda | g->stride_a | place_of(g, g->a), g->m, bm) +
                         part_by_registers(g->ldb | g->stride_b | place_of(g, g->b), g->n, bn);
    const int64_t room = (g->smem_max + RESERVED) / (plan->launches[0].smem_bytes + RESERVED);
    const double at_once = (double)gr_device_clamp(room, 1, plan->blocks);
    const double each = waves_of(tiles_of(g, bm, bn), g->sms);
    const double rounds = each < 1e9 ? cdiv((int64_t)each, (int64_t)at_once) : each / at_once;
    const double elements = g->ldc % 4 ? tiles_of(g, 1, 1) : 0;
    return launch + each * steps * step + rounds * (ends + steps * (step + by_registers * parts)) +
           bytes_of_tiles(g, 2, 3, g->m, g->n) / from_memory + /* C has 2 or 4 bytes */
           elements * of_an_element;
}

/* Kernels with a `least` line, which computes their cost, need no function; those of
 * GRADUS_MATH_IEEE among them need no entry. */
static const struct gr_device_cost costs[] = {
    {"21_accurate", GRADUS_MATH_ACCURATE, time_of_21, 0},
    {"31_fused_accurate", GRADUS_MATH_ACCURATE, NULL, 0},
    {"22_scaled", GRADUS_MATH_SCALED, time_of_22, 0},
    {"33_tf32_any_shape", GRADUS_MATH_TF32, NULL, 0},
    {"18_stages", GRADUS_MATH_IEEE, time_of_18, 90},
};

const struct gr_device_cost *gr_device_cost_of(const struct gr_device_kernel *kernel)
{
    static const struct gr_device_cost its_own = {NULL, GRADUS_MATH_IEEE, NULL, 0};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (strcmp(costs[i].file, kernel->file) == 0)
            return &costs[i];
    return kernel->chooses ? &its_own : NULL;
}

bool gr_device_is_used(const struct gr_device_cost *cost, int cc,
                       const struct gr_device_given *given)
{
    return cost->but != cc || is_batch(given);
}

double gr_device_model_us(const struct gr_device_cost *cost, const struct gr_device_given *given,
                          const struct gr_device_plan *plan)
{
    return cost->time ? cost->time(given, plan) : 1e-3 * (double)plan->cost_ns;
}

struct gr_device_pieces gr_device_pieces_of(const struct gr_device_cost *cost,
                                            const struct gr_device_given *g)
{
    if (cost->time != time_of_21)
        return (struct gr_device_pieces){.a_us = 0};
    const double of_line = 32 * cdiv(g->k, 32) * SPLIT_BYTES_OF_21 / bytes_per_us;
    const struct waves w = waves_of_pieces(g);
    return (struct gr_device_pieces){.a_us = 128 * cdiv(g->m, 128) * of_line,
                                     .b_us = 256 * cdiv(g->n, 256) * of_line,
                                     .idle_us = (w.most - w.mean) * w.steps * STEP_US_OF_21};
}

bool gr_device_has_types(const struct gr_device_kernel *kernel, const struct gradus_gemm *g,
                         int trans)
{
    return kernel->texts[trans] && kernel->a_type == g->a_type && kernel->b_type == g->b_type &&
           kernel->c_type == g->c_type && kernel->sum_type == g->sum_type;
}

bool gr_device_has_math(const struct gr_device_cost *c, const struct gradus_gemm *g, int64_t k)
{
    if (g->a_type != GRADUS_F32 || c->math == g->math)
        return true;
    const bool accurate = c->math == GRADUS_MATH_ACCURATE;
    if (g->math == GRADUS_MATH_TF32) /* it allows an error far above those of these kernels */
        return accurate || c->math == GRADUS_MATH_IEEE;
    return g->math == GRADUS_MATH_DEFAULT &&
           (c->math == GRADUS_MATH_IEEE || (accurate && k >= ACCURATE_FROM_K));
}
