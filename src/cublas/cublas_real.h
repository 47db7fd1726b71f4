/* cublas_real.h: the cuBLAS and the cuBLASLt that the program has loaded.
 * SPDX-License-Identifier: MIT */
#ifndef CUBLAS_CUBLAS_REAL_H
#define CUBLAS_CUBLAS_REAL_H

#include <stdatomic.h>

enum gr_cublas_library { GR_CUBLAS_LIBRARY, GR_CUBLASLT_LIBRARY };

/* A function of theirs: `static struct gr_cublas_function f = {GR_CUBLAS_LIBRARY, "name"};` */
struct gr_cublas_function {
    enum gr_cublas_library library;
    const char *symbol;
    _Atomic(void *) address;
};

/* Its address, looked up once; null where no such library is loaded, or where it has none. A
 * program may have loaded it into a scope of its own, as Python's modules do, so that it is looked
 * for by its file's name. */
void *gr_cublas_real(struct gr_cublas_function *function);

#endif
