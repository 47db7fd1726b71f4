/* gemm_paths.c: which way a product of float or double goes: by its shape, its strides and what was
 * packed beforehand. SPDX-License-Identifier: MIT
 *
 * The bits of a result go by gr_gemm_depth, the blocks of k, and that by the shape alone: paths with
 * the same blocks give the same bits, and a choice among them may look at anything. */
#include "cpu/gemm_blocks.h"
#include "cpu/dispatch.h"

/* Up to 96^3 a packed copy is read too few times to earn back what it costs, and a second thread
 * takes longer to wake than it saves. */
static const double SMALL = GR_THREADS_PAY;
/* Up to 384^3 operands that lie well are as fast where they are; up to 160^3 where the rows of B are
 * not whole cache lines, and every other load of a vector takes in two. */
static const double MIDDLING = 384.0 * 384.0 * 384.0, MIDDLING_UNALIGNED = 160.0 * 160.0 * 160.0;
/* Rows this many bytes apart, or a multiple of it, share so few sets of L1 that a tile's rows drive
 * one another out. */
enum { CONFLICTING_BYTES = 2048, LINE_BYTES = 64 };

static double work_of(const struct product *p)
{
    return (double)p->m * (double)p->n * (double)p->k;
}

/* The micro-kernel loads whole vectors along j, so the columns of B must lie side by side. */
bool gr_gemm_is_small(const struct product *p)
{
    return p->b_col == 1 && work_of(p) <= SMALL;
}

int64_t gr_gemm_depth(const struct product *p)
{
    return gr_gemm_is_small(p) ? p->k : gr_even_part(p->k, p->ukr->kc);
}

static bool conflicts(const struct product *p, int64_t stride)
{
    return stride * p->bytes % CONFLICTING_BYTES == 0;
}

enum path { UNPACKED, PACKED };

static enum path path_of(const struct product *p)
{
    if (p->a_panels || p->b_panels)
        return PACKED;
    if (gr_gemm_is_small(p))
        return UNPACKED;
    const double most = p->b_row * p->bytes % LINE_BYTES ? MIDDLING_UNALIGNED : MIDDLING;
    if (p->b_col == 1 && p->k <= p->ukr->kc && work_of(p) <= most && !conflicts(p, p->b_row) &&
        !(p->a_col == 1 && conflicts(p, p->a_row)))
        return UNPACKED;
    return PACKED;
}

void gr_gemm_float(const struct product *p, struct workspace *workspace)
{
    if (path_of(p) == UNPACKED)
        gr_gemm_unpacked(p, workspace->team);
    else
        gr_gemm_packed(p, workspace);
}

int64_t gr_gemm_float_bytes(const struct product *p, int threads)
{
    return path_of(p) == UNPACKED ? 0 : gr_gemm_packed_bytes(p, threads);
}

void gr_gemm_describe(const struct product *p, int threads, struct gr_dispatch *d)
{
    if (path_of(p) == UNPACKED) {
        d->path = "unpacked";
        d->why = "so small that a packed copy would be read too few times to pay, and the columns "
                 "of B lie side by side, as the micro-kernel asks";
        d->tasks = gr_gemm_unpacked_tasks(p, threads);
        return;
    }
    d->path = "packed";
    d->why = "each packed panel is read often enough to pay for the copy";
    if (p->a_panels || p->b_panels)
        d->why = "an operand was packed beforehand";
    else if (p->b_col != 1)
        d->why = "the columns of B do not lie side by side, as the micro-kernel asks, until they "
                 "are packed";
    gr_gemm_packed_describe(p, threads, d);
}
