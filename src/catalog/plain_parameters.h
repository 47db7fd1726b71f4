/* plain_parameters.h: kernels whose operands and sizes are members of structures, or variables of
 * the device, as kernels with plain parameters. SPDX-License-Identifier: MIT */
#ifndef CATALOG_PLAIN_PARAMETERS_H
#define CATALOG_PLAIN_PARAMETERS_H

#include "catalog/plain_notes.h"

/* Gradus passes pointers and numbers. A kernel may be given them as members of a structure, by
 * value or by its address (`gemm(Params p)`, `gemm(Matrix A, Matrix B, Matrix C)`), or find them in
 * variables of the device (`__constant__ Params p;`, `__device__ float A[N][N];`). Such a kernel
 * becomes a device function, and behind it a kernel of its name is added that takes plain
 * parameters, with the names of roles where the members' names say them, and calls it with the
 * structures. Launches in the file pass the members. Lines stay lines; columns may change in those
 * of the kernel's head and end. Structures may be instances of templates (`Matrix<float>`), and may
 * be defined in the headers that the file includes with quotes, or in `before`, the text of the
 * files that include this one (null: there is none).
 *
 * Returns the new text, malloc'ed; null if nothing was changed, or memory is out. A kernel whose
 * structures are not understood stays as it is. `notes` may be null. */
char *gr_plain_parameters(const char *path, const char *before, const char *text,
                          struct gr_plain_notes *notes);

#endif
