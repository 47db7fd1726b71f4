/* rules.h: the simulated device's rules for accesses to memory. SPDX-License-Identifier: MIT */
#ifndef SIMRT_RULES_H
#define SIMRT_RULES_H

#include "records/access_rules.h"

/* The rules of the device; gr_sector_bytes is what gr_rules_sector() returns for them. */
extern struct gr_access_rules gr_rules;
extern uint64_t gr_sector_bytes;
void gr_rules_set(const struct gr_access_rules *rules);

static inline uint64_t gr_in_sector(uint64_t address)
{
    return address & (gr_sector_bytes - 1);
}

#endif
