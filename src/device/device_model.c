/* device_model.c: what kernels are expected to take, by cost models. SPDX-License-Identifier: MIT
 */
#include "device/device_model.h"

#include <string.h>

/* From here on the bound of `accurate`, 14 + k/64, is not above that of float multiply-adds, k/2:
 * docs/accuracy.md. */
enum { ACCURATE_FROM_K = 32 };

/* The model: what an H100 takes, in us, back to back. Other GPUs take other times, but in much the
 * same proportion, but for what depends on the number of multiprocessors. */
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

/* The depth that each multiprocessor goes through, in steps, where `slots` tiles are computed at a
 * time and few ones are cut along k into shares of at least `least` steps. */
static double depth_of(double tiles, double slots, double steps, double least, double *shares)
{
    double most = (double)(int64_t)(steps / least), wanted = (double)(int64_t)(slots / tiles);
    most = larger(most, 1);
    *shares = wanted < 1 ? 1 : wanted > most ? most : wanted;
    return larger(tiles * steps / slots, (double)gr_device_cdiv((int64_t)steps, (int64_t)*shares));
}

/* Where there are many waves, the last one's idle slots do not matter. */
static double waves_of(double blocks, int64_t slots)
{
    return blocks < 1e9 ? cdiv((int64_t)blocks, slots) : blocks / (double)slots;
}

/* Bytes that the pieces of a float are, and the float. */
enum { SPLIT_BYTES_OF_21 = 10, SPLIT_BYTES_OF_22 = 12 };
static const double STEP_US_OF_21 = 1.89;

/* Tiles of 128 x 256 by 32, or shares of them along k: how many on each multiprocessor, one after
 * another, at most and in the mean; steps of each. */
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

/* Pieces are made of both operands, in whole tiles of 128 x 256 by 32, `split_bytes` read and
 * written for each element; then a step takes `step` us. */
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

static double time_of_21(const struct gr_device_given *g)
{
    return time_of_pieces(g, SPLIT_BYTES_OF_21, STEP_US_OF_21, 11);
}

static double time_of_22(const struct gr_device_given *g)
{
    return time_of_pieces(g, SPLIT_BYTES_OF_22, 1.3, 22);
}

static double time_of_tiles(const struct gr_device_given *g, int64_t tile_m, int64_t tile_n,
                            int64_t tile_k, double step)
{
    const double tiles = cdiv(g->m, tile_m) * cdiv(g->n, tile_n), overhead = 5;
    return overhead + cdiv((int64_t)tiles, g->sms) * cdiv(g->k, tile_k) * step +
           bytes_of_c(g) / bytes_per_us;
}

static double time_of_18(const struct gr_device_given *g)
{
    return time_of_tiles(g, 128, 128, 32, 0.65);
}

/* The only one of its math; what is packed is read and written once more. */
static double time_of_25(const struct gr_device_given *g)
{
    const double packed_a = g->trans_a ? 8 : 0, packed_b = g->trans_b ? 0 : 8;
    const double bytes = (double)g->k * (packed_a * (double)g->m + packed_b * (double)g->n);
    return time_of_tiles(g, 128, 256, 32, 0.62) + bytes / bytes_per_us;
}

/* A multiprocessor does 128 multiply-adds a cycle. What a tile waits for at its beginning and
 * stores at its end is little only beside many steps. */
static double time_of_24(const struct gr_device_given *g)
{
    const double waves = waves_of(cdiv(g->m, 64) * cdiv(g->n, 64), g->sms), ends = 1.5;
    return time_of_tiles(g, 64, 64, 32, 0.67) + waves * ends;
}

/* Kernels that choose by a cost of their own (`least` lines) need no line here. */
static const struct gr_device_cost costs[] = {
    {"21_accurate", GRADUS_MATH_ACCURATE, time_of_21, 0},
    {"22_scaled", GRADUS_MATH_SCALED, time_of_22, 0},
    {"25_tf32", GRADUS_MATH_TF32, time_of_25, 0},
    {"18_stages", GRADUS_MATH_IEEE, time_of_18, 90},
    {"24_dmma", GRADUS_MATH_IEEE, time_of_24, 0},
};

const struct gr_device_cost *gr_device_cost_of(const struct gr_device_kernel *kernel)
{
    static const struct gr_device_cost its_own = {NULL, GRADUS_MATH_IEEE, NULL, 0};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (strcmp(costs[i].file, kernel->file) == 0)
            return &costs[i];
    return kernel->chooses ? &its_own : NULL;
}

double gr_device_model_us(const struct gr_device_cost *cost, const struct gr_device_given *given,
                          const struct gr_device_plan *plan)
{
    return cost->time ? cost->time(given) : 1e-3 * (double)plan->cost_ns;
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
    return g->math == GRADUS_MATH_DEFAULT &&
           (c->math == GRADUS_MATH_IEEE ||
            (c->math == GRADUS_MATH_ACCURATE && k >= ACCURATE_FROM_K));
}
