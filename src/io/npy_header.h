/* npy_header.h: parses the header of a .npy file, which is a Python dict literal.
 * SPDX-License-Identifier: MIT */
#ifndef IO_NPY_HEADER_H
#define IO_NPY_HEADER_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

/* The content of the dict. The dimensions are not negative; those beyond the second are only
 * counted in `rank`. */
struct gr_npy_header {
    char descr[16]; /* "<f4" */
    bool fortran_order;
    int64_t rank;
    int64_t shape[2];
    char shape_text[64]; /* the shape as written, for messages; truncated if long */
};

/* Parses `count` bytes of header text. `name` is that of the file, for messages. INVALID: "name:
 * field: found, wanted". */
enum gradus_status gr_npy_header_parse(const char *name, const char *text, uint64_t count,
                                       struct gr_npy_header *header, struct gradus_error *error);

#endif
