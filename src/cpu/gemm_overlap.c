/* gemm_overlap.c: finds whether C shares an element with A, B or the bias.
 * SPDX-License-Identifier: MIT
 *
 * Submatrices of one large matrix may be interleaved in memory without sharing elements, so
 * comparing ranges of addresses is not enough. The rows of a matrix begin at multiples of a stride,
 * and those of a batch at sums of multiples of two strides. A row of one matrix and a row of the
 * other share an element if their distance,
 *
 *     at + i*lda + z*stride_a - j*ldc - w*stride_c,
 *
 * is less than the length of a row. For the largest stride, only a few factors, mostly one or two,
 * leave a distance that the other strides can still compensate; the next largest stride is treated
 * in the same way. Equal strides are merged. */
#include "cpu/gemm.h"
#include "cpu/operands.h"

/* A stride in bytes, and the least and the largest factor of it. */
struct steps {
    int64_t stride, least, most;
};

enum { MOST_STEPS = 4 };

/* Larger than any memory. Sums of larger spans would overflow. */
static const int64_t BEYOND_MEMORY = (int64_t)1 << 58;

static int64_t floor_of(int64_t x, int64_t y)
{
    return x / y - (x % y < 0);
}

/* Whether `at` and a multiple of each stride can add up to more than `below` and less than `above`.
 */
static bool reaches(const struct steps *steps, int count, int64_t at, int64_t below, int64_t above)
{
    if (count == 0)
        return at > below && at < above;
    int64_t down = 0, up = 0; /* the range that the other strides can add */
    for (int i = 1; i < count; i++) {
        down += steps[i].stride * steps[i].least;
        up += steps[i].stride * steps[i].most;
    }
    int64_t first = floor_of(below - up - at, steps->stride) + 1;
    int64_t last = -floor_of(at + down - above, steps->stride) - 1;
    first = first > steps->least ? first : steps->least;
    last = last < steps->most ? last : steps->most;
    for (int64_t i = first; i <= last; i++)
        if (reaches(steps + 1, count - 1, at + i * steps->stride, below, above))
            return true;
    return false;
}

/* Adds a stride to the list, which is sorted from the largest stride to the smallest. */
static int add(struct steps *all, int count, int64_t stride, int64_t least, int64_t most)
{
    if (stride == 0 || least == most)
        return count;
    int i = 0;
    while (i < count && all[i].stride > stride)
        i++;
    if (i < count && all[i].stride == stride) {
        all[i].least += least, all[i].most += most;
        return count;
    }
    for (int j = count; j > i; j--)
        all[j] = all[j - 1];
    all[i] = (struct steps){stride, least, most};
    return count + 1;
}

static int64_t span_of(const struct gr_operand *x, int64_t batch)
{
    const int64_t bytes = gr_gemm_type_bytes(x->type);
    return ((x->rows - 1) * x->ld + x->cols + (batch - 1) * x->stride) * bytes;
}

/* Whether any of `batch` matrices at x_at shares an element with any of those at c_at. */
static bool share(const struct gr_operand *x, const void *x_at, const struct gr_operand *c,
                  const void *c_at, int64_t batch)
{
    const int64_t x_bytes = gr_gemm_type_bytes(x->type), c_bytes = gr_gemm_type_bytes(c->type);
    const int64_t x_span = span_of(x, batch), c_span = span_of(c, batch);
    const int64_t at = (int64_t)((uintptr_t)x_at - (uintptr_t)c_at);
    if (at >= c_span || at <= -x_span || x_span > BEYOND_MEMORY || c_span > BEYOND_MEMORY)
        return false;
    struct steps steps[MOST_STEPS];
    int count = add(steps, 0, x->ld * x_bytes, 0, x->rows - 1);
    count = add(steps, count, x->stride * x_bytes, 0, batch - 1);
    count = add(steps, count, c->ld * c_bytes, 1 - c->rows, 0);
    count = add(steps, count, c->stride * c_bytes, 1 - batch, 0);
    return reaches(steps, count, at, -x->cols * x_bytes, c->cols * c_bytes);
}

static const void *matrix_at(const struct gr_operand *x, int64_t i)
{
    return x->array ? x->array[i]
                    : (const char *)x->address + i * x->stride * gr_gemm_type_bytes(x->type);
}

static bool any_shared(const struct gr_operand *x, const struct gr_operand *c, int64_t batch)
{
    if (x->packed || c->is_far || x->rows == 0 || x->cols == 0)
        return false;
    if (!x->array && !c->array)
        return share(x, x->address, c, c->address, batch);
    for (int64_t i = 0; i < batch; i++)
        if (share(x, matrix_at(x, i), c, matrix_at(c, i), 1))
            return true;
    return false;
}

const char *gr_gemm_shared_with_c(const struct gradus_gemm *g)
{
    struct gr_operand x[3];
    gr_gemm_operands(g, x);
    const int64_t batch = g->batch > 1 ? g->batch : 1;
    if (g->m == 0 || g->n == 0)
        return NULL;
    for (int i = 0; i < 2; i++)
        if (g->alpha != 0 && g->k > 0 && any_shared(&x[i], &x[2], batch))
            return x[i].name;
    if (!g->epilogue || !g->epilogue->bias)
        return NULL;
    const int64_t count = g->epilogue->bias_per_row ? g->m : g->n;
    const struct gr_operand bias = {
        .name = "epilogue->bias",
        .type = g->sum_type,
        .address = g->epilogue->bias,
        .rows = 1,
        .cols = count,
        .ld = count,
    };
    return any_shared(&bias, &x[2], batch) ? bias.name : NULL;
}
