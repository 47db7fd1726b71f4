/* tensor_sums.h: the arithmetic of tensor cores: a sum of products and an accumulator, aligned,
 * truncated and rounded as the hardware does. docs/tensor-cores.md explains how this was found.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_TENSOR_SUMS_H
#define MACHINE_TENSOR_SUMS_H

#include <stdbool.h>
#include <stdint.h>

enum gr_tensor_type {
    GR_TENSOR_F16,
    GR_TENSOR_BF16,
    GR_TENSOR_TF32, /* in 32 bits, of which the lower 13 are ignored */
    GR_TENSOR_E4M3,
    GR_TENSOR_E5M2,
    GR_TENSOR_F32, /* for an accumulator, not a factor */
    GR_TENSOR_TYPES
};

/* How the tensor cores of an architecture add. The exact products and the accumulator are aligned
 * to the largest of their exponents, and truncated `fraction` bits after the binary point of a
 * number with that exponent. The sum of these is exact. The exponent of a product is the sum of the
 * exponents of its factors, even if the product of the significands is 2 or more. */
struct gr_tensor_rule {
    uint8_t group;    /* how many products are added at once; the accumulator of the next group is
                         their rounded sum */
    uint8_t fraction; /* the number of bits that are kept */
    uint8_t result;   /* the bits of the result's fraction: 23, 13, or 10 for fp16 */
    bool nearest;     /* the result is rounded to nearest even; otherwise toward zero */
    int16_t least;    /* the sum is never aligned to an exponent below this one */
    bool measured;    /* with tests/gpu/tensor; otherwise it is taken from the literature */
};

enum gr_tensor_unit {
    GR_TENSOR_WARP,      /* HMMA and QMMA */
    GR_TENSOR_WARP_GROUP /* HGMMA and QGMMA */
};

/* Returns the rule of compute capability `cc` (75, 80, 90, …) for factors of this type. `half`: the
 * accumulator and the result are fp16. Null: no rule is known. */
const struct gr_tensor_rule *gr_tensor_rule_of(int cc, enum gr_tensor_unit unit,
                                               enum gr_tensor_type type, bool half);

enum { GR_TENSOR_K = 32, GR_TENSOR_COLUMNS = 8 };

/* A row of A, and up to 8 columns of B, split into significands and exponents. */
struct gr_tensor_row {
    float significand[GR_TENSOR_K]; /* signed, with a magnitude below 2 */
    int32_t exponent[GR_TENSOR_K];
    uint32_t bits[GR_TENSOR_K];
    bool special; /* one of them is an infinity or a NaN */
};
struct gr_tensor_columns {
    float significand[GR_TENSOR_K][GR_TENSOR_COLUMNS];
    int32_t exponent[GR_TENSOR_K][GR_TENSOR_COLUMNS];
    uint32_t bits[GR_TENSOR_K][GR_TENSOR_COLUMNS];
    uint8_t special; /* bit j: the same for column j */
};

/* Splits k numbers; `bits` has one in each word. */
void gr_tensor_row_make(struct gr_tensor_row *row, enum gr_tensor_type type, const uint32_t *bits,
                        int k);
/* The same for 8 columns: column j has the k words from bits + j * k on. */
void gr_tensor_columns_make(struct gr_tensor_columns *columns, enum gr_tensor_type type,
                            const uint32_t *bits, int k);

/* Computes out[j] = the row times column j, plus c[j], with k products, for all 8 columns. c and
 * out are fp32, or fp16 in the lower half of each word. out may be c. */
void gr_tensor_sums(const struct gr_tensor_rule *rule, enum gr_tensor_type type_a,
                    enum gr_tensor_type type_b, bool half, int k, const struct gr_tensor_row *row,
                    const struct gr_tensor_columns *columns, const uint32_t c[GR_TENSOR_COLUMNS],
                    uint32_t out[GR_TENSOR_COLUMNS]);

/* Adds the k fp64 products to c one after another, with one rounding each. All numbers are given as
 * bits. */
uint64_t gr_tensor_sum_f64(int k, const uint64_t *a, const uint64_t *b, uint64_t c);

#endif
