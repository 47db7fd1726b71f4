/* lineprogram.h: runs the line number programs of the section .debug_line, which gives rows in the
 * order of the file. SPDX-License-Identifier: MIT */
#ifndef CODE_LINEPROGRAM_H
#define CODE_LINEPROGRAM_H

#include "code/elf.h"
#include "code/line_rows.h"

#include <gradus/gradus.h>

struct gr_line_input {
    const struct gr_elf_section *line;     /* .debug_line */
    const struct gr_elf_section *line_str; /* .debug_line_str; may be null */
    const struct gr_elf_section *str;      /* .debug_str; may be null */
    /* Relocates the address at `offset` of .debug_line, and returns the section that it is in.
     * False: there is no such code, and its rows are left out. */
    bool (*place)(const void *state, uint64_t offset, int *section, uint64_t *address);
    const void *state;
};

/* Adds rows, one sequence after another, each of which ends with an `end` row, and files, some of
 * them more than once. The caller frees what was added, also after a failure. */
enum gradus_status gr_line_program_run(const struct gr_line_input *input,
                                       struct gr_line_table *lines, struct gradus_error *error);

#endif
