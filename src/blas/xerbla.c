/* xerbla.c: BLAS's error handlers: one line on stderr, and back to the caller.
 * SPDX-License-Identifier: MIT
 *
 * Weak and never inlined, so that every call goes by name and a program's own handler takes their
 * place. They do not end the program, unlike the reference's: a library has no business to. */
#include <gradus/cblas.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int RowMajorStrg;

__attribute__((weak, noinline)) void xerbla_(const char *routine, const int *info,
                                             size_t routine_length)
{
    int length = routine_length < 32 ? (int)routine_length : 32;
    while (length > 0 && routine[length - 1] == ' ')
        length--;
    fprintf(stderr, " ** On entry to %.*s parameter number %2d had an illegal value\n", length,
            routine, *info);
}

/* Of a row-major product: M is 5 and N is 4 there, lda is 11 and ldb is 9. */
static int exchanged_back(int info)
{
    switch (info) {
    case 4:
        return 5;
    case 5:
        return 4;
    case 9:
        return 11;
    case 11:
        return 9;
    default:
        return info;
    }
}

__attribute__((weak, noinline)) void cblas_xerbla(int info, const char *routine, const char *form,
                                                  ...)
{
    if (RowMajorStrg && strstr(routine, "gemm"))
        info = exchanged_back(info);
    fprintf(stderr, "Parameter %d to routine %s was incorrect\n", info, routine);
    va_list args;
    va_start(args, form);
    vfprintf(stderr, form, args);
    va_end(args);
}
