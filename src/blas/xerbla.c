/* xerbla.c: BLAS's error handlers: they write one line to stderr and return to the caller.
 * SPDX-License-Identifier: MIT
 *
 * They are weak and never inlined, so that every call is resolved by name and a program's own
 * handler replaces them. Unlike the reference's, they do not end the program: that is not a
 * library's decision. */
#include "blas/cblas_errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define HANDLER __attribute__((weak, noinline))

int RowMajorStrg;

static void say_fortran(const char *routine, int64_t info, size_t routine_length)
{
    int length = routine_length < 32 ? (int)routine_length : 32;
    while (length > 0 && routine[length - 1] == ' ')
        length--;
    fprintf(stderr, " ** On entry to %.*s parameter number %2d had an illegal value\n", length,
            routine, (int)info);
}

HANDLER void xerbla_(const char *routine, const int *info, size_t routine_length)
{
    say_fortran(routine, *info, routine_length);
}

HANDLER void xerbla_64_(const char *routine, const int64_t *info, size_t routine_length)
{
    say_fortran(routine, *info, routine_length);
}

static void say_cblas(int info, const char *routine, const char *form, va_list args)
{
    if (RowMajorStrg && strstr(routine, "gemm"))
        info = gr_cblas_exchanged_number(info);
    fprintf(stderr, "Parameter %d to routine %s was incorrect\n", info, routine);
    vfprintf(stderr, form, args);
}

HANDLER void cblas_xerbla(int info, const char *routine, const char *form, ...)
{
    va_list args;
    va_start(args, form);
    say_cblas(info, routine, form, args);
    va_end(args);
}

HANDLER void cblas_xerbla64_(int64_t info, const char *routine, const char *form, ...)
{
    va_list args;
    va_start(args, form);
    say_cblas((int)info, routine, form, args);
    va_end(args);
}
