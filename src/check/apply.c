/* apply.c: multiplies a matrix by a block of vectors, for Freivalds' check.
 * SPDX-License-Identifier: MIT */
#include "check/product.h"
#include "check/split.h"
#include "check/wide.h"

#include <string.h>

enum { CHUNK = 256 };

struct job {
    const struct gr_view *view;
    gr_bundle *in, *out;
};

/* out += sum over i of values[i] in[i]: one line of the matrix times all vectors. */
GR_INLINE void gather_body(int64_t count, const double *values, gr_bundle *in, double *out)
{
    double sum[GR_VECTORS];
    memcpy(sum, out, sizeof sum);
    for (int64_t i = 0; i < count; i++)
        for (int v = 0; v < GR_VECTORS; v++)
            sum[v] += values[i] * in[i][v];
    memcpy(out, sum, sizeof sum);
}

/* out[i] += values[i] in for each i: one position of many lines. */
GR_INLINE void scatter_body(int64_t count, const double *values, const double *in, gr_bundle *out)
{
    for (int64_t i = 0; i < count; i++)
        for (int v = 0; v < GR_VECTORS; v++)
            out[i][v] += values[i] * in[v];
}

/* Processes lines [begin, end). A matrix whose lines are contiguous is read line by line;
 * otherwise CHUNK lines are read at a time, so that their results stay in the cache. */
GR_INLINE void apply_body(const struct job *job, int64_t begin, int64_t end)
{
    const struct gr_view *view = job->view;
    struct gr_view transposed = gr_view_transposed(*view);
    double values[CHUNK];
    memset(job->out + begin, 0, (size_t)(end - begin) * sizeof *job->out);
    if (view->step == 1) {
        for (int64_t line = begin; line < end; line++) {
            for (int64_t from = 0; from < view->length; from += CHUNK) {
                int64_t count = view->length - from < CHUNK ? view->length - from : CHUNK;
                gr_view_read(view, line, from, count, values);
                gather_body(count, values, job->in + from, job->out[line]);
            }
        }
        return;
    }
    for (int64_t line = begin; line < end; line += CHUNK) {
        int64_t count = end - line < CHUNK ? end - line : CHUNK;
        for (int64_t p = 0; p < view->length; p++) {
            gr_view_read(&transposed, p, line, count, values);
            scatter_body(count, values, job->in[p], job->out + line);
        }
    }
}

static void apply_base(const struct job *job, int64_t begin, int64_t end)
{
    apply_body(job, begin, end);
}

GR_WIDE static void apply_wide(const struct job *job, int64_t begin, int64_t end)
{
    apply_body(job, begin, end);
}

static bool apply_part(void *context, int64_t begin, int64_t end)
{
    if (gr_wide_runs())
        apply_wide(context, begin, end);
    else
        apply_base(context, begin, end);
    return true;
}

void gr_apply(const struct gr_view *view, gr_bundle *in, int threads, gr_bundle *out)
{
    struct job job = {view, in, out};
    gr_split(threads, view->lines, 1, apply_part, &job);
}
