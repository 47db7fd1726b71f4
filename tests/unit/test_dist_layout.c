/* test_dist_layout.c: layouts of matrices over ranks, and what is sent from one to another.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "dist/dist_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t draw(struct gr_rng *rng, int64_t from, int64_t to)
{
    return from + (int64_t)(gr_rng_next(rng) % (uint64_t)(to - from + 1));
}

/* By a descriptor of 9 or of 11 entries, replicated along an axis now and then. */
static struct gr_dist_layout draw_cyclic(struct gr_rng *rng, int64_t rows, int64_t cols,
                                         int64_t grid_rows, int64_t grid_cols)
{
    const int mb = (int)draw(rng, 1, 9), nb = (int)draw(rng, 1, 9);
    const int rsrc = (int)draw(rng, draw(rng, 0, 3) ? 0 : GR_DIST_EVERY, grid_rows - 1);
    const int csrc = (int)draw(rng, draw(rng, 0, 3) ? 0 : GR_DIST_EVERY, grid_cols - 1);
    const int plain[9] = {1, -1, (int)rows, (int)cols, mb, nb, rsrc, csrc, 1};
    const int with_first[11] = {
        2,  -1,   (int)rows, (int)cols, (int)draw(rng, 1, 14), (int)draw(rng, 1, 14), mb,
        nb, rsrc, csrc,      1};
    struct gr_dist_layout layout;
    assert_int_equal(gr_dist_layout_from_desc(draw(rng, 0, 1) ? plain : with_first, grid_rows,
                                              grid_cols, &layout, NULL),
                     GRADUS_OK);
    return layout;
}

/* How many ranks have each element. */
static int64_t copies_of(const struct gr_dist_layout *layout)
{
    if (layout->kind == GR_DIST_REPLICATED)
        return layout->ranks;
    int64_t copies = 1;
    for (int axis = 0; axis < 2; axis++)
        if (layout->kind == GR_DIST_CYCLIC && layout->source[axis] == GR_DIST_EVERY)
            copies *= layout->grid[axis];
    return copies;
}

/* A layout of any kind; *plan is filled in for a planned one. */
static struct gr_dist_layout draw_layout(struct gr_rng *rng, int64_t rows, int64_t cols,
                                         struct gr_dist_plan *plan)
{
    struct gr_dist_layout layout;
    const int64_t grid_rows = draw(rng, 1, 4), grid_cols = draw(rng, 1, 4);
    switch (draw(rng, 0, 4)) {
    case 0:
        return gr_dist_layout_replicated(rows, cols, draw(rng, 1, 6));
    case 1:
        layout = gr_dist_layout_blocked(rows, cols, grid_rows, grid_cols);
        layout.grid_by_cols = draw(rng, 0, 1) == 1;
        layout.col_major = draw(rng, 0, 1) == 1;
        break;
    case 2: {
        const enum gr_dist_operand operand = (enum gr_dist_operand)draw(rng, 0, 2);
        const int64_t other = draw(rng, 0, 30);
        const struct gr_dist_problem problems[] = {
            {rows, other, cols, 4}, {other, cols, rows, 4}, {rows, cols, other, 4}};
        const struct gr_dist_machine machine = {12, 0, 1e9, 1e9, 1e9, 0, false, false, 0, 0};
        const int64_t grid[3] = {draw(rng, 1, 3), draw(rng, 1, 2), draw(rng, 1, 2)};
        assert_int_equal(gr_dist_plan_grid(&problems[operand], &machine, grid, plan, NULL),
                         GRADUS_OK);
        return gr_dist_layout_planned(plan, operand);
    }
    default:
        return draw_cyclic(rng, rows, cols, grid_rows, grid_cols);
    }
    return layout;
}

/* The local arrays of all ranks, packed one after another, dense in the layout's order. */
struct arrays {
    struct gr_dist_layout layout;
    int64_t *elements, *begin; /* begin[ranks] is the end */
};

