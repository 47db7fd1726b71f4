/* dist_cyclic.c: converts ScaLAPACK's descriptors to layouts, and describes submatrices of them.
 * SPDX-License-Identifier: MIT */
#include "dist/dist_layout.h"

#include "core/error.h"

#include <inttypes.h>

/* The entries of a descriptor, including those that only DTYPE 2 has. */
enum { DTYPE, CTXT, M, N, IMB, INB, MB, NB, RSRC, CSRC, LLD, ENTRIES };
enum { DTYPE_PLAIN = 1, DTYPE_FIRST = 2 };

static void expand(const int *desc, int entries[ENTRIES])
{
    const bool plain = desc[0] != DTYPE_FIRST;
    for (int i = 0; i < ENTRIES; i++)
        entries[i] = desc[plain && i >= MB ? i - 2 : i];
}

int gr_dist_desc_lld(const int *desc)
{
    return desc[desc[0] == DTYPE_FIRST ? LLD : LLD - 2];
}

enum gradus_status gr_dist_layout_from_desc(const int *desc, int64_t grid_rows, int64_t grid_cols,
                                            struct gr_dist_layout *layout,
                                            struct gradus_error *error)
{
    static const char *const names[ENTRIES] = {"DTYPE", "CTXT", "M",    "N",    "IMB", "INB",
                                               "MB",    "NB",   "RSRC", "CSRC", "LLD"};
    static const int least[ENTRIES] = {DTYPE_PLAIN,   INT32_MIN,     0, 0, 1, 1, 1, 1,
                                       GR_DIST_EVERY, GR_DIST_EVERY, 1};
    int entries[ENTRIES];
    if (grid_rows < 1 || grid_cols < 1)
        return gr_fail(error, GRADUS_INVALID,
                       "descriptor: found a grid of %" PRId64 "x%" PRId64
                       " ranks, wanted 1 or more",
                       grid_rows, grid_cols);
    expand(desc, entries);
    for (int i = 0; i < ENTRIES; i++) {
        const int64_t most = i == DTYPE  ? DTYPE_FIRST
                             : i == RSRC ? grid_rows - 1
                             : i == CSRC ? grid_cols - 1
                                         : INT32_MAX;
        const bool absent = desc[0] == DTYPE_PLAIN && (i == IMB || i == INB);
        if (!absent && (entries[i] < least[i] || entries[i] > most))
            return gr_fail(error, GRADUS_INVALID, "descriptor: %s: found %d, wanted %d to %" PRId64,
                           names[i], entries[i], least[i], most);
    }
    *layout = gr_dist_layout_blocked(entries[M], entries[N], grid_rows, grid_cols);
    layout->kind = GR_DIST_CYCLIC;
    layout->col_major = true;
    for (int x = 0; x < 2; x++) {
        layout->block[x] = entries[MB + x];
        layout->first[x] = desc[0] == DTYPE_FIRST ? entries[IMB + x] : 0;
        layout->source[x] = entries[RSRC + x];
    }
    return GRADUS_OK;
}

struct gr_dist_layout gr_dist_layout_part(const struct gr_dist_layout *layout,
                                          const int64_t begin[2], const int64_t size[2])
{
    struct gr_dist_layout part = *layout;
    part.rows = size[GR_DIST_ROWS];
    part.cols = size[GR_DIST_COLS];
    for (int x = 0; x < 2; x++) {
        const int64_t block = layout->block[x];
        const int64_t first = layout->first[x] ? layout->first[x] : block;
        const int64_t beyond = begin[x] - first; /* the end of the first block */
        if (layout->source[x] == GR_DIST_EVERY)
            continue;
        part.first[x] = beyond < 0 ? -beyond : block - beyond % block;
        if (beyond >= 0)
            part.source[x] = (layout->source[x] + 1 + beyond / block) % layout->grid[x];
    }
    return part;
}

int64_t gr_dist_local_before(const struct gr_dist_layout *layout, int64_t rank,
                             enum gr_dist_axis axis, int64_t index)
{
    struct gr_dist_layout before = *layout;
    if (axis == GR_DIST_ROWS)
        before.rows = index;
    else
        before.cols = index;
    return gr_dist_local_size(&before, rank, axis);
}
