/* wgmma.c: matrices in shared memory, as given by descriptors, and their products.
 * SPDX-License-Identifier: MIT */
#include "machine/machine_wgmma.h"

#include "machine/matrix_fragments.h"

#include <string.h>

struct gr_wgmma_matrix gr_wgmma_matrix_of(uint64_t descriptor, bool transposed)
{
    static const uint8_t spans[] = {16, 128, 64, 32};
    return (struct gr_wgmma_matrix){
        .start = (uint32_t)(descriptor & 0x3fff) << 4,
        .leading = (uint32_t)(descriptor >> 16 & 0x3fff) << 4,
        .stride = (uint32_t)(descriptor >> 32 & 0x3fff) << 4,
        .base = (uint32_t)(descriptor >> 49 & 7),
        .span = spans[descriptor >> 62],
        .transposed = transposed,
    };
}

/* A swizzle permutes pieces of 16 bytes within `span` bytes: the bits of the address from 4 on are
 * XORed with those from 7 on, minus the base offset. */
static uint32_t swizzle(const struct gr_wgmma_matrix *matrix, uint32_t address)
{
    uint32_t mask = matrix->span / 16 - 1;
    return address ^ ((((address >> 7) - matrix->base) & mask) << 4);
}

uint32_t gr_wgmma_address(const struct gr_wgmma_matrix *matrix, int row, int piece)
{
    uint32_t r = (uint32_t)row, p = (uint32_t)piece, inside = p * 16 % matrix->span;
    uint32_t address = matrix->start + r / 8 * matrix->stride + r % 8 * matrix->span;
    /* Without a swizzle, the two strides of a transposed matrix are exchanged. */
    if (matrix->span == 16) {
        address = matrix->start + r % 8 * 16 +
                  r / 8 * (matrix->transposed ? matrix->leading : matrix->stride) +
                  p * (matrix->transposed ? matrix->stride : matrix->leading);
        return address;
    }
    if (matrix->transposed) {
        address += p * 16 / matrix->span * matrix->leading + inside;
    } else {
        address += p * 16;
    }
    return swizzle(matrix, address);
}

static bool read_piece(const struct gr_wgmma_memory *memory, const struct gr_wgmma_matrix *matrix,
                       int row, int piece, uint8_t *to, uint32_t *bad)
{
    uint32_t address = gr_wgmma_address(matrix, row, piece);
    if (address < memory->start || address - memory->start > memory->size ||
        memory->size - (address - memory->start) < GR_WGMMA_PIECE) {
        *bad = address;
        return false;
    }
    memcpy(to, memory->bytes + (address - memory->start), GR_WGMMA_PIECE);
    return true;
}

/* Reads rows first to first + count - 1 of a matrix whose rows have 32 bytes along K. */
static bool read_rows(const struct gr_wgmma_memory *memory, const struct gr_wgmma_matrix *matrix,
                      int first, int count, uint8_t (*rows)[32], uint32_t *bad)
{
    for (int row = 0; row < count && !matrix->transposed; row++) {
        for (int piece = 0; piece < 2; piece++) {
            if (!read_piece(memory, matrix, first + row, piece, rows[row] + piece * 16, bad)) {
                return false;
            }
        }
    }
    for (int k = 0; k < 16 && matrix->transposed; k++) {
        for (int row = 0; row < count; row += 8) {
            uint8_t piece[16];
            if (!read_piece(memory, matrix, k, (first + row) / 8, piece, bad)) {
                return false;
            }
            for (int i = 0; i < 8; i++) {
                memcpy(rows[row + i] + 2 * k, piece + 2 * i, 2);
            }
        }
    }
    return true;
}

/* Visits the pieces that read_rows reads. */
static void visit_rows(const struct gr_wgmma_matrix *matrix, int first, int count,
                       gr_wgmma_visit *visit, void *context)
{
    const int rows = matrix->transposed ? 16 : count, pieces = matrix->transposed ? count / 8 : 2;
    for (int row = 0; row < rows; row++)
        for (int piece = 0; piece < pieces; piece++)
            visit(context, matrix->transposed ? gr_wgmma_address(matrix, row, first / 8 + piece)
                                              : gr_wgmma_address(matrix, first + row, piece));
}

void gr_wgmma_pieces(const struct gr_wgmma *g, int warp, uint64_t descriptor_a,
                     uint64_t descriptor_b, gr_wgmma_visit *visit, void *context)
{
    const struct gr_wgmma_matrix a = gr_wgmma_matrix_of(descriptor_a, g->transposed_a);
    const struct gr_wgmma_matrix b = gr_wgmma_matrix_of(descriptor_b, g->transposed_b);
    if (!g->a_in_registers)
        visit_rows(&a, 16 * warp, 16, visit, context);
    visit_rows(&b, 0, g->n, visit, context);
}

/* Unpacks 32 bytes to one element in each word, or to 32 elements if they are single bits. */
static void spread(const struct gr_wgmma *g, const uint8_t *bytes, uint32_t *words)
{
    int width = g->kind == GR_WGMMA_BITS ? 4 : 32 / g->k;
    for (int i = 0; i < 32 / width; i++) {
        words[i] = bytes[i * width];
        for (int j = 1; j < width; j++) {
            words[i] |= (uint32_t)bytes[i * width + j] << (8 * j);
        }
    }
}

static void negate(enum gr_tensor_type type, uint32_t *words, int count)
{
    uint32_t sign = type == GR_TENSOR_TF32                            ? 0x80000000u
                    : type == GR_TENSOR_F16 || type == GR_TENSOR_BF16 ? 0x8000u
                                                                      : 0x80u;
    for (int i = 0; i < count; i++) {
        words[i] ^= sign;
    }
}