static int64_t *at(const struct arrays *x, int64_t rank, int64_t row, int64_t col)
{
    const int64_t rows = gr_dist_local_size(&x->layout, rank, GR_DIST_ROWS);
    const int64_t cols = gr_dist_local_size(&x->layout, rank, GR_DIST_COLS);
    assert_in_range(row, 0, rows - 1);
    assert_in_range(col, 0, cols - 1);
    return x->elements + x->begin[rank] +
           (x->layout.col_major ? col * rows + row : row * cols + col);
}

static struct arrays make_arrays(struct gr_dist_layout layout)
{
    struct arrays x = {.layout = layout};
    x.begin = calloc((size_t)layout.ranks + 1, sizeof *x.begin);
    for (int64_t rank = 0; rank < layout.ranks; rank++)
        x.begin[rank + 1] = x.begin[rank] + gr_dist_local_size(&layout, rank, GR_DIST_ROWS) *
                                                gr_dist_local_size(&layout, rank, GR_DIST_COLS);
    x.elements = malloc(((size_t)x.begin[layout.ranks] + 1) * sizeof *x.elements);
    for (int64_t i = 0; i < x.begin[layout.ranks]; i++)
        x.elements[i] = -1;
    return x;
}

static void free_arrays(struct arrays *x)
{
    free(x->elements);
    free(x->begin);
}

/* Writes or compares each element's global number, by the spans. Returns how many there are. */
static int64_t visit(struct arrays *x, bool write)
{
    int64_t visited = 0;
    const struct gr_dist_layout *const layout = &x->layout;
    for (int64_t rank = 0; rank < layout->ranks; rank++) {
        const int64_t rows = gr_dist_span_count(layout, rank, GR_DIST_ROWS);
        const int64_t cols = gr_dist_span_count(layout, rank, GR_DIST_COLS);
        for (int64_t i = 0; i < rows * cols; i++) {
            const struct gr_dist_span r = gr_dist_span_at(layout, rank, GR_DIST_ROWS, i / cols);
            const struct gr_dist_span c = gr_dist_span_at(layout, rank, GR_DIST_COLS, i % cols);
            for (int64_t row = r.begin; row < r.end; row++)
                for (int64_t col = c.begin; col < c.end; col++) {
                    int64_t *const e =
                        at(x, rank, r.local + row - r.begin, c.local + col - c.begin);
                    if (write)
                        *e = row * layout->cols + col;
                    assert_int_equal(*e, row * layout->cols + col);
                    visited++;
                }
        }
    }
    return visited;
}

/* Sends all that there is to send; an element that comes twice, or from where none is, fails. */
static int64_t redistribute(struct arrays *from, struct arrays *to)
{
    int64_t words = 0;
    for (int64_t s = 0; s < from->layout.ranks; s++)
        for (int64_t t = 0; t < to->layout.ranks; t++) {
            struct gr_dist_moves moves;
            assert_int_equal(gr_dist_moves_between(&from->layout, s, &to->layout, t, &moves, NULL),
                             GRADUS_OK);
            words += moves.words;
            for (int64_t i = 0; i < moves.count; i++) {
                const struct gr_dist_move m = moves.items[i];
                for (int64_t row = 0; row < m.rect.row_end - m.rect.row; row++)
                    for (int64_t col = 0; col < m.rect.col_end - m.rect.col; col++) {
                        int64_t *const e = at(to, t, m.to_row + row, m.to_col + col);
                        assert_int_equal(*e, -1);
                        *e = *at(from, s, m.from_row + row, m.from_col + col);
                    }
            }
            free(moves.items);
        }
    return words;
}

