/* partial_tiles.h: recognizes faults of a kernel of whole tiles at a problem that has a part of
 * one. SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_PARTIAL_TILES_H
#define EXPLAIN_PARTIAL_TILES_H

#include "base/str.h"
#include "explain/analysis.h"
#include "explain/grid_step.h"

/* The role of the operand that the array is, or GR_ROLE_NONE. */
enum gr_role gr_role_of_array(const struct gr_analysis_input *input, const char *array);
/* Is the name of its array really an address: "address 0x1"? */
bool gr_fault_is_wild(const struct gr_trace_fault *fault);

/* The tiles of C that the blocks compute, and how much more they cover than there is. */
struct gr_cover {
    struct gr_grid_step rows, columns;
};

/* All 0 if the trace has no access outside of an array, or if the kernel is no GEMM. */
struct gr_cover gr_cover_of(const struct gr_analysis_input *input);

/* Is it an access outside of an operand in whose direction the last tile is not whole? */
bool gr_cover_is_passed(const struct gr_analysis_input *input, const struct gr_cover *cover,
                        const struct gr_trace_fault *fault);

/* Says which sizes are wanted if the kernel is meant for whole tiles: a text that begins with "; ".
 */
void gr_cover_tell(const struct gr_analysis_input *input, const struct gr_cover *cover,
                   struct gr_str *out);

#endif
