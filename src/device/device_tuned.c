/* device_tuned.c: corrects the cost models by measured times. SPDX-License-Identifier: MIT */
#include "device/device_tuned.h"

#include "cpu/gemm.h"
#include "device/device_model.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The distance between two compute capabilities. GPUs of the same generation (major version) are
 * nearer to each other than to any other. */
static int apart(int cc, int other)
{
    enum { GENERATION = 10, FAR = 1000 };
    return abs(cc - other) + FAR * abs(cc / GENERATION - other / GENERATION);
}

const struct gr_device_points *gr_device_tuned_find(const char *name, int cc, int sms)
{
    const struct gr_device_points *best = NULL;
    for (int i = 0; i < gr_device_points_count; i++) {
        const struct gr_device_points *p = &gr_device_points[i];
        if (strcmp(p->gpu, name) == 0)
            return p;
        const int nearer = best ? apart(best->cc, cc) - apart(p->cc, cc) : 1;
        if (nearer > 0 || (nearer == 0 && abs(p->sms - sms) < abs(best->sms - sms)))
            best = p;
    }
    return best;
}

/* For A, B and C, the number of elements in a vector of 16 bytes, minus 1. */
struct vectors {
    int64_t a, b, c;
};

static struct vectors vectors_of(const struct gr_device_kernel *kernel)
{
    enum { VECTOR = 16 };
    return (struct vectors){VECTOR / gr_gemm_type_bytes(kernel->a_type) - 1,
                            VECTOR / gr_gemm_type_bytes(kernel->b_type) - 1,
                            VECTOR / gr_gemm_type_bytes(kernel->c_type) - 1};
}

/* Returns a mask with one bit for each matrix whose rows do not all begin at a vector. */
static int odd_rows(const struct vectors *v, int64_t lda, int64_t ldb, int64_t ldc)
{
    return ((lda & v->a) != 0) | ((ldb & v->b) != 0) << 1 | ((ldc & v->c) != 0) << 2;
}

static struct gr_device_given given_at(const struct gr_device_points *points,
                                       const struct gr_device_point *p, int trans)
{
    return (struct gr_device_given){.m = p->m,
                                    .n = p->n,
                                    .k = p->k,
                                    .lda = trans & 2 ? p->m : p->k,
                                    .ldb = trans & 1 ? p->k : p->n,
                                    .ldc = p->n,
                                    .alpha = 1,
                                    .trans_a = trans >> 1,
                                    .trans_b = trans & 1,
                                    .sms = points->sms,
                                    .smem_max = points->smem_max,
                                    .cc = points->cc,
                                    .warp = points->warp,
                                    .batch = 1};
}

/* The logarithm of the measured time over the time that the model gives on the GPU of the table.
 * NaN: the kernel refuses the product. */
static double error_at(const struct gr_device_points *points, int index, int kernel, int trans)
{
    double error = atomic_load_explicit(&points->errors[index], memory_order_relaxed);
    if (error != 0)
        return error;
    const struct gr_device_kernel *one = &gr_device_kernels[kernel];
    const struct gr_device_cost *cost = gr_device_cost_of(one);
    const struct gr_device_given given = given_at(points, &points->points[index], trans);
    struct gr_device_plan plan = {0};
    error = NAN;
    if (cost && one->plan(&given, -1, &plan))
        error = log2(points->points[index].us / gr_device_model_us(cost, &given, &plan));
    atomic_store_explicit(&points->errors[index], error, memory_order_relaxed);
    return error;
}

static double square(double x)
{
    return x * x;
}

static double log_of(int64_t size)
{
    return log2((double)gr_device_max(size, 1));
}

double gr_device_tuned_factor(const struct gr_device_points *points, int kernel,
                              const struct gr_device_given *given)
{
    const struct vectors v = vectors_of(&gr_device_kernels[kernel]);
    const int ta = given->trans_a != 0, tb = given->trans_b != 0, trans = ta * 2 + tb;
    const int *first = &points->first[4 * kernel + trans];
    const double m = log_of(given->m), n = log_of(given->n), k = log_of(given->k);
    const int odd = odd_rows(&v, given->lda, given->ldb, given->ldc);
    double sum = 0, weights = 0;
    for (int i = first[0]; i < first[1]; i++) {
        const struct gr_device_point *p = &points->points[i];
        const int other = odd ^ odd_rows(&v, ta ? p->m : p->k, tb ? p->k : p->n, p->n);
        const double distance = square(m - p->log_m) + square(n - p->log_n) + square(k - p->log_k) +
                                (other & 1) + (other >> 1 & 1) + (other >> 2);
        const double error = error_at(points, i, kernel, trans);
        if (isnan(error))
            continue;
        if (distance == 0)
            return exp2(error);
        sum += error / square(distance);
        weights += 1 / square(distance);
    }
    return weights > 0 ? exp2(sum / weights) : 1;
}
