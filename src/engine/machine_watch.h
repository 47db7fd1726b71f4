/* machine_watch.h: what the tracer learns of a block that executes machine code.
 * SPDX-License-Identifier: MIT */
#ifndef ENGINE_MACHINE_WATCH_H
#define ENGINE_MACHINE_WATCH_H

#include "machine/block.h"
#include "simrt/tracer.h"

/* The watch of a block, which tells the SM's tracer of it. */
struct gr_machine_watch gr_engine_watch(struct gr_sm *sm);
/* The block has failed: threads that wait at a barrier for others are a finding. */
void gr_engine_stuck(struct gr_sm *sm, const struct gr_block *block);
/* The code of a step, as records have it: of the program, and of the one that the block executes.
 */
uint32_t gr_engine_program_code(const struct gr_program *program, uint32_t step);
uint32_t gr_engine_code(const struct gr_block *block, uint32_t step);

#endif
