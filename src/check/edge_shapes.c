/* edge_shapes.c: the list of edge shapes. SPDX-License-Identifier: MIT */
#include "check/edge_shapes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct gr_edge_shape common[] = {
    {1, 1, 1, 0},    {1, 17, 33, 0},    {17, 1, 33, 5},    {17, 33, 1, 0},   {2, 3, 5, 1},
    {7, 13, 11, 0},  {31, 32, 33, 0},   {33, 31, 32, 7},   {63, 65, 64, 0},  {64, 64, 64, 0},
    {64, 64, 64, 8}, {65, 63, 127, 3},  {96, 40, 200, 0},  {5, 130, 9, 0},   {130, 5, 9, 1},
    {3, 3, 257, 0},  {127, 129, 65, 0}, {129, 127, 31, 9}, {97, 101, 103, 0}};

int gr_edge_shapes(const struct gr_variant *v, struct gr_edge_shape shapes[GR_EDGE_SHAPES])
{
    int count = (int)(sizeof common / sizeof *common);
    memcpy(shapes, common, sizeof common);
    for (int i = 0; v && i < v->kernel->param_count; i++) {
        int64_t tile = v->params[i];
        for (int step = tile > 0 ? -1 : 1;
             step <= 1 && tile >= 0 && tile <= 1024 && count + 3 <= GR_EDGE_SHAPES; step += 2) {
            shapes[count++] = (struct gr_edge_shape){tile + step, 19, 17, 0};
            shapes[count++] = (struct gr_edge_shape){18, tile + step, 21, 3};
            shapes[count++] = (struct gr_edge_shape){20, 22, tile + step, 0};
        }
    }
    return count;
}

void gr_edge_name(struct gr_edge_shape shape, const struct gr_variant *v, char name[64])
{
    bool mirrored = v && v->kernel->mirrored;
    snprintf(name, 64, "%" PRId64 "x%" PRId64 "x%" PRId64, mirrored ? shape.n : shape.m,
             mirrored ? shape.m : shape.n, shape.k);
}

struct gr_problem gr_edge_problem(struct gr_edge_shape shape, const struct gr_problem *like)
{
    struct gr_problem p =
        gr_problem_dense(shape.m, shape.n, shape.k, like->trans_a, like->trans_b, like->types);
    p.lda += shape.pad;
    p.ldb += shape.pad ? shape.pad + 2 : 0;
    p.ldc += shape.pad ? shape.pad + 1 : 0;
    p.alpha = 1;
    p.beta = 0;
    return p;
}
