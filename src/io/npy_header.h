/* npy_header.h: the header of a .npy file, a Python dict literal. SPDX-License-Identifier: MIT */
#ifndef IO_NPY_HEADER_H
#define IO_NPY_HEADER_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stdint.h>

/* What the dict says. The shape's numbers are not negative; dimensions beyond the second are
 * counted in rank, and their sizes dropped. */
struct gr_npy_header {
    char descr[16]; /* "<f4" */
    bool fortran_order;
    int64_t rank;
    int64_t shape[2];
    char shape_text[64]; /* as written, for messages; shortened when long */
};

/* Parses `count` bytes of header text. `name` is the file's, for messages. INVALID: "name: field:
 * found, wanted". */
enum gradus_status gr_npy_header_parse(const char *name, const char *text, uint64_t count,
                                       struct gr_npy_header *header, struct gradus_error *error);

#endif