static void test_redistribution(void **state)
{
    (void)state;
    struct gr_rng rng = {.state = 4};
    for (int i = 0; i < 1500; i++) {
        const int64_t rows = draw(&rng, 0, 3) ? draw(&rng, 0, 40) : 1, cols = draw(&rng, 0, 40);
        struct gr_dist_plan plans[2];
        struct arrays from = make_arrays(draw_layout(&rng, rows, cols, &plans[0]));
        struct gr_dist_layout target = draw_layout(&rng, rows, cols, &plans[1]);
        if (i % 3 == 0) { /* twice transposed, it is what it was */
            struct gr_dist_layout t = draw_layout(&rng, cols, rows, &plans[1]);
            target = gr_dist_layout_transposed(&t);
            assert_int_equal(target.rows, rows);
        }
        struct arrays to = make_arrays(target);
        assert_int_equal(visit(&from, true), copies_of(&from.layout) * rows * cols);
        const int64_t words = redistribute(&from, &to);
        assert_int_equal(visit(&to, false), words);
        assert_int_equal(words, to.begin[to.layout.ranks]);
        free_arrays(&from);
        free_arrays(&to);
    }
}

/* A rank has the same elements of the transposed matrix, with rows and columns exchanged. */
static void test_transposed(void **state)
{
    (void)state;
    struct gr_rng rng = {.state = 10};
    for (int i = 0; i < 300; i++) {
        struct gr_dist_plan plan;
        const struct gr_dist_layout x = draw_layout(&rng, draw(&rng, 0, 40), 33, &plan);
        const struct gr_dist_layout y = gr_dist_layout_transposed(&x);
        assert_true(x.col_major != y.col_major);
        for (int64_t rank = 0; rank < x.ranks; rank++)
            for (int axis = GR_DIST_ROWS; axis <= GR_DIST_COLS; axis++) {
                const enum gr_dist_axis other = axis == GR_DIST_ROWS ? GR_DIST_COLS : GR_DIST_ROWS;
                const int64_t count = gr_dist_span_count(&x, rank, (enum gr_dist_axis)axis);
                assert_int_equal(count, gr_dist_span_count(&y, rank, other));
                for (int64_t s = 0; s < count; s++) {
                    const struct gr_dist_span a =
                        gr_dist_span_at(&x, rank, (enum gr_dist_axis)axis, s);
                    const struct gr_dist_span b = gr_dist_span_at(&y, rank, other, s);
                    assert_memory_equal(&a, &b, sizeof a);
                }
            }
    }
}

/* ScaLAPACK's own functions of an index: INDXG2P, INDXG2L and NUMROC, with 0 as the first. */
static int64_t owner_of(int64_t i, int64_t block, int64_t source, int64_t parts)
{
    return (source + i / block) % parts;
}

static int64_t local_of(int64_t i, int64_t block, int64_t parts)
{
    return block * (i / (block * parts)) + i % block;
}

static int64_t numroc(int64_t n, int64_t block, int64_t me, int64_t source, int64_t parts)
{
    const int64_t distance = (parts + me - source) % parts, blocks = n / block;
    const int64_t more = blocks % parts;
    return blocks / parts * block + (distance < more ? block : distance == more ? n % block : 0);
}

static void test_scalapack(void **state)
{
    (void)state;
    struct gr_rng rng = {.state = 5};
    for (int i = 0; i < 500; i++) {
        const int64_t n = draw(&rng, 0, 100), block = draw(&rng, 1, 12);
        const int64_t parts = draw(&rng, 1, 6), source = draw(&rng, 0, parts - 1);
        const int desc[9] = {1, 0, 7, (int)n, 3, (int)block, 0, (int)source, 7};
        struct gr_dist_layout layout;
        assert_int_equal(gr_dist_layout_from_desc(desc, 2, parts, &layout, NULL), GRADUS_OK);
        int64_t found = 0;
        for (int64_t rank = 0; rank < 2 * parts; rank++) {
            const int64_t me = rank % parts; /* ranks are row-major on the grid */
            assert_int_equal(gr_dist_local_size(&layout, rank, GR_DIST_COLS),
                             numroc(n, block, me, source, parts));
            const int64_t spans = gr_dist_span_count(&layout, rank, GR_DIST_COLS);
            for (int64_t s = 0; s < spans; s++) {
                const struct gr_dist_span x = gr_dist_span_at(&layout, rank, GR_DIST_COLS, s);
                for (int64_t j = x.begin; j < x.end; j++, found++) {
                    assert_int_equal(owner_of(j, block, source, parts), me);
                    assert_int_equal(local_of(j, block, parts), x.local + j - x.begin);
                }
            }
        }
        assert_int_equal(found, 2 * n);
    }
}

