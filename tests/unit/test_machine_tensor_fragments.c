/* test_machine_tensor_fragments.c: the layouts of fragments against the formulas of the PTX guide,
 * which gives one for each shape; and loads and transpositions of matrices against them.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "machine/matrix_fragments.h"

#include <stdlib.h>
#include <string.h>

/* Element i of a lane's A: its row and column in each shape, as the guide words it. */
typedef void place_fn(int g, int t, int i, int *row, int *column);
static void a_1688_f16(int g, int t, int i, int *row, int *column)
{
    *row = i < 2 ? g : g + 8;
    *column = t * 2 + (i & 1);
}
static void a_16816_f16(int g, int t, int i, int *row, int *column)
{
    *row = i < 2 || (i >= 4 && i < 6) ? g : g + 8;
    *column = t * 2 + (i & 1) + (i < 4 ? 0 : 8);
}
static void a_1688_tf32(int g, int t, int i, int *row, int *column)
{
    *row = i == 0 || i == 2 ? g : g + 8;
    *column = i == 0 || i == 1 ? t : t + 4;
}
static void a_16832_s8(int g, int t, int i, int *row, int *column)
{
    *row = i < 4 || (i >= 8 && i < 12) ? g : g + 8;
    *column = t * 4 + (i & 3) + (i < 8 ? 0 : 16);
}
static void a_16816_s8(int g, int t, int i, int *row, int *column)
{
    *row = i < 4 ? g : g + 8;
    *column = t * 4 + (i & 3);
}
static void a_16864_s4(int g, int t, int i, int *row, int *column)
{
    *row = i < 8 || (i >= 16 && i < 24) ? g : g + 8;
    *column = t * 8 + (i & 7) + (i < 16 ? 0 : 32);
}
static void a_8816_s8(int g, int t, int i, int *row, int *column)
{
    *row = g;
    *column = t * 4 + i;
}
static void a_884_f64(int g, int t, int i, int *row, int *column)
{
    (void)i;
    *row = g;
    *column = t;
}
/* B: `row` is the column of B, `column` is k. */
static void b_16816_f16(int g, int t, int i, int *row, int *column)
{
    *row = g;
    *column = t * 2 + (i & 1) + (i < 2 ? 0 : 8);
}
static void b_16832_s8(int g, int t, int i, int *row, int *column)
{
    *row = g;
    *column = t * 4 + (i & 3) + (i < 4 ? 0 : 16);
}
static void b_168256_b1(int g, int t, int i, int *row, int *column)
{
    *row = g;
    *column = t * 32 + (i & 31) + (i < 32 ? 0 : 128);
}

static void factors(void **state)
{
    (void)state;
    static const struct {
        int rows, k, bits;
        place_fn *place;
    } shapes[] = {
        {16, 8, 16, a_1688_f16}, {16, 16, 16, a_16816_f16}, {16, 8, 32, a_1688_tf32},
        {16, 32, 8, a_16832_s8}, {16, 16, 8, a_16816_s8},   {16, 64, 4, a_16864_s4},
        {8, 16, 8, a_8816_s8},   {8, 4, 64, a_884_f64},     {8, 16, 16, b_16816_f16},
        {8, 32, 8, b_16832_s8},  {8, 256, 1, b_168256_b1},
    };
    for (size_t n = 0; n < sizeof shapes / sizeof shapes[0]; n++) {
        int rows = shapes[n].rows, k = shapes[n].k, bits = shapes[n].bits;
        gr_lanes registers[8];
        for (int r = 0; r < 8; r++)
            for (int lane = 0; lane < 32; lane++)
                registers[r][lane] = (uint32_t)rand() * 77777u + (uint32_t)rand();
        static uint32_t out[16 * 256];
        memset(out, 0xee, sizeof out);
        gr_fragment_factors((const gr_lanes *)registers, rows, k, bits, out);
        for (int lane = 0; lane < 32; lane++) {
            for (int i = 0; i < rows * k / 32; i++) {
                int row, column, bit = i * bits;
                shapes[n].place(lane / 4, lane % 4, i, &row, &column);
                uint32_t wanted = registers[bit / 32][lane] >> bit % 32;
                if (bits < 32)
                    wanted &= (1u << bits) - 1;
                const uint32_t *is = out + (row * k + column) * (bits == 64 ? 2 : 1);
                assert_int_equal(is[0], wanted);
                if (bits == 64)
                    assert_int_equal(is[1], registers[bit / 32 + 1][lane]);
            }
        }
    }
}

