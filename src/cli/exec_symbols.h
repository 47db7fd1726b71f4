/* exec_symbols.h: finds which gemm routines the files of a program define.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_EXEC_SYMBOLS_H
#define CLI_EXEC_SYMBOLS_H

#include <stdbool.h>

/* The kind of a file for the dynamic loader. */
enum gr_exec_kind {
    GR_EXEC_UNKNOWN,   /* it does not exist, or is not ELF */
    GR_EXEC_DYNAMIC,   /* a program with a dynamic loader */
    GR_EXEC_STATIC,    /* without a dynamic loader: a statically linked program, or a library */
    GR_EXEC_OTHER_BITS /* for another machine or word size than ours */
};

struct gr_exec_symbols {
    enum gr_exec_kind kind;
    /* The names of sgemm and dgemm that the file exports: one that is also in `ours`, and one that
     * is not; "" for none. */
    char shared[64], renamed[64];
    char inner[64]; /* one that it defines, but does not export */
};

/* Reads an ELF file. `ours` is the path of the library whose names count as shared. */
void gr_exec_symbols_read(const char *path, const char *ours, struct gr_exec_symbols *symbols);

#endif
