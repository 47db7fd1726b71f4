/* strided_array.h: an array in memory as NumPy and DLPack describe it: a place, sizes and steps.
 * SPDX-License-Identifier: MIT */
#ifndef PYTHON_STRIDED_ARRAY_H
#define PYTHON_STRIDED_ARRAY_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

/* NumPy has up to 64 dimensions; a vector that becomes a matrix gets another. */
enum { GR_ARRAY_DIMS = 66 };

struct gr_array {
    char *data;
    enum gradus_type type;
    bool swapped; /* its elements are in the other byte order */
    int dims;
    int64_t shape[GR_ARRAY_DIMS], step[GR_ARRAY_DIMS]; /* steps are in bytes, of any sign */
};

int64_t gr_type_bytes(enum gradus_type type);
int64_t gr_array_count(const struct gr_array *array);
/* Exchanges the last two dimensions. */
void gr_array_transpose(struct gr_array *array);
/* Inserts a dimension of size 1 before dimension `at`. */
void gr_array_expand(struct gr_array *array, int at);
/* The steps of an array whose elements lie together in C's order. */
void gr_array_set_contiguous_steps(struct gr_array *array);

/* The leading dimensions with which BLAS could read the last two dimensions where they are: [0] as
 * a row-major matrix, [1] as a column-major one, 0: not in this way. */
void gr_array_leads(const struct gr_array *array, int64_t leads[2]);
/* True if the two have bytes in common, or if a byte between the first and the last of each does.
 */
bool gr_arrays_meet(const struct gr_array *x, const struct gr_array *y);
/* True if no two elements can be at one place. */
bool gr_array_is_injective(const struct gr_array *array);

/* Copies elements between arrays of the same shape, into the order of bytes and the type of `to`:
 * the same type, or float64 from float32. The arrays do not meet. */
void gr_array_copy(const struct gr_array *to, const struct gr_array *from);

#endif
