/* widths.h: how wide the machine's accesses to memory are, line by line of the source: four scalar
 * loads of the source that lie side by side may be one of 16 bytes. SPDX-License-Identifier: MIT */
#ifndef CODE_WIDTHS_H
#define CODE_WIDTHS_H

#include "code/cubin.h"
#include "code/lines.h"
#include "records/trace.h"

/* One instruction that touches memory. Local memory and constants are left out, and so is what the
 * tensor copy engine does. */
struct gr_width_access {
    int64_t offset;           /* in the kernel's instructions, in bytes */
    int file, line;           /* of the line table; -1 and 0: not told */
    int call_file, call_line; /* where the function that the line stands in was inlined; as in the
                                 line table */
    enum gr_space space;      /* GR_SPACE_OTHER: the address says at run time which memory it is */
    enum gr_access access;
    int bytes; /* of one lane: 1, 2, 4, 8, 16, 32; of matrices (LDSM) what a lane gets */
};

/* Those of one line, space, direction and width. */
struct gr_width_site {
    int file, line;
    enum gr_space space;
    enum gr_access access;
    int bytes, count;
    int64_t first; /* offset of the first */
};

struct gr_width_list {
    struct gr_width_access *accesses; /* as they stand in the program */
    int64_t access_count;
    struct gr_width_site *sites; /* by file, line, space, access, bytes */
    int site_count;
};

/* UNSUPPORTED: instructions older than Volta's. A cubin without line tables gives accesses of no
 * line. */
enum gradus_status gr_widths_read(const struct gr_code *code, const struct gr_code_kernel *kernel,
                                  const struct gr_line_table *lines, struct gr_width_list *list,
                                  struct gradus_error *error);
void gr_widths_free(struct gr_width_list *list);

#endif