static void accumulators(void **state)
{
    (void)state;
    static const struct {
        int rows, bits;
    } shapes[] = {{16, 32}, {16, 16}, {8, 32}, {8, 64}, {16, 64}};
    for (size_t n = 0; n < sizeof shapes / sizeof shapes[0]; n++) {
        int rows = shapes[n].rows, bits = shapes[n].bits, count = rows / 4;
        gr_lanes registers[8], copy[8];
        for (int r = 0; r < 8; r++)
            for (int lane = 0; lane < 32; lane++)
                registers[r][lane] = (uint32_t)rand() * 77777u + (uint32_t)rand();
        uint32_t words[16 * 8 * 2];
        gr_fragment_read((const gr_lanes *)registers, rows, bits, words);
        for (int lane = 0; lane < 32; lane++) {
            for (int i = 0; i < count; i++) {
                int row = i < 2 ? lane / 4 : lane / 4 + 8, column = lane % 4 * 2 + (i & 1);
                uint32_t wanted = bits == 16   ? registers[i / 2][lane] >> 16 * (i % 2) & 0xffff
                                  : bits == 32 ? registers[i][lane]
                                               : registers[2 * i][lane];
                assert_int_equal(words[(row * 8 + column) * (bits == 64 ? 2 : 1)], wanted);
            }
        }
        /* Written back, what was read is unchanged; lanes that are not active keep their own. */
        memset(copy, 0x55, sizeof copy);
        gr_fragment_write(copy, rows, bits, words, 0xfffffff6);
        for (int r = 0; r < count * bits / 32; r++)
            for (int lane = 0; lane < 32; lane++)
                assert_int_equal(copy[r][lane],
                                 lane == 0 || lane == 3 ? 0x55555555 : registers[r][lane]);
    }
}

/* A row-major matrix of 16 x 16 fp16, loaded as kernels do, is the fragment A of 16816; and the
 * same bytes as a row-major B, loaded transposed, are its fragment B. */
static void loads(void **state)
{
    (void)state;
    uint16_t memory[16][16];
    for (int i = 0; i < 256; i++)
        memory[i / 16][i % 16] = (uint16_t)(1000 + i);
    gr_lanes a[4], b[4];
    for (int reg = 0; reg < 4; reg++) {
        for (int lane = 0; lane < 32; lane++) {
            for (int transposed = 0; transposed < 2; transposed++) {
                struct gr_matrix_pieces p = gr_matrix_pieces_of(transposed, reg, lane);
                uint8_t bytes[4];
                assert_int_equal(p.count * p.bytes, 4);
                for (int i = 0; i < p.count; i++) {
                    /* Lane l gives the address of row l % 16, of its left or right half. */
                    int l = p.row[i];
                    memcpy(bytes + i * p.bytes,
                           (uint8_t *)&memory[l % 16][l / 16 * 8] + p.offset[i], p.bytes);
                }
                memcpy(transposed ? &b[reg][lane] : &a[reg][lane], bytes, 4);
            }
        }
    }
    uint32_t out[256];
    gr_fragment_factors((const gr_lanes *)a, 16, 16, 16, out);
    for (int i = 0; i < 256; i++)
        assert_int_equal(out[i], memory[i / 16][i % 16]);
    gr_fragment_factors((const gr_lanes *)b, 8, 16, 16, out); /* columns 0 to 7 of B */
    for (int j = 0; j < 8; j++)
        for (int k = 0; k < 16; k++)
            assert_int_equal(out[j * 16 + k], memory[k][j]);
    gr_fragment_factors((const gr_lanes *)b + 2, 8, 16, 16, out);
    for (int j = 0; j < 8; j++)
        for (int k = 0; k < 16; k++)
            assert_int_equal(out[j * 16 + k], memory[k][8 + j]);
    assert_int_equal(gr_matrix_rows(1), 0xff);
    assert_int_equal(gr_matrix_rows(2), 0xffff);
    assert_int_equal(gr_matrix_rows(4), 0xffffffff);
}

static void transposition(void **state)
{
    (void)state;
    gr_lanes from, to;
    for (int lane = 0; lane < 32; lane++) /* element (row, column) is 8 row + column */
        from[lane] = (uint32_t)(2 * lane) | (uint32_t)(2 * lane + 1) << 16;
    gr_matrix_transpose(from, to);
    for (int lane = 0; lane < 32; lane++) {
        uint32_t row = (uint32_t)lane / 4, column = (uint32_t)lane % 4 * 2;
        assert_int_equal(to[lane], (column * 8 + row) | ((column + 1) * 8 + row) << 16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors),
        cmocka_unit_test(accumulators),
        cmocka_unit_test(loads),
        cmocka_unit_test(transposition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