static void test_descriptor_refused(void **state)
{
    (void)state;
    static const int good[9] = {1, 0, 10, 10, 2, 2, 0, 0, 10};
    static const struct {
        int place, value;
        const char *text;
    } bad[] = {{0, 501, "DTYPE: found 501"}, {2, -1, "M: found -1"},
               {4, 0, "MB: found 0"},        {6, 2, "RSRC: found 2, wanted -1 to 1"},
               {7, 3, "CSRC: found 3"},      {8, 0, "LLD: found 0"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int desc[9];
        memcpy(desc, good, sizeof desc);
        desc[bad[i].place] = bad[i].value;
        struct gr_dist_layout layout;
        struct gradus_error error = {0};
        assert_int_equal(gr_dist_layout_from_desc(desc, 2, 3, &layout, &error), GRADUS_INVALID);
        if (!strstr(error.text, bad[i].text))
            fail_msg("found '%s', wanted '%s'", error.text, bad[i].text);
    }
}

/* The local index of a global one, by walking from block to block; -1: another rank's. */
static int64_t walk(const struct gr_dist_layout *x, int axis, int64_t me, int64_t index)
{
    int64_t owner = x->source[axis], left = x->first[axis] ? x->first[axis] : x->block[axis];
    int64_t mine = 0;
    if (owner == GR_DIST_EVERY)
        return index;
    for (int64_t i = 0;; i++, left--) {
        if (left == 0) {
            left = x->block[axis];
            owner = (owner + 1) % x->grid[axis];
        }
        if (i == index)
            return owner == me ? mine : -1;
        mine += owner == me;
    }
}

/* Each element of a part is where it is in the whole, also in a part of a part. */
static void test_parts(void **state)
{
    (void)state;
    struct gr_rng rng = {.state = 11};
    for (int i = 0; i < 400; i++) {
        const int64_t n = draw(&rng, 1, 60), begin = draw(&rng, 0, n), parts = draw(&rng, 1, 5);
        const int64_t size = draw(&rng, 0, n - begin), inner = draw(&rng, 0, size);
        const struct gr_dist_layout whole = draw_cyclic(&rng, 7, n, 2, parts);
        const struct gr_dist_layout part =
            gr_dist_layout_part(&whole, (int64_t[2]){0, begin}, (int64_t[2]){7, size});
        const struct gr_dist_layout last =
            gr_dist_layout_part(&part, (int64_t[2]){0, inner}, (int64_t[2]){7, size - inner});
        for (int64_t rank = 0; rank < 2 * parts; rank++) {
            const int64_t before = gr_dist_local_before(&whole, rank, GR_DIST_COLS, begin) +
                                   gr_dist_local_before(&part, rank, GR_DIST_COLS, inner);
            int64_t found = 0, wanted = 0;
            for (int64_t s = 0; s < gr_dist_span_count(&last, rank, GR_DIST_COLS); s++) {
                const struct gr_dist_span x = gr_dist_span_at(&last, rank, GR_DIST_COLS, s);
                for (int64_t j = x.begin; j < x.end; j++, found++)
                    assert_int_equal(before + x.local + j - x.begin,
                                     walk(&whole, 1, rank % parts, begin + inner + j));
            }
            for (int64_t j = begin + inner; j < begin + size; j++)
                wanted += walk(&whole, 1, rank % parts, j) >= 0;
            assert_int_equal(found, wanted);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_redistribution), cmocka_unit_test(test_transposed),
        cmocka_unit_test(test_scalapack),      cmocka_unit_test(test_descriptor_refused),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
