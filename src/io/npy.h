/* npy.h: reads and writes NumPy's file format, versions 1 to 3. SPDX-License-Identifier: MIT */
#ifndef IO_NPY_H
#define IO_NPY_H

#include "core/dtype.h"

#include <gradus/gradus.h>
#include <stdint.h>
#include <stdio.h>

/* An array in a file, mapped read-only. Ranks 0 to 2 are supported; others are rejected with a
 * message. */
struct gr_npy {
    enum gr_dtype type;
    bool big_endian;
    bool fortran; /* column-major in the file */
    int rank;
    int64_t rows, cols;   /* a vector of n elements is n x 1; `rank` distinguishes it */
    const void *elements; /* in the file's byte order; possibly not aligned */
    void *mapping;
    uint64_t mapping_bytes; /* 0: malloc'ed, read from a pipe */
};

/* Errors: INVALID "file: field: found, wanted"; IO. */
enum gradus_status gr_npy_open(const char *path, struct gr_npy *array, struct gradus_error *error);
/* The same for a file whose elements NumPy has no type for: integers and raw bytes of the size of
 * `raw` ("<u2", "|V2" for bf16) are elements of that type. */
enum gradus_status gr_npy_open_raw(const char *path, enum gr_dtype raw, struct gr_npy *array,
                                   struct gradus_error *error);
void gr_npy_close(struct gr_npy *array);
/* The same for bytes in memory, which the fuzz target uses. `name` is for messages. */
enum gradus_status gr_npy_parse(const char *name, const void *bytes, uint64_t count,
                                struct gr_npy *array, struct gradus_error *error);
/* Writes a version-1 header and rows x cols elements (f2, f4 or f8; C order, dense, this
 * machine's byte order) to a stream. For a vector (rank 1) rows x cols is n x 1 or 1 x n, for a
 * scalar (rank 0) 1 x 1. */
enum gradus_status gr_npy_write(FILE *stream, enum gr_dtype type, int rank, int64_t rows,
                                int64_t cols, const void *elements, struct gradus_error *error);

/* The header alone, for elements that are written later. */
enum gradus_status gr_npy_write_header(FILE *stream, enum gr_dtype type, int rank, int64_t rows,
                                       int64_t cols, struct gradus_error *error);

#endif
