// cooperative_groups/scan.h: prefix sums, which cooperative_groups/reduce.h defines.
// SPDX-License-Identifier: MIT
#include <cooperative_groups/reduce.h>
