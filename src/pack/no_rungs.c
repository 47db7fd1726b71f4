/* no_rungs.c: gradus-pack has no CPU rungs, because some of them call the library, which it is
 * linked without. SPDX-License-Identifier: MIT */
#include "catalog/builtin.h"

const struct gr_builtin gr_builtin_table[] = {{0}};
const int gr_builtin_count = 0;
