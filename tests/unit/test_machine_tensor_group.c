/* test_machine_tensor_group.c: products of a group of warps with operands in shared memory, which
 * is filled by the layouts as CUTLASS writes them. SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "machine/machine_wgmma.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY = 96 * 1024, B_AT = 32 * 1024, START = 0x400 };
static uint8_t shared[MEMORY];
static int a[64][32], b[256][32], c[64][256];
static gr_lanes registers[4][128], a_registers[4][4];

/* Small integers: in fp16, bf16, tf32, e4m3 and as they are. */
static uint32_t encoded(const struct gr_wgmma *g, int x)
{
    static const uint32_t f16[] = {0, 0x3c00, 0x4000, 0x4200}, bf16[] = {0, 0x3f80, 0x4000, 0x4040},
                          e4m3[] = {0, 0x38, 0x40, 0x44};
    uint32_t size = (uint32_t)abs(x), sign = x < 0;
    if (g->kind == GR_WGMMA_INTEGER)
        return (uint32_t)x & 0xff;
    switch (g->type_a) {
    case GR_TENSOR_F16:
        return f16[size] | sign << 15;
    case GR_TENSOR_BF16:
        return bf16[size] | sign << 15;
    case GR_TENSOR_TF32:
        return bf16[size] << 16 | sign << 31;
    default:
        return e4m3[size] | sign << 7;
    }
}

/* Element (row, k) of a matrix at `at`, in a layout: K-major, rows of `span` bytes in groups of 8,
 * which are `span` * 8 bytes apart; or transposed, 8 rows of k with `span` bytes of the other index
 * each, then the next 8 rows of k, then the next `span` bytes. The pieces of 16 bytes are exchanged
 * by the row within 128 bytes. Without swizzle: blocks of 8 x 16 bytes. */
static void put(const struct gr_wgmma *g, int at, int span, bool transposed, int row, int k, int x)
{
    int size = 32 / g->k, to, byte = (transposed ? row : k) * size;
    uint32_t bits = encoded(g, x);
    if (span == 16 && !transposed)
        to = at + row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16;
    else if (span == 16)
        to = at + byte / 16 * 256 + k / 8 * 128 + k % 8 * 16 + byte % 16;
    else if (!transposed)
        to = at + row * span + byte;
    else
        to = at + byte / span * (span * 16) + k * span + byte % span;
    if (span > 16)
        to ^= (to / 128 % (span / 16)) * 16;
    for (int i = 0; i < size; i++)
        shared[to + i] = (uint8_t)(bits >> (8 * i));
}

static uint64_t descriptor_of(int at, int span, bool transposed)
{
    static const uint64_t kinds[] = {[1] = 0, [2] = 3, [4] = 2, [8] = 1};
    uint64_t leading, stride;
    if (span == 16) {
        leading = transposed ? 128 : 128;
        stride = 256;
    } else {
        leading = transposed ? (uint64_t)span * 16 : 16;
        stride = (uint64_t)span * 8;
    }
    return (uint64_t)((at + START) >> 4) | leading >> 4 << 16 | stride >> 4 << 32 |
           kinds[span / 16] << 62;
}

static void make_matrices(const struct gr_wgmma *g, int span)
{
    memset(shared, 0xff, sizeof shared);
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < g->k; k++)
            put(g, 0, span, g->transposed_a, i, k, a[i][k] = rand() % 7 - 3);
    for (int j = 0; j < g->n; j++)
        for (int k = 0; k < g->k; k++)
            put(g, B_AT, span, g->transposed_b, j, k, b[j][k] = rand() % 7 - 3);
}

/* A in the registers of each warp, by the guide: rows 16 w + g and + 8, columns 2 t, 2 t + 1, + 8.
 */
static void make_registers(const struct gr_wgmma *g)
{
    for (int w = 0; w < 4; w++)
        for (int lane = 0; lane < 32; lane++)
            for (int r = 0; r < 4; r++) {
                int row = 16 * w + lane / 4 + 8 * (r % 2), k = lane % 4 * 2 + 8 * (r / 2);
                a_registers[w][r][lane] = encoded(g, a[row][k]) | encoded(g, a[row][k + 1]) << 16;
            }
}

static uint32_t number(const struct gr_wgmma *g, int x)
{
    if (g->kind == GR_WGMMA_INTEGER)
        return (uint32_t)x;
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if (!g->half)
        return bits;
    return x == 0 ? 0 : (bits >> 16 & 0x8000) | ((bits >> 13 & 0x3ffff) - (112u << 10));
}

/* Where the guide has element (row, column) of D. */
static uint32_t *place(const struct gr_wgmma *g, int row, int column, int *shift)
{
    int w = row / 16, lane = row % 8 * 4 + column % 8 / 2;
    int i = column / 8 * 4 + (row % 16 / 8) * 2 + column % 2;
    *shift = g->half ? i % 2 * 16 : 0;
    return &registers[w][g->half ? i / 2 : i][lane];
}

