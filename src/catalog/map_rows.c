/* map_rows.c: which operands a tensor map can describe. SPDX-License-Identifier: MIT */
#include "catalog/map_rows.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

enum { ALIGNMENT = 16 }; /* of the address and of each row, in bytes: cuTensorMapEncodeTiled */

/* The operand by the kernel's own name: one that is column-major computes the transposed product.
 */
static char own_name(const struct gr_kernel *k, char operand)
{
    return !k->mirrored || operand == 'C' ? operand : operand == 'A' ? 'B' : 'A';
}

bool gr_map_admits(const struct gr_kernel *k, const struct gr_map *map,
                   const struct gr_problem *problem, uint64_t address, char text[160])
{
    const char operand = own_name(k, map->operand);
    const int64_t element = (int64_t)gr_dtype_bytes(gr_problem_type(problem, map->operand)),
                  ld = gr_problem_ld(problem, map->operand);
    if (gr_problem_rows(problem, map->operand) == 0 || gr_problem_cols(problem, map->operand) == 0)
        snprintf(text, 160, "an %c with elements is implied, since %.40s is a tensor map of it",
                 operand, map->name.text);
    else if (!map->optional && !map->by_address && ld * element % ALIGNMENT)
        snprintf(text, 160,
                 "ld%c%%%" PRId64 "==0 is implied, since %.40s is a tensor map of %c, whose rows "
                 "begin at multiples of %d bytes; it is %" PRId64,
                 tolower((unsigned char)operand), ALIGNMENT / element, map->name.text, operand,
                 ALIGNMENT, ld);
    else if (!map->optional && !map->by_address && address % ALIGNMENT)
        snprintf(text, 160, "aligned(%c,%d) is implied, since %.40s is a tensor map of it", operand,
                 ALIGNMENT, map->name.text);
    else
        return true;
    return false;
}
