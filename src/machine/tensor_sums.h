/* tensor_sums.h: the arithmetic of tensor cores: a sum of products and an accumulator, aligned,
 * truncated and rounded as the hardware does it. docs/tensor-cores.md says how that is known.
 * SPDX-License-Identifier: MIT */
#ifndef MACHINE_TENSOR_SUMS_H
#define MACHINE_TENSOR_SUMS_H

#include <stdbool.h>
#include <stdint.h>

enum gr_tensor_type {
    GR_TENSOR_F16,
    GR_TENSOR_BF16,
    GR_TENSOR_TF32, /* in 32 bits, of which the lower 13 are not read */
    GR_TENSOR_E4M3,
    GR_TENSOR_E5M2,
    GR_TENSOR_F32, /* an accumulator, no factor */
    GR_TENSOR_TYPES
};

/* How the tensor cores of an architecture add. The products, exact, and the accumulator are aligned
 * to the largest of their exponents, and cut off toward zero `fraction` bits behind the point of a
 * number with that exponent; their sum is exact. A product's exponent is the sum of its factors'
 * exponents, whether or not the product of the significands is 2 or more. */
struct gr_tensor_rule {
    uint8_t group;    /* products that are added at once; the next group has their sum as
                         accumulator, rounded */
    uint8_t fraction; /* bits that are kept */
    uint8_t result;   /* bits of the result's fraction: 23, 13, or of fp16 10 */
    bool nearest;     /* the result is rounded to nearest, to even; otherwise toward zero */
    int16_t least;    /* no alignment to an exponent below this one */
    bool measured;    /* by tests/gpu/tensor; otherwise by the literature */
};

enum gr_tensor_unit {
    GR_TENSOR_WARP,      /* HMMA and QMMA */
    GR_TENSOR_WARP_GROUP /* HGMMA and QGMMA */
};

/* The rule of compute capability `cc` (75, 80, 90, …) for factors of a type; `half`: accumulator
 * and result are fp16. Null: none is known. */
const struct gr_tensor_rule *gr_tensor_rule_of(int cc, enum gr_tensor_unit unit,
                                               enum gr_tensor_type type, bool half);

enum { GR_TENSOR_K = 32, GR_TENSOR_COLUMNS = 8 };

/* A row of A, and up to 8 columns of B, made ready. */
struct gr_tensor_row {
    float significand[GR_TENSOR_K]; /* with its sign, below 2 */
    int32_t exponent[GR_TENSOR_K];
    uint32_t bits[GR_TENSOR_K];
    bool special; /* an infinity or a NaN is among them */
};
struct gr_tensor_columns {
    float significand[GR_TENSOR_K][GR_TENSOR_COLUMNS];
    int32_t exponent[GR_TENSOR_K][GR_TENSOR_COLUMNS];
    uint32_t bits[GR_TENSOR_K][GR_TENSOR_COLUMNS];
    uint8_t special; /* bit j: of column j */
};

/* Makes k numbers ready; `bits` holds one in each word. */
void gr_tensor_row_make(struct gr_tensor_row *row, enum gr_tensor_type type, const uint32_t *bits,
                        int k);
/* Likewise 8 columns: of column j the k words from bits + j * k on. */
void gr_tensor_columns_make(struct gr_tensor_columns *columns, enum gr_tensor_type type,
                            const uint32_t *bits, int k);

/* out[j] = the row times column j, plus c[j], of k products, for all 8 columns; c and out are
 * fp16 in the lower half of each word, or fp32. out may be c. */
void gr_tensor_sums(const struct gr_tensor_rule *rule, enum gr_tensor_type type_a,
                    enum gr_tensor_type type_b, bool half, int k, const struct gr_tensor_row *row,
                    const struct gr_tensor_columns *columns, const uint32_t c[GR_TENSOR_COLUMNS],
                    uint32_t out[GR_TENSOR_COLUMNS]);

/* c plus the k products of fp64, one after the other, each added with a single rounding; all as
 * bits. */
uint64_t gr_tensor_sum_f64(int k, const uint64_t *a, const uint64_t *b, uint64_t c);

#endif
