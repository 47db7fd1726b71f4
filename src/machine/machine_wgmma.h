/* machine_wgmma.h: matrix products of a warpgroup with operands in shared memory: HGMMA, QGMMA,
 * IGMMA and BGMMA. When they complete and how they are waited for is in group_products.h.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_WGMMA_H
#define MACHINE_WGMMA_H

#include "machine/tensor_sums.h"
#include "machine/translate.h"

enum { GR_WGMMA_WARPS = 4, GR_WGMMA_ROWS = 64, GR_WGMMA_PIECE = 16 };

/* A matrix in shared memory, as given by its descriptor of 64 bits. It is read in pieces of 16
 * bytes. */
struct gr_wgmma_matrix {
    uint32_t start, leading, stride; /* in bytes */
    uint32_t span;                   /* the bytes of the swizzle: 32, 64 or 128; 16: no swizzle */
    uint32_t base;                   /* the descriptor's base offset */
    bool transposed;                 /* M or N is contiguous instead of K */
};
struct gr_wgmma_matrix gr_wgmma_matrix_of(uint64_t descriptor, bool transposed);

/* Returns the address of a piece. K-major: row `row` (for B: column), and `piece`, 0 or 1, of the
 * 16-byte pieces along K. Transposed: row `row` along K, and the 8 elements of 16 bits that start
 * at 8 * piece. */
uint32_t gr_wgmma_address(const struct gr_wgmma_matrix *matrix, int row, int piece);

enum gr_wgmma_kind { GR_WGMMA_FLOAT, GR_WGMMA_INTEGER, GR_WGMMA_BITS };

struct gr_wgmma {
    enum gr_wgmma_kind kind;
    int n, k;
    enum gr_tensor_type type_a, type_b; /* for FLOAT */
    bool half; /* FLOAT: the accumulator is fp16, with two elements in a register */
    bool signed_a, signed_b, saturate; /* for INTEGER */
    bool transposed_a, transposed_b, negated_a, negated_b;
    const struct gr_tensor_rule *rule;
    /* The first registers of the operands, as slots of a warp. */
    uint16_t d, c, a;
    bool a_in_registers;
    uint8_t descriptors; /* the register of gdesc[UR]: UR and UR+1 hold A's descriptor, UR+2 and
                            UR+3 B's */
    bool has_scale;
    /* Slot of the predicate that decides whether C is added; 1: it is inverted. */
    uint8_t scale, scale_flip;
    int scoreboard; /* the number of gsb0; -1: none */
};

/* Takes the modifiers and operands of HGMMA, QGMMA, IGMMA or BGMMA. Returns false if they are
 * refused. */
bool gr_wgmma_take(struct gr_translation *t, struct gr_wgmma *g);

/* Visits the pieces of GR_WGMMA_PIECE bytes that warp `warp` of the four reads from shared memory:
 * its rows of A, unless they are in registers, and B. */
typedef void gr_wgmma_visit(void *context, uint32_t address);
void gr_wgmma_pieces(const struct gr_wgmma *g, int warp, uint64_t descriptor_a,
                     uint64_t descriptor_b, gr_wgmma_visit *visit, void *context);

/* The block's shared memory, from address `start` on. */
struct gr_wgmma_memory {
    const uint8_t *bytes;
    uint32_t start, size;
};

/* The number of registers of an accumulator in each warp. */
static inline int gr_wgmma_registers(const struct gr_wgmma *g)
{
    return g->half ? g->n / 4 : g->n / 2;
}

/* Computes d = a b + c, or a b if c is null. For each warp w of the four, a[w] is the four
 * registers of A, or null if A is in shared memory; c[w] and d[w] are those of the accumulator, and
 * may be the same. A warp whose d[w] is null is skipped. Returns false if an address is outside of
 * the memory, and sets *bad to it. */
bool gr_wgmma_run(const struct gr_wgmma *g, const struct gr_wgmma_memory *memory,
                  const gr_lanes *const a[GR_WGMMA_WARPS], uint64_t descriptor_a,
                  uint64_t descriptor_b, const gr_lanes *const c[GR_WGMMA_WARPS],
                  gr_lanes *const d[GR_WGMMA_WARPS], uint32_t *bad);

#endif
