/* plain_parameters.h: kernels whose operands and sizes are members of structures, or variables of
 * the device, as kernels with plain parameters. SPDX-License-Identifier: MIT */
#ifndef CATALOG_PLAIN_PARAMETERS_H
#define CATALOG_PLAIN_PARAMETERS_H

#include "catalog/plain_notes.h"

/* Gradus passes pointers and numbers. A kernel may instead have parameters that are structures of
 * them, by value or by address (`gemm(Params p)`, `gemm(Matrix A, Matrix B, Matrix C)`), or read
 * them from variables of the device (`__constant__ Params p;`, `__device__ float A[N][N];`). Such a
 * kernel becomes a device function, and after it a kernel of the same name is added that has plain
 * parameters, named after the roles that the members' names indicate, and calls the device function
 * with the structures. Launches in the file pass the members. Lines keep their numbers; columns may
 * change at the kernel's head and end. Structures may be instances of templates (`Matrix<float>`),
 * and may be defined in the headers that the file includes with quotes, or in `before`, the text of
 * the files that include this one (null: there is none).
 *
 * Returns the new text, malloc'ed; null if nothing was changed, or out of memory. A kernel whose
 * structures are not understood is not changed. `notes` may be null. */
char *gr_plain_parameters(const char *path, const char *before, const char *text,
                          struct gr_plain_notes *notes);

#endif
