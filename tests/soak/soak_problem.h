/* soak_problem.h: one random problem: what it is, its operands, and whether its result is right.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_SOAK_PROBLEM_H
#define TESTS_SOAK_PROBLEM_H

#include "base/rng.h"
#include "soak/guarded.h"

#include <gradus/gradus.h>

enum { SOAK_BATCH_MAX = 60, SOAK_TEXT = 512 };

struct soak_problem {
    struct gradus_gemm g;
    struct gradus_epilogue epilogue;
    const char *isa;  /* null: as the library chooses */
    bool integers;    /* operands are small whole numbers: sums are exact */
    bool exact;       /* so is the result, and equality is asked for */
    bool special;     /* there are NaN and Inf among them */
    bool drawn;       /* sizes and transposes are as `bench --preset random` draws them */
    bool plain;       /* and all else is as it measures them */
    bool interleaved; /* rows of the batch's C lie between one another */
    struct guarded a, b, c, bias, workspace;
    char *c_before;              /* a copy of c's block */
    int64_t batch;               /* at least 1 */
    int64_t a_one, b_one, c_one; /* elements from a matrix's first to its last */
    /* Where the matrices of the batch begin, in elements: what the library is told by strides,
     * arrays or packed operands. */
    int64_t a_at[SOAK_BATCH_MAX], b_at[SOAK_BATCH_MAX], c_at[SOAK_BATCH_MAX];
    const void *a_array[SOAK_BATCH_MAX], *b_array[SOAK_BATCH_MAX];
    void *c_array[SOAK_BATCH_MAX];
    struct gradus_context *context; /* one for all problems; some use it */
    struct gradus_packed *packed_a, *packed_b;
    uint64_t inputs; /* a hash of A and B */
};

void soak_open(struct soak_problem *p);
void soak_close(struct soak_problem *p);

/* Makes the problem of a number: the same for the same seed and number on every machine, but for
 * the instruction set and the workspace. False, and the reason in `text`: the library refuses to
 * pack an operand. */
bool soak_make(struct soak_problem *p, uint64_t seed, int64_t number, char text[SOAK_TEXT]);
/* Frees what was made for it alone. */
void soak_unmake(struct soak_problem *p);
/* Makes C what it was before the product. */
void soak_restore(struct soak_problem *p);
/* "f32 row 13x7x100 nt ld 105 103 9 alpha 1 beta 0 threads 3 …". */
void soak_describe(const struct soak_problem *p, char text[SOAK_TEXT]);

/* Up to so many multiply-adds soak_judge computes every element again. */
extern double soak_whole;

/* True when C is right in every element (of a large C: in some rows and columns, and where sums are
 * exact by its product with a random vector), nothing else of C's memory is changed, and A and B
 * are what they were; else `text` says what is wrong. */
bool soak_judge(const struct soak_problem *p, char text[SOAK_TEXT]);

/* Elements from a row, and from a column, of op(A), op(B) and C to the next. */
struct soak_strides {
    int64_t a_row, a_col, b_row, b_col, c_row, c_col;
};
struct soak_strides soak_strides_of(const struct soak_problem *p);

/* Element i of an array of some type as a double, and the other way. bfloat16 is rounded to nearest
 * even. */
double soak_get(enum gradus_type type, const void *x, int64_t i);
void soak_set(enum gradus_type type, void *x, int64_t i, double value);
int64_t soak_bytes(enum gradus_type type);

#endif
