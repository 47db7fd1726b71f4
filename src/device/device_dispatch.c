/* device_dispatch.c: chooses the kernel that the cost model expects to end first. A table of what
 * was measured takes the model's place here. SPDX-License-Identifier: MIT */
#include "device/device_dispatch.h"

#include "core/error.h"
#include "device/device_finish.h"

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

/* A batch in one launch: tiles of one size, of which none is cut along k, or the bytes that move.
 */
static double time_of_12_batch(const struct gr_device_gpu *gpu, const struct gr_device_given *g,
                               double steps, double large_step, double small_step)
{
    const double large = cdiv(g->m, 128) * cdiv(g->n, 256) * (double)g->batch;
    const double small = cdiv(g->m, 64) * cdiv(g->n, 64) * (double)g->batch;
    const double by_large = large_step * waves_of(large, gpu->sms);
    const double by_small = small_step * waves_of(small, 2 * gpu->sms);
    const double bytes = 4 * (double)g->k * (double)(g->m + g->n) + bytes_of_c(g);
    return larger(steps * (by_large < by_small ? by_large : by_small),
                  (double)g->batch * bytes / bytes_per_us);
}

/* Large tiles of 128 x 256, or small ones of 64 x 64, two at a time on a multiprocessor, whichever
 * end first; 16 of k a step. */
static double time_of_12(const struct gr_device_gpu *gpu, const struct gr_device_given *g)
{
    const double steps = cdiv(g->k > 0 ? g->k : 1, 16), overhead = 5.5;
    const double large_step = 2.83, small_step = 0.9, alone = 0.6;
    if (g->batch > 1)
        return overhead + time_of_12_batch(gpu, g, steps, large_step, small_step);
    const double large = cdiv(g->m, 128) * cdiv(g->n, 256), small = cdiv(g->m, 64) * cdiv(g->n, 64);
    double large_shares, small_shares;
    const double large_time = large_step * depth_of(large, gpu->sms, steps, 8, &large_shares);
    const double depth = depth_of(small, 2 * gpu->sms, steps, 8, &small_shares);
    double full = small * small_shares / (2 * gpu->sms);
    full = full < alone ? alone : full > 1 ? 1 : full;
    const double small_time = small_step * depth * full;
    const bool is_small = small_time < large_time;
    const double shares = is_small ? small_shares : large_shares;
    return overhead + (is_small ? small_time : large_time) +
           (shares > 1 ? 2 * shares + 1 : 1) * bytes_of_c(g) / bytes_per_us / 2;
}

/* Pieces are made of both operands, in whole tiles of 128 x 256 by 32, `split_bytes` read and
 * written for each element; then a step takes `step` us. */
static double time_of_pieces(const struct gr_device_gpu *gpu, const struct gr_device_given *g,
                             double split_bytes, double step, double overhead)
{
    const double rows = cdiv(g->m, 128), columns = cdiv(g->n, 256), tiles = rows * columns;
    const double steps = cdiv(g->k > 0 ? g->k : 1, 32), share_us = 1.5;
    double shares;
    depth_of(tiles, gpu->sms, steps, 8, &shares);
    const double waves = cdiv((int64_t)(tiles * shares), gpu->sms);
    const double each = waves * cdiv((int64_t)steps, (int64_t)shares) * step;
    const double split = (128 * rows + 256 * columns) * 32 * steps * split_bytes;
    const double parts = shares > 1 ? 2 * shares * bytes_of_c(g) : 0;
    return overhead + each + (split + parts + bytes_of_c(g)) / bytes_per_us +
           (shares > 1 ? share_us * shares : 0);
}

static double time_of_21(const struct gr_device_gpu *gpu, const struct gr_device_given *g)
{
    return time_of_pieces(gpu, g, 10, 1.89, 11);
}

static double time_of_22(const struct gr_device_gpu *gpu, const struct gr_device_given *g)
{
    return time_of_pieces(gpu, g, 12, 1.3, 22);
}

static double time_of_tiles(const struct gr_device_gpu *gpu, const struct gr_device_given *g,
                            int64_t tile_m, int64_t tile_n, int64_t tile_k, double step)
{
    const double tiles = cdiv(g->m, tile_m) * cdiv(g->n, tile_n), overhead = 5;
    return overhead + cdiv((int64_t)tiles, gpu->sms) * cdiv(g->k, tile_k) * step +
           bytes_of_c(g) / bytes_per_us;
}

static double time_of_18(const struct gr_device_gpu *gpu, const struct gr_device_given *g)
{
    return time_of_tiles(gpu, g, 128, 128, 32, 0.65);
}

/* The only one of its math; what is packed is read and written once more. */
static double time_of_25(const struct gr_device_gpu *gpu, const struct gr_device_given *g)
{
    const double packed_a = g->trans_a ? 8 : 0, packed_b = g->trans_b ? 0 : 8;
    const double bytes = (double)g->k * (packed_a * (double)g->m + packed_b * (double)g->n);
    return time_of_tiles(gpu, g, 128, 256, 32, 0.62) + bytes / bytes_per_us;
}

