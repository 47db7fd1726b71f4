/* print.c: what a kernel prints. It takes the place of the C library's printf in a simulated kernel.
 * SPDX-License-Identifier: MIT
 *
 * A GPU has a buffer of a megabyte for it, whose rest is lost. Here, too: a kernel that prints in all its threads must not
 * fill a disk. */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_long left = 1 << 20;

/* The shim's stdio.h declares it as the library does. */
int printf(const char *format, ...)
{
    va_list arguments;
    if (atomic_load(&left) <= 0)
        return -1;
    va_start(arguments, format);
    int length = vfprintf(stdout, format, arguments);
    va_end(arguments);
    if (length > 0 && atomic_fetch_sub(&left, length) <= length)
        fputs("\ngradus: the kernel has printed 1 MB; the rest is left out\n", stdout);
    return length;
}
