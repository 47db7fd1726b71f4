/* cublas_real.h: finds the functions of the cuBLAS and the cuBLASLt that the program has loaded.
 * SPDX-License-Identifier: MIT */
#ifndef CUBLAS_CUBLAS_REAL_H
#define CUBLAS_CUBLAS_REAL_H

#include <stdatomic.h>

enum gr_cublas_library { GR_CUBLAS_LIBRARY, GR_CUBLASLT_LIBRARY };

/* A function of one of them: `static struct gr_cublas_function f = {GR_CUBLAS_LIBRARY, "name"};` */
struct gr_cublas_function {
    enum gr_cublas_library library;
    const char *symbol;
    _Atomic(void *) address;
};

/* Returns the function's address, which is looked up until it is found, or null if there is none.
 * The library is searched by its file's name among those that are loaded, since a program may have
 * loaded it into a scope of its own, as Python's modules do. */
void *gr_cublas_real(struct gr_cublas_function *function);

#endif