/* A multiprocessor does 128 multiply-adds a cycle. What a tile waits for at its beginning and
 * stores at its end is little only beside many steps. */
static double time_of_24(const struct gr_device_gpu *gpu, const struct gr_device_given *g)
{
    const double waves = waves_of(cdiv(g->m, 64) * cdiv(g->n, 64), gpu->sms), ends = 1.5;
    return time_of_tiles(gpu, g, 64, 64, 32, 0.67) + waves * ends;
}

/* Kernels that choose by a cost of their own (`least` lines) need no line here. */
static const struct cost {
    const char *file;
    enum gradus_math math;
    double (*time)(const struct gr_device_gpu *gpu, const struct gr_device_given *given);
    int but; /* a compute capability where another kernel is faster for all products; 0: none */
} costs[] = {
    {"12_best", GRADUS_MATH_IEEE, time_of_12, 0},
    {"21_accurate", GRADUS_MATH_ACCURATE, time_of_21, 0},
    {"22_scaled", GRADUS_MATH_SCALED, time_of_22, 0},
    {"25_tf32", GRADUS_MATH_TF32, time_of_25, 0},
    {"18_stages", GRADUS_MATH_IEEE, time_of_18, 90},
    {"24_dmma", GRADUS_MATH_IEEE, time_of_24, 0},
};

static const struct cost *cost_of(const struct gr_device_kernel *kernel)
{
    static const struct cost its_own = {NULL, GRADUS_MATH_IEEE, NULL, 0};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (strcmp(costs[i].file, kernel->file) == 0)
            return &costs[i];
    return kernel->chooses ? &its_own : NULL;
}

static double time_of(const struct cost *cost, const struct gr_device_gpu *gpu,
                      const struct gr_device_given *given, const struct gr_device_plan *plan)
{
    return cost->time ? cost->time(gpu, given) : 1e-3 * (double)plan->cost_ns;
}

static bool has_types(const struct gr_device_kernel *kernel, const struct gradus_gemm *g, int trans)
{
    return kernel->texts[trans] && kernel->a_type == g->a_type && kernel->b_type == g->b_type &&
           kernel->c_type == g->c_type && kernel->sum_type == g->sum_type;
}

static bool has_math(const struct cost *c, const struct gradus_gemm *g, int64_t k)
{
    if (g->a_type != GRADUS_F32 || c->math == g->math)
        return true;
    return g->math == GRADUS_MATH_DEFAULT &&
           (c->math == GRADUS_MATH_IEEE ||
            (c->math == GRADUS_MATH_ACCURATE && k >= ACCURATE_FROM_K));
}

static enum gradus_status refuse(const struct gr_device_gpu *gpu, const struct gradus_gemm *g,
                                 bool types, struct gradus_error *error)
{
    static const char *const maths[] = {"GRADUS_MATH_DEFAULT", "GRADUS_MATH_IEEE",
                                        "GRADUS_MATH_ACCURATE", "GRADUS_MATH_SCALED",
                                        "GRADUS_MATH_TF32"};
    if (g->arrays_on_gpu)
        return gr_fail(
            error, GRADUS_UNSUPPORTED,
            "gradus_gemm_run: arrays_on_gpu: found types, or math, for which %s (%s) has "
            "no kernel that reads arrays of addresses, wanted f32 and GRADUS_MATH_IEEE",
            gpu->name, gpu->arch);
    if (types)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: math: found %s on %s (%s), which has no kernel for it, "
                       "wanted GRADUS_MATH_DEFAULT",
                       maths[g->math], gpu->name, gpu->arch);
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "gradus_gemm_run: a_type, b_type, c_type: found types that no kernel has on %s "
                   "(%s), wanted f32, f64, bf16 or f16; compute with GRADUS_CPU",
                   gpu->name, gpu->arch);
}

bool gr_device_expects(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                       const struct gr_device_given *given, int kernel, double *us, bool *admitted)
{
    const struct gr_device_kernel *one = &gr_device_kernels[kernel];
    const struct cost *cost = cost_of(one);
    struct gr_device_plan plan = {0};
    if (!cost || cost->but == gpu->cc ||
        !has_types(one, gemm, (int)(given->trans_a * 2 + given->trans_b)) ||
        !gr_device_arch_fits(one->arch, gpu->cc) || !one->plan(given, -1, &plan))
        return false;
    *us = time_of(cost, gpu, given, &plan) + gr_device_finish_us(gemm, given);
    *admitted = has_math(cost, gemm, given->k);
    return true;
}

/* ---- The choice, and what is kept of it ---- */

/* All that a choice depends on. An address counts by its alignment. */
struct key {
    struct gr_device_given given;
    int64_t types, math;
};

