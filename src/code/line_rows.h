/* line_rows.h: the rows of a line table, which say which source line an address of machine code
 * comes from. SPDX-License-Identifier: MIT */
#ifndef CODE_LINE_ROWS_H
#define CODE_LINE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

/* The source of the code from `address` up to the address of the next row. */
struct gr_line_row {
    uint64_t address; /* as linked; in a section of a cubin, from its beginning */
    int section;      /* index of the ELF section, where an address is relative to one (cubins); 0:
                         linked objects */
    int file;         /* index into `files`; -1: not known */
    int line, column; /* 0: not known; cubins have no columns */
    /* In cubins, where the function of this line was inlined: the innermost of the nested calls
     * that is in the outermost one's file, which is the kernel's. Line 0: it was not inlined, or
     * that is not known. */
    int call_file, call_line;
    bool end; /* the first address after a sequence of code, which has no source */
};

struct gr_line_table {
    struct gr_line_row *rows; /* ascending by section and address; only an `end` and the row after
                                 it may have the same address */
    int64_t count;
    char **files; /* each path once, as on the compiler's command line, or absolute (NVRTC) */
    int file_count;
};

#endif
