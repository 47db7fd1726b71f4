/* lines.h: finds the source line of an address of machine code, from the line tables (DWARF 2 to 5)
 * of a linked object of the host or of a cubin compiled with -lineinfo. libdw cannot be used: a
 * cubin has line tables without a compilation unit, and its relocations are of a machine that
 * elfutils does not know. One small reader serves both. SPDX-License-Identifier: MIT */
#ifndef CODE_LINES_H
#define CODE_LINES_H

#include "code/line_rows.h"

#include <gradus/gradus.h>
#include <stddef.h>

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