/* The last choices of a thread, by a hash of their keys: choosing takes some microseconds, as long
 * as a launch does. */
enum { KEPT = 16 };
static _Thread_local struct kept {
    struct key key;
    int64_t picked;
    int kernel;      /* and 1 */
    int64_t at_once; /* of a batch: so many products a launch; 0: that was not asked */
} choices[KEPT];

static uint64_t alignment_of(uint64_t address)
{
    enum { ASKED_ABOUT = 4096 };
    return address % ASKED_ABOUT;
}

static struct key key_of(const struct gradus_gemm *gemm, const struct gr_device_given *given)
{
    struct key key;
    memset(&key, 0, sizeof key);
    key.given = *given;
    key.given.a = alignment_of(given->a);
    key.given.b = alignment_of(given->b);
    key.given.c = alignment_of(given->c);
    key.types = gemm->a_type | gemm->b_type << 8 | gemm->c_type << 16 | gemm->sum_type << 24;
    key.math = gemm->math;
    return key;
}

static struct kept *place_of(const struct key *key)
{
    const struct gr_device_given *g = &key->given;
    const uint64_t hash =
        (uint64_t)(g->m * 0x9e3779b1 ^ g->n * 0x85ebca6b ^ g->k * 0xc2b2ae35 ^
                   g->trans_a * 0x27d4eb2f ^ g->trans_b * 0x165667b1 ^ g->batch * 0x2c1b3c6d);
    return &choices[(hash ^ hash >> 16 ^ hash >> 32) % KEPT];
}

static bool plan(int kernel, int64_t picked, const struct gr_device_given *given,
                 struct gr_device_plan *out)
{
    out->launch_count = 0;
    return gr_device_kernels[kernel].plan(given, picked, out);
}

/* The kernel that is expected to end first, after *least us, or -1. `types`: some kernel has those
 * of the product. */
static int find_least(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                      const struct gr_device_given *given, struct gr_device_plan *out, bool *types,
                      double *least)
{
    const int trans = (int)(given->trans_a * 2 + given->trans_b);
    int best = -1;
    for (int i = 0; i < gr_device_kernel_count; i++) {
        const struct gr_device_kernel *one = &gr_device_kernels[i];
        const struct cost *cost = cost_of(one);
        if (!cost || cost->but == gpu->cc || !has_types(one, gemm, trans) ||
            !gr_device_arch_fits(one->arch, gpu->cc) || (given->batch > 1 && !one->batches) ||
            (given->arrays && !one->arrays))
            continue;
        *types = true;
        if (!has_math(cost, gemm, given->k) || !plan(i, -1, given, out))
            continue;
        const double time = time_of(cost, gpu, given, out);
        if (best >= 0 && time >= *least)
            continue;
        best = i;
        *least = time;
    }
    return best;
}

/* The place for what is kept of a problem, emptied if it was another's. */
static struct kept *kept_of(const struct gradus_gemm *gemm, const struct gr_device_given *given)
{
    const struct key key = key_of(gemm, given);
    struct kept *kept = place_of(&key);
    if (memcmp(&kept->key, &key, sizeof key) != 0)
        *kept = (struct kept){.key = key};
    return kept;
}

enum gradus_status gr_device_choose(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                                    const struct gr_device_given *given, int *kernel,
                                    struct gr_device_plan *out, struct gradus_error *error)
{
    struct kept *kept = kept_of(gemm, given);
    bool types = false;
    double us;
    const bool is_kept = kept->kernel > 0;
    *kernel = is_kept ? kept->kernel - 1 : find_least(gpu, gemm, given, out, &types, &us);
    if (*kernel < 0)
        return refuse(gpu, gemm, types, error);
    plan(*kernel, is_kept ? kept->picked : -1, given, out);
    if (!is_kept) {
        kept->picked = out->picked;
        kept->kernel = *kernel + 1;
    }
    return GRADUS_OK;
}

/* Is one launch for all expected to end before one for each? */
static bool is_faster(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                      const struct gr_device_given *given)
{
    struct gr_device_plan plan;
    struct gr_device_given one = *given;
    bool types = false;
    double all, each;
    one.batch = 1;
    return find_least(gpu, gemm, given, &plan, &types, &all) >= 0 &&
           (find_least(gpu, gemm, &one, &plan, &types, &each) < 0 ||
            all < (double)given->batch * each);
}

int64_t gr_device_at_once(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                          const struct gr_device_given *given)
{
    enum { MOST = 65535 }; /* blocks along z */
    struct kept *kept = kept_of(gemm, given);
    const int64_t launches = gr_device_cdiv(given->batch, MOST);
    if (!kept->at_once)
        kept->at_once = is_faster(gpu, gemm, given) ? gr_device_cdiv(given->batch, launches) : 1;
    return kept->at_once;
}
