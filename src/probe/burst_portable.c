/* burst_portable.c: ceilings of what every CPU of this architecture has. SPDX-License-Identifier:
 * MIT
 */
#include "probe/burst_body.h"
