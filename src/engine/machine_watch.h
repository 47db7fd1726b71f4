/* machine_watch.h: passes the events of a block that executes machine code to the tracer.
 * SPDX-License-Identifier: MIT */
#ifndef ENGINE_MACHINE_WATCH_H
#define ENGINE_MACHINE_WATCH_H

#include "machine/block.h"
#include "simrt/tracer.h"

/* Returns the watch of a block: callbacks that pass its events to the tracer of the SM. */
struct gr_machine_watch gr_engine_watch(struct gr_sm *sm);
/* Reports threads that wait at a barrier for others, after the block has failed. */
void gr_engine_stuck(struct gr_sm *sm, const struct gr_block *block);
/* The address of a step as records have it: of a program, and of the program that the block
 * executes. */
uint32_t gr_engine_program_code(const struct gr_program *program, uint32_t step);
uint32_t gr_engine_code(const struct gr_block *block, uint32_t step);

#endif
