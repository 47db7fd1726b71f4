/* inputs.h: reads the user's own A and B from .npy files, for measurements with them.
 * SPDX-License-Identifier: MIT */
#ifndef FILES_INPUTS_H
#define FILES_INPUTS_H

#include "check/pair.h"

/* Two matrices, row-major and dense, owned. */
struct gr_input_files {
    void *a, *b;
    /* f64 if either file is f8, else f32; or the requested types, to which the elements are
     * rounded. */
    struct gr_types types;
    int64_t m, n, k;
};

/* Reads both files; A is stored as k x m if trans_a, B as n x k if trans_b. `types` null:
 * determined by the files; else words without a type (u2, V2, u1 ..) are elements of those types.
 * INVALID gives the file, what was found and what was wanted. */
enum gradus_status gr_input_files_read(const char *a, const char *b, const struct gr_types *types,
                                       bool trans_a, bool trans_b, struct gr_input_files *inputs,
                                       struct gradus_error *error);
void gr_input_files_free(struct gr_input_files *inputs);

#endif
