/* exec_symbols.h: which gemm a program's files have. SPDX-License-Identifier: MIT */
#ifndef CLI_EXEC_SYMBOLS_H
#define CLI_EXEC_SYMBOLS_H

#include <stdbool.h>

/* What a file is to the dynamic loader. */
enum gr_exec_kind {
    GR_EXEC_UNKNOWN,   /* no file, or not ELF */
    GR_EXEC_DYNAMIC,   /* a program with a dynamic loader */
    GR_EXEC_STATIC,    /* without: a statically linked program, or a library */
    GR_EXEC_OTHER_BITS /* of another machine or width than ours */
};

struct gr_exec_symbols {
    enum gr_exec_kind kind;
    /* Names of sgemm and dgemm that the file defines and others can find: one that `ours` has too,
     * and one that it has not; "" for none. */
    char shared[64], renamed[64];
    char inner[64]; /* one that it defines for itself */
};

/* Reads an ELF file. `ours`: the path of the library whose names count as shared. */
void gr_exec_symbols_read(const char *path, const char *ours, struct gr_exec_symbols *symbols);

#endif
