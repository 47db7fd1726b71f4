/* empty.c: empty versions of the generated tables, because gradus-embed, which writes the
 * tables, is linked before they exist. SPDX-License-Identifier: MIT */
#include "catalog/builtin.h"

const struct gr_builtin gr_builtin_table[] = {{0}};
const int gr_builtin_count = 0;
const struct gr_embedded gr_embedded_table[] = {{0}};
const int gr_embedded_count = 0;