static uint32_t integer_sum(const struct gr_wgmma *g, int count, const uint32_t *a,
                            const uint32_t *b, uint32_t c)
{
    if (g->kind == GR_WGMMA_BITS) {
        for (int i = 0; i < count; i++) {
            c += (uint32_t)__builtin_popcount(a[i] & b[i]);
        }
        return c;
    }
    int64_t sum = (int32_t)c;
    for (int i = 0; i < count; i++) {
        int32_t x = g->signed_a ? (int8_t)a[i] : (int32_t)a[i];
        int32_t y = g->signed_b ? (int8_t)b[i] : (int32_t)b[i];
        sum += x * y;
    }
    if (g->saturate) {
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    }
    return (uint32_t)sum;
}

/* The 64 rows of A as words, and split for sums of floating-point numbers. */
struct left {
    uint32_t words[GR_WGMMA_ROWS][GR_TENSOR_K];
    struct gr_tensor_row rows[GR_WGMMA_ROWS];
};

static bool make_left(const struct gr_wgmma *g, const struct gr_wgmma_memory *memory,
                      const gr_lanes *const a[GR_WGMMA_WARPS], uint64_t descriptor,
                      gr_lanes *const d[GR_WGMMA_WARPS], struct left *left, uint32_t *bad)
{
    int count = g->kind == GR_WGMMA_BITS ? 8 : g->k;
    if (a) {
        for (int w = 0; w < GR_WGMMA_WARPS; w++) {
            if (!d[w]) {
                continue;
            }
            uint32_t words[16 * GR_TENSOR_K];
            gr_fragment_factors(a[w], 16, count, 256 / count, words);
            for (int i = 0; i < 16; i++) {
                memcpy(left->words[16 * w + i], words + i * count, sizeof *words * (size_t)count);
            }
        }
    } else {
        struct gr_wgmma_matrix matrix = gr_wgmma_matrix_of(descriptor, g->transposed_a);
        uint8_t bytes[16][32];
        for (int w = 0; w < GR_WGMMA_WARPS; w++) {
            if (d[w] && !read_rows(memory, &matrix, 16 * w, 16, bytes, bad)) {
                return false;
            }
            for (int i = 0; i < 16 && d[w]; i++) {
                spread(g, bytes[i], left->words[16 * w + i]);
            }
        }
    }
    for (int i = 0; i < GR_WGMMA_ROWS && g->kind == GR_WGMMA_FLOAT; i++) {
        if (!d[i / 16]) {
            continue;
        }
        if (g->negated_a) {
            negate(g->type_a, left->words[i], count);
        }
        gr_tensor_row_make(&left->rows[i], g->type_a, left->words[i], count);
    }
    return true;
}

/* Multiplies all rows with eight columns of B. */
static void run_columns(const struct gr_wgmma *g, const struct left *left, uint8_t (*bytes)[32],
                        gr_lanes *const d[GR_WGMMA_WARPS], uint32_t (*sums)[8])
{
    uint32_t words[8 * GR_TENSOR_K];
    struct gr_tensor_columns columns;
    int count = g->kind == GR_WGMMA_BITS ? 8 : g->k;
    for (int j = 0; j < 8; j++) {
        spread(g, bytes[j], words + j * count);
    }
    if (g->kind == GR_WGMMA_FLOAT) {
        if (g->negated_b) {
            negate(g->type_b, words, 8 * count);
        }
        gr_tensor_columns_make(&columns, g->type_b, words, count);
    }
    for (int i = 0; i < GR_WGMMA_ROWS; i++) {
        if (!d[i / 16]) {
            continue;
        }
        if (g->kind == GR_WGMMA_FLOAT) {
            gr_tensor_sums(g->rule, g->type_a, g->type_b, g->half, count, &left->rows[i], &columns,
                           sums[i], sums[i]);
            continue;
        }
        for (int j = 0; j < 8; j++) {
            sums[i][j] = integer_sum(g, count, left->words[i], words + j * count, sums[i][j]);
        }
    }
}

bool gr_wgmma_run(const struct gr_wgmma *g, const struct gr_wgmma_memory *memory,
                  const gr_lanes *const a[GR_WGMMA_WARPS], uint64_t descriptor_a,
                  uint64_t descriptor_b, const gr_lanes *const c[GR_WGMMA_WARPS],
                  gr_lanes *const d[GR_WGMMA_WARPS], uint32_t *bad)
{
    struct left left;
    struct gr_wgmma_matrix right = gr_wgmma_matrix_of(descriptor_b, g->transposed_b);
    if (!make_left(g, memory, a, descriptor_a, d, &left, bad)) {
        return false;
    }
    int bits = g->half ? 16 : 32, registers = g->half ? 2 : 4;
    for (int j = 0; j < g->n / 8; j++) {
        uint8_t bytes[8][32];
        uint32_t sums[GR_WGMMA_ROWS][8] = {{0}};
        if (!read_rows(memory, &right, 8 * j, 8, bytes, bad)) {
            return false;
        }
        for (int w = 0; w < GR_WGMMA_WARPS && c; w++) {
            if (d[w]) {
                gr_fragment_read(c[w] + j * registers, 16, bits, sums[16 * w]);
            }
        }
        run_columns(g, &left, bytes, d, sums);
        for (int w = 0; w < GR_WGMMA_WARPS; w++) {
            if (d[w]) {
                gr_fragment_write(d[w] + j * registers, 16, bits, sums[16 * w], ~0u);
            }
        }
    }
    return true;
}
