/* device_dispatch.c: chooses the kernel with the shortest expected time. The times come from the
 * cost models, corrected by measurements on such a GPU. SPDX-License-Identifier: MIT */
#include "device/device_dispatch.h"

#include "core/error.h"
#include "device/device_finish.h"
#include "device/device_model.h"
#include "device/device_tuned.h"

#include <string.h>

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
            "no kernel that reads arrays of addresses, wanted f64, bf16, f16, or f32 and "
            "GRADUS_MATH_DEFAULT",
            gpu->name, gpu->arch);
    if (types)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: math: found %s on %s (%s), which has no kernel for it, "
                       "wanted GRADUS_MATH_DEFAULT",
                       maths[g->math], gpu->name, gpu->arch);
    if (g->a_type == GRADUS_E4M3 || g->a_type == GRADUS_E5M2)
        return gr_fail(error, GRADUS_UNSUPPORTED,
                       "gradus_gemm_run: a_type: found an 8-bit type on %s (%s), wanted a GPU of "
                       "compute capability 9.0, or bf16 or f16",
                       gpu->name, gpu->arch);
    return gr_fail(error, GRADUS_UNSUPPORTED,
                   "gradus_gemm_run: a_type, b_type, c_type: found types that no kernel has on %s "
                   "(%s), wanted f32, f64, bf16 or f16; compute with GRADUS_CPU",
                   gpu->name, gpu->arch);
}

/* The expected time in us. Batches in one launch are not corrected, since none were measured. */
static double time_of(const struct gr_device_points *points, const struct gr_device_cost *cost,
                      int kernel, const struct gr_device_given *given,
                      const struct gr_device_plan *plan)
{
    const double us = gr_device_model_us(cost, given, plan);
    return points && given->batch <= 1 && !given->arrays
               ? us * gr_device_tuned_factor(points, kernel, given)
               : us;
}

bool gr_device_expects(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                       const struct gr_device_given *given, int kernel, double *us, bool *admitted)
{
    const struct gr_device_kernel *one = &gr_device_kernels[kernel];
    const struct gr_device_cost *cost = gr_device_cost_of(one);
    struct gr_device_plan plan = {0};
    if (!cost || !gr_device_is_used(cost, gpu->cc, given) ||
        !gr_device_has_types(one, gemm, (int)(given->trans_a * 2 + given->trans_b)) ||
        !gr_device_arch_fits(one->arch, gpu->cc) || !one->plan(given, -1, &plan))
        return false;
    *us = time_of(gpu->points, cost, kernel, given, &plan) + gr_device_finish_us(gemm, given);
    *admitted = gr_device_has_math(cost, gemm, given->k);
    return true;
}

/* ---- The choice, and the cache of choices ---- */

/* Everything that a choice depends on. Of an address only the alignment counts. */
struct key {
    struct gr_device_given given;
    int64_t types, math;
    const struct gr_device_points *points;
};

/* The last choices of each thread, found by a hash of their keys. They are kept because choosing
 * takes some microseconds, as long as a launch does. */
enum { KEPT = 16 };
/* An early launch saves about one microsecond, but slows down a product of 50 to 100 us by as much
 * or more. */
enum { LENGTHY_US = 30 };
static _Thread_local struct kept {
    struct key key;
    int64_t picked;
    int kernel;      /* the kernel's index plus 1; 0: none was chosen yet */
    double us;       /* `expected_us` of the plan */
    int64_t at_once; /* for a batch, the number of products in one launch; 0: not computed yet */
} choices[KEPT];

static uint64_t alignment_of(uint64_t address)
{
    enum { ASKED_ABOUT = 4096 };
    return address % ASKED_ABOUT;
}

static struct key key_of(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                         const struct gr_device_given *given)
{
    struct key key;
    memset(&key, 0, sizeof key);
    key.given = *given;
    key.given.a = alignment_of(given->a);
    key.given.b = alignment_of(given->b);
    key.given.c = alignment_of(given->c);
    key.given.bias = given->bias != 0;
    key.given.scale_a = key.given.scale_b = 0; /* all kernels of their types take them */
    key.types = gemm->a_type | gemm->b_type << 8 | gemm->c_type << 16 | gemm->sum_type << 24;
    key.math = gemm->math;
    key.points = gpu->points;
    return key;
}

/* FNV-1a by words: every member counts, because a product with an epilogue is compared with the
 * same product without one in each call. */
