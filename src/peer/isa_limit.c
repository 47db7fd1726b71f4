/* isa_limit.c: the ISA level to which peers are restricted together with the library.
 * SPDX-License-Identifier: MIT */
#include "peer/library.h"

#include "cpu/cpu.h"

#include <string.h>

const char *gr_peer_isa_limit(void)
{
    const char *level;
    for (int i = 0; (level = gr_cpu_isa_at(i)); i++)
        if (gr_cpu_isa_runs(level))
            return strcmp(level, gr_cpu_isa()) == 0 ? NULL : gr_cpu_isa();
    return NULL;
}
