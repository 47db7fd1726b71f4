/* product.c: the float64 product, blocked and packed. SPDX-License-Identifier: MIT */
#include "check/product.h"

#include "check/split.h"
#include "check/wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tile of C is XR x YR. Packed blocks stay in the caches: those of Y in L2, those of X in L1
 * and L2. */
enum { XR = 4, YR = 8, KC = 256, XC = 64, YC = 256 };

typedef double quad __attribute__((vector_size(32)));

/* tile += the outer products of `count` packed columns, as eight independent sums of four. */
GR_INLINE void tile_body(int64_t count, const double *x, const double *y, double *tile)
{
    quad sum[XR][2] = {0};
    for (int64_t p = 0; p < count; p++, x += XR, y += YR) {
        quad left, right;
        memcpy(&left, y, sizeof left);
        memcpy(&right, y + 4, sizeof right);
        for (int i = 0; i < XR; i++) {
            quad factor = {x[i], x[i], x[i], x[i]};
            sum[i][0] += factor * left;
            sum[i][1] += factor * right;
        }
    }
    memcpy(tile, sum, sizeof sum);
}

static void tile_base(int64_t count, const double *x, const double *y, double *tile)
{
    tile_body(count, x, y, tile);
}

GR_WIDE static void tile_wide(int64_t count, const double *x, const double *y, double *tile)
{
    tile_body(count, x, y, tile);
}

/* Packs panels of `width` lines; within a panel the elements of one position are contiguous. The
 * last panel is filled with zeros. Reads in the direction in which the matrix is stored. */
static void pack(const struct gr_view *view, int64_t line, int64_t lines, int64_t from,
                 int64_t count, int width, bool absolute, double *out)
{
    double buffer[KC];
    if (lines % width)
        memset(out + lines / width * width * count, 0, (size_t)(width * count) * sizeof *out);
    struct gr_view transposed = gr_view_transposed(*view);
    bool along = view->step == 1;
    int64_t reads = along ? lines : count, length = along ? count : lines;
    for (int64_t r = 0; r < reads; r++) {
        gr_view_read(along ? view : &transposed, along ? line + r : from + r, along ? from : line,
                     length, buffer);
        if (absolute)
            for (int64_t i = 0; i < length; i++)
                buffer[i] = fabs(buffer[i]);
        if (along) {
            double *panel = out + r / width * width * count + r % width;
            for (int64_t p = 0; p < length; p++)
                panel[p * width] = buffer[p];
        } else {
            for (int64_t l = 0; l < length; l++)
                out[l / width * width * count + r * width + l % width] = buffer[l];
        }
    }
}

struct job {
    const struct gr_view *x, *y;
    bool absolute, by_y; /* by_y: Y, not X, is divided among the threads */
    double *out;
};

struct buffers {
    double x[XC * KC], y[YC * KC];
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Adds the product of the packed blocks to out at (i0, j0). */
static void multiply(const struct buffers *packed, int64_t count, int64_t ni, int64_t nj,
                     double *out, int64_t ld)
{
    void (*tile)(int64_t, const double *, const double *, double *) =
        gr_wide_runs() ? tile_wide : tile_base;
    for (int64_t j = 0; j < nj; j += YR) {
        for (int64_t i = 0; i < ni; i += XR) {
            double sums[XR][YR];
            tile(count, packed->x + i * count, packed->y + j * count, sums[0]);
            for (int64_t r = 0; r < least(XR, ni - i); r++)
                for (int64_t c = 0; c < least(YR, nj - j); c++)
                    out[(i + r) * ld + j + c] += sums[r][c];
        }
    }
}

static bool product_part(void *context, int64_t begin, int64_t end)
{
    const struct job *job = context;
    int64_t i0 = job->by_y ? 0 : begin, i1 = job->by_y ? job->x->lines : end;
    int64_t j0 = job->by_y ? begin : 0, j1 = job->by_y ? end : job->y->lines;
    int64_t k = job->x->length, ld = job->y->lines;
    struct buffers *packed = malloc(sizeof *packed);
    if (!packed)
        return false;
    for (int64_t j = j0; j < j1; j += YC) {
        int64_t nj = least(YC, j1 - j);
        for (int64_t p = 0; p < k; p += KC) {
            int64_t count = least(KC, k - p);
            pack(job->y, j, nj, p, count, YR, job->absolute, packed->y);
            for (int64_t i = i0; i < i1; i += XC) {
                int64_t ni = least(XC, i1 - i);
                pack(job->x, i, ni, p, count, XR, job->absolute, packed->x);
                multiply(packed, count, ni, nj, job->out + i * ld + j, ld);
            }
        }
    }
    free(packed);
    return true;
}

bool gr_product(const struct gr_view *x, const struct gr_view *y, bool absolute, int threads,
                double *out)
{
    bool by_y = x->lines < (int64_t)XC * threads;
    struct job job = {x, y, absolute, by_y, out};
    return gr_split(threads, by_y ? y->lines : x->lines, by_y ? YR : XR, product_part, &job);
}