static unsigned place_of(const struct key *key)
{
    uint64_t words[sizeof *key / sizeof(uint64_t)], hash = 0xcbf29ce484222325;
    memcpy(words, key, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hash = (hash ^ words[i]) * 0x100000001b3;
    return (unsigned)(hash ^ hash >> 32) % KEPT;
}

static bool plan(int kernel, int64_t picked, const struct gr_device_given *given,
                 struct gr_device_plan *out)
{
    out->launch_count = 0;
    out->lengthy = false;
    return gr_device_kernels[kernel].plan(given, picked, out);
}

/* Returns the kernel with the shortest expected time, or -1, and sets *least to that time in us. If
 * `points` is null, the times are those of the cost models alone. Sets *types if some kernel has
 * the product's types. */
static int find_least(const struct gr_device_gpu *gpu, const struct gr_device_points *points,
                      const struct gradus_gemm *gemm, const struct gr_device_given *given,
                      struct gr_device_plan *out, bool *types, double *least)
{
    const int trans = (int)(given->trans_a * 2 + given->trans_b);
    int best = -1;
    for (int i = 0; i < gr_device_kernel_count; i++) {
        const struct gr_device_kernel *one = &gr_device_kernels[i];
        const struct gr_device_cost *cost = gr_device_cost_of(one);
        if (!cost || !gr_device_is_used(cost, gpu->cc, given) ||
            !gr_device_has_types(one, gemm, trans) || !gr_device_arch_fits(one->arch, gpu->cc) ||
            (given->batch > 1 && !one->batches) || (given->arrays && !one->arrays) ||
            ((given->bias || given->activation) && !one->fuses))
            continue;
        *types = true;
        if (!gr_device_has_math(cost, gemm, given->k) || !plan(i, -1, given, out))
            continue;
        const double time = time_of(points, cost, i, given, out);
        if (best >= 0 && time >= *least)
            continue;
        best = i;
        *least = time;
    }
    return best;
}

bool gr_device_least(const struct gr_device_gpu *gpu, bool tuned, const struct gradus_gemm *gemm,
                     const struct gr_device_given *given, struct gr_device_expected *expected)
{
    struct gr_device_plan plan;
    bool types;
    *expected = (struct gr_device_expected){.us = 0};
    const int kernel =
        find_least(gpu, tuned ? gpu->points : NULL, gemm, given, &plan, &types, &expected->us);
    if (kernel < 0)
        return false;
    expected->pieces = gr_device_pieces_of(gr_device_cost_of(&gr_device_kernels[kernel]), given);
    return true;
}

/* Returns the cache entry of a problem, one of two. If it has none yet, one of the two is emptied:
 * the second, if only that is free. */
static struct kept *kept_of(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                            const struct gr_device_given *given)
{
    const struct key key = key_of(gpu, gemm, given);
    const unsigned place = place_of(&key);
    struct kept *const first = &choices[place], *const second = &choices[place ^ 1];
    if (memcmp(&first->key, &key, sizeof key) == 0)
        return first;
    if (memcmp(&second->key, &key, sizeof key) == 0)
        return second;
    struct kept *const kept = first->kernel > 0 && second->kernel == 0 ? second : first;
    *kept = (struct kept){.key = key};
    return kept;
}

enum gradus_status gr_device_choose(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                                    const struct gr_device_given *given, int *kernel,
                                    struct gr_device_plan *out, struct gradus_error *error)
{
    struct kept *kept = kept_of(gpu, gemm, given);
    bool types = false;
    const bool is_kept = kept->kernel > 0;
    *kernel = is_kept ? kept->kernel - 1
                      : find_least(gpu, gpu->points, gemm, given, out, &types, &kept->us);
    if (*kernel < 0)
        return refuse(gpu, gemm, types, error);
    plan(*kernel, is_kept ? kept->picked : -1, given, out);
    if (!is_kept) {
        kept->picked = out->picked;
        kept->kernel = *kernel + 1;
    }
    out->expected_us = kept->us;
    out->lengthy = kept->us > LENGTHY_US;
    return GRADUS_OK;
}

/* Is one launch for the whole batch expected to be faster than one launch for each product? Both
 * times come from the cost models alone, since their errors are then alike. */
static bool is_faster(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                      const struct gr_device_given *given)
{
    struct gr_device_plan plan;
    struct gr_device_given one = *given;
    bool types = false;
    double all, each;
    one.batch = 1;
    return find_least(gpu, NULL, gemm, given, &plan, &types, &all) >= 0 &&
           (find_least(gpu, NULL, gemm, &one, &plan, &types, &each) < 0 ||
            all < (double)given->batch * each);
}

int64_t gr_device_at_once(const struct gr_device_gpu *gpu, const struct gradus_gemm *gemm,
                          const struct gr_device_given *given)
{
    enum { MOST = 65535 }; /* limit of the grid's z dimension */
    struct kept *kept = kept_of(gpu, gemm, given);
    const int64_t launches = gr_device_cdiv(given->batch, MOST);
    if (!kept->at_once)
        kept->at_once = is_faster(gpu, gemm, given) ? gr_device_cdiv(given->batch, launches) : 1;
    return kept->at_once;
}
