/* lines.h: finds the source line of an address of machine code, from the line tables (DWARF 2 to 5)
 * of a linked object of the host or of a cubin compiled with -lineinfo. libdw cannot be used: a
 * cubin has line tables without a compilation unit, and its relocations are of a machine that
 * elfutils does not know. One small reader serves both. SPDX-License-Identifier: MIT */
#ifndef CODE_LINES_H
#define CODE_LINES_H

#include <gradus/gradus.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The source of the code from `address` up to the address of the next row. */
struct gr_line_row {
    uint64_t address; /* as linked; in a section of a cubin, from its beginning */
    int section;      /* index of the ELF section, where an address is relative to one (cubins); 0:
                         linked objects */
    int file;         /* index into `files`; -1: not known */
    int line, column; /* 0: not known; cubins have no columns */
    int call_file, call_line; /* where the function of this line was inlined, in cubins; line 0: it
                                 was not inlined, or that is not known */
    bool end;                 /* the first address after a sequence of code, which has no source */
};

struct gr_line_table {
    struct gr_line_row *rows; /* ascending by section and address; only an `end` and the row after
                                 it may have the same address */
    int64_t count;
    char **files; /* each path once, as on the compiler's command line, or absolute (NVRTC) */
    int file_count;
};

/* The image is not needed afterwards. A file without line tables is no error: there are no rows
 * then. INVALID: not an ELF file, or a damaged table. Code that the linker left out has no rows. */
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
