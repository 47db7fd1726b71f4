/* widths.h: lists how wide the accesses of machine code are, by line of the source. ptxas may make
 * one access of 16 bytes of four neighbouring scalar loads of the source. SPDX-License-Identifier:
 * MIT */
#ifndef CODE_WIDTHS_H
#define CODE_WIDTHS_H

#include "code/code.h"
#include "code/lines.h"
#include "records/trace.h"

/* One instruction that accesses memory. Local memory, constants and the copies of the tensor memory
 * accelerator are left out. */
struct gr_width_access {
    int64_t offset;           /* in the kernel's instructions, in bytes */
    int file, line;           /* of the line table; -1 and 0: not known */
    int call_file, call_line; /* where the function of the line was inlined, as in the line table */
    enum gr_space space;      /* GR_SPACE_OTHER: the address decides it at run time */
    enum gr_access access;
    int bytes; /* of one lane: 1, 2, 4, 8, 16, 32; for LDSM what each lane receives */
};

/* The accesses of one line, space, kind and width. */
struct gr_width_site {
    int file, line;
    enum gr_space space;
    enum gr_access access;
    int bytes, count;
    int64_t first; /* offset of the first */
};

struct gr_width_list {
    struct gr_width_access *accesses; /* in program order */
    int64_t access_count;
    struct gr_width_site *sites; /* by file, line, space, access, bytes */
    int site_count;
};

/* UNSUPPORTED: as gr_instructions_read. Without line tables, accesses have no line. */
enum gradus_status gr_widths_read(const struct gr_code *code, const struct gr_code_kernel *kernel,
                                  const struct gr_line_table *lines, struct gr_width_list *list,
                                  struct gradus_error *error);
void gr_widths_free(struct gr_width_list *list);

#endif
