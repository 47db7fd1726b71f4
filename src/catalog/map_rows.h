/* map_rows.h: which operands a tensor map can describe. SPDX-License-Identifier: MIT */
#ifndef CATALOG_MAP_ROWS_H
#define CATALOG_MAP_ROWS_H

#include "records/kernel.h"
#include "records/problem.h"

/* Can the map describe its operand in this problem, at this address (0: not known)? If not, `text`
 * is the implied requirement, without which the driver rejects the map with "invalid argument". */
bool gr_map_admits(const struct gr_kernel *kernel, const struct gr_map *map,
                   const struct gr_problem *problem, uint64_t address, char text[160]);

#endif
