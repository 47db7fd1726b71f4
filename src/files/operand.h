/* operand.h: an array from a file, as a GEMM takes it. SPDX-License-Identifier: MIT */
#ifndef FILES_OPERAND_H
#define FILES_OPERAND_H

#include "io/npy.h"

/* A matrix in memory: `rows` x `cols` when stored by rows; stored by columns when `turned`, ld
 * apart. */
struct gr_operand {
    const void *elements;
    void *owned; /* a converted copy, or null: the file's own bytes */
    int64_t rows, cols, ld;
    bool turned;
};

/* The array's elements as `type` (f32 or f64). The file's own bytes are used where type, byte order
 * and alignment allow; a column-major file is taken as it is. The array must outlive the operand.
 * NO_MEMORY. */
enum gradus_status gr_operand_of(const char *name, const struct gr_npy *array, enum gr_dtype type,
                                 struct gr_operand *operand, struct gradus_error *error);
/* The same matrix as a dense, row-major copy in `out`. */
void gr_operand_copy(const struct gr_operand *operand, enum gr_dtype type, void *out);
void gr_operand_free(struct gr_operand *operand);

#endif
