// cooperative_groups/scan.h: prefix sums stand beside the sums. SPDX-License-Identifier: MIT
#include <cooperative_groups/reduce.h>
