/* machine_wgmma.h: products of matrices of a group of four warps, with operands in shared memory:
 * HGMMA, QGMMA, IGMMA and BGMMA. When they are done and may be waited for is not said here.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_WGMMA_H
#define MACHINE_WGMMA_H

#include "machine/tensor_sums.h"
#include "machine/translate.h"

enum { GR_WGMMA_WARPS = 4, GR_WGMMA_ROWS = 64, GR_WGMMA_PIECE = 16 };

/* A matrix in shared memory, by its descriptor of 64 bits. It is read in pieces of 16 bytes. */
struct gr_wgmma_matrix {
    uint32_t start, leading, stride; /* bytes */
    uint32_t span;                   /* 16: no swizzle; 32, 64, 128: of that many bytes */
    uint32_t base;                   /* the descriptor's base offset */
    bool transposed;                 /* M or N is contiguous in place of K */
};
struct gr_wgmma_matrix gr_wgmma_matrix_of(uint64_t descriptor, bool transposed);

/* The address of a piece. K-major: of row `row` (of B: column) the 16 bytes `piece`, of 0 and 1,
 * along K. Transposed: row `row` along K, and the 8 elements of 16 bits from 8 * piece on. */
uint32_t gr_wgmma_address(const struct gr_wgmma_matrix *matrix, int row, int piece);

enum gr_wgmma_kind { GR_WGMMA_FLOAT, GR_WGMMA_INTEGER, GR_WGMMA_BITS };

struct gr_wgmma {
    enum gr_wgmma_kind kind;
    int n, k;
    enum gr_tensor_type type_a, type_b; /* of FLOAT */
    bool half;                          /* FLOAT: the accumulator is fp16, two in a register */
    bool signed_a, signed_b, saturate;  /* INTEGER */
    bool transposed_a, transposed_b, negated_a, negated_b;
    const struct gr_tensor_rule *rule;
    /* Operands: first registers as slots of a warp. */
    uint16_t d, c, a;
    bool a_in_registers;
    uint8_t descriptors; /* number of gdesc[UR]: UR, UR+1 are A's descriptor, UR+2, UR+3 B's */
    bool has_scale;
    uint8_t scale, scale_flip; /* slot of the predicate that says whether C is added; 1: inverted */
    int scoreboard;            /* gsb0; -1: none */
};

/* Takes the modifiers and operands of HGMMA, QGMMA, IGMMA or BGMMA. False: refused. */
bool gr_wgmma_take(struct gr_translation *t, struct gr_wgmma *g);

/* Visits the pieces of GR_WGMMA_PIECE bytes that warp `warp` of the four reads from shared memory:
 * of its rows of A, unless they are in registers, and of B. */
typedef void gr_wgmma_visit(void *context, uint32_t address);
void gr_wgmma_pieces(const struct gr_wgmma *g, int warp, uint64_t descriptor_a,
                     uint64_t descriptor_b, gr_wgmma_visit *visit, void *context);

/* The bytes of the block's shared memory, from address `start` on. */
struct gr_wgmma_memory {
    const uint8_t *bytes;
    uint32_t start, size;
};

/* The registers that a warp has of an accumulator. */
static inline int gr_wgmma_registers(const struct gr_wgmma *g)
{
    return g->half ? g->n / 4 : g->n / 2;
}

/* d = a b + c, or a b if c is null. Of each of the four warps: a[w] are the four registers of A,
 * null if it is in memory; c[w] and d[w] those of the accumulator, which may be the same. A warp
 * whose d[w] is null takes no part. False: an address outside the memory, which *bad is. */
bool gr_wgmma_run(const struct gr_wgmma *g, const struct gr_wgmma_memory *memory,
                  const gr_lanes *const a[GR_WGMMA_WARPS], uint64_t descriptor_a,
                  uint64_t descriptor_b, const gr_lanes *const c[GR_WGMMA_WARPS],
                  gr_lanes *const d[GR_WGMMA_WARPS], uint32_t *bad);

#endif
