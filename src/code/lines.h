/* lines.h: which line of the source an address of machine code comes from: the line tables (DWARF 2
 * to 5) of a linked object of the host's and of a cubin compiled with -lineinfo. Not libdw: a cubin
 * has line tables without a compilation unit, and its relocations are of a machine that elfutils
 * does not know; one small reader serves both. SPDX-License-Identifier: MIT */
#ifndef CODE_LINES_H
#define CODE_LINES_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The code from `address` up to the next row's comes from there. */
struct gr_line_row {
    uint64_t address; /* as linked; in a section of a cubin, from its beginning */
    int section;      /* index of the ELF section, where an address is relative to one (cubins); 0:
                         linked objects */
    int file;         /* index into `files`; -1: not told */
    int line, column; /* 0: not told, as the column in cubins */
    int call_file, call_line; /* where the function that this line stands in was inlined, as cubins
                               * tell it; line 0: it was not, or that is not told */
    bool end; /* the first address behind a stretch of code: it comes from nowhere */
};

struct gr_line_table {
    struct gr_line_row *rows; /* ascending by section and address; no two of one address but an end
                                 and what follows */
    int64_t count;
    char *
        *files; /* each path once: as the compiler was told, or made absolute by it (NVRTC does) */
    int file_count;
};

/* The image may go afterwards. No line table is no error: there are no rows then. INVALID: not an
 * ELF file, or a damaged table. Code that the linker left out has no rows. */
enum gradus_status gr_line_table_read(const void *image, size_t length, struct gr_line_table *lines,
                                      struct gradus_error *error);
void gr_line_table_free(struct gr_line_table *lines);

/* The row that covers an address, or null. `section`: as in the rows. For a return address ask for
 * address - 1: the call may be the last instruction of its line. */
const struct gr_line_row *gr_line_table_find(const struct gr_line_table *lines, int section,
                                             uint64_t address);
/* The file that `path` names: the same text, or an absolute path that ends in it. -1: none. */
int gr_line_table_file(const struct gr_line_table *lines, const char *path);

#endif
