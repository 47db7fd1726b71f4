/* operand.h: presents an array of a file as an operand of a GEMM, without a copy if possible.
 * SPDX-License-Identifier: MIT */
#ifndef FILES_OPERAND_H
#define FILES_OPERAND_H

#include "io/npy.h"

/* A rows x cols matrix in memory with leading dimension ld, row-major, or column-major if
 * `turned`. */
struct gr_operand {
    const void *elements;
    void *owned; /* a converted copy; null: the file's own bytes are used */
    int64_t rows, cols, ld;
    bool transposed;
};

/* Makes an operand of element type `type` (f32 or f64). The file's own bytes are used if type,
 * byte order and alignment allow it; a column-major file is used without a copy too. The array
 * must outlive the operand. NO_MEMORY. */
enum gradus_status gr_operand_of(const char *name, const struct gr_npy *array, enum gr_dtype type,
                                 struct gr_operand *operand, struct gradus_error *error);
/* The same matrix as a dense, row-major copy in `out`. */
void gr_operand_copy(const struct gr_operand *operand, enum gr_dtype type, void *out);
void gr_operand_free(struct gr_operand *operand);

#endif