static void run_case(struct gr_wgmma g, int span, bool from_registers, bool add)
{
    make_matrices(&g, span);
    make_registers(&g);
    memset(registers, 0, sizeof registers);
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < g.n; j++) {
            int shift;
            uint32_t *at = place(&g, i, j, &shift);
            c[i][j] = rand() % 100 - 50;
            *at |= number(&g, c[i][j]) << shift;
        }
    struct gr_wgmma_memory memory = {shared, START, MEMORY};
    gr_lanes *d[4] = {registers[0], registers[1], registers[2], registers[3]};
    const gr_lanes *in[4], *left[4];
    for (int w = 0; w < 4; w++) {
        in[w] = (const gr_lanes *)registers[w];
        left[w] = (const gr_lanes *)a_registers[w];
    }
    uint32_t bad = 0;
    assert_true(gr_wgmma_run(&g, &memory, from_registers ? left : NULL,
                             descriptor_of(0, span, g.transposed_a),
                             descriptor_of(B_AT, span, g.transposed_b), add ? in : NULL, d, &bad));
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < g.n; j++) {
            int sum = 0, shift;
            for (int k = 0; k < g.k; k++)
                sum += a[i][k] * b[j][k];
            sum = (g.negated_a ? -sum : sum) + (add ? c[i][j] : 0);
            uint32_t is = *place(&g, i, j, &shift);
            is = g.half ? is >> shift & 0xffff : is;
            assert_int_equal(is, number(&g, sum));
        }
}

static struct gr_wgmma of_type(enum gr_tensor_type type, bool half, int n)
{
    struct gr_wgmma g = {
        .kind = GR_WGMMA_FLOAT, .n = n, .type_a = type, .type_b = type, .half = half};
    g.k = type == GR_TENSOR_TF32 ? 8 : type == GR_TENSOR_E4M3 ? 32 : 16;
    g.rule = gr_tensor_rule_of(90, GR_TENSOR_WARP_GROUP, type, half);
    assert_non_null(g.rule);
    return g;
}

static void layouts(void **state)
{
    (void)state;
    static const int spans[] = {16, 32, 64, 128};
    for (int s = 0; s < 4; s++) {
        run_case(of_type(GR_TENSOR_F16, false, 256), spans[s], false, true);
        run_case(of_type(GR_TENSOR_BF16, false, 24), spans[s], true, true);
        run_case(of_type(GR_TENSOR_F16, true, 64), spans[s], false, false);
        run_case(of_type(GR_TENSOR_TF32, false, 40), spans[s], false, true);
        run_case(of_type(GR_TENSOR_E4M3, false, 8), spans[s], false, true);
        struct gr_wgmma g = of_type(GR_TENSOR_F16, false, 128);
        for (int i = 1; i < 4; i++) {
            g.transposed_a = i & 1;
            g.transposed_b = i & 2;
            g.negated_a = i == 2;
            run_case(g, spans[s], false, i != 1);
        }
        g = (struct gr_wgmma){
            .kind = GR_WGMMA_INTEGER, .n = 32, .k = 32, .signed_a = true, .signed_b = true};
        run_case(g, spans[s], false, true);
    }
}

/* Bits: popcounts of what both have. */
static void bits(void **state)
{
    (void)state;
    struct gr_wgmma g = {.kind = GR_WGMMA_BITS, .n = 8, .k = 256};
    for (int i = 0; i < MEMORY; i++)
        shared[i] = (uint8_t)rand();
    memset(registers, 0, sizeof registers);
    gr_lanes *d[4] = {registers[0], registers[1], registers[2], registers[3]};
    struct gr_wgmma_memory memory = {shared, START, MEMORY};
    uint32_t bad = 0;
    assert_true(gr_wgmma_run(&g, &memory, NULL, descriptor_of(0, 32, false),
                             descriptor_of(B_AT, 32, false), NULL, d, &bad));
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 8; j++) {
            int sum = 0, shift;
            for (int byte = 0; byte < 32; byte++) {
                int x = i * 32 + byte, y = B_AT + j * 32 + byte;
                sum += __builtin_popcount(shared[x ^ (x / 128 % 2) * 16] &
                                          shared[y ^ (y / 128 % 2) * 16]);
            }
            assert_int_equal(*place(&g, i, j, &shift), sum);
        }
}

/* Where an H200 reads the first piece: the base offset is taken from the bits that swizzle. */
static void base_offsets(void **state)
{
    (void)state;
    static const struct {
        uint32_t start, base;
        uint64_t kind;
        uint32_t at;
    } cases[] = {{128, 1, 1, 128},   {272, 2, 1, 272}, {1024, 3, 1, 1104},
                 {1024, 3, 2, 1040}, {128, 0, 1, 144}, {1024, 3, 0, 1024}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t descriptor =
            cases[i].start >> 4 | (uint64_t)cases[i].base << 49 | cases[i].kind << 62;
        struct gr_wgmma_matrix matrix = gr_wgmma_matrix_of(descriptor, false);
        assert_int_equal(gr_wgmma_address(&matrix, 0, 0), cases[i].at);
    }
}

/* A matrix that is not all in the block's memory. */
static void outside(void **state)
{
    (void)state;
    struct gr_wgmma g = of_type(GR_TENSOR_F16, false, 8);
    gr_lanes *d[4] = {registers[0], registers[1], registers[2], registers[3]};
    struct gr_wgmma_memory memory = {shared, START, 1024};
    uint32_t bad = 0;
    uint64_t inside = descriptor_of(0, 16, false);
    assert_false(gr_wgmma_run(&g, &memory, NULL, inside, inside, NULL, d, &bad));
    assert_int_equal(bad, START + 1024);
    assert_false(gr_wgmma_run(&g, &memory, NULL, inside - 1, inside, NULL, d, &bad));
    assert_int_equal(bad, START - 16);
    memory.size = 64 * 32;
    assert_true(gr_wgmma_run(&g, &memory, NULL, inside, inside, NULL, d, &bad));
    assert_false(gr_wgmma_run(&g, &memory, NULL, inside, inside + 1024, NULL, d, &bad));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts),
        cmocka_unit_test(bits),
        cmocka_unit_test(base_offsets),
        cmocka_unit_test(outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
